"""The common case of CSV, read by column: the rows that the standard library's `csv` gives.

The core cuts rows out of the file as long as nothing about them is unusual, such as quotes inside
of fields, rows of different lengths, empty lines. From there on, the caller reads the file with
care.
"""

from __future__ import annotations

import sys
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from wordplane._core import Texts, csv_columns
from wordplane.common.frozen import frozen

CHUNK = 1 << 20  # small enough to stay in the processor's cache
MOST_BYTES = 1 << 26  # of a row, which are kept until its end is found


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


@frozen
class PlainRows:
    """Columns of consecutive rows, and the lines on which the rows begin."""

    columns: dict[str, Texts]
    lines: array[int]


def read_plain(
    path: Path, layout: Layout, wanted: list[str], batch_size: int | None
) -> Iterator[PlainRows | None]:
    """So many rows, or all, at a time; then None if what follows must be read with care."""
    places = sorted(map(layout.names.index, wanted))
    most_rows = batch_size or sys.maxsize
    parts: list[list[Texts]] = []
    lines = array("q")

    def take_rows() -> PlainRows:
        columns = [Texts.join(column) for column in zip(*parts, strict=True)]
        rows = PlainRows(
            dict(zip([layout.names[place] for place in places], columns, strict=True)), lines[:]
        )
        del parts[:], lines[:]
        return rows

    with path.open("rb") as file:
        if not _skip_lines(file, layout.n_before):
            yield None
            return
        data, n_lines, is_end = b"", layout.n_before, False
        while data or not is_end:
            n_left = most_rows - len(lines)
            found = csv_columns(data, layout.delimiter, len(layout.names), places, n_left, is_end)
            if found is None or (found[2] == 0 and len(data) > MOST_BYTES):
                yield None
                return
            texts, before, n_bytes, n_ended = found
            parts.append(texts)
            lines.frombytes((before + (n_lines + 1)).tobytes())
            n_lines += n_ended
            data = data[n_bytes:]
            if len(lines) == most_rows:
                yield take_rows()
            elif not is_end:
                more = file.read(max(CHUNK, len(data)))
                data, is_end = data + more, not more
        if lines:
            yield take_rows()


def _skip_lines(file: BufferedReader, n: int) -> bool:
    """Skip lines, and the byte order mark before the first; False if one is unusual."""
    if file.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
        file.read(len(BOM_UTF8))
    for _ in range(n):
        line = file.readline()
        if line.count(b'"') % 2 or b"\r" in line.removesuffix(b"\r\n"):
            return False
    return True
