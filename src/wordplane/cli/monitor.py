"""`wordplane monitor MODEL DATA`"""

import argparse
from pathlib import PurePath

from wordplane.cli.console import say, show_progress, show_result
from wordplane.cli.options import (
    COLUMN,
    Typed,
    add_common_options,
    add_data_options,
    add_options,
    add_seed_option,
    add_vectors_option,
    helps_of,
    load_model,
    reading_options,
)
from wordplane.cli.outputs import add_escape_option, add_excel_option, check_output, excel_delimiter
from wordplane.common.errors import InputError
from wordplane.data.tables import TABLES
from wordplane.data.write import choose_format
from wordplane.workflow.mistakes import write_frame
from wordplane.workflow.monitoring import monitor, read_files

EPILOG = """\
The texts need no labels. Counting the labels that a model gives is wrong where their shares have
changed; the shares printed are corrected for the errors that the model made on texts held out in
training, and so is the accuracy to expect. Both hold if texts of a label are still what they were.
Whether they are is tested by words, lengths and scripts: of texts like those trained on, one sample
in 20 is said to have changed by chance.

With --fail, the exit code is 3 if the texts have changed, for scripts that run every night.

examples:
  wordplane monitor m.wordplane today.csv
  wordplane monitor m.wordplane 2026.csv --by month            a table, one row for each month
  wordplane monitor m.wordplane 2026.csv --by month --plot months.svg
  wordplane monitor m.wordplane today.csv --fail || mail -s "texts have changed" me
  wordplane monitor m.wordplane today.csv -o page.html         or .csv, .xlsx: the shares
  wordplane monitor m.wordplane today.csv --json
"""

OPTIONS: dict[str, Typed] = {"by": COLUMN}
PAGES = (".html", ".htm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, -")
    add_options(parser, helps_of(monitor), OPTIONS)
    parser.add_argument(
        "--fail", action="store_true", help="exit with 3 if the texts, or a part, have changed"
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the shares of the labels for each value of --by: .png, .svg, .html",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write what is printed as a page (.html), or the shares as a table: .csv, .tsv, "
        ".xlsx, .jsonl or .parquet",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    add_escape_option(parser)
    add_excel_option(parser)
    add_seed_option(parser)
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=False)


def run(args: argparse.Namespace) -> int:
    is_page = bool(args.output) and PurePath(args.output).suffix.lower() in PAGES
    if args.output:
        check_output(args.output, args.force, [args.model, *args.data, args.plot])
        if not is_page:
            choose_format(args.output, None, TABLES)
    if args.plot:
        if not args.by:
            raise InputError("--plot draws the parts of --by: name a column")
        check_output(args.plot, args.force, [args.model, *args.data], "--plot")
    model = load_model(args)
    with show_progress():
        corpus = read_files(model, args.data, args.by, reading_options(args))
        result = monitor(model, corpus, by=args.by, n_jobs=args.threads, random_state=args.seed)
    if args.plot:
        from wordplane.plots.saving import save

        save(result.picture(), args.plot)
    if is_page:
        result.report(args.output)
    elif args.output:
        write_frame(
            result.table,
            args.output,
            escape_formulas=args.escape_formulas or args.excel,
            excel=excel_delimiter(args, model.training_.file_style),
        )
    show_result(args, result)
    if args.output and not args.json:
        say(f"wrote {args.output}")
    return 3 if args.fail and result.changed else 0
