"""Opens files and standard input and decodes them; errors name the bytes that do not decode.

If no encoding is named, a file is UTF-8, or what its byte order mark or its zero bytes say, or,
from the first byte on that is not UTF-8, what reads most like a language (`data.charsets`). What
was found is noted, with words to recognize it by.
"""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from typing import BinaryIO

from wordplane.common.errors import InputError
from wordplane.common.files import mask, no_such_file
from wordplane.data.compression import open_uncompressed

STDIN = "-"
HEAD_BYTES = 1 << 12  # in which marks and zeros show
MAX_PART = 1 << 22  # characters of guarded rows, after which a sample or a batch of them ends
SAMPLE_CHARACTERS = 1 << 16  # from which an encoding is guessed
# Byte order marks. That of UTF-32 comes first: it begins like that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
ESCAPES = (b"\x1b$B", b"\x1b$@", b"\x1b(J")  # of ISO-2022-JP
BINARY = {
    b"PK\x03\x04": "a spreadsheet or zip file",
    b"\xd0\xcf\x11\xe0": "a spreadsheet of an old version of Excel",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF file",
    b"PAR1": "a Parquet file",
}


class RecordError(Exception):
    """A record cannot be read. The code that counts the rows adds the file and the row."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.line = line


class RowGuard:
    """Limits on the rows of a file that a stranger has sent, checked while they are read.

    max_characters  of a row, as it is written
    max_columns     of a row
    check           called after each row; it may raise an error that ends the reading
    """

    def __init__(
        self, max_characters: int, max_columns: int, check: Callable[[], None] = lambda: None
    ) -> None:
        self.max_characters, self.max_columns, self._check = max_characters, max_columns, check
        self._n_characters = self._row_start = self._part_start = 0

    def watch(self, lines: Iterator[str], first: int = 1) -> Iterator[str]:
        """The lines, of which a row may have several; `first` is the number of the first."""
        for number, line in enumerate(lines, first):
            self._n_characters += len(line)
            if self._n_characters - self._row_start > self.max_characters:
                raise RecordError(self.describe_long(), number)
            yield line

    def describe_long(self) -> str:
        return f"the row has more than {self.max_characters:,} characters; send less in a row"

    def end_row(self) -> None:
        """A row is complete, whether it can be read or not."""
        self._row_start = self._n_characters
        self._check()

    def check_columns(self, n_columns: int, line: int) -> None:
        if n_columns > self.max_columns:
            raise RecordError(
                f"the row has {n_columns:,} columns, at most {self.max_columns:,} are allowed; "
                "send only those that the model needs",
                line,
            )

    def begin_part(self) -> None:
        self._part_start = self._n_characters

    def ends_part(self) -> bool:
        """Whether the rows since the part began are enough, however few they are."""
        return self._n_characters - self._part_start > MAX_PART


def display_name(path: str) -> str:
    """How messages name a file."""
    return "stdin" if path == STDIN else mask(path)


@contextmanager
def open_bytes(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file. An error while reading inside the block becomes an InputError."""
    try:
        if path == STDIN:
            yield sys.stdin.buffer
        else:
            with open_uncompressed(path) as stream:
                yield stream
    except FileNotFoundError as error:
        raise InputError(no_such_file(path)) from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a directory, expected a file") from error
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{display_name(path)}: cannot be read: {why}") from error


