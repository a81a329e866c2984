"""Vectors that belong to texts: a column of lists of numbers, or the rows of an `.npy` file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.files import check_name
from wordplane.common.types import FloatArray
from wordplane.data.corpus import Corpus

VectorsLike: TypeAlias = str | PathLike[str] | FloatArray | None  # a column, an .npy file, a matrix

VECTOR_KIND = "vector"  # of a column
VECTORS_NAME = "vectors"  # of the column that an .npy file is
MAX_NUMBER = 1e30  # its square, and the scores, are then finite
LISTS = "lists of numbers (JSONL and Parquet have them; for other formats, give an .npy file)"


def is_vector_file(given: str) -> bool:
    """Whether vectors are in a file of their own, rather than in a column."""
    return given.endswith(".npy")


def load_vectors(path: str) -> FloatArray:
    """The rows of an .npy file; only numbers are read, never a pickled object."""
    check_name(path)
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file (`vectors`)") from None
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        why = str(error).partition("\n")[0]
        raise InputError(f"{path}: cannot be read as an .npy file of numbers ({why})") from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        kind = (
            f"{matrix.ndim}-dimensional {matrix.dtype}" if hasattr(matrix, "ndim") else "no array"
        )
        raise InputError(f"{path} is {kind}, expected a matrix of numbers with a row per text")
    return cast(FloatArray, matrix)


class GivenVectors:
    """Vectors that a reader is to add to texts.

    name    of the column that they become
    column  of the data, that they are in; None if they are the rows of a matrix
    """

    def __init__(self, given: object, kinds: Mapping[str, str]) -> None:
        named = [name for name, kind in kinds.items() if kind == VECTOR_KIND]
        if len(named) > 1:
            raise InputError(
                f"`vectors` is one column, and the model needs {', '.join(named)}: rename columns "
                "instead"
            )
        self.column, self._matrix, self._file = None, np.zeros((0, 0)), VECTORS_NAME
        if isinstance(given, np.ndarray):
            self._matrix = as_vectors("`vectors`", given, len(given))
        elif isinstance(given, str | PathLike) and is_vector_file(fspath(given)):
            self._file = fspath(given)
            self._matrix = load_vectors(self._file)
        elif isinstance(given, str):
            self.column = given
        else:
            raise InputError(
                f"`vectors` is {given!r:.60}, expected the name of a column, of an .npy file, or a "
                "matrix"
            )
        self.name = named[0] if named else self.column or VECTORS_NAME
        self._n_read = 0

    def add(self, corpus: Corpus) -> Corpus:
        """The next rows, with their vectors."""
        if self.column is not None:
            return replace(corpus, vectors={self.name: corpus.vectors[self.column]})
        first, self._n_read = self._n_read, self._n_read + len(corpus)
        if self._n_read > len(self._matrix):
            raise InputError(
                f"{self._file} has {len(self._matrix):,} rows, and there are more texts, expected "
                "one row per text"
            )
        rows = self._matrix[first : self._n_read]
        own = as_vectors(
            self.name, rows, len(rows), lambda row: f"{self._file}, row {first + row + 1}"
        )
        return replace(corpus, vectors={self.name: own})

    def check_end(self) -> None:
        """There are as many vectors as texts."""
        if self.column is None and self._n_read != len(self._matrix):
            raise InputError(
                f"{self._file} has {len(self._matrix):,} rows for {self._n_read:,} texts, expected "
                "one row per text"
            )


def as_vectors(
    name: str,
    values: Sequence[object] | NDArray[np.generic],
    n_rows: int,
    locate: Callable[[int], str] = lambda row: f"row {row + 1}",
) -> FloatArray:
    """The vectors of a column as a matrix, checked.

    >>> as_vectors("image", [[1, 2], [3, 4.5]], 2)
    array([[1. , 2. ],
           [3. , 4.5]])
    """
    if len(values) != n_rows:
        raise InputError(f"the vectors {name!r} have {len(values):,} rows for {n_rows:,} texts")
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "fiu":
        matrix = values.astype(np.float64)
    else:
        matrix = _stack(name, values, locate)
    if n_rows > 0 and matrix.shape[1] == 0:
        raise InputError(f"the vectors {name!r} have no numbers")
    wrong = np.flatnonzero(~(np.abs(matrix) <= MAX_NUMBER).all(axis=1))
    if len(wrong) > 0:
        row = int(wrong[0])
        bad = next(x for x in matrix[row].tolist() if not abs(x) <= MAX_NUMBER)
        raise InputError(
            f"{locate(row)}: the vector in {name!r} has the number {bad:g}, expected finite ones "
            f"of at most {MAX_NUMBER:g} in size"
        )
    return matrix


def _stack(name: str, values: Iterable[object], locate: Callable[[int], str]) -> FloatArray:
    rows: list[FloatArray] = []
    for i, value in enumerate(values):
        try:
            numbers = None if isinstance(value, str) else np.asarray(value)
        except ValueError:  # lists of different lengths
            numbers = None
        is_list = numbers is not None and numbers.ndim == 1 and numbers.dtype.kind in "fiu"
        if numbers is None or not is_list:
            raise InputError(
                f"{locate(i)}: the vector in {name!r} is {value!r:.60}, expected {LISTS}"
            )
        if rows and len(numbers) != len(rows[0]):
            raise InputError(
                f"{locate(i)}: the vector in {name!r} has {len(numbers)} numbers, but the first "
                f"has {len(rows[0])}"
            )
        rows.append(numbers.astype(np.float64))
    return np.array(rows) if rows else np.zeros((0, 0))
