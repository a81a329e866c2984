"""`wordplane compare DATA`"""

import argparse

from wordplane.cli.console import show_progress, show_result
from wordplane.cli.options import (
    FOLDS,
    METRICS,
    REPEATS,
    Typed,
    add_learning_options,
    add_options,
    given_parameters,
    helps_of,
    reading_options,
)
from wordplane.cli.values import seconds
from wordplane.common.parameters import nearest
from wordplane.workflow.comparison import ALL_LEARNERS, compare

EPILOG = """\
Every learner is cross-validated on the rows to train on, all on the same folds; rows marked test
or dev are not looked at. Texts are read once for all learners that read them alike. A learner
that does not fit into the time is listed as skipped, with how long it would take.

examples:
  wordplane compare reviews.csv
  wordplane compare reviews.csv --learners recipe,nb,logistic --folds 10
  wordplane compare mails.csv --metric ap:spam
  wordplane compare posts.csv --label tags --label-separator '|' --metric macro_f1
  wordplane compare posts.csv --time date            earlier posts say what later ones are
  wordplane compare reviews.csv --repeats 5          five times with other folds
  wordplane compare tickets.jsonl --ngrams 1,2 --min-df 2 --budget 5m --json
"""

BUDGET: Typed = {"type": seconds, "default": 60.0, "metavar": "TIME"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--learners",
        type=_names,
        default=ALL_LEARNERS,
        metavar="NAME,NAME",
        help=f"which to compare (default: {','.join(ALL_LEARNERS)})",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help=f"order and compare learners by this: {METRICS}",
    )
    add_options(parser, helps_of(compare), {"folds": FOLDS, "repeats": REPEATS, "budget": BUDGET})
    add_learning_options(parser)


def run(args: argparse.Namespace) -> int:
    with show_progress(results=True):
        result = compare(
            args.data,
            learners=args.learners,
            analyzer=given_parameters(args),
            metric=args.metric,
            folds=args.folds,
            repeats=args.repeats,
            budget=args.budget,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    show_result(args, result)
    return 0


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in ALL_LEARNERS:
            known = ", ".join(ALL_LEARNERS)
            hint = nearest(name, ALL_LEARNERS) or f"; there are {known}"
            raise argparse.ArgumentTypeError(f"{name!r} is not a learner{hint}")
    return names
