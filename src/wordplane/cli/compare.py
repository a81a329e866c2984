"""`wordplane compare DATA`"""

import argparse

from wordplane.cli.options import (
    add_analyzer_options,
    add_common_options,
    add_data_options,
    check_folds,
    given_parameters,
    natural,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
    seconds,
)
from wordplane.cli.train import fit_to_data, train_rows_of
from wordplane.common.progress import listen
from wordplane.data.read import read
from wordplane.diagnosis.learner_comparison import RECIPE, compare
from wordplane.diagnosis.learner_results import LearnerComparison
from wordplane.learners.registry import LEARNERS, learner_named
from wordplane.model.classifier import TextClassifier

EPILOG = """\
Every learner is cross-validated on the rows to train on, all on the same folds; rows marked test
or dev are not looked at. Texts are read once for all learners that read them alike. A learner
that does not fit into the time is listed as skipped, with how long it would take.

examples:
  wordplane compare reviews.csv
  wordplane compare reviews.csv --learners recipe,nb,logistic --folds 10
  wordplane compare tickets.jsonl --ngrams 1,2 --min-df 2 --budget 5m --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--learners",
        type=_names,
        default=(RECIPE, *LEARNERS),
        metavar="NAME,NAME",
        help=f"which to compare (default: {RECIPE},{','.join(LEARNERS)})",
    )
    parser.add_argument("--folds", type=natural, default=5, metavar="K", help="(default: 5)")
    parser.add_argument(
        "--budget",
        type=seconds,
        default=60.0,
        metavar="TIME",
        help="what it may take, such as 60s or 5m (default: 60s)",
    )
    parser.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="of the folds (default: 0)"
    )
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    given = given_parameters(args)
    with progress_bar() as show, listen(show):
        corpus = read(require_label=True, **reader_arguments(args))
        corpus = corpus.take(train_rows_of(corpus))
        check_folds(args.folds, corpus)
        classifiers = {}
        for name in args.learners:
            learner = None if name == RECIPE else learner_named(name)
            classifiers[name] = TextClassifier(None, learner)
            fit_to_data(classifiers[name], corpus, given)
        result = compare(
            corpus,
            corpus.labels,
            classifiers,
            folds=args.folds,
            budget=args.budget,
            n_jobs=args.threads,
            random_state=args.seed,
        )
    if args.json:
        print_json({"source": corpus.source, "notes": list(corpus.notes), **result.to_dict()})
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    if corpus.weights is not None:
        say("note: weights of rows are not used in comparisons")
    _print(result, corpus.source)
    return 0


def _print(result: LearnerComparison, source: str) -> None:
    print(
        f"compared  {len(result.results)} learners on {result.n_docs:,} texts of {plain(source)}, "
        f"{result.folds} folds, in {result.seconds:.0f} s\n"
    )
    print(plain(result))
    reading = " and ".join(f"{seconds:.1f} s" for seconds in result.reading_seconds.values())
    corrected = f", corrected for all {result.n_pairs} pairs of learners" * (result.n_pairs > 1)
    print(
        f"\nIn brackets 95 % intervals. Differences are tested by McNemar's mid-p{corrected}."
        "\nTrain: the rows of one fold, predict: all rows, by one core. Reading the texts took "
        f"{reading} more."
    )


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name != RECIPE and name not in LEARNERS:
            known = ", ".join((RECIPE, *LEARNERS))
            raise argparse.ArgumentTypeError(f"{name!r} is no learner; there are {known}")
    return names
