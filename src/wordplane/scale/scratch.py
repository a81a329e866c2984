"""A folder for blocks on disk, which is given back whatever ends the work.

The folder belongs to the process that holds the lock of a file in it. The system gives the lock
back when the process ends, even by kill -9, so the next start knows folders without an owner, and
removes them, or takes over the one of the same training.

Work on a folder is a sequence of steps. What a step returns is kept under its name (`finish`), so
that whoever takes the folder over goes on behind the last one (`finished`). So a step overwrites
files that are there already, and removes what it has read only when it is finished. A folder that
is given back gets another name first, so that nobody resumes what is half removed.

A folder belongs to one user: only one that this user alone can enter is taken over or removed.
"""

import fcntl
import json
import math
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.files import draft_folder
from wordplane.common.memory import readable_size
from wordplane.learners.support.row_blocks import Arrays, Facts

PREFIX, LOCK, GONE = "wordplane-blocks-", "lock", "gone-"
PRIVATE = 0o700  # the mode of all folders
NEW = 60  # seconds in which a folder without a lock may still get one
REMOVALS = 20
HEADERS = Lock()  # two threads that parse at once fail in Python 3.11 (its issue 106905)


class Finished(NamedTuple):
    """What a step has come to."""

    arrays: dict[str, NDArray[np.generic]]
    facts: Facts


