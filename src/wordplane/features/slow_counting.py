"""Counting features that Python makes, with the methods of the native counter."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.counting import Rows

Analyze = Callable[[Any], Iterable[str]]


class SlowCounter:
    """Every document as a Counter of its features; features in alphabetical order."""

    def __init__(self, analyze: Analyze, documents: Iterable[Any]) -> None:
        self._rows = [Counter(analyze(document)) for document in documents]
        self._df = Counter(name for row in self._rows for name in row)
        self._names = sorted(self._df)
        self._columns: dict[str, int] = {}

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
        kept = (name for name, flag in zip(self._names, keep, strict=True) if flag)
        self._columns = {name: column for column, name in enumerate(kept)}
        self._matrix = _as_rows(self._rows, self._columns)

    @property
    def n_selected(self) -> int:
        return len(self._columns)

    def vocabulary(self, threads: int = 1) -> _core.Vocabulary:
        return _core.Vocabulary.from_names(list(self._columns))

    def indptr(self) -> NDArray[np.int64]:
        return self._matrix[0]

    def fill(self, indices: NDArray[np.int32], values: NDArray[Any], threads: int) -> None:
        _, indices[:], values[:] = self._matrix
        self._rows = []
        del self._matrix


def slow_count_known(analyze: Analyze, documents: Iterable[Any], columns: dict[str, int]) -> Rows:
    """The documents as counts of known features: indptr, indices, values."""
    return _as_rows((Counter(analyze(document)) for document in documents), columns)


def _as_rows(rows: Iterable[Counter[str]], columns: dict[str, int]) -> Rows:
    indptr, indices, values = [0], [], []
    for row in rows:
        for column, count in sorted((columns[f], n) for f, n in row.items() if f in columns):
            indices.append(column)
            values.append(count)
        indptr.append(len(indices))
    return (
        np.array(indptr, dtype=np.int64),
        np.array(indices, dtype=np.int32),
        np.array(values, dtype=np.int64),
    )
