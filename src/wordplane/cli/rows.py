"""Writing predictions row by row: CSV, JSON lines or Parquet, to a file or stdout."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from wordplane.errors import InputError
from wordplane.files import whole_file

FORMATS = ("csv", "jsonl", "parquet")
COLUMNS = ("id", "label", "probability")
SET_COLUMNS = ("id", "labels", "probabilities")

Row = tuple[Any, Any, Any]


def output_format(path: str | None, wish: str | None) -> str:
    """The wish, or what the file's extension says, or CSV on stdout."""
    form = wish or ("csv" if path is None else Path(path).suffix.removeprefix(".").lower())
    if form not in FORMATS:
        raise InputError(
            f"{path}: end the name in .csv, .jsonl or .parquet, or say --output-format"
        )
    if form == "parquet" and path is None:
        raise InputError("Parquet cannot go to stdout: name a file with -o")
    return form


def joined(batches: Iterable[list[Row]], separator: str, classes: list[Any]) -> Iterator[list[Row]]:
    """Sets of labels, and their probabilities, as strings; no label may have the separator."""
    for label in map(str, classes):
        if not separator or separator in label:
            raise InputError(
                f"the label {label!r} cannot be told from two with {separator!r} between them: "
                "choose another --label-separator, or write .jsonl or .parquet"
            )
    for batch in batches:
        yield [(id, *(separator.join(map(str, held)) for held in sets)) for id, *sets in batch]


def write_rows(
    batches: Iterable[list[Row]],
    form: str,
    path: str | None,
    columns: tuple[str, ...],
    label_type: type,
) -> None:
    """Write all rows; a file appears under its name only when it is complete."""
    if path is None:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # data, whatever the terminal speaks
        _write_text(batches, form, sys.stdout, columns)
        return
    with whole_file(path) as draft:
        if form == "parquet":
            _write_parquet(batches, draft, columns, label_type)
        else:
            with draft.open("w", encoding="utf-8", newline="") as file:
                _write_text(batches, form, file, columns)


def _write_text(
    batches: Iterable[list[Row]], form: str, file: TextIO, columns: tuple[str, ...]
) -> None:
    if form == "csv":
        writer = csv.writer(file, lineterminator="\n")
        for number, batch in enumerate(batches):
            if number == 0:  # only now, so that an error in the input writes nothing
                writer.writerow(columns)
            writer.writerows(batch)
        return
    for batch in batches:
        for row in batch:
            values = dict(zip(columns, row, strict=True))
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def _write_parquet(
    batches: Iterable[list[Row]], path: Path, columns: tuple[str, ...], label_type: type
) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    types = [_polars_type(label_type), pl.Float64()]
    if columns is SET_COLUMNS:
        types = [pl.List(held) for held in types]
    schema = dict(zip(columns, [pl.String(), *types], strict=True))

    def frames(*_: Any) -> Iterator[pl.DataFrame]:  # streams: one batch in memory at a time
        for batch in batches:
            yield pl.DataFrame(batch, schema=schema, orient="row")

    register_io_source(frames, schema=schema).sink_parquet(path)


def _polars_type(label_type: type) -> Any:
    import polars as pl

    return {str: pl.String, int: pl.Int64, bool: pl.Boolean}[label_type]
