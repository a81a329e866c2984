"""`wordplane audit DATA`"""

import argparse

from wordplane.cli.console import show_progress, show_result
from wordplane.cli.options import (
    FOLDS,
    add_common_options,
    add_data_options,
    add_group_option,
    add_options,
    add_seed_option,
    helps_of,
    reading_options,
)
from wordplane.cli.values import natural
from wordplane.workflow.auditing import audit

EPILOG = """\
Looks for texts that occur twice (or nearly), rows to test on that are among those to train on,
the same text with different labels, empty and wrongly decoded texts, classes with too few
texts, single words that give a class away, labels that look mistaken (or, of several per text,
missing) to models which have not seen them, and columns (author, thread) whose rows should be
held out together (--group).

examples:
  wordplane audit reviews.csv
  wordplane audit tickets.jsonl --label queue --show 20
  wordplane audit reviews.parquet --json > findings.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--show", type=natural, default=5, metavar="N", help="rows to show of each (default: 5)"
    )
    add_options(parser, helps_of(audit), {"folds": FOLDS})
    add_seed_option(parser)
    add_group_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    with show_progress():
        result = audit(
            args.data,
            folds=args.folds,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    show_result(args, result, result.text(args.show))
    return 0
