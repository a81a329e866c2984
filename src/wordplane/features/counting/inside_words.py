"""Counts n-grams of characters inside words, with the methods of the native counter.

The n-grams of a word do not depend on the text around it, so they are found once per distinct
word; the counts of a document are the sum of those of its words.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.counting.core import (
    CountArrays,
    CountValues,
    count_features,
    select_all,
    take_counts,
)


class InnerCounter:
    """All n-grams inside the words of some texts, in alphabetical order."""

    def __init__(
        self,
        analysis: _core.Analysis,
        chunks: Iterable[_core.Texts],
        ngrams: tuple[int, int],
        threads: int,
    ) -> None:
        words, self._words = _count_words(analysis, chunks, threads)
        self.n_docs = words.n_docs
        self._names, self._lists = _core.inner_ngrams(words, *ngrams)

    @property
    def n_features(self) -> int:
        return len(self._names)

    n_selected = n_features

    def document_frequency(self, threads: int) -> NDArray[np.int64]:
        df = np.zeros(self.n_features, np.int64)
        df[self._lists[2]] = self._counts(threads).document_frequency(threads)
        return df

    def term_frequency(self, threads: int) -> NDArray[np.int64]:
        indptr, ngrams, columns = self._lists
        per_word = np.bincount(self._words[1], self._words[2], minlength=len(indptr) - 1)
        of_ngram = np.repeat(per_word, np.diff(indptr))
        return np.bincount(columns[ngrams], of_ngram, minlength=self.n_features).astype(np.int64)

    def select(self, keep: NDArray[np.bool_], threads: int) -> None:
        if not keep.all():
            indptr, ngrams, columns = self._lists
            kept = keep[columns[ngrams]]
            before = np.concatenate([[0], np.cumsum(kept)])
            new_columns = (np.cumsum(keep) - 1).astype(np.int32)
            self._lists = before[indptr], ngrams[kept], new_columns[columns]
            self._names = [name for name, flag in zip(self._names, keep, strict=True) if flag]
        self._selected = self._counts(threads)

    def indptr(self) -> NDArray[np.int64]:
        return self._selected.indptr()

    def fill(self, indices: NDArray[np.int32], values: CountValues, threads: int) -> None:
        self._selected.fill(indices, values, threads)
        del self._words, self._lists, self._selected

    def vocabulary(self, threads: int = 1) -> _core.Vocabulary:
        return _core.Vocabulary.from_names(self._names, "whole")

    def _counts(self, threads: int) -> _core.InnerCounts:
        return _core.InnerCounts(*self._words, *self._lists, threads)


def count_known_inside(
    analysis: _core.Analysis,
    vocabulary: _core.Vocabulary,
    chunks: Iterable[_core.Texts],
    ngrams: tuple[int, int],
    threads: int,
) -> CountArrays:
    """The counts of known n-grams in the texts: indptr, indices, values."""
    words, documents = _count_words(analysis, chunks, threads)
    lists = _core.known_inner_ngrams(words, *ngrams, vocabulary)
    return take_counts(_core.InnerCounts(*documents, *lists, threads), np.int64, threads)


def _count_words(
    analysis: _core.Analysis, chunks: Iterable[_core.Texts], threads: int
) -> tuple[_core.Counter, CountArrays]:
    """The words of the texts, the most frequent first, and their counts in each document."""
    counter = count_features(analysis, chunks, "frequency", threads)
    select_all(counter, threads)
    return counter, take_counts(counter, np.int64, threads)