class Scratch:
    """Arrays in files of a folder, by name and number of the block; names begin with `prefix`."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        self.folder, self.prefix = folder, prefix
        self.is_resumed = False

    def section(self, name: str) -> "Scratch":
        """The same folder for other arrays of the same names."""
        return Scratch(self.folder, f"{self.prefix}{name}-")

    def write(self, name: str, block: int, array: NDArray[np.generic]) -> None:
        """Keep an array on disk; its file is there as a whole or not at all."""
        with _replace(self._path(name, block)) as file:
            np.save(file, array)

    def read(self, name: str, block: int) -> NDArray[np.generic]:
        """An array that was kept, read into memory as a whole."""
        path = self._path(name, block)
        try:
            with path.open("rb") as file:
                with HEADERS:
                    np.lib.format.read_magic(file)
                    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
                array: NDArray[np.generic] = np.fromfile(file, dtype, math.prod(shape))
            return array.reshape(shape, order="F" if is_fortran else "C")  # or it is too short
        except (OSError, ValueError, EOFError) as error:
            raise _lost(path, error) from error

    def has(self, name: str, block: int) -> bool:
        """Whether an array was kept."""
        return self._path(name, block).exists()

    def append(self, name: str, block: int, array: NDArray[np.generic]) -> None:
        """Write an array behind those that a file has, for `read_run`."""
        path = self._path(name, block)
        with _writing(path), path.open("ab") as file:
            file.write(np.ascontiguousarray(array).data)

    def read_run(
        self, name: str, block: int, dtype: type[np.generic], begin: int, end: int
    ) -> NDArray[np.generic]:
        """Some of the numbers that were appended to a file."""
        path = self._path(name, block)
        try:
            offset = begin * np.dtype(dtype).itemsize
            array: NDArray[np.generic] = np.fromfile(path, dtype, end - begin, offset=offset)
        except OSError as error:
            raise _lost(path, error) from error
        if len(array) != end - begin:
            raise _lost(path, "it is too short")
        return array

    def finish(
        self,
        step: str,
        arrays: Arrays = (),
        facts: Facts | None = None,
    ) -> None:
        """Keep what a step has come to; a later call with the same name replaces it."""
        known = self._steps(step)
        turn = 1 - known["turn"] if known else 0  # the arrays of before stay until the end
        names = []
        for name, array in arrays:
            self.write(f"{step}-{name}", turn, array)
            names.append(name)
        entry = {"turn": turn, "arrays": names, "facts": facts or {}}
        with _replace(self._path(step, 0).with_suffix(".json")) as file:
            file.write(json.dumps(entry).encode())

    def finished(self, step: str) -> "Finished | None":
        """What a step has come to; None if it is not finished."""
        known = self._steps(step)
        if not known:
            return None
        arrays = {name: self.read(f"{step}-{name}", known["turn"]) for name in known["arrays"]}
        return Finished(arrays, known["facts"])

    def _steps(self, step: str) -> Facts:
        path = self._path(step, 0).with_suffix(".json")
        try:
            known: Facts = json.loads(path.read_text())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise _lost(path, error) from error
        return known

    def clear(self) -> None:
        """Remove all files but the lock."""
        for path in self.folder.iterdir():
            if path.name != LOCK:
                path.unlink()

    def remove(self, name: str, block: int) -> None:
        """Give the space of an array back."""
        self._path(name, block).unlink(missing_ok=True)

    def require(self, n_bytes: float, what: str) -> None:
        """Refuse work that needs more disk than is free."""
        free = shutil.disk_usage(self.folder).free
        if n_bytes > free:
            raise InputError(
                f"{what} needs about {readable_size(n_bytes)} of disk, and {readable_size(free)} "
                f"are free; {_advice(self.folder)}"
            )

    def used(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.folder.iterdir())

    def _path(self, name: str, block: int) -> Path:
        return self.folder / f"{self.prefix}{name}-{block}.npy"


@contextmanager
def open_scratch(
    parent: str | PathLike[str] | None = None, key: str = "any", *, resume: bool = False
) -> Iterator[Scratch]:
    """A new folder in `parent` (a private one among the system's temporary files), removed at the
    end; or, to `resume`, the one that a process which is no more left behind for the same `key`.

    >>> with open_scratch() as scratch:
    ...     scratch.write("numbers", 0, np.arange(3))
    ...     scratch.read("numbers", 0)
    array([0, 1, 2])
    >>> scratch.folder.exists()
    False
    """
    where = _private_folder() if parent is None else Path(parent)
    if not where.is_dir():
        raise InputError(f"{where}, which was named for `scratch`, is not a folder")
    taken = _take_over(where, key) if resume else None
    remove_abandoned(where)
    try:
        folder, lock = taken or _make_folder(where, key)
    except OSError as error:
        raise WordplaneError(f"cannot write to {where}: {error.strerror or error}") from error
    try:
        scratch = Scratch(folder)
        scratch.is_resumed = taken is not None
        with draft_folder(folder):
            yield scratch
    finally:
        _remove(folder)
        os.close(lock)


def _private_folder() -> Path:
    """The folder of this user among the system's temporary files."""
    folder = Path(gettempdir()) / f"wordplane-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=PRIVATE)
    if not _is_private(folder):
        raise InputError(
            f"{folder} is not a folder that you alone can enter: remove it, or name another folder "
            "with `scratch`"
        )
    return folder


def _is_private(folder: Path) -> bool:
    """Whether this is a folder, not a link to one, that belongs to this user alone."""
    status = folder.lstat()
    is_own = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == PRIVATE
    return is_own and stat.S_ISDIR(status.st_mode)


def _remove(folder: Path) -> None:
    """Remove a folder, under a name that is never resumed. A worker of Dask may be writing a last
    file, for which nobody waits."""
    with suppress(OSError):
        folder = folder.rename(folder.with_name(f"{PREFIX}{GONE}{os.urandom(6).hex()}"))
    for _ in range(REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def remove_abandoned(where: Path) -> None:
    """Remove the folders whose owner has ended."""
    for folder in where.glob(f"{PREFIX}*"):
        with suppress(OSError):  # just removed
            if not _is_private(folder):
                continue
            if not (folder / LOCK).exists():
                if time.time() - folder.stat().st_mtime > NEW:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            lock = _lock(folder, fcntl.LOCK_NB)
            if lock is not None:
                _remove(folder)
                os.close(lock)


def _make_folder(where: Path, key: str) -> tuple[Path, int]:
    while True:
        folder = where / f"{PREFIX}{key}-{os.urandom(6).hex()}"
        folder.mkdir(mode=PRIVATE)
        lock = _lock(folder)
        if lock is not None:
            return folder, lock


def _take_over(where: Path, key: str) -> tuple[Path, int] | None:
    """The folder of an owner that has ended, with its lock."""
    for folder in sorted(where.glob(f"{PREFIX}{key}-*")):
        with suppress(OSError):  # just removed
            lock = _lock(folder, fcntl.LOCK_NB) if _is_private(folder) else None
            if lock is not None:
                return folder, lock
    return None


def _lock(folder: Path, how: int = 0) -> int | None:
    """Lock a folder; None if it is in use, or removed meanwhile by whoever had the lock before."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | how)
        if os.path.samestat(os.fstat(lock), (folder / LOCK).stat()):
            return lock
    os.close(lock)
    return None


@contextmanager
def _replace(path: Path) -> Iterator[BinaryIO]:
    """A new file, to which no link leads, that takes the place of `path` when it is written."""
    draft = path.with_suffix(f".{os.urandom(6).hex()}")
    how = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY
    with _writing(path):
        with os.fdopen(os.open(draft, how, 0o600), "wb") as file:
            yield file
        draft.replace(path)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WordplaneError(
            f"cannot write {path}: {error.strerror or f'no room ({error})'}; {_advice(path.parent)}"
        ) from error


def _lost(path: Path, why: object) -> WordplaneError:
    return WordplaneError(
        f"{path}, which this training has written, is gone or damaged ({why}): leave the folder "
        "alone while it runs, and start again"
    )


def _advice(folder: Path) -> str:
    return f"make room in {folder.parent}, or name another folder with `scratch`"
