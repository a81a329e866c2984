"""`wordplane predict MODEL DATA`"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import wordplane
from wordplane.classifier import TextClassifier
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_rows_option,
    check_output,
    chosen_rows,
    progress_bar,
    reader_arguments,
    say,
)
from wordplane.cli.rows import (
    COLUMNS,
    FORMATS,
    SET_COLUMNS,
    Row,
    joined,
    output_format,
    write_rows,
)
from wordplane.data.read import read_batches
from wordplane.label_sets import LabelSets
from wordplane.learners.base import best_class
from wordplane.progress import Listener

EPILOG = """\
Every input row gives one output row, in order: its id (the row number if there is none), its
label, and the probability of that label. Files of any size are read in batches. Of a model of
sets of labels, a row has all its labels (there may be none) and the probability of each: as lists
in JSONL and Parquet, with --label-separator between them in CSV.

examples:
  echo "great film" | wordplane predict m.wordplane -
  wordplane predict m.wordplane reviews.csv > labels.csv
  wordplane predict m.wordplane mails.txt --json | head
  wordplane predict m.wordplane reviews.parquet --rows test > labels.csv
  wordplane predict m.wordplane reviews.parquet --id number -o labels.parquet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, - for stdin")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write .csv, .jsonl or .parquet (default: stdout)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--output-format", choices=FORMATS, help="instead of what -o's extension says"
    )
    parser.add_argument(
        "--label-separator",
        default="|",
        metavar="CHAR",
        help="between several labels of a row in CSV (default: |)",
    )
    add_rows_option(parser, "all")
    add_common_options(parser)
    add_data_options(parser, labels=False)


def run(args: argparse.Namespace) -> int:
    output = None if args.output == "-" else args.output
    wish = args.output_format or ("jsonl" if args.json and output is None else None)
    form = output_format(output, wish)
    if output:
        check_output(output, args.force)
    model = wordplane.load(args.model)
    model.n_jobs = args.threads
    args.extra = model.analyzer.column_kinds() if model.analyzer else {}
    with progress_bar() as show:
        label_type = type(model.classes_.tolist()[0])
        columns = SET_COLUMNS if model.is_multilabel else COLUMNS
        rows = _predictions(model, args, show)
        if model.is_multilabel and form == "csv":
            rows = joined(rows, args.label_separator, model.classes_.tolist())
        write_rows(rows, form, output, columns, label_type)
    return 0


def _predictions(
    model: TextClassifier, args: argparse.Namespace, show: Listener
) -> Iterator[list[Row]]:
    n_rows = 0
    told: set[str] = set()
    columns = model.training_.get("text_columns")
    for batch in read_batches(**reader_arguments(args), text_hint=columns):
        for note in batch.notes:
            if note not in told:
                say(f"note: {note}")
        told.update(batch.notes)
        ids = batch.ids or [str(row) for row in range(n_rows + 1, n_rows + len(batch) + 1)]
        n_rows += len(batch)
        chosen = chosen_rows(replace(batch, ids=ids), args.rows or "all")
        # From the scores, as predict does it: equal probabilities may hide which is larger.
        z = model.decision_function(chosen)
        found, P = model.labels_of(z), model.probabilities_of(z).round(6)
        labels: list[Any] = found.tolist()
        if isinstance(found, LabelSets):
            chances = [P[row, has].tolist() for row, has in enumerate(found.member)]
        else:
            chances = P[range(len(z)), best_class(z, len(model.classes_))].tolist()
        yield list(zip(chosen.ids or (), labels, chances, strict=True))
        show("rows labelled", n_rows, 0)
