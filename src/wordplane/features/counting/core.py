"""Counts features over documents, in batches that keep every native call short."""

from collections.abc import Iterable
from typing import Literal, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.text.texts import batches

CountValues = NDArray[np.int64] | NDArray[np.float32] | NDArray[np.float64]
CountArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]
Value = TypeVar("Value", bound=np.number)


class Counted(Protocol):
    """Counts of documents that wait to be taken out; all accept float32, some other types too."""

    def indptr(self) -> NDArray[np.int64]: ...

    def fill(
        self, indices: NDArray[np.int32], values: NDArray[np.float32], threads: int
    ) -> None: ...


def count_features(
    analysis: _core.Analysis,
    chunks: Iterable[_core.Texts],
    order: Literal["alphabetical", "frequency"],
    threads: int,
) -> _core.Counter:
    """Count all features of the texts of all chunks, and put them in order."""
    counter = _core.Counter(analysis)
    for texts in chunks:
        for begin, end in batches(texts, "reading texts"):
            counter.add(texts, begin, end, threads)
        del texts
    counter.finish(order, threads)
    return counter


def count_token_features(
    analysis: _core.TokenFeatures, texts: _core.Texts, threads: int
) -> _core.TokenFeatureCounter:
    """Count all features of single tokens."""
    counter = _core.TokenFeatureCounter(analysis)
    for begin, end in batches(texts, "reading texts"):
        counter.add(texts, begin, end, threads)
    counter.finish()
    return counter


def select_all(counter: _core.Counter, threads: int) -> None:
    """Keep all features."""
    counter.select(np.ones(counter.n_features, dtype=bool), threads)


def take_counts(
    counted: Counted, dtype: type[Value], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Value]]:
    """Take the counts of the selected features out of a counter: indptr, indices, values."""
    indptr = counted.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], dtype)
    counted.fill(indices, cast(NDArray[np.float32], values), threads)
    return indptr, indices, values


def count_known(
    block: _core.Block, chunks: Iterable[_core.Texts], dtype: type[Value], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Value]]:
    """The counts of a block's features in the texts: indptr, indices, values."""
    indptr, indices, values = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, dtype)]
    for texts in chunks:
        for begin, end in batches(texts, "reading texts"):
            rows = _core.count_features(block, texts, begin, end, threads)
            indptr.append(rows[0][1:] + indptr[-1][-1])
            indices.append(rows[1])
            values.append(rows[2].astype(dtype, copy=False))
        del texts
    return np.concatenate(indptr), np.concatenate(indices), np.concatenate(values)
