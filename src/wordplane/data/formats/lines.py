"""One document per line. UTF-8 goes to the core as it is; no Python string is made per document."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import islice
from select import select
from typing import BinaryIO

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import Columns, Sample
from wordplane.data.encoding import (
    HEAD_BYTES,
    STDIN,
    RecordError,
    describe_bad_byte,
    detect_encoding,
    display_name,
    open_bytes,
    peek_encoding,
    refuse_zeros,
    text_lines,
)
from wordplane.data.raw_rows import RawRows, locate_row, no_rows_error

PIECE_BYTES = 1 << 22  # read at a time


class LineTable:
    has_free_columns = False

    def __init__(self, path: str, encoding: str) -> None:
        self.path = path
        self.file = display_name(path)
        self.encoding = encoding

    def no_labels_error(self) -> InputError:
        """For callers that need labels; the message says which format the file may have."""
        header = "add `header=False` if the first line is not a header"
        hint = (
            "use a format that has them, such as csv; if lines begin with __label__, pass "
            '`format="fasttext"`; with a label and |, `format="vw"`; if tabs separate text and '
            f'label, `format="tsv"` ({header})'
        )
        if self._first_has_tabs():
            hint = f'the first line has tabs: try `format="tsv"` ({header})'
        return InputError(f"{self.file}: lines have no labels; {hint}")

    def _first_has_tabs(self) -> bool:
        if self.path == STDIN:  # would wait for input only to report an error
            return False
        try:
            return "\t" in next(text_lines(self.path, self.encoding, newline="\n"), "")
        except RecordError:
            return False

    def sample(self) -> Sample:
        return {"text": []}

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        try:
            yield from self._batches(batch_size)
        except RecordError as problem:
            raise InputError(f"{locate_row(self.file, problem.line or 1)}: {problem}") from None

    def _batches(self, batch_size: int | None) -> Iterator[RawRows]:
        row, offset = 1, 0
        notes: tuple[Note, ...] = ()
        for piece in self._pieces(batch_size):
            data = piece.removeprefix(codecs.BOM_UTF8) if row == 1 else piece
            if row == 1 and data.startswith(b"__label__"):
                text = f'{self.file}: __label__ is read as text; `format="fasttext"` reads labels'
                notes = (Note("unusual", text),)
            lines = _split_lines(data, row, offset + len(piece) - len(data))
            if row == 1 and len(lines) == 1 and b"\r" in data.rstrip(b"\r\n"):
                text = f"{self.file}: read as one line, since \\r alone does not end one"
                notes += (Note("unusual", text),)
            for begin in range(0, len(lines), batch_size or len(lines) or 1):
                texts = lines
                if batch_size is not None:
                    texts = lines.take(np.arange(begin, min(begin + batch_size, len(lines))))
                yield RawRows(self.file, row, texts, notes=notes)
                row += len(texts)
                notes = ()
            offset += len(piece)
        if row == 1:
            raise no_rows_error(self.file)

    def _pieces(self, batch_size: int | None) -> Iterator[bytes]:
        """Lines of UTF-8, many at a time; all at once if there is no batch size."""
        with open_bytes(self.path) as stream:
            encoding = self.encoding
            if batch_size is not None:
                encoding = peek_encoding(stream, encoding)
            elif data := stream.read():  # peeking first would cost a copy
                encoding = detect_encoding(data[:4], encoding)
                refuse_zeros(data[:HEAD_BYTES], encoding)
                if encoding == "utf-8":
                    yield data
                    return
                stream = io.BytesIO(data)
            if encoding == "utf-8":
                while piece := self._next_bytes(stream):
                    yield piece if piece.endswith(b"\n") else piece + stream.readline()
                return
            lines = text_lines(self.path, encoding, "\n", stream)
            while piece := b"".join(line.encode() for line in islice(lines, batch_size)):
                yield piece

    def _next_bytes(self, stream: BinaryIO) -> bytes:
        """Many bytes; of stdin those that are there, so that who writes a line and waits for the
        answer gets it."""
        if self.path != STDIN or not isinstance(stream, io.BufferedReader):
            return stream.read(PIECE_BYTES)
        pieces = [stream.read1(PIECE_BYTES)]
        n_bytes = len(pieces[0])
        while pieces[-1] and n_bytes < PIECE_BYTES and select([stream], [], [], 0)[0]:
            pieces.append(stream.read1(PIECE_BYTES - n_bytes))
            n_bytes += len(pieces[-1])
        return b"".join(pieces)


def _split_lines(data: bytes, row: int, offset: int) -> Texts:
    try:
        return Texts.from_lines(data)
    except ValueError:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = row + data.count(b"\n", 0, error.start)
            raise RecordError(describe_bad_byte(error, "utf-8", offset), line) from None
        raise
