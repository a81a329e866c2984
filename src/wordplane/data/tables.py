"""Writes tables with named columns, batch by batch: CSV, TSV, JSON lines, Parquet, Arrow, .xlsx."""

from __future__ import annotations

import csv
import io
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from types import GenericAlias
from typing import TYPE_CHECKING, TextIO, TypeVar, cast, get_args, get_origin

from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.files import Finish, finish, whole_file
from wordplane.data.compression import compression, open_compressed
from wordplane.data.sheet_cells import NumberCell

if TYPE_CHECKING:
    from polars import DataFrame, Schema

TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow", "excel")
COLUMNAR = ("parquet", "arrow")
FILES_ONLY = (*COLUMNAR, "excel")  # never to standard output
WITHOUT_LISTS = ("csv", "tsv", "excel")
BOM = "\ufeff"  # by which Excel knows UTF-8
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how what a spreadsheet runs begins

T = TypeVar("T")
Batch = Mapping[str, Sequence[object]]  # the values of each column
ColumnTypes = Mapping[str, type | GenericAlias]


def write_table(
    batches: Iterable[Batch],
    format: str,
    path: str | None,
    types: ColumnTypes,
    *,
    escape_formulas: bool = False,
    excel: str | None = None,
    finish: Finish = finish,
) -> None:
    """Write all rows to a file, which appears only when it is complete, or to stdout (None).

    `types` gives the type of each column: str, int, bool, float, or list[...] of one of them. With
    `escape_formulas`, a string in CSV or TSV that a spreadsheet would run begins with a quote. With
    `excel`, CSV is as Excel opens it: with this character between cells, after a byte order mark;
    with a semicolon, floats have decimal commas, as where Excel expects one.
    For `finish`, see `whole_file`.
    """
    if escape_formulas and format in ("csv", "tsv"):
        batches = map(_escape_formulas, batches)
    if format in FILES_ONLY and path is None:
        raise InputError(f"{format} cannot be written to stdout; name a file as `output`")
    if format in FILES_ONLY and compression(str(path)):
        raise InputError(f"{path}: {format} is compressed inside; drop the last extension")
    if format in COLUMNAR:
        _write_columnar(batches, format, str(path), types, finish)
        return
    if format == "excel":
        from wordplane.data.sheet_writer import write_sheet

        with whole_file(str(path), finish) as draft:
            write_sheet(batches, draft, str(path))
        return
    with text_output(path, finish) as file:
        if path is None:
            batches = _flushed(batches)
        if format == "jsonl":
            _write_json(batches, file)
        else:
            between = "\t" if format == "tsv" else excel or ","
            if excel and between == ";":
                batches = map(_with_decimal_commas, batches)
            _write_delimited(batches, between, file, BOM if excel else "")


def _escape_formulas(batch: Batch) -> Batch:
    """
    >>> _escape_formulas({"id": ["=1+1", NumberCell("-1")], "n": [-1, 2]})
    {'id': ["'=1+1", '-1'], 'n': [-1, 2]}
    """
    return {
        name: [f"'{value}" if _is_formula(value) else value for value in values]
        for name, values in batch.items()
    }


def _with_decimal_commas(batch: Batch) -> Batch:
    """
    >>> _with_decimal_commas({"kept": ["0.5"], "probability": [-0.25], "n": [1]})
    {'kept': ['0.5'], 'probability': ['-0,25'], 'n': [1]}
    """
    return {
        name: [str(v).replace(".", ",") if isinstance(v, float) else v for v in values]
        for name, values in batch.items()
    }


def _is_formula(value: object) -> bool:
    """Whether a spreadsheet would run it."""
    if not isinstance(value, str) or isinstance(value, NumberCell):
        return False
    return value.startswith(FORMULA)


@contextmanager
def text_output(path: str | None, finish: Finish = finish) -> Iterator[TextIO]:
    """A stream of UTF-8 into a file, or to stdout."""
    if path is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # this is data, whatever the terminal uses
        yield cast(TextIO, _Terminal(sys.stdout)) if sys.stdout.isatty() else sys.stdout
        return
    with (
        whole_file(path, finish) as draft,
        open_compressed(draft, path) as raw,
        io.TextIOWrapper(raw, "utf-8", newline="") as file,
    ):
        yield file


