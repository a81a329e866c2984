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

Row = tuple[Any, Any, float]


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


def write_rows(batches: Iterable[list[Row]], form: str, path: str | None, label_type: type) -> None:
    """Write all rows; a file appears under its name only when it is complete."""
    if path is None:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # data, whatever the terminal speaks
        _write_text(batches, form, sys.stdout)
        return
    with whole_file(path) as draft:
        if form == "parquet":
            _write_parquet(batches, draft, label_type)
        else:
            with draft.open("w", encoding="utf-8", newline="") as file:
                _write_text(batches, form, file)


def _write_text(batches: Iterable[list[Row]], form: str, file: TextIO) -> None:
    if form == "csv":
        writer = csv.writer(file, lineterminator="\n")
        for number, batch in enumerate(batches):
            if number == 0:  # only now, so that an error in the input writes nothing
                writer.writerow(COLUMNS)
            writer.writerows(batch)
        return
    for batch in batches:
        for row in batch:
            values = dict(zip(COLUMNS, row, strict=True))
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def _write_parquet(batches: Iterable[list[Row]], path: Path, label_type: type) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    schema = {"id": pl.String, "label": _polars_type(label_type), "probability": pl.Float64}

    def frames(*_: Any) -> Iterator[pl.DataFrame]:  # streams: one batch in memory at a time
        for batch in batches:
            yield pl.DataFrame(batch, schema=schema, orient="row")

    register_io_source(frames, schema=schema).sink_parquet(path)


def _polars_type(label_type: type) -> Any:
    import polars as pl

    return {str: pl.String, int: pl.Int64, bool: pl.Boolean}[label_type]
