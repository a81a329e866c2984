"""Compressed files, recognized by the last extension of their names: .gz and .zst."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO, cast

from wordplane.common.errors import InputError, install

if TYPE_CHECKING:
    from typing_extensions import Buffer

BUFFER_BYTES = 1 << 17
NAMES = {".gz": "gzip", ".zst": "zstd"}
# A file may expand to so many times its size, besides the first bytes: text shrinks to a tenth.
MAX_EXPANSION, FREE_BYTES = 100, 1 << 26


def compression(path: str) -> str | None:
    """The compression that the file name says: .gz, .zst or None.

    >>> compression("reviews.csv.gz")
    '.gz'
    """
    suffix = PurePath(path.lower()).suffix
    return suffix if suffix in NAMES else None


def extension(path: str) -> str:
    """The last extension in lower case, not counting that of the compression.

    >>> extension("shards/Reviews.CSV.zst")
    '.csv'
    """
    name = PurePath(path.lower())
    return PurePath(name.stem).suffix if compression(path) else name.suffix


@contextmanager
def open_uncompressed(path: str) -> Iterator[BinaryIO]:
    """The content of a file, decompressed if its name says so."""
    suffix = compression(path)
    if suffix is None:
        with Path(path).open("rb") as stream:
            yield stream
        return
    import gzip

    module: ModuleType = gzip
    damage: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    if suffix == ".zst":
        module = _zstd()
        damage = (EOFError, module.ZstdError)
    try:
        with module.open(path) as stream:
            # these streams split lines in Python; the buffer does it in C
            limited = LimitedStream(stream, path, Path(path).stat().st_size)
            yield io.BufferedReader(limited, BUFFER_BYTES)
    except damage as error:
        raise InputError(
            f"{path}: the {NAMES[suffix]} data is damaged or cut short ({error}); "
            "copy or compress it again"
        ) from error


class LimitedStream(io.RawIOBase):
    """What is decompressed; an error if it is out of proportion to the file."""

    def __init__(self, stream: BinaryIO, path: str, size: int) -> None:
        self._stream, self._path = stream, path
        self._room = FREE_BYTES + MAX_EXPANSION * size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        n = cast(io.BufferedIOBase, self._stream).readinto(buffer)
        self._room -= n
        if self._room < 0:
            raise InputError(
                f"{self._path}: expands to more than {MAX_EXPANSION} times its size; "
                "if that is right, decompress it first"
            )
        return n


@contextmanager
def open_compressed(draft: Path, path: str) -> Iterator[BinaryIO]:
    """A stream into `draft`, compressed as the name `path` says."""
    suffix = compression(path)
    if suffix == ".gz":
        import gzip

        # without name and time, so that the same data gives the same file
        with draft.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    elif suffix == ".zst":
        with _zstd().open(draft, "wb") as stream:
            yield stream
    else:
        with draft.open("wb") as stream:
            yield stream


def _zstd() -> ModuleType:
    """The module of the standard library, or its backport for Python before 3.14."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise InputError(f".zst files need an optional library; {install('zst')}") from None
    return cast(ModuleType, zstd)