def _flushed(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The batches; each is sent to stdout before the next one is waited for."""
    for batch in batches:
        yield batch
        sys.stdout.flush()


class _Terminal:
    r"""Shows what would steer a terminal as an escape, which JSON reads as the same character.

    >>> _Terminal(sys.stdout).write("red \x1b[31m\n")
    red \u001b[31m
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> None:
        if not text.isprintable():
            harmless = "\n\t\u200d"  # the last joins emoji
            text = "".join(
                c if c.isprintable() or c in harmless else json.dumps(c)[1:-1] for c in text
            )
        self._file.write(text)


def _write_delimited(
    batches: Iterable[Batch], delimiter: str, file: TextIO, before: str = ""
) -> None:
    writer = csv.writer(UnixLines(file), delimiter=delimiter)
    for number, batch in enumerate(batches):
        if number == 0:  # only now, so that nothing is written if the input has an error
            file.write(before)
            writer.writerow(batch)
        writer.writerows(zip(*batch.values(), strict=True))


class UnixLines:
    r"""Ends rows with \n. The csv module quotes a field with \r only if rows end with \r\n."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> None:
        self._file.write(row.removesuffix("\r\n") + "\n")


def _write_json(batches: Iterable[Batch], file: TextIO) -> None:
    for batch in batches:
        for row in zip(*batch.values(), strict=True):
            values = dict(zip(batch, row, strict=True))
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def polars_schema(types: ColumnTypes) -> Schema:
    """The types of columns as polars calls them."""
    import polars as pl

    polars_type = {str: pl.String, int: pl.Int64, bool: pl.Boolean, float: pl.Float64}
    schema: dict[str, pl.DataType | type[pl.DataType]] = {}
    for name, kind in types.items():
        is_list = get_origin(kind) is list
        inner = polars_type[cast(type, get_args(kind)[0] if is_list else kind)]
        schema[name] = pl.List(inner) if is_list else inner
    return pl.Schema(schema)


def _write_columnar(
    batches: Iterable[Batch], format: str, path: str, types: ColumnTypes, finish: Finish
) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    schema = polars_schema(types)
    frames = (_frame(batch, schema, format, path) for batch in batches)

    def write(source: Callable[..., Iterator[pl.DataFrame]], draft: Path) -> None:
        rows = register_io_source(source, schema=schema)
        with _named_errors(path):
            (rows.sink_parquet if format == "parquet" else rows.sink_ipc)(draft)

    with whole_file(path, finish) as draft:
        first, second = next(frames, None), next(frames, None)
        if first is not None and second is None:  # a stream would take longer than the rest
            with _named_errors(path):
                (first.write_parquet if format == "parquet" else first.write_ipc)(draft)
        else:
            few = [frame for frame in (first, second) if frame is not None]
            _stream_to(lambda source: write(source, draft), chain(few, frames))


def write_parquet_files(files: Sequence[tuple[Batch, str, Finish]], types: ColumnTypes) -> None:
    """Write small Parquet files at once: the rows of each, its path, and how it is finished. They
    have the same bytes as those of `write_table`."""
    import polars as pl

    joined = {name: list(chain(*(batch[name] for batch, _, _ in files))) for name in types}
    frame = _frame(joined, polars_schema(types), "parquet", files[0][1])
    start = 0
    with ExitStack() as drafts:
        sinks = []
        for batch, path, finish in files:
            n_rows = len(next(iter(batch.values())))
            draft = drafts.enter_context(whole_file(path, finish))
            sinks.append(frame.slice(start, n_rows).lazy().sink_parquet(draft, lazy=True))
            start += n_rows
        with _named_errors(files[0][1]):
            pl.collect_all(sinks)


def _frame(batch: Batch, schema: Schema, format: str, path: str) -> DataFrame:
    import polars as pl

    try:
        return pl.DataFrame(dict(batch), schema=schema)
    except (TypeError, OverflowError) as error:
        why = str(error).partition("\n")[0]
        raise InputError(f"{path}: {format} cannot hold a value ({why})") from None


@contextmanager
def _named_errors(path: str) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise WordplaneError(f"cannot write {path}: {error}") from error


def _stream_to(write: Callable[[Callable[..., Iterator[T]]], None], items: Iterable[T]) -> None:
    """Call write(source) in a thread of its own: source(...) yields the items, a few at a time.

    The items are made here, so that Ctrl-C ends the wait for them.
    """
    from concurrent.futures import ThreadPoolExecutor  # takes long to import
    from queue import Full, Queue

    waiting: Queue[T | None] = Queue(maxsize=2)

    started = threading.Event()

    def source(*_: object) -> Iterator[T]:
        started.set()
        while (item := waiting.get()) is not None:
            yield item

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write, source)
        written.add_done_callback(lambda _: started.set())
        started.wait()
        handler = signal.getsignal(signal.SIGINT)
        if handler and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)  # polars has put its own in its place

        def pass_on(item: T | None) -> None:
            while not written.done():  # it ends early if the disk is full
                with suppress(Full):
                    waiting.put(item, timeout=0.1)
                    return

        try:
            for item in items:
                pass_on(item)
                if written.done():
                    break
        finally:
            pass_on(None)
        written.result()
