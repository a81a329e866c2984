"""What stands beside the counted features: lexica, numbers, word embeddings, categories.

Also the lengths of texts, if counts are relative to them.

Numbers are standardised, (x - center) / scale, with the mean and deviation of training
documents. The columns of word embeddings have one scale, the root of their summed variances, so
that the mean squared norm of the group is 1; it is multiplied by the weight of the group. A
category that training documents have is a feature of its own.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.text.lexicon import LexiconSummary, lexicon_matrix, native_lexicon
from wordplane.text.texts import batches


@dataclass(frozen=True)
class BesideValues:
    """The values of some documents, as they are."""

    numbers: NDArray[np.float64]  # n_docs x n_numbers
    categories: dict[str, list[str | None]]
    lengths: NDArray[np.float64] | None  # tokens of each document, for tf="relative"

    @classmethod
    def of(cls, analyzer: Analyzer, documents: Documents, threads: int) -> Self:
        """Lexicon features, columns and embeddings of the documents."""
        parts = [
            lexicon_matrix(analyzer, native_lexicon(entries), documents.texts, threads)
            for entries in analyzer.lexicon_entries().values()
        ]
        parts += [numbers[:, None] for numbers in documents.numbers.values()]
        parts += [
            embeddings.means(documents.texts, threads)
            for embeddings in analyzer.fitted_embeddings().values()
        ]
        numbers = np.hstack([np.zeros((len(documents), 0)), *parts])
        lengths = None
        if analyzer.tf == "relative":
            lengths = token_counts(analyzer, documents.texts, threads)
        return cls(numbers, documents.categories, lengths)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Those of some of the documents."""
        chosen = {
            name: [values[row] for row in rows.tolist()] for name, values in self.categories.items()
        }
        lengths = None if self.lengths is None else self.lengths[rows]
        return type(self)(self.numbers[rows], chosen, lengths)


def token_counts(analyzer: Analyzer, texts: _core.Texts, threads: int) -> NDArray[np.float64]:
    """How many tokens each text has, also those that are no features."""
    analysis = analyzer.plain_analysis()
    parts = [
        _core.count_tokens(analysis, texts, begin, end, threads)
        for begin, end in batches(texts, "reading texts")
    ]
    return np.concatenate([np.zeros(0), *parts])


class Beside:
    """The features beside the counted ones, fitted."""

    def __init__(
        self,
        analyzer: Analyzer,
        center: NDArray[np.float64],
        scale: NDArray[np.float64],
        categories: dict[str, list[str]],
    ) -> None:
        of_lexica = [
            f"lexicon:{name}:{feature}"
            for name in analyzer.lexicon_entries()
            for feature in LexiconSummary._fields
        ]
        kinds = analyzer.column_kinds().items()
        self.numbers = of_lexica + [name for name, kind in kinds if kind == "number"]
        self._weight = np.ones(len(self.numbers))
        for name, embeddings in analyzer.fitted_embeddings().items():
            n_columns = embeddings.vectors_.shape[1]
            self.numbers += [f"embedding:{name}:{column}" for column in range(n_columns)]
            weights = np.full(n_columns, analyzer.group_weights().get("embedding", 1.0))
            self._weight = np.append(self._weight, weights)
        n_numbers = len(self.numbers)
        if (len(center), len(scale)) != (n_numbers, n_numbers) or not (scale > 0).all():
            raise InputError("one center and scale above 0 per number expected")
        self.center, self.scale, self.categories = center, scale, categories
        named = [f"{name}={value}" for name, values in categories.items() for value in values]
        self._column_of = {name: n_numbers + column for column, name in enumerate(named)}
        self.names = self.numbers + named

    @classmethod
    def fit(cls, analyzer: Analyzer, values: BesideValues) -> Self:
        """The features of training documents."""
        spread = values.numbers.std(axis=0)
        end = len(spread)
        for embeddings in reversed(analyzer.fitted_embeddings().values()):
            begin = end - embeddings.vectors_.shape[1]
            spread[begin:end] = np.sqrt((spread[begin:end] ** 2).sum())
            end = begin
        categories = {
            name: sorted({value for value in held if value is not None})
            for name, held in values.categories.items()
        }
        center, scale = values.numbers.mean(axis=0), np.where(spread > 0, spread, 1.0)
        return cls(analyzer, center, scale, categories)

    def matrix(self, values: BesideValues) -> _core.Csr:
        """The documents as values of the features."""
        n_docs, n_numbers = values.numbers.shape
        rows: list[NDArray[Any]] = [np.repeat(np.arange(n_docs), n_numbers)]
        columns: list[NDArray[Any]] = [np.tile(np.arange(n_numbers), n_docs)]
        data = [((values.numbers - self.center) / self.scale * self._weight).ravel()]
        for name, held in values.categories.items():
            found = np.array([self._column_of.get(f"{name}={value}", -1) for value in held], int)
            known = np.flatnonzero(found >= 0)
            rows.append(known)
            columns.append(found[known])
            data.append(np.ones(len(known)))
        row, column = np.concatenate(rows), np.concatenate(columns)
        order = np.argsort(row, kind="stable")  # the columns of a row ascend already
        indptr = np.zeros(n_docs + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=n_docs), out=indptr[1:])
        return _core.Csr(
            len(self.names),
            indptr,
            column[order].astype(np.int32),
            np.concatenate(data)[order].astype(np.float32),
        )