def check_encoding(encoding: str) -> str:
    """Python's name of the codec; utf-8-sig becomes utf-8, which drops the mark as well."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses codecs such as base64
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise InputError(
            f"{encoding!r} is not a text encoding that Python knows; "
            "examples: utf-8, cp1252, latin-1, utf-16, shift_jis"
        ) from error
    return "utf-8" if name == "utf-8-sig" else name


class Decoding:
    """How the bytes of a file become text: as its user says, or as its bytes say.

    asked  the encoding that the user names, or None
    hint   an encoding to try first where the bytes are not UTF-8
    name   the encoding in use
    note   what was found out, for the user to check
    guard  limits on the rows, if a stranger has sent the file
    """

    def __init__(
        self, asked: str | None = None, hint: str | None = None, guard: RowGuard | None = None
    ) -> None:
        self.guard = guard
        self.asked = None if asked is None else check_encoding(asked)
        self.hint = hint
        self.name = self.asked or "utf-8"
        self.note = ""

    def look(self, head: bytes) -> str:
        """The encoding that the first bytes show; later bytes may show another."""
        head = head[:HEAD_BYTES]
        if self.asked not in (None, "utf-8"):
            return self.name
        marked = next((name for mark, name in MARKS.items() if head.startswith(mark)), None)
        found = marked or _by_zeros(head)
        if found is None and any(escape in head for escape in ESCAPES):
            found = "iso2022_jp"
        if found is not None:
            if self.asked is not None and marked is None:
                raise RecordError(
                    f'the first bytes are not UTF-8, but may be {found}: try `encoding="{found}"`',
                    1,
                )
            self.name = found
            self.note = f"read as {found}{_sample(head, found)}"
        return self.name

    def switch(self, data: bytes, offset: int, line: int | None, ascii_before: bool) -> str:
        """The encoding of bytes that are not in the one in use, from here on.

        Everything before must be ASCII, which reads the same in both.
        """
        try:
            data.decode(self.name)
        except UnicodeDecodeError as error:
            problem = _describe(error, self.name, offset)
        else:
            raise RecordError(f"{self.name} text with a lone surrogate", line)
        if self.name != "utf-8":
            raise RecordError(f"{problem}; pass the right `encoding`", line)
        kind = next((kind for mark, kind in BINARY.items() if data.startswith(mark)), None)
        if kind is not None and offset == 0:
            raise RecordError(f"{problem}: this is {kind}, whatever its name says", line)
        encoding, note, advice = self._guess(data)
        if self.asked is not None:
            raise RecordError(f"{problem}; {advice}", line)
        if not ascii_before:
            raise RecordError(
                f"{problem}, and lines before it are: the file mixes encodings; mend these lines, "
                "or name one `encoding` for all",
                line,
            )
        if encoding is None:
            raise RecordError(f"{problem}; {advice}", line)
        self.name, self.note = encoding, note
        return encoding

    def _guess(self, data: bytes) -> tuple[str | None, str, str]:
        """An encoding, a note on it, and what to do if it is not taken."""
        from wordplane.data.charsets import foreign_words, guess_encoding

        if self.hint is not None and (text := _try(data, self.hint)) is not None:
            words = foreign_words(text)
            note = f"not UTF-8, read as {self.hint} as before ({words!r})"
            return self.hint, note, f'try `encoding="{self.hint}"`'
        guess = guess_encoding(data)
        if guess is None:
            return None, "", "no known encoding gives readable text: pass the right `encoding`"
        if guess.rivals:
            named = {guess.encoding: guess.words, **guess.rivals}
            reads = ", ".join(f"as {name} it reads {words!r}" for name, words in named.items())
            return None, "", f'{reads}: say which is right with `encoding="{guess.encoding}"`'
        note = (
            f"not UTF-8, read as {guess.encoding} ({guess.words!r}); if that looks wrong, name the "
            "right `encoding`"
        )
        return (
            guess.encoding,
            note,
            f"the file may be in {guess.encoding} ({guess.words!r}): "
            + (f'try `encoding="{guess.encoding}"`'),
        )


def _by_zeros(head: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: its zeros have one parity.

    Characters such as U+1F600, an emoji, and U+3000, a space, end with a zero byte, which has the
    other parity. Such zeros are taken for UTF-16 only where the bytes are not UTF-8 anyway.
    """
    n_zeros = head.count(0)
    if len(head) < 8 or n_zeros < 2:
        return None
    if n_zeros > 2 * len(head) / 3:
        found = "utf-32-be" if head[0] == 0 else "utf-32-le"
        return found if _try(head, found) is not None else None
    n_odd = head[1::2].count(0)
    orders = ["utf-16-le", "utf-16-be"] if 2 * n_odd > n_zeros else ["utf-16-be", "utf-16-le"]
    if n_odd in (0, n_zeros):
        orders = orders[:1]
    elif _try(head, "utf-8") is not None:
        return None
    return next((order for order in orders if _is_readable(_try(head, order))), None)


