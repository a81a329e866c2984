"""What a folder of blocks is known to hold, in memory and in the file `record` of the folder.

A step counts as finished when the record on disk says so. By then, all files that the record names
are on disk too: `save` syncs them, then the folder, then the new record, which takes the place of
the old one, and the folder again. A file is removed only after that, so whatever interrupts the
work, and also if the power fails, the record on disk names files that are whole.
"""

import json
import math
import os
import stat
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import WordplaneError
from wordplane.common.files import sync
from wordplane.common.forms import check_value
from wordplane.common.locks import BYTES, NO_LINK
from wordplane.scale.scratch_format import MOST, RECORD, TYPES, VERSION

NAME, LOCK = "record", "lock"
NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK | BYTES  # to which no link leads
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # for a pipe
OLD = os.O_RDONLY | NO_LINK | NO_WAIT | BYTES
SYNCS = 8  # at once: a file system brings them to disk together
Array = NDArray[np.generic]


@dataclass
class FileEntry:
    """What is known of a file: an array, and the CRC-32 of its bytes; None if it is not kept for a
    training that resumes this one."""

    type: str
    shape: list[int]
    crc: int | None

    @classmethod
    def of(cls, array: Array, *, is_kept: bool) -> Self:
        """The entry of an array that is written."""
        crc = zlib.crc32(contiguous_bytes(array)) if is_kept else None
        return cls(array.dtype.name, list(array.shape), crc)

    def extend(self, array: Array) -> None:
        """Add the rows of an array behind."""
        assert (self.type, self.shape[1:]) == (array.dtype.name, list(array.shape[1:]))
        self.shape[0] += len(array)
        if self.crc is not None:
            self.crc = zlib.crc32(contiguous_bytes(array), self.crc)

    def read(self, path: Path) -> Array:
        """The array of a file; a ValueError says what is wrong with it."""
        with os.fdopen(os.open(path, OLD), "rb") as file:
            status, size = os.fstat(file.fileno()), math.prod(self.shape)
            n_bytes = size * np.dtype(self.type).itemsize
            if not stat.S_ISREG(status.st_mode) or status.st_size != n_bytes:
                raise ValueError(f"it has {status.st_size} bytes, expected {n_bytes}")
            array: Array = np.fromfile(file, self.type, size).reshape(self.shape)
        if self.crc is not None and zlib.crc32(contiguous_bytes(array)) != self.crc:
            raise ValueError("its checksum is wrong")
        return array


@dataclass
class StepEntry:
    """What a step has come to; the turn is in the names of its arrays, so that those of before
    stay until the record names the new ones."""

    turn: int
    arrays: list[str]
    facts: dict[str, object]


@dataclass
class Record:
    """The files and the finished steps of a folder.

    written  files that are not in the record on disk yet
    foreign  files that another process wrote, and this one has not checked yet
    """

    folder: Path
    files: dict[str, FileEntry] = field(default_factory=dict)
    steps: dict[str, StepEntry] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The record of a folder; an empty one if no step was finished."""
        path = folder / NAME
        try:
            with os.fdopen(os.open(path, OLD), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise ValueError("it is not a file")
                digest, _, body = file.read().partition(b"\n")
            if sha256(body).hexdigest().encode() != digest:
                raise ValueError("its digest is wrong")
            value = json.loads(body)
            check_value(value, RECORD, NAME)
            if value["version"] != VERSION:
                raise ValueError("it is of another version")
            for name, entry in value["files"].items():
                if entry["type"] not in TYPES or max(entry["shape"], default=0) >= MOST:
                    raise ValueError(f"{name} is not an array of this version")
        except FileNotFoundError:
            return cls(folder)
        except (OSError, ValueError, RecursionError) as error:
            raise lost(path, error) from error
        files = {name: FileEntry(**entry) for name, entry in value["files"].items()}
        steps = {name: StepEntry(**entry) for name, entry in value["steps"].items()}
        return cls(folder, files, steps, foreign=set(files))

    def save(self) -> None:
        """Bring the folder to disk, and the record that says so."""
        from concurrent.futures import ThreadPoolExecutor  # takes 10 ms

        with ThreadPoolExecutor(SYNCS) as pool:
            list(pool.map(self._sync, sorted(self.written)))
        sync(self.folder)
        value = {
            "version": VERSION,
            "files": {name: asdict(entry) for name, entry in self.files.items()},
            "steps": {name: asdict(entry) for name, entry in self.steps.items()},
        }
        body = json.dumps(value).encode()
        draft = self.folder / f"{NAME}.draft"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, NEW, 0o600), "wb") as file:
            file.write(sha256(body).hexdigest().encode() + b"\n" + body)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.folder / NAME)
        sync(self.folder)
        self.written.clear()

    def _sync(self, name: str) -> None:
        try:
            sync(self.folder / name)
        except FileNotFoundError as error:
            raise lost(self.folder / name, error) from error

    def clear(self) -> None:
        """Forget all steps and files, and remove them."""
        (self.folder / NAME).unlink(missing_ok=True)  # first, as it names the others
        self.files.clear()
        self.steps.clear()
        self.remove_others()

    def remove_others(self) -> None:
        """Remove the files that are not in the record: those of a step that came to no end."""
        for path in self.folder.iterdir():
            if path.name not in self.files and path.name not in (NAME, LOCK):
                with suppress(OSError):
                    path.unlink()


def contiguous_bytes(array: Array) -> memoryview:
    """The bytes of an array as they are written."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def lost(path: Path, why: object) -> WordplaneError:
    """The error of a file that is not as this training, or the one that it resumes, left it."""
    return WordplaneError(
        f"{path}, which this training has written, is gone or damaged ({why}): leave the folder "
        "alone while it runs, and start again from the beginning"
    )
