"""A folder for blocks on disk, which is given back whatever ends the work.

The folder belongs to the process that holds the lock of a file in it. The system gives the lock
back when the process ends, even by kill -9, so the next start knows folders without an owner, and
removes them, or takes over the one of the same training.

Work on a folder is a sequence of steps. What a step has come to is kept under its name (`finish`),
with all files that are there by then, so that whoever takes the folder over resumes after the last
one (`finished`): see scratch_record.py for the order of syncing, and scratch_format.py for what is
expected of every file. What a step reads is removed only when it is finished. A folder that is
given back gets another name first, so that nobody resumes what is half removed.

A folder belongs to one user: only one that this user alone can enter is taken over or removed.
"""

import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from getpass import getuser
from os import PathLike
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

import numpy as np

from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.files import draft_folder, sync
from wordplane.common.forms import ArrayForms, StepForm, check_arrays
from wordplane.common.locks import BYTES, NO_LINK, lock_file, remove_locked
from wordplane.common.memory import readable_size
from wordplane.learners.support.row_blocks import Array, Arrays, Facts
from wordplane.scale.scratch_record import (
    LOCK,
    NEW,
    FileEntry,
    Record,
    StepEntry,
    contiguous_bytes,
    lost,
)

PREFIX, GONE = "wordplane-blocks-", "gone-"
PRIVATE = 0o700  # the mode of all folders
REMOVALS = 20
MORE = os.O_WRONLY | os.O_APPEND | NO_LINK | BYTES


class Finished(NamedTuple):
    """What a step has come to."""

    arrays: dict[str, Array]
    facts: Facts


class Scratch:
    """Arrays in files of a folder, by name and number of the block; names begin with `prefix`.

    is_kept  whether a training that resumes this one has the arrays too, once a step is finished
    """

    def __init__(
        self, folder: Path, record: Record | None = None, prefix: str = "", *, is_kept: bool = True
    ) -> None:
        self.folder, self.prefix = folder, prefix
        self.is_resumed = False
        self._record = record or Record(folder)
        self._own: dict[str, FileEntry] = self._record.files if is_kept else {}

    def section(self, name: str) -> "Scratch":
        """The same folder for arrays that are not resumed, only what steps have come to is."""
        return Scratch(self.folder, self._record, f"{self.prefix}{name}-", is_kept=False)

    def write(self, name: str, block: int, array: Array) -> None:
        """Keep an array on disk."""
        self._write(self._path(name, block), array, self._own)

    def append(self, name: str, block: int, array: Array) -> None:
        """Write the rows of an array behind those that a file has."""
        path = self._path(name, block)
        if path.name not in self._own:
            self._write(path, array, self._own)
            return
        self._own[path.name].extend(array)
        with _writing(path), os.fdopen(os.open(path, MORE), "ab") as file:
            file.write(contiguous_bytes(array))

    def _write(self, path: Path, array: Array, files: dict[str, FileEntry]) -> None:
        with _writing(path):
            path.unlink(missing_ok=True)
            with os.fdopen(os.open(path, NEW, 0o600), "wb") as file:
                file.write(contiguous_bytes(array))
        is_kept = files is self._record.files
        files[path.name] = FileEntry.of(array, is_kept=is_kept)
        if is_kept:
            self._record.written.add(path.name)
            self._record.foreign.discard(path.name)

    def read(self, name: str, block: int) -> Array:
        """An array that was kept, read into memory as a whole."""
        return self._read(self._path(name, block), self._own)

    def _read(self, path: Path, files: dict[str, FileEntry]) -> Array:
        if path.name not in files:
            raise lost(path, "it is not in the record")
        try:
            return files[path.name].read(path)
        except (OSError, ValueError) as error:
            raise lost(path, error) from error

    def read_block(
        self, forms: ArrayForms, name: str, block: int, sizes: Mapping[str, int]
    ) -> dict[str, Array]:
        """The arrays `NAME-...` of a block, which agree with each other and with `sizes`."""
        begin = f"{name}-" if name else ""
        arrays = {each: self.read(f"{begin}{each}", block) for each in forms}
        paths = {each: self._path(f"{begin}{each}", block).name for each in forms}
        if not self._record.foreign.isdisjoint(paths.values()):
            try:
                check_arrays(arrays, forms, sizes)
            except ValueError as error:
                raise lost(self._path(name or next(iter(forms)), block), error) from error
            self._record.foreign.difference_update(paths.values())
        return arrays

    def read_run(self, name: str, block: int, begin: int, end: int) -> Array:
        """Some of the rows of an array that this process wrote."""
        path = self._path(name, block)
        entry = self._own[path.name]
        n_values = int(np.prod(entry.shape[1:], dtype=np.int64))
        dtype = np.dtype(entry.type)
        try:
            run = np.fromfile(
                path, dtype, (end - begin) * n_values, offset=begin * n_values * dtype.itemsize
            )
            return run.reshape(end - begin, *entry.shape[1:])  # or it is too short
        except (OSError, ValueError) as error:
            raise lost(path, error) from error

    def finish(self, step: str, arrays: Arrays = (), facts: Facts | None = None) -> None:
        """Keep what a step has come to, and all files; a later call with the same name replaces
        it. It is on disk when this returns."""
        files, steps = self._record.files, self._record.steps
        key = f"{self.prefix}{step}"
        turn = 1 - steps[key].turn if key in steps else 0  # the arrays of before stay until the end
        names = []
        for name, array in arrays:
            self._write(self._path(f"{step}-{name}", turn), array, files)
            names.append(name)
        steps[key] = StepEntry(turn, names, facts or {})
        with _writing(self.folder / key):
            self._record.save()

    def finished(self, step: str, form: StepForm) -> Finished | None:
        """What a step has come to; None if it is not finished."""
        entry = self._record.steps.get(f"{self.prefix}{step}")
        if entry is None:
            return None
        paths = {name: self._path(f"{step}-{name}", entry.turn) for name in entry.arrays}
        arrays = {name: self._read(path, self._record.files) for name, path in paths.items()}
        try:
            form.check(arrays, entry.facts)
        except ValueError as error:
            raise lost(self.folder, f"{step}: {error}") from error
        return Finished(arrays, entry.facts)

    def clear(self) -> None:
        """Forget all steps and files."""
        self._record.clear()

    def remove(self, name: str, block: int) -> None:
        """Give the space of an array back."""
        path = self._path(name, block)
        self._own.pop(path.name, None)
        self._record.written.discard(path.name)
        with suppress(OSError):  # what cannot be removed goes with the folder
            path.unlink()

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
        return sum(path.lstat().st_size for path in self.folder.iterdir())

    def _path(self, name: str, block: int) -> Path:
        return self.folder / f"{self.prefix}{name}-{block}.array"


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
        record = Record(folder)
        if taken is not None:
            record = Record.load(folder)
            record.remove_others()
        scratch = Scratch(folder, record)
        scratch.is_resumed = taken is not None
        with draft_folder(folder, _remove):
            yield scratch
    finally:
        remove_locked(lock, partial(_remove, folder))


