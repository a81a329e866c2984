"""Vectors as text: GloVe, word2vec and the `.vec` of fastText.

A word and its numbers, separated by blanks, on each line. word2vec and fastText have a first line
of two whole numbers, how many words and how many numbers for each. A word may have blanks in it.
"""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from wordplane.common.errors import InputError
from wordplane.features.pretrained.vectors import (
    ListedVectors,
    Rows,
    VectorList,
    check_count,
    check_length,
    decode_word,
)

CHUNK_BYTES = 1 << 22
MAX_LINE_BYTES = 1 << 20
MAX_NUMBER = float(np.finfo(np.float32).max)
Head = tuple[int, int]  # how many words, and how many numbers for each


class BadRowError(Exception):
    """The row with this number, from 0, is none of that many numbers."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def read_text(stream: BinaryIO, path: str, head: Head | None) -> ListedVectors:
    """The words and vectors of a stream, after the first line if that is a head."""
    found: VectorList | None = None
    before = 0 if head is None else 1  # lines
    n_read = 0  # words, some twice
    for lines in _blocks_of_lines(stream, path):
        full = [(number, line) for number, line in enumerate(lines, before + 1) if line]
        before += len(lines)
        if not full:
            continue
        if found is None:
            n_numbers = full[0][1].count(b" ") if head is None else head[1]
            if n_numbers == 0:
                raise InputError(f"{path}, line {full[0][0]}: expected a word and numbers")
            found = VectorList(path, n_numbers)
        words, rows = _parse_lines(path, full, n_numbers)
        found.add(words, rows)
        n_read += len(words)
    if head is not None:
        check_count(path, head[0], n_read)
    if found is None:
        raise InputError(f"{path}: the file has no words")
    return found.finish()


def _blocks_of_lines(stream: BinaryIO, path: str) -> Iterator[list[bytes]]:
    """Lines without the blanks at their ends, some megabytes at a time."""
    rest = b""
    while chunk := stream.read(CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_LINE_BYTES:
            raise InputError(f"{path}: a line is longer than {MAX_LINE_BYTES:,} bytes")
        yield [line.rstrip() for line in lines]
    if rest:
        yield [rest.rstrip()]


def _parse_lines(
    path: str, lines: list[tuple[int, bytes]], n_numbers: int
) -> tuple[list[str], Rows]:
    words, numbers = [], []
    for number, line in lines:
        if line.count(b" ") == n_numbers:
            word, _, rest = line.partition(b" ")
        else:  # the word has blanks in it, or something is wrong
            fields = line.rsplit(b" ", n_numbers)
            word, rest = fields[0], b" ".join(fields[1:])
        if not word:
            raise InputError(
                f"{path}, line {number:,}: found {line!r:.60}, expected a word and {n_numbers} "
                "numbers"
            )
        words.append(decode_word(path, word, number))
        numbers.append(rest)
    try:
        return words, parse_rows(numbers, " ", n_numbers)
    except BadRowError as error:
        number = lines[error.row][0]
        raise InputError(
            f"{path}, line {number:,}: expected a word and {n_numbers} finite numbers"
        ) from None


def parse_rows(rows: list[bytes], separator: str, n_numbers: int) -> Rows:
    """The numbers of each row, which must be so many and finite, or else a `BadRowError`.

    >>> parse_rows([b"1,2.5", b"-1e-3,0"], ",", 2).tolist()
    [[1.0, 2.5], [-0.0010000000474974513, 0.0]]
    """
    import polars as pl

    try:
        values = pl.read_csv(
            b"\n".join(rows),
            has_header=False,
            separator=separator,
            quote_char=None,
            schema={str(j): pl.Float32 for j in range(n_numbers)},
        ).to_numpy()
    except pl.exceptions.PolarsError:
        values = np.zeros((0, n_numbers), np.float32)
    if values.shape == (len(rows), n_numbers) and np.isfinite(values).all():
        return values
    return np.array(
        [_parse_row(i, row, separator, n_numbers) for i, row in enumerate(rows)], np.float32
    )


def _parse_row(i: int, row: bytes, separator: str, n_numbers: int) -> list[float]:
    try:
        values = [float(field) for field in row.split(separator.encode())]
    except ValueError:
        raise BadRowError(i) from None
    if len(values) != n_numbers or not all(abs(value) <= MAX_NUMBER for value in values):
        raise BadRowError(i)
    return values


def parse_head(line: bytes) -> Head | None:
    """The two numbers of a first line, if it has no others.

    >>> parse_head(b"3000000 300"), parse_head(b"the 0.25 0.5")
    ((3000000, 300), None)
    """
    fields = line.split()
    if len(fields) != 2 or not all(one.isdigit() and len(one) <= 12 for one in fields):
        return None
    n_words, n_numbers = (int(one) for one in fields)
    return n_words, n_numbers


def check_head(path: str, head: Head) -> None:
    """Raise an error for numbers that no file has."""
    check_length(path, head[1])
    if head[0] == 0:
        raise InputError(f"{path}: the file has no words")