def _is_readable(text: str | None) -> bool:
    return text is not None and all(
        c.isprintable() or c in "\r\n\t\ufeff\u00a0\u3000\u200d" for c in text
    )


def _try(data: bytes, encoding: str) -> str | None:
    """The text, if all bytes decode but for a character that is cut at the end."""
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        return decoder.decode(data)
    except (UnicodeError, LookupError):
        return None


def _sample(head: bytes, encoding: str) -> str:
    from wordplane.data.charsets import foreign_words

    text = _try(head[: len(head) & ~3], encoding) or ""
    words = foreign_words(text) or " ".join(text.removeprefix("\ufeff").split()[:2])[:40]
    return f" ({words!r})" if words else ""


def peek(stream: BinaryIO, decoding: Decoding) -> str:
    """What the first bytes of a stream say; nothing is consumed."""
    look = getattr(stream, "peek", None)
    return decoding.name if look is None else decoding.look(look(HEAD_BYTES))


def decode(data: bytes, decoding: Decoding) -> str:
    """A whole document."""
    encoding = decoding.look(data)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data.decode(decoding.switch(data, 0, None, True))


def text_lines(
    path: str, decoding: Decoding, newline: str, stream: BinaryIO | None = None
) -> Iterator[str]:
    r"""Lines with their ends: "\n" if that is `newline`; "\n", "\r" and "\r\n" if it is "".

    stream   the stream of the file, if it is open already
    """
    number = 0
    with nullcontext(stream) if stream else open_bytes(path) as data:
        encoding = peek(data, decoding)
        # Bad bytes come through as lone surrogates, so that we know which line they are in.
        wrapper = io.TextIOWrapper(data, encoding, "surrogateescape", newline)
        try:
            for number, line in enumerate(_checked_lines(wrapper, decoding, newline), 1):
                if decoding.guard and len(line) > decoding.guard.max_characters:
                    raise RecordError(decoding.guard.describe_long(), number)
                yield line.removeprefix("\ufeff") if number == 1 else line
        except UnicodeError as error:  # from codecs that let no bad byte through
            why = f"here or later: not {encoding} ({error})"
            raise RecordError(why, number + 1) from None
        finally:
            wrapper.detach()  # otherwise it would close standard input


def _checked_lines(wrapper: io.TextIOWrapper, decoding: Decoding, newline: str) -> Iterator[str]:
    """The lines; from the first that does not decode on, those of another encoding."""
    raw, offset, is_ascii = decoding.name, 0, True
    most = decoding.guard.max_characters + 1 if decoding.guard else -1
    lines: Iterator[str] = iter(wrapper) if most < 0 else iter(lambda: wrapper.readline(most), "")
    for number, line in enumerate(lines, 1):
        try:
            size = len(line.encode())  # refuses lone surrogates
        except UnicodeEncodeError:
            rest = wrapper.read(SAMPLE_CHARACTERS) + wrapper.readline(most)
            data = (line + rest).encode(raw, "surrogateescape")
            encoding = decoding.switch(data, offset, number, is_ascii)
            again = chain([line], io.StringIO(rest, newline), lines)
            for n, each in enumerate(again, number):
                yield _decode_line(each.encode(raw, "surrogateescape"), encoding, n)
            return
        is_ascii = is_ascii and line.isascii()
        offset += size if raw == "utf-8" else len(line.encode(raw))
        yield line


def _decode_line(data: bytes, encoding: str, line: int) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        problem = _describe(error, encoding, 0)
        raise RecordError(f"{problem} of the line; pass the right `encoding`", line) from None


def _describe(error: UnicodeDecodeError, encoding: str, offset: int) -> str:
    """Which byte does not decode; `offset` is that of the decoded piece in its file."""
    at = error.start
    name = "UTF-8" if encoding == "utf-8" else encoding
    return f"byte 0x{error.object[at]:02x} at offset {offset + at} is not {name}"
