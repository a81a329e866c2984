"""One document per line. UTF-8 goes to the core as it is: no Python string per document."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import islice
from typing import Any

from wordplane._core import Texts
from wordplane.errors import InputError

from .block import Block, no_rows, where
from .columns import Columns
from .encoding import RecordError, complaint, opened, shown, text_lines


class LineTable:
    guessed = False

    def __init__(self, path: str, encoding: str) -> None:
        self.path = path
        self.file = shown(path)
        self.encoding = encoding

    def sample(self) -> dict[str, list[Any]]:
        return {"text": []}

    def blocks(self, columns: Columns, n_rows: int | None) -> Iterator[Block]:
        try:
            yield from self._blocks(n_rows)
        except RecordError as problem:
            raise InputError(f"{where(self.file, problem.line or 1)}: {problem}") from None

    def _blocks(self, n_rows: int | None) -> Iterator[Block]:
        row, offset = 1, 0
        lines = self._lines()
        while chunk := list(islice(lines, n_rows)):
            if row == 1 and chunk[0].startswith(codecs.BOM_UTF8):
                chunk[0], offset = chunk[0].removeprefix(codecs.BOM_UTF8), 3
                if chunk == [b""]:
                    break
            if not chunk[-1].endswith(b"\n"):
                chunk[-1] += b"\n"  # the lines of another file may follow
            data = b"".join(chunk)
            _check(data, row, offset)
            empty = [i for i, line in enumerate(chunk) if line.isspace()]
            notes: tuple[str, ...] = ()
            if row == 1 and chunk[0].startswith(b"__label__"):
                notes = (f"{self.file}: __label__ is read as text; --format fasttext as labels",)
            yield Block(self.file, row, len(chunk), data, empty, notes=notes)
            row += len(chunk)
            offset += len(data)
        if row == 1:
            raise no_rows(self.file)

    def _lines(self) -> Iterator[bytes]:
        if self.encoding == "utf-8":
            with opened(self.path) as stream:
                yield from stream
        else:
            lines = text_lines(self.path, self.encoding, newline="\n")
            yield from (line.encode() for line in lines)


def _check(data: bytes, row: int, offset: int) -> None:
    try:
        Texts.from_lines(data)
    except ValueError:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = row + data.count(b"\n", 0, error.start)
            raise RecordError(complaint(error, "utf-8", offset), line) from None
        raise
