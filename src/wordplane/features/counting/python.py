"""Counts features that Python finds, with the methods of the native counter."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.counting.core import CountArrays, CountValues
from wordplane.features.document_reader import Analyze


class PythonCounter:
    """Keeps a Counter of the features of each document; features in alphabetical order."""

    def __init__(self, analyze: Analyze, documents: Iterable[object]) -> None:
        self._rows = [Counter(analyze(document)) for document in documents]
        self._df = Counter(name for row in self._rows for name in row)
        self._names = sorted(self._df)
        self._index_of: dict[str, int] = {}

    @property
    def n_docs(self) -> int:
        return len(self._rows)

    @property
    def n_features(self) -> int:
        return len(self._names)

    def document_frequency(self, threads: int) -> NDArray[np.int64]:
        return np.array([self._df[name] for name in self._names], dtype=np.int64)

    def term_frequency(self, threads: int) -> NDArray[np.int64]:
        tf: Counter[str] = Counter()
        for row in self._rows:
            tf.update(row)
        return np.array([tf[name] for name in self._names], dtype=np.int64)

    def select(self, keep: NDArray[np.bool_], threads: int) -> None:
        selected = (name for name, flag in zip(self._names, keep, strict=True) if flag)
        self._index_of = {name: index for index, name in enumerate(selected)}
        self._arrays = _as_arrays(self._rows, self._index_of)

    @property
    def n_selected(self) -> int:
        return len(self._index_of)

    def vocabulary(self, threads: int = 1) -> _core.Vocabulary:
        return _core.Vocabulary.from_names(list(self._index_of))

    def indptr(self) -> NDArray[np.int64]:
        return self._arrays[0]

    def fill(self, indices: NDArray[np.int32], values: CountValues, threads: int) -> None:
        _, indices[:], values[:] = self._arrays
        self._rows = []
        del self._arrays


def count_known_in_python(
    analyze: Analyze, documents: Iterable[object], index_of: dict[str, int]
) -> CountArrays:
    """The counts of known features in the documents: indptr, indices, values."""
    return _as_arrays((Counter(analyze(document)) for document in documents), index_of)


def _as_arrays(rows: Iterable[Counter[str]], index_of: dict[str, int]) -> CountArrays:
    indptr, indices, values = [0], [], []
    for row in rows:
        for index, count in sorted((index_of[f], n) for f, n in row.items() if f in index_of):
            indices.append(index)
            values.append(count)
        indptr.append(len(indices))
    return (
        np.array(indptr, dtype=np.int64),
        np.array(indices, dtype=np.int32),
        np.array(values, dtype=np.int64),
    )
