"""`wordplane predict MODEL DATA`"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from wordplane.cli.console import progress_bar, say
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_rows_option,
    check_output,
    load_model,
    reader_arguments,
)
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.progress import Listener
from wordplane.data.read import read_batches
from wordplane.data.tables import COLUMNAR, TABLES, Batch, write_table
from wordplane.data.write import choose_format
from wordplane.learners.support.base import best_class
from wordplane.model.classifier import TextClassifier
from wordplane.workflow.inputs import choose_rows, model_columns

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
        "-o",
        "--output",
        metavar="FILE",
        help="write .csv, .tsv, .jsonl, .parquet or .arrow (default: stdout)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--output-format", choices=TABLES, help="instead of what -o's extension says"
    )
    parser.add_argument(
        "--label-separator",
        default="|",
        metavar="CHAR",
        help="between several labels of a row in CSV (default: |)",
    )
    parser.add_argument(
        "--escape-formulas",
        action="store_true",
        help="in CSV, put ' before ids and labels that a spreadsheet would run (= + - @)",
    )
    add_rows_option(parser, "all")
    add_common_options(parser)
    add_data_options(parser, labels=False)


def run(args: argparse.Namespace) -> int:
    output = None if args.output == "-" else args.output
    on_stdout = None if output else "jsonl" if args.json else "csv"
    form = choose_format(output, args.output_format or on_stdout, TABLES)
    if form in COLUMNAR and output is None:
        raise InputError(f"{form} cannot be written to stdout: name a file with -o")
    if output:
        check_output(output, args.force, [args.model, *args.data])
    model = load_model(args)
    with progress_bar() as show:
        kind = type(model.classes_.tolist()[0])
        kinds: dict[str, Any] = {"id": str, "label": kind, "probability": float}
        rows = _predictions(model, args, show)
        if model.is_multilabel:
            kinds = {"id": str, "labels": list[kind], "probabilities": list[float]}  # type: ignore[valid-type]
            if form in ("csv", "tsv"):
                rows = joined(rows, args.label_separator, model.classes_.tolist())
        n_rows = 0

        def counted() -> Iterator[Batch]:
            nonlocal n_rows
            for batch in rows:
                n_rows += len(batch["id"])
                yield batch

        write_table(counted(), form, output, kinds, escape_formulas=args.escape_formulas)
    if output:
        say(f"wrote {n_rows:,} rows to {output}")
    return 0


def _predictions(
    model: TextClassifier, args: argparse.Namespace, show: Listener
) -> Iterator[Batch]:
    n_rows = 0
    told: set[str] = set()
    for batch in read_batches(**{**reader_arguments(args), **model_columns(model)}):
        for note in batch.notes:
            if note not in told:
                say(f"note: {note}")
        told.update(batch.notes)
        ids = batch.ids or [str(row) for row in range(n_rows + 1, n_rows + len(batch) + 1)]
        n_rows += len(batch)
        chosen = choose_rows(replace(batch, ids=ids), args.rows or "all")
        # From the scores, as predict does it: equal probabilities may hide which is larger.
        z = model.decision_function(chosen)
        found, P = model.labels_of(z), model.probabilities_of(z).round(6)
        ids, labels = chosen.ids or [], found.tolist()
        if isinstance(found, LabelSets):
            chances = [P[row, has].tolist() for row, has in enumerate(found.member)]
            yield {"id": ids, "labels": labels, "probabilities": chances}
        else:
            likely = P[range(len(z)), best_class(z, len(model.classes_))].tolist()
            yield {"id": ids, "label": labels, "probability": likely}
        show("rows labelled", n_rows, 0)


def joined(batches: Iterator[Batch], separator: str, classes: list[Any]) -> Iterator[Batch]:
    """Sets of labels, and their probabilities, as strings; no label may have the separator."""
    for label in map(str, classes):
        if not separator or separator in label:
            raise InputError(
                f"the label {label!r} cannot be told from two with {separator!r} between them: "
                "choose another --label-separator, or write .jsonl or .parquet"
            )
    for batch in batches:
        yield {
            name: held
            if name == "id"
            else [separator.join(map(str, cast(Sequence[object], one))) for one in held]
            for name, held in batch.items()
        }
