"""Texts that are counted once, for many fits on some of them.

Everything that is learned from texts (which features are kept, idf, centers and scales,
categories) is recomputed from the counts of the training rows, so nothing leaks from the rows
that are held out, and no text is read twice.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelsOrSets
from wordplane.common.pool import start_job
from wordplane.common.types import IntArray
from wordplane.features.conjunctions import pair_name
from wordplane.features.dense_features import DenseFeatures, DenseValues
from wordplane.features.scores import select_features
from wordplane.features.stems import with_needed_stems, with_stems
from wordplane.features.text_counts import (
    Columns,
    CsrArrays,
    TextCounts,
    describe_no_features,
    part_prefix,
)
from wordplane.features.text_features import (
    FittedTexts,
    TextFeatures,
    apply_weights,
    feature_mask,
    fit_weights,
    group_weights,
)
from wordplane.text.analyzer import Analyzer
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.documents import Documents


@dataclass
class FoldCounts:
    """The counts of the features of some texts, except features that occur in too few of them.

    counts        n_docs x n_features
    parts         the first feature of every part, and the number of all features
    groups        the names and first features of the groups of features
    values        the values of the features that are not counted
    vocabularies  a function that returns those of the parts
    n_candidates  the number of features before rare ones were left out
    labels        of the texts, for analyzers that learn from them
    stems         of the words of the texts, if these are stemmed
    """

    counts: _core.Csr
    parts: list[int]
    groups: list[tuple[str, int]]
    values: DenseValues
    vocabularies: Callable[[], dict[str, Columns]]
    n_candidates: int
    labels: LabelsOrSets | None = None
    stems: dict[str, str] | None = None

    @classmethod
    def of(
        cls,
        analyzer: Analyzer,
        documents: Documents,
        threads: int,
        labels: LabelsOrSets | None = None,
    ) -> Self:
        """Count the texts of the documents.

        A feature that occurs in fewer than `analyzer.min_df` of all texts is left out at once:
        no fit on some of the texts would keep it.
        """
        asked = analyzer.resolve()
        documents = asked.mask(documents)
        spec = with_stems(asked, documents.texts, threads)
        min_df = spec.selection.min_df
        counts = TextCounts.of(spec, documents, threads, lambda _, df: df >= min_df)
        values = DenseValues.of(spec, documents, threads)
        if counts.are_boundaries and not DenseFeatures.fit(spec, values).names:
            raise InputError(describe_no_features(spec, 0, len(documents)))
        return cls(
            counts=_core.Csr(counts.n_features, *counts.rows),
            parts=[0, *np.cumsum(list(counts.sizes.values())).tolist()],
            groups=counts.groups,
            values=values,
            vocabularies=counts.vocabularies,
            n_candidates=counts.n_candidates,
            labels=labels,
            stems=None if spec.tokens.stem is None else spec.tokens.stems(),
        )

    def take(self, rows: IntArray, threads: int) -> Self:
        """The counts of some of the texts."""
        every = np.arange(self.counts.shape[1], dtype=np.int32)
        taken = _core.take(self.counts, rows, every, threads)
        counts = _core.Csr(self.counts.shape[1], *taken)
        labels = None if self.labels is None else self.labels[rows]
        return replace(self, counts=counts, values=self.values.take(rows), labels=labels)

    def document_frequency(self, folds: NDArray[np.int32], n_folds: int, threads: int) -> IntArray:
        """By fold and feature: the number of documents of the fold with the feature."""
        return _core.document_frequency(self.counts, folds, n_folds, threads)

    def fit(
        self, analyzer: Analyzer, rows: IntArray, threads: int, df: IntArray | None = None
    ) -> "FoldFeatures":
        """The features of some rows; `df` are their document frequencies, if already known."""
        if df is None:
            is_training = np.zeros(self.counts.shape[0], np.int32)
            is_training[rows] = 1
            df = self.document_frequency(is_training, 2, threads)[1]
        return FoldFeatures(self, analyzer.resolve(), rows, df, threads)

    def fit_texts(self, analyzer: Analyzer, rows: IntArray, threads: int) -> FittedTexts:
        """The features of some rows and their values, as `fit_texts` finds them; columns are in
        the order of all rows."""
        fitted = self.fit(analyzer, rows, threads)
        X = fitted.matrix(rows, threads)
        features = start_job(fitted.text_features, threads)
        return FittedTexts(X, fitted.groups, fitted.n_counted, features)


class FoldFeatures:
    """Features fitted on some rows of counted texts; they can be computed for any rows."""

    def __init__(
        self,
        texts: FoldCounts,
        spec: AnalyzerSpec,
        rows: IntArray,
        df: IntArray,
        threads: int,
    ) -> None:
        self._texts, self._spec = texts, spec
        bounds = zip(texts.parts, texts.parts[1:], strict=False)
        keep = [feature_mask(spec.selection, df[begin:end], len(rows)) for begin, end in bounds]
        # A feature that occurs in none of these rows is unknown, whatever min_df says.
        self.keep = np.concatenate([np.zeros(0, bool), *keep]) & (df > 0)
        labels = None if texts.labels is None else texts.labels[rows]
        selection = spec.selection.select
        if selection is not None and self.keep.sum() > selection.m:
            counts = self._counts(rows, threads)
            self.keep[self.keep] = select_features(counts, labels, selection, threads)
        position = np.concatenate([[0], np.cumsum(self.keep)])
        self.n_counted = int(position[-1])
        self.groups = [(name, int(position[start])) for name, start in texts.groups]
        self._dense = DenseFeatures.fit(spec, texts.values.take(rows))
        if self.n_counted + len(self._dense.names) == 0:
            raise InputError(describe_no_features(spec, texts.n_candidates, len(rows)))
        self._idf, self._pairs = fit_weights(
            spec,
            df[self.keep],
            len(rows),
            lambda: self._counts(rows, threads),
            labels,
            threads,
        )
        self._weighting = group_weights(spec, self.groups, self.n_counted, self._idf)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.n_counted + len(self._dense.names) + len(self._pairs)

    def name(self, feature: int) -> str:
        """The name of a feature."""
        pair = feature - self.n_counted - len(self._dense.names)
        if pair >= 0:
            a, b = self._pairs.pairs[pair].tolist()
            return pair_name(self.name(a), self.name(b))
        if feature >= self.n_counted:
            return self._dense.names[feature - self.n_counted]
        rest = int(np.flatnonzero(self.keep)[feature])
        part = int(np.searchsorted(self._texts.parts, rest, side="right")) - 1
        vocabularies = self._texts.vocabularies()
        part_name = list(vocabularies)[part]
        column = rest - self._texts.parts[part]
        return part_prefix(self._spec, part_name) + vocabularies[part_name].name(column)

    def text_features(self) -> TextFeatures:
        """The features without the texts, which are not hashed."""
        texts, spec, vocabularies = self._texts, self._spec, {}
        for (part, columns), start in zip(texts.vocabularies().items(), texts.parts, strict=False):
            assert isinstance(columns, _core.Vocabulary), "hashed columns have no names to select"
            keep = self.keep[start : start + columns.n_features]
            vocabularies[part] = columns if keep.all() else columns.select(keep)
        if texts.stems is not None:
            spec = with_needed_stems(spec.with_stems(texts.stems), vocabularies)
        pairs = self._pairs.pairs
        return TextFeatures(spec, dict(vocabularies), self.groups, self._idf, self._dense, pairs)

    def matrix(self, rows: IntArray, threads: int) -> _core.Csr:
        """The values of the features in some rows."""
        taken = self._take(rows, threads)
        values = self._texts.values.take(rows)
        return apply_weights(self._weighting, taken, self._dense, values, self._pairs, threads)

    def _counts(self, rows: IntArray, threads: int) -> _core.Csr:
        """The counts of the features that are kept."""
        return _core.Csr(int(self.keep.sum()), *self._take(rows, threads))

    def _take(self, rows: IntArray, threads: int) -> CsrArrays:
        index_of = np.where(self.keep, np.cumsum(self.keep) - 1, -1).astype(np.int32)
        return _core.take(self._texts.counts, rows, index_of, threads)
