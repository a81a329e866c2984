"""`wordplane train DATA -o MODEL`"""

import argparse
from collections.abc import Iterable
from pathlib import Path

from wordplane.cli.console import plain, print_json, say, show_progress
from wordplane.cli.options import (
    add_analyzer_options,
    add_common_options,
    add_data_options,
    add_learner_options,
    add_seed_option,
    check_output,
    given_parameters,
    learner_parameters,
    reading_options,
)
from wordplane.cli.values import seconds
from wordplane.common.errors import InputError
from wordplane.data.encoding import STDIN
from wordplane.workflow.classifiers import RECIPE
from wordplane.workflow.training import TrainingResult, train

EPILOG = """\
The model is first trained on nine tenths of the texts and measured on the tenth that it has
not seen; then it is trained again on all of them and saved. If the data has a column `split`,
it is trained on the rows marked train and measured on those marked test (or, if there are
none, dev), which it is never trained on.

examples:
  wordplane train reviews.csv                        writes reviews.wordplane
  wordplane train tickets.jsonl --text subject --text body --label queue -o tickets.wordplane
  wordplane train 'mails/*.csv.gz' --encoding cp1252 --ngrams 1,3 --min-df 2
  wordplane train posts/                             one folder per class
  wordplane train tweets.csv --chars 2,6 --negation --suffixes 2,3 --shapes --lexica mood.tsv
  wordplane train tweets.csv --features word,char,suffix --suffixes 3,4     these groups only
  wordplane train mails.csv --extra n_links --extra sender
  wordplane train posts.csv --label tags --label-separator '|'    several labels per text, or none
  wordplane train monday.csv --learner perceptron --resumable -o m.wordplane
  wordplane train tuesday.csv --from m.wordplane -o m.wordplane --force
  wordplane train reviews.csv --learner nb --param alpha=0.1 --json
  wordplane train reviews.csv --tune --budget 60s    look for better parameters first
  wordplane train reviews.csv --report reviews.html  a page to look at
  wordplane train few.csv --unlabeled many.txt       the recipe beside word vectors of all texts
  wordplane train few.csv --unlabeled many.txt --learner em          by EM naive Bayes
  wordplane train few.csv --unlabeled many.txt --learner logistic    by self-training
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", nargs="+", help="labelled texts: a file, a folder per class, a pattern, - for stdin"
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the model is written")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--no-test", action="store_true", help="do not measure: train once, on all rows"
    )
    add_learner_options(parser)
    parser.add_argument(
        "--from",
        dest="from_model",
        metavar="MODEL",
        help="go on with this model, its features and classes: naive Bayes and online learners",
    )
    parser.add_argument(
        "--resumable",
        action="store_true",
        help="keep in the model what --from needs, several times the size of the weights",
    )
    parser.add_argument(
        "--unlabeled",
        metavar="FILE",
        help="texts without labels to learn from too: the recipe adds word vectors learned from "
        "them if five folds of the labelled texts say that it helps; --learner nb or em learns by "
        "EM (with alpha=loo), other learners by self-training",
    )
    parser.add_argument(
        "--calibration",
        choices=("holdout", "cv", "none"),
        default="holdout",
        help="what probabilities are fitted on: the rows held out, all in five folds, or nothing",
    )
    parser.add_argument(
        "--report", metavar="FILE", help="also write a page to look at, as `wordplane report` does"
    )
    parser.add_argument(
        "--tune",
        action="store_true",
        help="first find parameters of the learner by five folds, without the rows measured on "
        "(`wordplane tune` shows more)",
    )
    parser.add_argument(
        "--budget", type=seconds, metavar="TIME", help="for --tune, such as 60s or 5m"
    )
    add_seed_option(parser)
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    reading = reading_options(args)
    output = args.output or default_output(args.data)
    inputs = [*args.data, args.unlabeled]
    check_output(output, args.force, inputs)
    if args.report is not None:
        check_output(args.report, args.force, [*inputs, output, args.from_model], "--report")
        if args.no_test:
            raise InputError("--report needs rows to measure on: leave out --no-test")
        from wordplane.plots.style import altair

        altair()  # if it is missing, nobody waits for the rest
    if args.from_model and args.extra:
        raise InputError("--from keeps the columns of the model: leave out --extra")
    with show_progress():
        result = train(
            args.data,
            learner=None if args.learner == RECIPE else args.learner,
            params=learner_parameters(args),
            analyzer=given_parameters(args),
            output=output,
            test=not args.no_test,
            calibration=None if args.calibration == "none" else args.calibration,
            tune=args.tune,
            budget=args.budget,
            unlabeled=args.unlabeled,
            from_model=args.from_model,
            resumable=args.resumable,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading,
        )
        if args.report is not None and result.measured is not None:
            result.report(args.report)
    report = args.report if result.measured is not None else None
    if args.json:
        print_json({**result.to_dict(), "report": report})
    else:
        print_summary(result)
        if report is not None:
            print(f"report    {plain(report)}")
    if report != args.report:
        how = "give more texts of each class"
        if args.calibration != "holdout":
            how = f"leave out --calibration {args.calibration}"
        raise InputError(
            f"the model is saved, but no report: nothing was measured; {how}, or mark rows as test "
            "in a column `split`"
        )
    return 0


def print_summary(result: TrainingResult) -> None:
    """The result for a person."""
    for note in result.notes:
        say(f"note      {note}")
    print(plain(result))


def default_output(sources: Iterable[str]) -> str:
    """reviews.csv.gz becomes reviews.wordplane, in the current folder."""
    first = next(iter(sources))
    name = Path(first).resolve().name.split(".")[0]
    if not name or first == STDIN or any(c in name for c in "*?["):
        name = "model"
    return f"{name}.wordplane"
