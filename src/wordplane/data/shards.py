"""Data in many files (shards): which there are, and a folder with one output for each.

Any number of processes may fill a folder together. They share its file `.wordplane-shards`, in
which each locks one byte for the shard that it works on; the system frees the lock of a process
that ends, however it ends. The file also has a fingerprint of what is being done, so that a folder
never has answers of two models.

Addresses such as s3://bucket/folder/ are read and written through fsspec, by way of a temporary
copy of each shard. There are no locks: of two processes that start with the same shard at the same
time, both do it, with the same result.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wordplane.common.errors import InputError, MissingExtraError, WordplaneError
from wordplane.common.files import ADDRESS, DRAFT, Finish, sync
from wordplane.common.locks import BYTES, NO_LINK, lock_byte, unlock_byte
from wordplane.data.compression import compression, extension
from wordplane.data.encoding import STDIN
from wordplane.data.read import expand_paths

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

RECORD = ".wordplane-shards"
FOLDER_LOCK = 0  # the byte that everyone locks who works on the folder
SYNC_THREADS, MOST_UNFINISHED = 4, 8
MAGIC = re.compile(r"[*?[]")


@dataclass(frozen=True)
class Shard:
    """A file, and the name of its output in the folder."""

    source: str
    name: str
    size: int = 0


def is_address(path: str) -> bool:
    """Whether a path is for fsspec.

    >>> is_address("s3://bucket/in/*.parquet"), is_address("in/*.parquet")
    (True, False)
    """
    return ADDRESS.match(path) is not None


def split_output(output: str) -> tuple[str, str]:
    """The folder of an output, and the ending of the files in it, "" for that of each shard.

    >>> split_output("s3://bucket/out/*.jsonl.zst"), split_output("out")
    (('s3://bucket/out/', '.jsonl.zst'), ('out', ''))
    """
    folder, _, last = output.rpartition("/")
    if "*" not in last:
        return output, ""
    if not last.startswith("*.") or "*" in last[1:]:
        raise InputError(f"the output is {output}, expected a name such as {folder}/*.jsonl")
    return f"{folder}/" if folder else ".", last[1:]


def list_shards(data: Sequence[str], ending: str) -> list[Shard]:
    """The files that are named, in order; outputs end in `ending`, or as their shards do.

    Below the folder that a pattern names, the output has the folders that the shard has.
    """
    shards = []
    for given in data:
        if given == STDIN:
            raise InputError("standard input has no shards: name files, or a file with -o")
        pattern, files = _list_remote(given) if is_address(given) else (given, _list(given))
        base = re.split(MAGIC, pattern)[0].rpartition("/")[0]
        for source, path, size in files:
            is_listed = MAGIC.search(pattern) and path != pattern
            name = path.removeprefix(base).lstrip("/") if is_listed else PurePosixPath(path).name
            if ending:
                stem = name.removesuffix(compression(name) or "")
                name = stem[: len(stem) - len(extension(name))] + ending
            shards.append(Shard(source, name, size))
    repeated = next((name for name, n in Counter(s.name for s in shards).items() if n > 1), None)
    if repeated is not None:
        both = [shard.source for shard in shards if shard.name == repeated]
        raise InputError(f"{both[0]} and {both[1]} would both be written to {repeated}")
    return shards


def _list(pattern: str) -> Iterator[tuple[str, str, int]]:
    for path in expand_paths(pattern):
        size = 0
        with suppress(FileNotFoundError):  # whoever reads it says so
            about = Path(path).stat()
            if stat.S_ISDIR(about.st_mode):
                raise InputError(f"{path} is a folder: name its files, such as {path}/*.parquet")
            size = about.st_size
        yield path, path, size


def _list_remote(address: str) -> tuple[str, list[tuple[str, str, int]]]:
    """The pattern as the file system has it, and its files: address, path and size."""
    fs, pattern = _file_system(address)
    try:
        found = fs.glob(pattern, detail=True) if MAGIC.search(pattern) else [fs.info(pattern)]
    except OSError as error:
        raise InputError(f"{address}: cannot be read: {error}") from None
    infos = found.values() if isinstance(found, dict) else found
    files = [
        (fs.unstrip_protocol(info["name"]), info["name"], info["size"] or 0)
        for info in infos
        if info["type"] == "file"
    ]
    if not files:
        raise InputError(f"no file matches {address}")
    return pattern, sorted(files)


def _file_system(address: str) -> tuple[AbstractFileSystem, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError(f"{address:.60}: addresses need fsspec", "remote") from None
    try:
        fs, path = url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise InputError(f"{address:.60}: cannot be opened: {error}") from None
    return fs, path


@contextmanager
def local_copy(source: str) -> Iterator[str]:
    """A path to read a shard from."""
    if not is_address(source):
        yield source
        return
    fs, path = _file_system(source)
    with TemporaryDirectory(prefix="wordplane-") as folder:
        copy = Path(folder, PurePosixPath(path).name)
        try:
            fs.get_file(path, str(copy))
        except OSError as error:
            raise InputError(f"{source}: cannot be read: {error}") from None
        yield str(copy)


@contextmanager
def first_copy(data: Sequence[str]) -> Iterator[str]:
    """The first shard, to read its columns from."""
    with local_copy(list_shards(data[:1], "")[0].source) as path:
        yield path


@dataclass(frozen=True)
class Claim:
    """A file that this process is to write: where, and how a draft becomes this file."""

    path: str
    finish: Finish


class OutputFolder(Protocol):
    """Where one file is written for each shard."""

    def finished(self) -> set[str]:
        """The names of the files that are there."""

    def claim(
        self, names: Sequence[str], *, wait: bool
    ) -> AbstractContextManager[list[Claim | None]]:
        """A context in which to write files, each of which is then in the folder as a whole or not
        at all. None for a file that is there already, or that another process is at; with `wait`,
        that one is waited for."""


@contextmanager
def open_folder(folder: str, fingerprint: str) -> Iterator[OutputFolder]:
    """A folder to write to, which is made if it is not there. An error if it has files that
    something else than this fingerprint made."""
    if is_address(folder):
        yield RemoteFolder(folder, fingerprint)
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        flags = os.O_CREAT | os.O_RDWR | NO_LINK | BYTES
        record = os.open(Path(folder, RECORD), flags, 0o666)
    except OSError as error:
        raise WordplaneError(f"cannot write to {folder}: {error.strerror}") from error
    try:
        with ThreadPoolExecutor(SYNC_THREADS) as pool:
            local = LocalFolder(Path(folder), record, fingerprint, pool)
            yield local
            local.close()
    finally:
        os.close(record)


class _Written(NamedTuple):
    """A draft, the file that it becomes, and the byte that is locked for it."""

    draft: Path
    target: Path
    byte: int


class LocalFolder:
    """A folder of this system, which several processes may fill. Until a file is on disk takes so
    long that others are written meanwhile."""

    def __init__(
        self, folder: Path, record: int, fingerprint: str, pool: ThreadPoolExecutor
    ) -> None:
        self.folder, self._record, self._pool = folder, record, pool
        self._unfinished: list[Future[None]] = []
        self._folders: set[Path] = set()  # those that have files
        if self._lock(FOLDER_LOCK):  # nobody else is at work
            for draft in folder.rglob(f"{DRAFT}*.tmp"):
                draft.unlink(missing_ok=True)
            if not self._read_record() and not self.finished():
                os.write(record, fingerprint.encode())
            unlock_byte(record, FOLDER_LOCK)
        self._lock(FOLDER_LOCK, shared=True, wait=True)
        if self._read_record() != fingerprint:
            raise _other_fingerprint(str(folder))

    def _read_record(self) -> str:
        os.lseek(self._record, 0, os.SEEK_SET)
        return os.read(self._record, 1 << 10).decode(errors="replace")

    def _lock(self, byte: int, *, shared: bool = False, wait: bool = False) -> bool:
        try:
            return lock_byte(self._record, byte, shared=shared, wait=wait)
        except OSError as error:
            raise WordplaneError(f"cannot lock files in {self.folder}: {error.strerror}") from error

    def finished(self) -> set[str]:
        names = (
            Path(where, name).relative_to(self.folder).as_posix()
            for where, _, files in os.walk(self.folder)
            for name in files
        )
        return {name for name in names if not PurePosixPath(name).name.startswith(DRAFT)}

    @contextmanager
    def claim(self, names: Sequence[str], *, wait: bool) -> Iterator[list[Claim | None]]:
        # Who waits for others holds no claim of files that are not on disk yet.
        self.check_finished(0 if wait else MOST_UNFINISHED)
        locked: set[int] = set()  # those of files that are not written yet
        written: list[_Written] = []

        def claim_one(name: str) -> Claim | None:
            byte = 1 + int.from_bytes(blake2b(os.fsencode(name), digest_size=7).digest(), "big")
            if not self._lock(byte, wait=wait):
                return None
            locked.add(byte)
            target = self.folder / name
            if target.parent not in self._folders:
                target.parent.mkdir(parents=True, exist_ok=True)
                self._folders.add(target.parent)

            def finish_later(draft: Path, target: Path) -> None:
                locked.remove(byte)
                written.append(_Written(draft, target, byte))

            if target.is_dir():
                raise InputError(f"{target} is a folder, and a shard is to be written there")
            return None if target.exists() else Claim(str(target), finish_later)

        try:
            yield [claim_one(name) for name in names]
        finally:
            for byte in locked:
                unlock_byte(self._record, byte)
            if written:
                self._unfinished.append(self._pool.submit(self._finish, written))

    def _finish(self, written: Sequence[_Written]) -> None:
        """Rename drafts when they are on disk; an error if one cannot be."""
        errors = []
        for draft, target, byte in written:
            try:
                sync(draft)
                draft.replace(target)
            except OSError as error:
                draft.unlink(missing_ok=True)
                errors.append(f"cannot write {target}: {error.strerror}")
            finally:
                unlock_byte(self._record, byte)
        if errors:
            raise WordplaneError(errors[0])

    def close(self) -> None:
        """Wait until all files are on disk, and then their names: a file whose name is lost with
        the power is only written again."""
        self.check_finished()
        for folder in self._folders:
            sync(folder)

    def check_finished(self, n_left: int = 0) -> None:
        """Wait until so many files are left that are not on disk; an error if one cannot be."""
        while len(self._unfinished) > n_left:
            self._unfinished.pop(0).result()


class RemoteFolder:
    """A folder of fsspec."""

    def __init__(self, folder: str, fingerprint: str) -> None:
        self._fs, self._path = _file_system(folder)
        self._path = self._path.rstrip("/")
        record = f"{self._path}/{RECORD}"
        self._fs.invalidate_cache()
        if not self._fs.exists(record) and not self.finished():
            self._fs.makedirs(self._path, exist_ok=True)
            self._fs.pipe_file(record, fingerprint.encode())
        if (
            not self._fs.exists(record)
            or self._fs.cat_file(record).decode(errors="replace") != fingerprint
        ):
            raise _other_fingerprint(folder)

    def finished(self) -> set[str]:
        paths = self._fs.find(self._path) if self._fs.exists(self._path) else []
        names = [path[len(self._path) :].lstrip("/") for path in paths]
        return {name for name in names if not PurePosixPath(name).name.startswith(DRAFT)}

    @contextmanager
    def claim(self, names: Sequence[str], *, wait: bool) -> Iterator[list[Claim | None]]:
        del wait
        with TemporaryDirectory(prefix="wordplane-") as folder:

            def claim_one(number: int, name: str) -> Claim | None:
                target = f"{self._path}/{name}"
                if self._fs.exists(target):
                    return None
                path = Path(folder, str(number), PurePosixPath(name).name)
                path.parent.mkdir()
                return Claim(str(path), lambda draft, _: self._upload(draft, target))

            yield [claim_one(number, name) for number, name in enumerate(names)]

    def _upload(self, draft: Path, target: str) -> None:
        """Under another name first: not every file system writes a file whole or not at all."""
        above, _, last = target.rpartition("/")
        part = f"{above}/{DRAFT}{os.urandom(4).hex()}-{last}"
        try:
            self._fs.makedirs(above, exist_ok=True)
            self._fs.put_file(str(draft), part)
            self._fs.mv(part, target)
        except OSError as error:
            with suppress(OSError):
                self._fs.rm_file(part)
            raise WordplaneError(f"cannot write {target}: {error}") from error


def _other_fingerprint(folder: str) -> InputError:
    return InputError(
        f"{folder} has files of another model, or of other options: name another folder, or remove "
        "it to start again"
    )
