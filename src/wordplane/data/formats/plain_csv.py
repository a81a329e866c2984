"""The common case of CSV, read by polars: the rows that the standard library's `csv` gives.

The two disagree where a file is unusual: quotes inside of fields, rows of different lengths, empty
lines, carriage returns. A look at the bytes, many times as fast as reading them, tells whether
there is any such thing; the caller then reads the file with care.
"""

from __future__ import annotations

from array import array
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordplane.common.frozen import frozen
from wordplane.common.types import IntArray

if TYPE_CHECKING:
    from polars import DataFrame

QUOTE, NEWLINE, RETURN = b'"\n\r'
CHUNK = 1 << 20  # small enough to stay in the processor's cache from one look to the next

Bytes = NDArray[np.uint8]


@frozen
class Layout:
    """How a file is divided.

    delimiter  one ASCII character
    names      of the columns
    n_before   the number of lines before the first row
    """

    delimiter: str
    names: list[str]
    n_before: int


def read_plain(path: str, layout: Layout, wanted: list[str]) -> tuple[DataFrame, array[int]] | None:
    """The columns that are wanted, as strings, and the lines on which the rows begin; or None if
    the file must be read with care."""
    import polars as pl

    lines = row_lines(path, layout)
    if lines is None:
        return None
    try:
        frame = pl.read_csv(
            path,
            has_header=False,
            new_columns=layout.names,
            skip_lines=layout.n_before,
            columns=[layout.names.index(name) for name in wanted],
            separator=layout.delimiter,
            infer_schema=False,
            glob=False,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    frame = frame.select(pl.col(name).fill_null("") for name in wanted)
    return (frame, lines) if frame.height == len(lines) else None


def row_lines(path: str, layout: Layout) -> array[int] | None:
    """The line on which each row begins, counted from 1; None if the file is unusual."""
    delimiter, per_row = ord(layout.delimiter), len(layout.names) - 1
    inside = False  # a field in quotes
    n_lines = n_rows = n_delimiters = 0
    row_ends = [np.zeros(0, np.int64)]  # how many lines have ended where each row ends
    last = NEWLINE
    for data in _chunks(path):
        last = data[-1]
        if b"\0" in data or not _returns_end_lines(data) or _begins_with_mark(data, n_lines):
            return None
        chunk = np.frombuffer(data, np.uint8)
        quotes = np.flatnonzero(chunk == QUOTE)
        if not _are_regular(chunk, quotes, inside, delimiter):
            return None
        newlines = np.flatnonzero(chunk == NEWLINE)
        is_end = _is_outside(newlines, quotes, inside)
        ends = newlines[is_end]
        if _has_empty_line(chunk, ends, inside):
            return None
        delimiters = np.flatnonzero(chunk == delimiter)
        delimiters = delimiters[_is_outside(delimiters, quotes, inside)]
        before_end = n_delimiters + np.searchsorted(delimiters, ends)
        if (before_end != per_row * np.arange(n_rows + 1, n_rows + 1 + len(ends))).any():
            return None
        n_delimiters += len(delimiters)
        n_rows += len(ends)
        row_ends.append(n_lines + 1 + np.flatnonzero(is_end))
        n_lines += len(newlines)
        inside ^= bool(len(quotes) % 2)
    ended = np.concatenate(row_ends)
    starts = np.append(1, ended + 1)
    if last == NEWLINE:  # no row begins there
        starts = starts[:-1]
    is_whole = not inside and n_delimiters == per_row * len(starts)
    # What stands before the rows must be of the same shape, one line each.
    if not is_whole or starts[: layout.n_before].tolist() != list(range(1, layout.n_before + 1)):
        return None
    return array("q", starts[layout.n_before :].astype(np.int64).tobytes())


def _chunks(path: str) -> Iterator[bytes]:
    """The bytes of the file, in parts that end with a line."""
    with open(path, "rb") as file:  # noqa: PTH123
        while data := file.read(CHUNK):
            yield data + file.readline()


def _is_outside(places: IntArray, quotes: IntArray, inside: bool) -> NDArray[np.bool_]:
    """Whether each place is outside of quotes."""
    if len(quotes) == 0:
        return np.full(len(places), not inside)
    return np.asarray((np.searchsorted(quotes, places) + inside) % 2 == 0)


def _returns_end_lines(data: bytes) -> bool:
    # Python looks for one byte ten times as fast as for two.
    return b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")


def _begins_with_mark(data: bytes, n_lines: int) -> bool:
    """Whether a line after the first begins with a byte order mark: polars leaves out that of the
    first row."""
    if BOM_UTF8[:1] not in data:
        return False
    return b"\n" + BOM_UTF8 in data or (n_lines > 0 and data.startswith(BOM_UTF8))


def _are_regular(chunk: Bytes, quotes: IntArray, inside: bool, delimiter: int) -> bool:
    """Whether quotes enclose whole fields, and are doubled inside."""
    if len(quotes) == 0:
        return True
    is_first = np.append(True, np.diff(quotes) > 1)  # of a run of quotes
    firsts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(firsts, len(quotes)))
    begins = quotes[firsts]
    ends = begins + sizes
    before = np.where(begins > 0, chunk[begins - 1], NEWLINE)
    after = np.where(ends < len(chunk), chunk[np.minimum(ends, len(chunk) - 1)], NEWLINE)
    opens = (firsts + inside) % 2 == 0
    closes = opens == (sizes % 2 == 0)
    starts_field = (before == delimiter) | (before == NEWLINE)
    ends_field = (after == delimiter) | (after == NEWLINE) | (after == RETURN)
    return bool((starts_field | ~opens).all() and (ends_field | ~closes).all())


def _has_empty_line(chunk: Bytes, ends: IntArray, inside: bool) -> bool:
    """Whether a row has no character; `ends` are the places of the newlines after rows."""
    before = np.append(ends[:0] if inside else -1, ends)
    gaps = np.diff(before)
    lone = chunk[np.minimum(before[:-1] + 1, len(chunk) - 1)] == RETURN
    return bool(((gaps == 1) | ((gaps == 2) & lone)).any())
