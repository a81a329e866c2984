"""Texts counted once, for many fits on some of them.

Everything that is learned from texts (which features are kept, idf, centers and scales,
categories) is computed anew from the counts of the rows that are trained on, so nothing leaks
from the rows that are held out, and no text is read twice.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.errors import InputError
from wordplane.features.beside import Beside, BesideValues
from wordplane.features.text_features import (
    BOUNDARIES,
    boundaries_alone,
    count_arrays,
    counted,
    find_groups,
    group_weights,
    idf_of,
    kept_features,
    nothing_kept,
    side_by_side,
    weighed,
)
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

Rows = NDArray[np.int64]


@dataclass
class CountedTexts:
    """The counts of all features of some texts.

    counts  n_docs x all features
    parts   the first column of every part, and the number of all columns
    groups  names and first columns of the groups of features
    values  what stands beside the counts
    """

    counts: _core.Csr
    parts: list[int]
    groups: list[tuple[str, int]]
    values: BesideValues
    vocabularies: dict[str, _core.Vocabulary]

    @classmethod
    def of(cls, analyzer: Analyzer, documents: Documents, threads: int) -> Self:
        """Count the texts of the documents."""
        counters = {
            part: counted(reader, documents.texts, threads)
            for part, reader in analyzer.readers().items()
        }
        for counter in counters.values():
            counter.select(np.ones(counter.n_features, bool), threads)
        arrays = [count_arrays(counter, threads) for counter in counters.values()]
        sizes = [counter.n_features for counter in counters.values()]
        rows = side_by_side(arrays, sizes, len(documents), threads)
        vocabularies = {part: counter.vocabulary() for part, counter in counters.items()}
        values = BesideValues.of(analyzer, documents, threads)
        wordless = 0 < sum(sizes) <= len(BOUNDARIES) + 1 and boundaries_alone(vocabularies)
        if wordless and not Beside.fit(analyzer, values).names:
            raise InputError(nothing_kept(analyzer, 0, len(documents)))
        return cls(
            counts=_core.Csr(sum(sizes), *rows),
            parts=[0, *np.cumsum(sizes).tolist()],
            groups=find_groups(vocabularies),
            values=values,
            vocabularies=vocabularies,
        )

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
            raise InputError(nothing_kept(analyzer, int((df > 0).sum()), len(rows)))
        idf = idf_of(analyzer.idf, df[self.keep], len(rows))
        self._weighting = group_weights(analyzer, self.groups, self.n_counted, idf)

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.n_counted + len(self._beside.names)

    def matrix(self, rows: Rows, threads: int) -> _core.Csr:
        """Some rows as values of the features."""
        taken = _core.take(self._texts.counts, rows, self._column_of, threads)
        values = self._texts.values.take(rows)
        return weighed(self._weighting, self.n_counted, taken, self._beside, values, threads)
