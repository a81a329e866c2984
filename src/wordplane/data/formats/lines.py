"""One document per line. UTF-8 goes to the core as it is: no Python string per document."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.columns import Columns
from wordplane.data.encoding import (
    STDIN,
    RecordError,
    complaint,
    marked_encoding,
    opened,
    shown,
    stream_encoding,
    text_lines,
)
from wordplane.data.raw_rows import Block, no_rows, where

PIECE = 1 << 22  # bytes that are read at a time


class LineTable:
    guessed = False

    def __init__(self, path: str, encoding: str) -> None:
        self.path = path
        self.file = shown(path)
        self.encoding = encoding

    def no_labels(self) -> InputError:
        """For those who want labels: what kind of file this may be."""
        hint = (
            "use a format that has them, such as csv; --format fasttext if lines begin with "
            "__label__, vw if with a label and |, "
            "tsv (with --no-header if the first is no header) if a tab parts them"
        )
        if self._first_has_tabs():
            hint = "the first has tabs: try --format tsv (with --no-header if it is no header)"
        return InputError(f"{self.file}: lines have no labels: {hint}")

    def _first_has_tabs(self) -> bool:
        if self.path == STDIN:  # nobody has to type a line to be told that it is of no use
            return False
        try:
            return "\t" in next(text_lines(self.path, self.encoding, newline="\n"), "")
        except RecordError:
            return False

    def sample(self) -> dict[str, list[Any]]:
        return {"text": []}

    def blocks(self, columns: Columns, n_rows: int | None) -> Iterator[Block]:
        try:
            yield from self._blocks(n_rows)
        except RecordError as problem:
            raise InputError(f"{where(self.file, problem.line or 1)}: {problem}") from None

    def _blocks(self, n_rows: int | None) -> Iterator[Block]:
        row, offset = 1, 0
        notes: tuple[str, ...] = ()
        for piece in self._pieces(n_rows):
            data = piece.removeprefix(codecs.BOM_UTF8) if row == 1 else piece
            if row == 1 and data.startswith(b"__label__"):
                notes = (f"{self.file}: __label__ is read as text; --format fasttext as labels",)
            lines = _cut(data, row, offset + len(piece) - len(data))
            for begin in range(0, len(lines), n_rows or len(lines) or 1):
                texts = lines
                if n_rows is not None:
                    texts = lines.take(np.arange(begin, min(begin + n_rows, len(lines))))
                yield Block(self.file, row, texts, notes=notes)
                row += len(texts)
                notes = ()
            offset += len(piece)
        if row == 1:
            raise no_rows(self.file)

    def _pieces(self, n_rows: int | None) -> Iterator[bytes]:
        """Lines of UTF-8, many at a time; all at once if there is no limit to their number."""
        with opened(self.path) as stream:
            encoding = self.encoding
            if n_rows is not None:
                encoding = stream_encoding(stream, encoding)
            elif data := stream.read():  # a look at the beginning first would cost a copy
                encoding = marked_encoding(data[:4], encoding)
                if encoding == "utf-8":
                    yield data
                    return
                stream = io.BytesIO(data)
            if encoding == "utf-8":
                while piece := stream.read(PIECE):
                    yield piece + stream.readline()
                return
            lines = text_lines(self.path, encoding, "\n", stream)
            while piece := b"".join(line.encode() for line in islice(lines, n_rows)):
                yield piece


def _cut(data: bytes, row: int, offset: int) -> Texts:
    try:
        return Texts.from_lines(data)
    except ValueError:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = row + data.count(b"\n", 0, error.start)
            raise RecordError(complaint(error, "utf-8", offset), line) from None
        raise
