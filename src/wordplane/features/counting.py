"""Counting features over documents, in batches that keep every native call short."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.text.texts import batches

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


def count(
    analysis: _core.Analysis,
    columns: Iterable[_core.Texts],
    order: Literal["alphabetical", "frequency"],
    threads: int,
) -> _core.Counter:
    """All features of the texts of all columns, counted and put in order."""
    counter = _core.Counter(analysis)
    for texts in columns:
        for begin, end in batches(texts, "reading texts"):
            counter.add(texts, begin, end, threads)
        del texts
    counter.finish(order, threads)
    return counter


def count_frequent(
    analysis: _core.Analysis, texts: _core.Texts, min_df: int, threads: int
) -> _core.Counter:
    """The features that are in at least `min_df` of the texts, the most frequent first."""
    counter = count(analysis, [texts], "frequency", threads)
    keep = counter.document_frequency(threads) >= min_df
    if not keep.any():
        raise InputError(
            f"no feature is in {min_df} or more of the {len(texts)} texts; lower min_df"
            if counter.n_features
            else f"there is no word in any of the {len(texts)} texts"
        )
    counter.select(keep, threads)
    return counter


def counted_matrix(counter: _core.Counter, binary: bool, threads: int) -> _core.Csr:
    """The counts of the selected features, which the counter then forgets; 0 or 1 if `binary`."""
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
    columns: Iterable[_core.Texts],
    threads: int,
) -> Rows:
    """The texts as counts of the vocabulary's features: indptr, indices, values."""
    block = _core.Block(analysis, vocabulary)
    indptr, indices, values = [np.zeros(1, np.int64)], [], []
    for texts in columns:
        for begin, end in batches(texts, "reading texts"):
            part = _core.count_features(block, texts, begin, end, threads)
            indptr.append(part[0][1:] + indptr[-1][-1])
            indices.append(part[1])
            values.append(part[2])
        del texts
    return (
        np.concatenate(indptr),
        np.concatenate(indices) if indices else np.zeros(0, np.int32),
        np.concatenate(values) if values else np.zeros(0, np.int64),
    )
