"""One document per line. UTF-8 goes to the core as it is; no Python string is made per document."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Collection, Iterator
from itertools import islice
from select import select
from typing import BinaryIO

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import InputError, NoLabelsError
from wordplane.common.notes import Note
from wordplane.data.column_names import is_id, is_text_name, label_groups
from wordplane.data.columns import Columns, Sample
from wordplane.data.encoding import (
    STDIN,
    Decoding,
    RecordError,
    display_name,
    open_bytes,
    peek,
    text_lines,
)
from wordplane.data.raw_rows import RawRows, locate_row, no_rows_error

PIECE_BYTES = 1 << 22  # read at a time
MAX_HEADER = 200  # bytes of a line that may have names of columns


class LineTable:
    has_free_columns = False

    def __init__(self, path: str, decoding: Decoding) -> None:
        self.path = path
        self.file = display_name(path)
        self.decoding = decoding
        self._encoding: str | None = None  # of what is not UTF-8, once there is such a line

    def style(self) -> dict[str, str]:
        return {} if self.decoding.name == "utf-8" else {"encoding": self.decoding.name}

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
        return NoLabelsError(f"{self.file}: lines have no labels; {hint}")

    def _first_has_tabs(self) -> bool:
        if self.path == STDIN:  # would wait for input only to report an error
            return False
        try:
            return "\t" in next(text_lines(self.path, self.decoding, newline="\n"), "")
        except RecordError:
            return False

    def sample(self) -> Sample:
        return {"text": []}

    def names(self) -> Collection[str]:
        return ("text",)

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        try:
            yield from self._batches(batch_size)
        except RecordError as problem:
            raise InputError(f"{locate_row(self.file, problem.line or 1)}: {problem}") from None

    def _batches(self, batch_size: int | None) -> Iterator[RawRows]:
        row, offset, is_ascii = 1, 0, True
        for piece in self._pieces(batch_size):
            data = piece.removeprefix(codecs.BOM_UTF8) if row == 1 else piece
            before = offset + len(piece) - len(data)
            lines = self._split_lines(data, row, before, is_ascii)
            notes = self._notes(data, row == 1)
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
            is_ascii = is_ascii and piece.isascii()
        if row == 1:
            raise no_rows_error(self.file)

    def _notes(self, data: bytes, is_first: bool) -> tuple[Note, ...]:
        notes: tuple[Note, ...] = ()
        if self.decoding.note:
            notes = (Note("encoding", f"{self.file}: {self.decoding.note}"),)
            self.decoding.note = ""
        if is_first and data.startswith(b"__label__"):
            text = f'{self.file}: __label__ is read as text; `format="fasttext"` reads labels'
            notes += (Note("unusual", text),)
        if is_first and _are_names(line := data.partition(b"\n")[0].strip()):
            text = f"the first line, {line.decode()!r:.60}, looks like names of columns"
            notes += (Note("unusual", f'{self.file}: {text}: if so, pass `format="csv"`'),)
        return notes

    def _pieces(self, batch_size: int | None) -> Iterator[bytes]:
        """Lines of UTF-8, or of what turns out not to be UTF-8, many at a time; all at once if
        there is no batch size."""
        with open_bytes(self.path) as stream:
            if batch_size is not None:
                encoding = peek(stream, self.decoding)
            elif data := stream.read():  # peeking first would cost a copy
                encoding = self.decoding.look(data)
                if encoding == "utf-8":
                    yield data
                    return
                stream = io.BytesIO(data)
            else:
                return
            if encoding == "utf-8":
                while piece := self._next_bytes(stream):
                    yield piece if piece.endswith(b"\n") else piece + stream.readline()
                return
            lines = text_lines(self.path, self.decoding, "\n", stream)
            while piece := b"".join(line.encode() for line in islice(lines, batch_size)):
                yield piece

    def _split_lines(self, data: bytes, row: int, offset: int, is_ascii: bool) -> Texts:
        """The lines of a piece; if it is not UTF-8, this and all after it are decoded."""
        if self._encoding is None:
            try:
                return Texts.from_lines(data)
            except ValueError:
                self._encoding = self._switch(data, row, offset, is_ascii)
        try:
            return Texts.from_lines(data.decode(self._encoding).encode())
        except UnicodeDecodeError as error:
            line = row + data.count(b"\n", 0, error.start)
            why = f"byte 0x{data[error.start]:02x} is not {self._encoding}"
            raise RecordError(f"{why}; pass the right `encoding`", line) from None

    def _switch(self, data: bytes, row: int, offset: int, is_ascii: bool) -> str:
        """The encoding of a piece that is not UTF-8."""
        try:
            data.decode()
        except UnicodeDecodeError as error:
            begin = data.rfind(b"\n", 0, error.start) + 1
            line = row + data.count(b"\n", 0, begin)
            before = is_ascii and data[:begin].isascii()
            return self.decoding.switch(data[begin:], offset + begin, line, before)
        raise RecordError("lines cannot be read", row)

    def _next_bytes(self, stream: BinaryIO) -> bytes:
        """Many bytes; of stdin those that are there, so that who writes a line and waits for the
        answer gets it."""
        if self.path != STDIN or not isinstance(stream, io.BufferedReader):
            return stream.read(PIECE_BYTES)
        pieces = [stream.read1(PIECE_BYTES)]
        n_bytes = len(pieces[0])
        while pieces[-1] and n_bytes < PIECE_BYTES and _has_more(stream):
            pieces.append(stream.read1(PIECE_BYTES - n_bytes))
            n_bytes += len(pieces[-1])
        return b"".join(pieces)


def _has_more(stream: BinaryIO) -> bool:
    """Whether bytes are there to be read. Windows only says so of sockets; there a piece is what
    one call reads."""
    return sys.platform != "win32" and bool(select([stream], [], [], 0)[0])


def _are_names(line: bytes) -> bool:
    """Whether a line has names of columns between commas, semicolons or tabs: those of texts, and
    those of labels or ids."""
    if len(line) > MAX_HEADER or not line.isascii():
        return False
    for delimiter in ",;\t":
        names = line.decode().split(delimiter)
        texts, others = any(map(is_text_name, names)), [*filter(is_id, names)]
        if len(names) > 1 and texts and (others or any(label_groups(names))):
            return True
    return False