def _private_folder() -> Path:
    """The folder of this user among the system's temporary files."""
    user = os.geteuid() if hasattr(os, "geteuid") else getuser()
    folder = Path(gettempdir()) / f"wordplane-{user}"
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
    if not hasattr(os, "geteuid"):  # on Windows, where temporary files are each user's own
        return stat.S_ISDIR(status.st_mode)
    is_own = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == PRIVATE
    return is_own and stat.S_ISDIR(status.st_mode)


def _remove(folder: Path) -> None:
    """Remove a folder, under a name that is never resumed. A worker of Dask may be writing a last
    file, for which nobody waits."""
    with suppress(OSError):
        folder = folder.rename(folder.with_name(f"{PREFIX}{GONE}{os.urandom(6).hex()}"))
        sync(folder.parent)
    for _ in range(REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def remove_abandoned(where: Path) -> None:
    """Remove the folders whose owner has ended."""
    for folder in where.glob(f"{PREFIX}*"):
        with suppress(OSError):  # just removed
            lock = _lock(folder) if _is_private(folder) else None
            if lock is not None:
                remove_locked(lock, partial(_remove, folder))


def _make_folder(where: Path, key: str) -> tuple[Path, int]:
    while True:
        folder = where / f"{PREFIX}{key}-{os.urandom(6).hex()}"
        folder.mkdir(mode=PRIVATE)
        lock = None
        with suppress(FileNotFoundError):  # what another start removes before it is locked
            lock = _lock(folder, wait=True)
        if lock is not None:
            sync(where)
            return folder, lock


def _take_over(where: Path, key: str) -> tuple[Path, int] | None:
    """The folder of an owner that has ended, with its lock."""
    for folder in sorted(where.glob(f"{PREFIX}{key}-*")):
        with suppress(OSError):  # just removed
            lock = _lock(folder) if _is_private(folder) else None
            if lock is not None:
                return folder, lock
    return None


def _lock(folder: Path, *, wait: bool = False) -> int | None:
    """Lock a folder; None if it is in use, or removed meanwhile by whoever had the lock before."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | NO_LINK, 0o600)
    with suppress(OSError):
        is_ours = lock_file(lock, wait=wait)
        if is_ours and os.path.samestat(os.fstat(lock), (folder / LOCK).stat()):
            return lock
    os.close(lock)
    return None


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WordplaneError(
            f"cannot write {path}: {error.strerror or f'no room ({error})'}; {_advice(path.parent)}"
        ) from error


def _advice(folder: Path) -> str:
    return f"make room in {folder.parent}, or name another folder with `scratch`"
