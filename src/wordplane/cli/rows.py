"""Writing predictions row by row: CSV, JSON lines or Parquet, to a file or stdout."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from wordplane.errors import InputError
from wordplane.files import whole_file

FORMATS = ("csv", "jsonl", "parquet")
COLUMNS = ("id", "label", "probability")

Row = tuple[Any, Any, float]


def output_format(path: str | None, wish: str | None) -> str:
    """The wish, or what the file's extension says, or CSV on stdout."""
    form = wish or ("csv" if path is None else Path(path).suffix.removeprefix("."))
    if form not in FORMATS:
        raise InputError(
            f"{path}: end the name in .csv, .jsonl or .parquet, or say --output-format"
        )
    if form == "parquet" and path is None:
        raise InputError("Parquet cannot go to stdout: name a file with -o")
    return form


def write_rows(batches: Iterable[list[Row]], form: str, path: str | None) -> None:
    """Write all rows; a file appears under its name only when it is complete."""
    if path is None:
        _write_text(batches, form, sys.stdout)
        return
    with whole_file(path) as draft:
        if form == "parquet":
            _write_parquet(batches, draft)
        else:
            with draft.open("w", encoding="utf-8", newline="") as file:
                _write_text(batches, form, file)


def _write_text(batches: Iterable[list[Row]], form: str, file: TextIO) -> None:
    if form == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for batch in batches:
            writer.writerows(batch)
        return
    for batch in batches:
        for row in batch:
            values = dict(zip(COLUMNS, row, strict=True))
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def _write_parquet(batches: Iterable[list[Row]], path: Path) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    def frames() -> Iterator[pl.DataFrame]:
        for batch in batches:
            yield pl.DataFrame(batch, schema=list(COLUMNS), orient="row")

    # The first batch tells the types; the rest streams through, one batch in memory at a time.
    source = frames()
    first = next(source, pl.DataFrame(schema=list(COLUMNS)))

    def chained(*_: Any) -> Iterator[pl.DataFrame]:
        yield first
        yield from (frame.cast(first.schema) for frame in source)

    register_io_source(chained, schema=first.schema).sink_parquet(path)
