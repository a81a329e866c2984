"""Texts counted once, for many fits on some of them.

Everything that is learned from texts (which features are kept, idf, centers and scales,
categories) is computed anew from the counts of the rows that are trained on, so nothing leaks
from the rows that are held out, and no text is read twice.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.features.beside import Beside, BesideValues
from wordplane.features.text_features import (
    CountedParts,
    group_weights,
    idf_of,
    kept_features,
    nothing_kept,
    weighed,
)
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

Rows = NDArray[np.int64]


@dataclass
class CountedTexts:
    """The counts of the features of some texts, all but those that too few of them have.

    counts  n_docs x features
    parts   the first column of every part, and the number of all columns
    groups  names and first columns of the groups of features
    values  what stands beside the counts
    vocabularies  gives those of the parts
    n_found how many features there were before the cut
    """

    counts: _core.Csr
    parts: list[int]
    groups: list[tuple[str, int]]
    values: BesideValues
    vocabularies: Callable[[], dict[str, _core.Vocabulary]]
    n_found: int

    @classmethod
    def of(cls, analyzer: Analyzer, documents: Documents, threads: int) -> Self:
        """Count the texts of the documents.

        A feature that fewer than `analyzer.min_df` of all texts have is left out at once: no
        part of them would keep it.
        """
        counts = CountedParts.of(analyzer, documents, threads, lambda df: df >= analyzer.min_df)
        values = BesideValues.of(analyzer, documents, threads)
        if counts.are_boundaries and not Beside.fit(analyzer, values).names:
            raise InputError(nothing_kept(analyzer, 0, len(documents)))
        return cls(
            counts=_core.Csr(counts.n_features, *counts.rows),
            parts=[0, *np.cumsum(list(counts.sizes.values())).tolist()],
            groups=counts.groups,
            values=values,
            vocabularies=counts.vocabularies,
            n_found=counts.n_found,
        )

    def take(self, rows: Rows, threads: int) -> Self:
        """The counts of some of the texts."""
        every = np.arange(self.counts.shape[1], dtype=np.int32)
        taken = _core.take(self.counts, rows, every, threads)
        counts = _core.Csr(self.counts.shape[1], *taken)
        return replace(self, counts=counts, values=self.values.take(rows))

    def document_frequency(
        self, folds: NDArray[np.int32], n_folds: int, threads: int
    ) -> NDArray[np.int64]:
        """By fold and feature: how many documents of the fold have the feature."""
        return _core.document_frequency(self.counts, folds, n_folds, threads)

    def fit(
        self, analyzer: Analyzer, rows: Rows, threads: int, df: NDArray[np.int64] | None = None
    ) -> "FoldFeatures":
        """The features of some rows; `df` are their document frequencies, if already known."""
        if df is None:
            chosen = np.zeros(self.counts.shape[0], np.int32)
            chosen[rows] = 1
            df = self.document_frequency(chosen, 2, threads)[1]
        return FoldFeatures(self, analyzer, rows, df, threads)


class FoldFeatures:
    """Features fitted on some rows of counted texts; any rows as values of them."""

    def __init__(
        self,
        texts: CountedTexts,
        analyzer: Analyzer,
        rows: Rows,
        df: NDArray[np.int64],
        threads: int,
    ) -> None:
        self._texts = texts
        bounds = zip(texts.parts, texts.parts[1:], strict=False)
        keep = [kept_features(analyzer, df[begin:end], len(rows)) for begin, end in bounds]
        # A feature that no row here has is unknown, whatever min_df says.
        self.keep = np.concatenate([np.zeros(0, bool), *keep]) & (df > 0)
        position = np.concatenate([[0], np.cumsum(self.keep)])
        self._column_of = np.where(self.keep, position[:-1], -1).astype(np.int32)
        self.n_counted = int(position[-1])
        self.groups = [(name, int(position[start])) for name, start in texts.groups]
        self._beside = Beside.fit(analyzer, texts.values.take(rows))
        if self.n_features == 0:
            raise InputError(nothing_kept(analyzer, texts.n_found, len(rows)))
        idf = idf_of(analyzer.idf, df[self.keep], len(rows))
        self._weighting = group_weights(analyzer, self.groups, self.n_counted, idf)

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.n_counted + len(self._beside.names)

    def name(self, column: int) -> str:
        """The name of the feature in a column."""
        if column >= self.n_counted:
            return self._beside.names[column - self.n_counted]
        rest = int(np.flatnonzero(self.keep)[column])
        part = int(np.searchsorted(self._texts.parts, rest, side="right")) - 1
        vocabularies = self._texts.vocabularies()
        name = list(vocabularies)[part]
        shown = vocabularies[name].name(rest - self._texts.parts[part])
        return ("char:" if name == "chars" else "") + shown

    def matrix(self, rows: Rows, threads: int) -> _core.Csr:
        """Some rows as values of the features."""
        taken = _core.take(self._texts.counts, rows, self._column_of, threads)
        values = self._texts.values.take(rows)
        return weighed(self._weighting, self.n_counted, taken, self._beside, values, threads)
