"""Counting n-grams of characters inside words, with the methods of the native counter.

The n-grams of a word do not depend on the text it stands in, so they are found once per
distinct word: documents x n-grams is the product of documents x words with words x n-grams.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.counting import Rows, count


def word_counts(
    analysis: _core.Analysis, texts: _core.Texts, threads: int
) -> tuple[_core.Vocabulary, Rows]:
    """The words of the texts and how often each document has them."""
    counter = count(analysis, texts, "alphabetical", threads)
    counter.select(np.ones(counter.n_features, dtype=bool), threads)
    indptr = counter.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int64)
    counter.fill(indices, values, threads)
    return counter.vocabulary(), (indptr, indices, values)


class InnerCounter:
    """All n-grams inside the words of some texts, in alphabetical order."""

    def __init__(
        self,
        analysis: _core.Analysis,
        texts: _core.Texts,
        ngrams: tuple[int, int],
        threads: int,
    ) -> None:
        self.n_docs = len(texts)
        words, self._words = word_counts(analysis, texts, threads)
        self._names, self._ngrams = _core.inner_ngrams(words, *ngrams)
        self._product: _core.CountProduct | None = None

    @property
    def n_features(self) -> int:
        return len(self._names)

    n_selected = n_features

    def document_frequency(self, threads: int) -> NDArray[np.int64]:
        return self._multiplied(threads).column_counts()

    def term_frequency(self, threads: int) -> NDArray[np.int64]:
        indptr, indices, values = self._ngrams
        per_word = np.bincount(self._words[1], self._words[2], minlength=len(indptr) - 1)
        terms = values * np.repeat(per_word, np.diff(indptr))
        return np.bincount(indices, terms, minlength=self.n_features).astype(np.int64)

    def select(self, keep: NDArray[np.bool_], threads: int) -> None:
        if not keep.all():
            indptr, indices, values = self._ngrams
            column = np.cumsum(keep) - 1
            kept = keep[indices]
            before = np.concatenate([[0], np.cumsum(kept)])
            self._ngrams = before[indptr], column[indices[kept]].astype(np.int32), values[kept]
            self._names = [name for name, flag in zip(self._names, keep, strict=True) if flag]
            self._product = None
        self._multiplied(threads)

    def indptr(self) -> NDArray[np.int64]:
        return self._multiplied(threads=1).indptr()

    def fill(self, indices: NDArray[np.int32], values: NDArray[Any], threads: int) -> None:
        self._multiplied(threads).fill(indices, values, threads)

    def forget_documents(self) -> None:
        del self._words, self._ngrams, self._product

    def vocabulary(self) -> _core.Vocabulary:
        return _core.Vocabulary.from_names(self._names, "whole")

    def _multiplied(self, threads: int) -> _core.CountProduct:
        if self._product is None:
            self._product = _core.CountProduct(
                *self._words, *self._ngrams, self.n_features, threads
            )
        return self._product


def inner_count_known(
    analysis: _core.Analysis,
    vocabulary: _core.Vocabulary,
    texts: _core.Texts,
    ngrams: tuple[int, int],
    threads: int,
) -> Rows:
    """The texts as counts of known n-grams: indptr, indices, values."""
    words, X = word_counts(analysis, texts, threads)
    A = _core.known_inner_ngrams(words, *ngrams, vocabulary)
    product = _core.CountProduct(*X, *A, vocabulary.n_features, threads)
    indptr = product.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int64)
    product.fill(indices, values, threads)
    return indptr, indices, values
