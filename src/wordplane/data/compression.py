"""Compressed files, recognized by the last extension of their names."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePath, PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO, cast

from wordplane.common.errors import InputError, install

if TYPE_CHECKING:
    import zipfile

    from typing_extensions import Buffer

BUFFER_BYTES = 1 << 17
NAMES = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip"}
MODULES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}  # of Python, imported when used
# A file may expand to so many times its size, besides the first bytes: text shrinks to a tenth.
MAX_EXPANSION, FREE_BYTES = 100, 1 << 26
# In an archive next to what is meant: who wrote it, what it is, what it may be used for.
ASIDE = ("license", "readme", "acknowledg", "notice", ".", "__macosx")
MAX_MEMBERS, SHOWN_MEMBERS = 10_000, 4


def compression(path: str) -> str | None:
    """The compression that the file name says, such as .gz, or None.

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


def content_name(path: str) -> str:
    """The name of what is read: that of the member of a .zip archive, else that of the file."""
    if compression(path) != ".zip" or not Path(path).is_file():
        return path
    with _named_damage(path), _open_archive(path) as archive:
        return _only_member(archive, path)


@contextmanager
def open_uncompressed(path: str) -> Iterator[BinaryIO]:
    """The content of a file, decompressed if its name says so."""
    suffix = compression(path)
    if suffix is None:
        with Path(path).open("rb") as stream:
            yield stream
        return
    with _named_damage(path), _open_packed(path, suffix) as stream:
        # these streams split lines in Python; the buffer does it in C
        limited = LimitedStream(stream, path, Path(path).stat().st_size)
        yield cast(BinaryIO, io.BufferedReader(limited, BUFFER_BYTES))


@contextmanager
def _open_packed(path: str, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".zip":
        with _open_archive(path) as archive:
            member = _only_member(archive, path)
            with archive.open(member) as stream:
                yield cast(BinaryIO, stream)
        return
    with _module(suffix).open(path) as stream:
        yield stream


@contextmanager
def _open_archive(path: str) -> Iterator[zipfile.ZipFile]:
    import zipfile

    try:
        archive = zipfile.ZipFile(path)
    except UnicodeDecodeError as error:  # a name that is not in the encoding it claims
        raise zipfile.BadZipFile(error) from None
    with archive:
        yield archive


def _only_member(archive: zipfile.ZipFile, path: str) -> str:
    names = member_names(archive, path)
    if len(names) != 1:
        shown = ", ".join(names[:SHOWN_MEMBERS]) or "no file"
        more = " ..." if len(names) > SHOWN_MEMBERS else ""
        raise InputError(f"{path}: holds {shown}{more}; expected one file: unpack it")
    return names[0]


def member_names(archive: zipfile.ZipFile, path: str) -> list[str]:
    """The files of an archive that may be meant."""
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise InputError(f"{path}: holds {len(members):,} files, expected one: unpack it")
    files = [one.filename for one in members if not one.is_dir()]
    return [
        one
        for one in files
        if not any(part.lower().startswith(ASIDE) for part in PurePosixPath(one).parts)
    ]


@contextmanager
def _named_damage(path: str) -> Iterator[None]:
    """Errors in compressed data become an InputError."""
    suffix = compression(path) or ""
    damage: tuple[type[Exception], ...] = (EOFError, zlib.error, OSError)
    if suffix == ".zst":
        damage = (*damage, _module(suffix).ZstdError)
    elif suffix == ".xz":
        damage = (*damage, _module(suffix).LZMAError)
    elif suffix == ".zip":
        import zipfile
        from lzma import LZMAError

        # RuntimeError: encrypted, or a method that Python lacks
        damage = (*damage, zipfile.BadZipFile, LZMAError, RuntimeError)
    try:
        yield
    except damage as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # not about the data: there is no such file
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


def check_written(path: str) -> None:
    """Refuse a name whose compression is only read."""
    if compression(path) == ".zip":
        raise InputError(f"{path}: .zip files are read, not written; let the name end in .gz")


@contextmanager
def open_compressed(draft: Path, path: str) -> Iterator[BinaryIO]:
    """A stream into `draft`, compressed as the name `path` says."""
    suffix = compression(path)
    if suffix == ".gz":
        import gzip

        # without name and time, so that the same data gives the same file
        with draft.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    elif suffix is not None:
        check_written(path)
        with _module(suffix).open(draft, "wb") as stream:
            yield stream
    else:
        with draft.open("wb") as stream:
            yield stream


def _module(suffix: str) -> ModuleType:
    """The module of Python that compresses."""
    return _zstd() if suffix == ".zst" else import_module(MODULES[suffix])


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
