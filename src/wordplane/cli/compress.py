"""`wordplane compress MODEL [DATA] -o NEW --max-size 1MB`"""

import argparse

from wordplane.cli.console import show_progress, show_result
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_vectors_option,
    load_model,
    reading_options,
)
from wordplane.cli.outputs import MODEL_ENDING, check_ending, check_output
from wordplane.cli.values import size
from wordplane.workflow.compressing import compress

EPILOG = """\
Weights get 8 bits each, the features that matter least are left out, and the file is packed. The
new model is used as any other; it cannot be trained further.

Labeled texts measure what it costs. With --max-loss they also choose the size, so that the cost is
slightly larger on other texts: `wordplane evaluate MODEL NEW OTHERS` compares the two there.

examples:
  wordplane compress m.wordplane -o small.wordplane
  wordplane compress m.wordplane test.csv -o small.wordplane --max-size 300kB
  wordplane compress m.wordplane dev.csv -o small.wordplane --max-loss 0.2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument(
        "data", nargs="*", help="labeled texts to measure the cost on: a file, folder, pattern, -"
    )
    parser.add_argument(
        "-o", "--output", metavar="MODEL", required=True, help="where the new model is written"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--max-size",
        type=size,
        metavar="SIZE",
        help="of the file, such as 300kB (default: 1MB, unless there is --max-loss)",
    )
    parser.add_argument(
        "--max-loss",
        type=float,
        metavar="POINTS",
        help="the smallest model that loses at most so many points of accuracy on the data",
    )
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    check_output(args.output, args.force, [args.model, *args.data])
    check_ending(args.output, MODEL_ENDING, "a model")
    model = load_model(args)
    with show_progress():
        result = compress(
            model,
            args.data or None,
            max_size=args.max_size,
            max_loss=args.max_loss,
            output=args.output,
            n_jobs=args.threads,
            **reading_options(args),
        )
    show_result(args, result)
    return 0
