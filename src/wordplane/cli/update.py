"""`wordplane update MODEL DATA -o NEW`"""

import argparse

from wordplane.cli.console import show_progress
from wordplane.cli.options import check_model_first, reading_options
from wordplane.cli.train import (
    add_data_and_common_options,
    check_outputs,
    decision_options,
    print_result,
)
from wordplane.cli.values import share

EPILOG = """\
The learner of the model must be naive Bayes or an online learner, and the model must have been
trained with --resumable. Words and classes that are new to it are added. Shows how much of each
tenth of the texts was right before it was learned from, and which words the model changed its mind
about.

examples:
  wordplane train monday.csv --learner perceptron --resumable -o m.wordplane
  wordplane update m.wordplane tuesday.csv -o new.wordplane
  wordplane update m.wordplane tuesday.csv -o m.wordplane --force
  wordplane update m.wordplane tuesday.csv --forget 0.2 -o new.wordplane
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that was trained with --resumable")
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--forget",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="first forget this share of what the model has learned, such as 0.2",
    )
    add_data_and_common_options(parser)


def run(args: argparse.Namespace) -> int:
    from wordplane.workflow.update import update

    check_model_first(args)
    reading = reading_options(args)
    output = check_outputs(args)
    with show_progress():
        result = update(
            args.model,
            args.data,
            forget=args.forget,
            output=output,
            report=args.report,
            n_jobs=args.threads,
            **decision_options(args),
            **reading,
        )
    return print_result(result, args)
