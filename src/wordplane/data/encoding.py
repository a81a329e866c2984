"""Opens files and standard input and decodes them; errors name the bytes that do not decode."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import BinaryIO, NoReturn

from wordplane.common.errors import InputError
from wordplane.data.compression import open_uncompressed

STDIN = "-"
HEAD_BYTES = 1 << 10  # in which a wrong encoding shows
SAMPLE_CHARACTERS = 1 << 16  # from which an encoding is guessed
# Byte order marks. That of UTF-32 comes first: it begins like that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
NOT_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")


class RecordError(Exception):
    """A record cannot be read. The code that counts the rows adds the file and the row."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.line = line


def display_name(path: str) -> str:
    """How messages name a file."""
    return "stdin" if path == STDIN else path


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
        raise InputError(f"{path}: there is no such file") from error
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


def detect_encoding(head: bytes, encoding: str) -> str:
    """What a byte order mark says, unless the user named an encoding other than UTF-8."""
    if encoding == "utf-8":
        return next((name for mark, name in MARKS.items() if head.startswith(mark)), encoding)
    return encoding


def peek_encoding(stream: BinaryIO, encoding: str) -> str:
    """What the byte order mark of a stream says; nothing is consumed."""
    peek = getattr(stream, "peek", None)
    if peek is None:
        return encoding
    head = peek(HEAD_BYTES)[:HEAD_BYTES]
    encoding = detect_encoding(head, encoding)
    refuse_zeros(head, encoding)
    return encoding


def refuse_zeros(head: bytes, encoding: str) -> None:
    """Raise an error if the first bytes are UTF-16 or UTF-32, most of which is valid UTF-8."""
    head = head[: HEAD_BYTES & ~3]
    n_zeros = head.count(0)
    if encoding != "utf-8" or len(head) < 8 or n_zeros <= len(head) / 3:
        return
    width = 32 if n_zeros > 2 * len(head) / 3 else 16
    order = "be" if head[0] == 0 else "le"
    raise RecordError(
        f"{n_zeros:,} of the first {len(head):,} bytes are zero; the file may be in UTF-{width}: "
        f'try `encoding="utf-{width}-{order}"`',
        1,
    )


def decode(data: bytes, encoding: str) -> str:
    """A whole document."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise RecordError(describe_bad_byte(error, encoding)) from None


def text_lines(
    path: str, encoding: str, newline: str, stream: BinaryIO | None = None
) -> Iterator[str]:
    r"""Lines with their ends: "\n" if that is `newline`; "\n", "\r" and "\r\n" if it is "".

    stream   the stream of the file, if it is open already
    """
    offset = number = 0
    with nullcontext(stream) if stream else open_bytes(path) as data:
        encoding = peek_encoding(data, encoding)
        # Bad bytes come through as lone surrogates, so that we know which line they are in.
        wrapper = io.TextIOWrapper(data, encoding, "surrogateescape", newline)
        try:
            for number, line in enumerate(wrapper, 1):
                try:
                    size = len(line.encode())  # refuses lone surrogates
                except UnicodeEncodeError:
                    rest = line + wrapper.read(SAMPLE_CHARACTERS)
                    _refuse(rest.encode(encoding, "surrogateescape"), encoding, offset, number)
                offset += size if encoding == "utf-8" else len(line.encode(encoding))
                yield line.removeprefix("\ufeff") if number == 1 else line
        except UnicodeError as error:  # from codecs that let no bad byte through
            why = f"here or later: not {encoding} ({error})"
            raise RecordError(why, number + 1) from None
        finally:
            wrapper.detach()  # otherwise it would close standard input


def _refuse(data: bytes, encoding: str, offset: int, line: int) -> NoReturn:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        raise RecordError(describe_bad_byte(error, encoding, offset), line) from None
    raise RecordError(f"{encoding} text with a lone surrogate", line)


def describe_bad_byte(error: UnicodeDecodeError, encoding: str, offset: int = 0) -> str:
    """Which byte does not decode and which encoding to try.

    offset   that of the decoded piece in its file
    """
    at = error.start
    name = "UTF-8" if encoding == "utf-8" else encoding
    problem = f"byte 0x{error.object[at]:02x} at offset {offset + at} is not {name}"
    if encoding != "utf-8":
        return f"{problem}; pass the right `encoding`"
    sample = error.object[at : at + SAMPLE_CHARACTERS]
    text = sample.decode("utf-8", "surrogateescape")
    bad = {ord(char) - 0xDC00 for char in text if "\ud800" <= char <= "\udfff"}
    if bad & NOT_IN_CP1252:
        return f'{problem}; the file may be in latin-1: try `encoding="latin-1"`'
    if min(bad) < 0xA0:
        return f'{problem}; the file may be in cp1252: try `encoding="cp1252"`'
    return f'{problem}; the file may be in latin-1 or cp1252: try `encoding="cp1252"`'
