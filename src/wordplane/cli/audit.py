"""`wordplane audit DATA`"""

import argparse
import sys

from wordplane.cli.console import plain, say, say_next, show_progress, show_result, warn
from wordplane.cli.next_steps import after_audit
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
from wordplane.cli.outputs import add_escape_option, add_excel_option, check_output, excel_delimiter
from wordplane.cli.questions import is_terminal
from wordplane.cli.values import natural
from wordplane.common.errors import InputError
from wordplane.data.tables import TABLES
from wordplane.data.write import choose_format
from wordplane.workflow.audit_fixes import read_fixes, write_fixed
from wordplane.workflow.auditing import AuditResult, audit
from wordplane.workflow.mistakes import write_frame

EPILOG = """\
Looks for texts that occur twice (or nearly), rows to test on that are among those to train on, the
same text with different labels, labels in several spellings (case, white space, _ or -), empty and
wrongly decoded texts, classes with too few texts, single words that give a class away, labels that
look mistaken (or, of several per text, missing) to models which have not seen them, and columns
(author, thread) whose rows should be held out together (--group).

Rows are counted from 1, without the header. -o writes all rows that were found, with a column
`fix`: type `remove` or a new label there. --fix writes a copy of the data without rows that repeat
an earlier one with the same label, without empty texts, and with one spelling of each label; with
--fixes, it does what the column `fix` says instead. It first lists all changes, and asks; where
nobody can answer, it writes only with --yes.

examples:
  wordplane audit reviews.csv
  wordplane audit tickets.jsonl --label queue --show 20
  wordplane audit tickets.xlsx -o found.xlsx                        look, and fill in `fix`
  wordplane audit tickets.xlsx --fixes found.xlsx --fix clean.xlsx
  wordplane audit reviews.parquet --json > findings.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--show", type=natural, default=5, metavar="N", help="rows to show of each (default: 5)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write all rows found: .csv, .tsv, .xlsx, .jsonl or .parquet",
    )
    parser.add_argument("--fix", metavar="FILE", help="write a cleaned copy of the data")
    parser.add_argument(
        "--fixes", metavar="FILE", help="for --fix: what -o wrote, with your changes"
    )
    parser.add_argument("--yes", action="store_true", help="write --fix without asking")
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    add_escape_option(parser)
    add_excel_option(parser)
    add_options(parser, helps_of(audit), {"folds": FOLDS})
    add_seed_option(parser)
    add_group_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    if args.fixes and not args.fix:
        raise InputError("--fixes says what --fix does: name a file for the cleaned copy with it")
    for path, option in ((args.output, "-o"), (args.fix, "--fix")):
        if path:
            others = [args.fix if option == "-o" else args.output, args.fixes]
            check_output(path, args.force, [*args.data, *others], option)
            choose_format(path, None, TABLES)
    with show_progress():
        result = audit(
            args.data,
            folds=args.folds,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    show_result(args, result, result.text(args.show))
    if args.output:
        assert result.corpus is not None
        write_frame(
            result.issues,
            args.output,
            escape_formulas=args.escape_formulas or args.excel,
            excel=excel_delimiter(args, result.corpus.file_style),
        )
        say(f"wrote {len(result.issues):,} rows to {args.output}")
    if args.fix:
        _fix(args, result)
    if not args.json:
        say_next(after_audit(args, len(result.findings)))
    return 0


def _fix(args: argparse.Namespace, result: AuditResult) -> None:
    """Write the cleaned copy, after it was said what changes."""
    fixes, corpus = read_fixes(args.fixes or result.issues), result.corpus
    assert corpus is not None
    changes = fixes.lines(corpus)
    warn(f"\n{len(fixes.remove):,} rows to remove, {len(fixes.relabel):,} labels to change:")
    for line in changes:
        print(f"  {plain(line)}", file=sys.stderr)
    if not (args.yes or _is_agreed(args.fix)):
        warn(f"{args.fix} was not written: add --yes to write it")
        return
    n_rows = write_fixed(args.data, corpus, fixes, args.fix, reading_options(args))
    say(f"wrote {n_rows:,} rows to {args.fix}")


def _is_agreed(path: str) -> bool:
    """Whether the person at the terminal says so; nobody else does."""
    if not is_terminal():
        return False
    print(f"write {plain(path)}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
