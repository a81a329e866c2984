"""Counts features over documents, in batches that keep every native call short."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.text.texts import batches

CountValues = NDArray[np.int64] | NDArray[np.float32] | NDArray[np.float64]
CountArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


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


def count_frequent(
    analysis: _core.Analysis, texts: _core.Texts, min_df: int, threads: int
) -> _core.Counter:
    """Count the features that occur in at least `min_df` texts, the most frequent first."""
    counter = count_features(analysis, [texts], "frequency", threads)
    keep = counter.document_frequency(threads) >= min_df
    if not keep.any():
        raise InputError(
            f"no feature occurs in {min_df} or more of the {len(texts)} texts; lower `min_df`"
            if counter.n_features
            else f"none of the {len(texts)} texts has a word"
        )
    counter.select(keep, threads)
    return counter


def count_matrix(counter: _core.Counter, binary: bool, threads: int) -> _core.Csr:
    """Take the counts of the selected features out of the counter; as 0 and 1 if `binary`."""
    indptr = counter.indptr()
    indices = np.empty(indptr[-1], np.int32)
    values = np.empty(indptr[-1], np.float32)
    counter.fill(indices, values, threads)
    if binary:
        values.fill(1)
    return _core.Csr(counter.n_selected, indptr, indices, values)


def count_known(
    analysis: _core.Analysis,
    vocabulary: _core.Vocabulary,
    chunks: Iterable[_core.Texts],
    threads: int,
) -> CountArrays:
    """The counts of the vocabulary's features in the texts: indptr, indices, values."""
    part = _core.Block(analysis, vocabulary)
    indptr, indices, values = [np.zeros(1, np.int64)], [], []
    for texts in chunks:
        for begin, end in batches(texts, "reading texts"):
            rows = _core.count_features(part, texts, begin, end, threads)
            indptr.append(rows[0][1:] + indptr[-1][-1])
            indices.append(rows[1])
            values.append(rows[2])
        del texts
    return (
        np.concatenate(indptr),
        np.concatenate(indices) if indices else np.zeros(0, np.int32),
        np.concatenate(values) if values else np.zeros(0, np.int64),
    )
