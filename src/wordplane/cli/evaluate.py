"""`wordplane evaluate MODEL DATA`"""

import argparse

from wordplane.cli.console import plain, print_json, say_notes, show_progress
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_rows_option,
    add_seed_option,
    load_model,
    reading_options,
)
from wordplane.workflow.evaluation import evaluate

EPILOG = """\
If the data has a column `split`, the rows marked test are measured; --rows chooses others.
Measured on rows it was trained on, a model looks better than it is. How often the same test rows
are measured is counted in MODEL.evaluations.json, and said from the second time on.

examples:
  wordplane evaluate m.wordplane test.csv
  wordplane evaluate m.wordplane reviews.parquet --rows test --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    add_rows_option(parser, "test if there are any, else all")
    parser.add_argument(
        "--bootstrap",
        action="store_true",
        help="also print the bootstrap interval of the accuracy, beside Wilson's",
    )
    add_seed_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    model = load_model(args)
    with show_progress():
        result = evaluate(
            model,
            args.data,
            rows=args.rows,
            bootstrap=args.bootstrap,
            count_beside=args.model,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    if args.json:
        print_json(result.to_dict())
        return 0
    say_notes(result.notes)
    print(plain(result))
    return 0
