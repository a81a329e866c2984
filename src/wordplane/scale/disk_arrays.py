"""Arrays in files of workers.

Where all workers see one folder, another worker reads the same file, and whoever started the
training removes the files when their phase is over. Else a file goes with the object that stands
for it; it travels by value, and stays in the memory of the other worker.
"""

import math
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import WordplaneError

Array = NDArray[np.generic]
Form = tuple[str, tuple[int, ...]]  # dtype and shape


@dataclass(frozen=True)
class Store:
    """Where workers keep arrays: a folder that all of them see, or (None) each in its own."""

    folder: str | None
    phase: str = ""

    def of(self, phase: str) -> "Store":
        """The place for the arrays of a phase."""
        return Store(self.folder, phase)

    def keep(self, *arrays: Array) -> "DiskArrays":
        """Write arrays to disk."""
        if self.folder is not None:
            return DiskArrays.written(arrays, Path(self.folder, self.phase), shared=True)
        from distributed import get_worker

        return DiskArrays.written(arrays, Path(get_worker().local_directory), shared=False)

    def clear(self) -> None:
        """Remove the arrays of the phase from a folder that all see."""
        if self.folder is not None:
            shutil.rmtree(Path(self.folder, self.phase), ignore_errors=True)


class DiskArrays:
    """Arrays that are on disk, not in memory, until they are read.

    >>> import pickle, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder, "counts")
    ...     kept = store.keep(np.arange(3), np.zeros(1))
    ...     print(kept.read(1), pickle.loads(pickle.dumps(kept)).read())
    ...     store.clear()
    ...     print(os.listdir(folder))
    [array([0, 1, 2])] [array([0, 1, 2]), array([0.])]
    []
    """

    def __init__(
        self, arrays: Sequence[Array] | None, path: Path | None, forms: list[Form], shared: bool
    ) -> None:
        self._arrays, self._path, self._forms, self._shared = arrays, path, forms, shared

    @classmethod
    def written(cls, arrays: Sequence[Array], folder: Path, *, shared: bool) -> "DiskArrays":
        """Arrays in a new file of a folder."""
        forms: list[Form] = [(array.dtype.str, array.shape) for array in arrays]
        path = _new_path(folder)
        kept = cls(None, path, forms, shared)
        try:
            folder.mkdir(exist_ok=True)
            with path.open("wb") as file:
                for array in arrays:
                    file.write(np.ascontiguousarray(array).data)
        except OSError as error:
            raise WordplaneError(
                f"cannot write {path}: {error.strerror or error}; make room there, or name "
                "another folder that all workers see with `scratch`"
            ) from None
        return kept

    @property
    def n_bytes(self) -> int:
        """The size of the arrays."""
        return sum(_count(form) * np.dtype(form[0]).itemsize for form in self._forms)

    def read(self, n: int | None = None) -> list[Array]:
        """The arrays, or the first n."""
        if self._arrays is not None:
            return list(self._arrays[:n])
        assert self._path is not None
        arrays: list[Array] = []
        try:
            with self._path.open("rb") as file:
                for form in self._forms[:n]:
                    array = np.fromfile(file, form[0], _count(form))
                    arrays.append(array.reshape(form[1]))
        except (OSError, ValueError) as error:  # ValueError: too short
            raise WordplaneError(
                f"{self._path}, which this training has written, is gone or damaged ({error}): "
                "leave the folder alone while it runs, and start again"
            ) from None
        return arrays

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        if self._shared and self._path is not None:
            return DiskArrays, (None, self._path, self._forms, True)
        return DiskArrays, (self.read(), None, self._forms, False)

    def __sizeof__(self) -> int:
        """What Dask takes for memory and for the cost of moving it."""
        if self._arrays is not None:
            return 200 + self.n_bytes
        return 200 + (0 if self._shared else self.n_bytes // 16)

    def __del__(self) -> None:
        if self._path is not None and not self._shared:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def _new_path(folder: Path) -> Path:
    return folder / f"{os.urandom(8).hex()}.arrays"


def _count(form: Form) -> int:
    return math.prod(form[1])
