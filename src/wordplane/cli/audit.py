"""`wordplane audit DATA`"""

import argparse

from wordplane._core import Texts
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_seed_option,
    natural,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
)
from wordplane.common.progress import listen
from wordplane.common.threads import thread_count
from wordplane.data.read import read
from wordplane.diagnosis.audit import Finding, audit

EPILOG = """\
Looks for texts that occur twice (or nearly), rows to test on that are among those to train on,
the same text with different labels, empty and wrongly decoded texts, classes with too few
texts, single words that give a class away, and labels that look mistaken to models which have
not seen them.

examples:
  wordplane audit reviews.csv
  wordplane audit tickets.jsonl --label queue --show 20
  wordplane audit reviews.parquet --json > findings.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--show", type=natural, default=5, metavar="N", help="rows to show of each (default: 5)"
    )
    parser.add_argument(
        "--folds", type=natural, default=5, metavar="K", help="for suspect labels (default: 5)"
    )
    add_seed_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    with progress_bar() as show, listen(show):
        corpus = read(require_label=True, **reader_arguments(args))
        found = audit(
            corpus,
            folds=args.folds,
            random_state=args.seed,
            threads=thread_count(args.threads),
        )
    if args.json:
        print_json({"source": corpus.source, **found.to_dict()})
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    print(f"audited   {plain(corpus.source)}: {len(corpus):,} texts")
    if not found.findings:
        print("nothing found")
    ids = corpus.ids or [str(row + 1) for row in range(len(corpus))]
    for finding in found.findings:
        print(f"\n{finding.kind}: {finding.message}")
        _print_rows(finding, ids, corpus.texts, args.show)
    return 0


def _print_rows(finding: Finding, ids: list[str], texts: Texts, n: int) -> None:
    if not finding.rows or len(finding.details) < len(finding.rows):
        for detail in finding.details[:n]:
            print(f"  {plain(detail)}")
        if finding.details:
            return
    for number, row in enumerate(finding.rows[:n]):
        detail = f" {finding.details[number]}:" if finding.details else ""
        text = " ".join(texts[row].split())
        shown = text if len(text) <= 80 else text[:79] + "…"
        print(f"  row {plain(ids[row])}{plain(detail)} {plain(shown)}")
    if len(finding.rows) > n:
        print(f"  and {len(finding.rows) - n:,} more")
