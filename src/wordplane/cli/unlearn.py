"""`wordplane unlearn MODEL DATA [--rest DATA] -o NEW`"""

import argparse

from wordplane.cli.console import show_progress
from wordplane.cli.options import check_model_first, reading_options
from wordplane.cli.train import (
    add_calibrator_option,
    add_data_and_common_options,
    check_outputs,
    decision_options,
    print_result,
)

EPILOG = """\
The texts are taken out as if the model had never learned from them; they need the labels that they
had then. Naive Bayes subtracts what they added, if the model was trained with --resumable. Other
models (svm, logistic, the recipe) need --rest: they are trained again, with the same features and
learner, on the texts that remain, and their distance from the optimum is printed.

examples:
  wordplane unlearn nb.wordplane wrong.csv -o new.wordplane
  wordplane unlearn svm.wordplane wrong.csv --rest reviews.csv -o new.wordplane
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="the model that learned from the texts")
    parser.add_argument(
        "data", nargs="+", help="the labeled texts to remove: a file, folder, pattern, -"
    )
    parser.add_argument(
        "--rest",
        metavar="FILE",
        help="the training data of the model, with the texts to remove or without them; the other "
        "options below are for training again on what remains",
    )
    add_calibrator_option(parser)
    add_data_and_common_options(parser)


def run(args: argparse.Namespace) -> int:
    from wordplane.workflow.unlearn import unlearn

    check_model_first(args)
    reading = reading_options(args)
    output = check_outputs(args, args.rest)
    with show_progress():
        result = unlearn(
            args.model,
            args.data,
            rest=args.rest,
            output=output,
            report=args.report,
            calibrator=args.calibrator,
            n_jobs=args.threads,
            **decision_options(args),
            **reading,
        )
    return print_result(result, args)
