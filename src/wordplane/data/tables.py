"""Tables with named columns, written batch by batch: CSV, TSV, JSON lines, Parquet, Arrow."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, get_args, get_origin

from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.data.compression import compressed, compression

TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
COLUMNAR = ("parquet", "arrow")

Columns = Mapping[str, Sequence[Any]]


def write_table(
    batches: Iterable[Columns], form: str, path: str | None, kinds: Mapping[str, Any]
) -> None:
    """Write all rows to a file, which appears only when it is complete, or to stdout (None).

    `kinds` are the columns with their types: str, int, bool, float, or list[...] of one of them.
    """
    if form in COLUMNAR:
        _write_columnar(batches, form, path, kinds)
        return
    with text_output(path) as file:
        if form == "jsonl":
            _write_json(batches, file)
        else:
            _write_delimited(batches, "\t" if form == "tsv" else ",", file)


@contextmanager
def text_output(path: str | None) -> Iterator[TextIO]:
    """A stream of UTF-8 into a file, or stdout."""
    if path is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # data, whatever the terminal speaks
        yield sys.stdout
        return
    with (
        whole_file(path) as draft,
        compressed(draft, path) as raw,
        io.TextIOWrapper(raw, "utf-8", newline="") as file,
    ):
        yield file


def _write_delimited(batches: Iterable[Columns], delimiter: str, file: TextIO) -> None:
    writer = csv.writer(_UnixLines(file), delimiter=delimiter)
    for number, batch in enumerate(batches):
        if number == 0:  # only now, so that an error in the input writes nothing
            writer.writerow(batch)
        writer.writerows(zip(*batch.values(), strict=True))


class _UnixLines:
    r"""Ends rows with \n. The csv module quotes a field with \r only if rows end with \r\n."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> None:
        self._file.write(row.removesuffix("\r\n") + "\n")


def _write_json(batches: Iterable[Columns], file: TextIO) -> None:
    for batch in batches:
        for row in zip(*batch.values(), strict=True):
            values = dict(zip(batch, row, strict=True))
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def _write_columnar(
    batches: Iterable[Columns], form: str, path: str | None, kinds: Mapping[str, Any]
) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    if path is None:
        raise InputError(f"{form} cannot go to stdout: name a file with -o")
    if compression(path):
        raise InputError(f"{path}: {form} is compressed inside; leave the last extension away")
    types = {str: pl.String, int: pl.Int64, bool: pl.Boolean, float: pl.Float64}
    schema = {
        name: pl.List(types[get_args(kind)[0]]) if get_origin(kind) is list else types[kind]
        for name, kind in kinds.items()
    }

    def frames(*_: Any) -> Iterator[pl.DataFrame]:  # streams: one batch in memory at a time
        for batch in batches:
            try:
                yield pl.DataFrame(dict(batch), schema=schema)
            except (TypeError, OverflowError) as error:
                why = str(error).partition("\n")[0]
                raise InputError(f"{path}: {form} cannot hold a value ({why})") from None

    with whole_file(path) as draft:
        rows = register_io_source(frames, schema=schema)
        if form == "parquet":
            rows.sink_parquet(draft)
        else:
            rows.sink_ipc(draft)
