"""`wordplane check MODEL TESTS`"""

import argparse
from textwrap import indent

from wordplane.cli.console import show_result
from wordplane.cli.options import add_common_options
from wordplane.cli.values import natural
from wordplane.workflow.behavior import SHOWN, check_behavior
from wordplane.workflow.behavior_tests import EXAMPLE

EPILOG = f"""\
The tests are tables of a TOML file:

{indent(EXAMPLE, "  ")}
`expect` is the same label, a different one, or that a label becomes "more LABEL" or "less LABEL"
probable. Instead of words to change, pairs = [["a text", "the changed one"]] gives whole texts;
without a change, expect = "label LABEL" asks for a label. allow = 0.05 lets 5 % of the cases fail.
The exit code is 3 if a test fails.

examples:
  wordplane check m.wordplane behavior.toml
  wordplane check m.wordplane behavior.toml --show 1 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("tests", help="a TOML file of tests")
    parser.add_argument(
        "--show",
        type=natural,
        default=SHOWN,
        metavar="N",
        help=f"failing texts to show of each test, at most {SHOWN} (default: {SHOWN})",
    )
    add_common_options(parser)


def run(args: argparse.Namespace) -> int:
    result = check_behavior(args.model, args.tests, n_jobs=args.threads)
    show_result(args, result, result.text(args.show))
    return 0 if result.is_passed else 3
