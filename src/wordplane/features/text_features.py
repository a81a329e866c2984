"""The features that an analyzer finds in training texts: documents in, a matrix out.

First come the features of the parts that count (words, characters across words, single tokens,
each with its vocabulary), then those that are not counted, then pairs of features that count.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelsOrSets
from wordplane.common.pool import start_job
from wordplane.common.types import FloatArray, IntArray
from wordplane.features.conjunctions import NO_PAIRS, PairFeatures, pair_name
from wordplane.features.counting.core import count_known
from wordplane.features.dense_features import DenseFeatures, DenseValues
from wordplane.features.scores import delta_idf, select_features
from wordplane.features.stems import with_needed_stems, with_stems
from wordplane.features.text_counts import (
    Columns,
    CsrArrays,
    TextCounts,
    block_of,
    describe_no_features,
    join_parts,
    part_prefix,
)
from wordplane.text.analyzer import Analyzer
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.documents import Documents
from wordplane.text.fields import parse_part
from wordplane.text.lexicon import LexiconSummary, native_lexicon
from wordplane.text.selection_spec import SelectionSpec


class Occurrence(NamedTuple):
    """Where a feature occurs, text[start:end], and the share of its value that comes from there."""

    column: int
    share: float
    start: int | None
    end: int | None


class Space(NamedTuple):
    """The features of one column of texts, which are columns first to end of all features.

    field  the name of the field; None if there are no fields
    part   one of the parts of the features, which says what is read
    """

    field: str | None
    part: str
    blocks: list[_core.Block]
    weighting: _core.GroupWeights
    first: int
    end: int


@dataclass
class TextFeatures:
    """Fitted features of an analyzer.

    spec          what the analyzer asked for when it was fitted
    vocabularies  by part (words, chars, tokens), or the columns that hashes choose
    groups        the name and first feature of every group that counts, in order
    idf           of the features of those groups; None if the analyzer has none
    dense         the features after them, which are not counted
    pairs         the columns of the features that the last features are conjunctions of
    """

    spec: AnalyzerSpec
    vocabularies: dict[str, Columns]
    groups: list[tuple[str, int]]
    idf: FloatArray | None
    dense: DenseFeatures
    pairs: IntArray = field(default_factory=lambda: NO_PAIRS)

    def __post_init__(self) -> None:
        analyses = self.spec.analyses()
        if list(analyses) != list(self.vocabularies):
            raise InputError(
                f"there are vocabularies of {', '.join(self.vocabularies)}, but the analyzer needs "
                f"those of {', '.join(analyses)}"
            )
        self.parts = [
            block_of(analysis, self.vocabularies[part]) for part, analysis in analyses.items()
        ]
        self.n_counted = sum(each.n_features for each in self.vocabularies.values())
        self.weighting = group_weights(self.spec, self.groups, self.n_counted, self.idf)
        self._pairs = PairFeatures(self.spec, self.pairs, self.n_counted)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        counted = (self.spec, self.vocabularies, self.groups, self.idf)
        return type(self), (*counted, self.dense, self.pairs)

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer, with the parameters that it had; another one at every call."""
        return Analyzer().set_params(**self.spec.given)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.n_counted + len(self.dense.names) + len(self.pairs)

    def name(self, column: int) -> str:
        """The name of the feature in a column of the matrix."""
        rest = column
        pair = column - self.n_counted - len(self.dense.names)
        if pair >= 0:
            a, b = self.pairs[pair].tolist()
            return pair_name(self.name(a), self.name(b))
        for part, vocabulary in self.vocabularies.items():
            if rest < vocabulary.n_features:
                return part_prefix(self.spec, part) + vocabulary.name(rest)
            rest -= vocabulary.n_features
        return self.dense.names[rest]

    def names(self) -> list[str]:
        """The names of all features."""
        names: list[str] = []
        for part, vocabulary in self.vocabularies.items():
            prefix = part_prefix(self.spec, part)
            names += [prefix + name for name in vocabulary.names()]
        names += self.dense.names
        return names + [pair_name(names[a], names[b]) for a, b in self.pairs.tolist()]

    def spaces(self) -> list[Space]:
        """What a scorer needs to read texts: of each field, or of the one text."""
        fields = list(self.spec.columns.fields)
        parts = list(self.vocabularies)
        if not fields or not parts:
            return [Space(None, "", self.parts, self.weighting, 0, self.n_counted)]
        spaces, first, n_parts = [], 0, len(parts) // len(fields)
        for number, name in enumerate(fields):
            own = slice(number * n_parts, (number + 1) * n_parts)
            end = first + sum(self.vocabularies[part].n_features for part in parts[own])
            groups = [
                (group, start - first)
                for group, start in self.groups
                if parse_part(group).field == number
            ]
            idf = None if self.idf is None else self.idf[first:end]
            weighting = group_weights(self.spec, groups, end - first, idf)
            spaces.append(Space(name, parts[own][0], self.parts[own], weighting, first, end))
            first = end
        return spaces

    def transform(self, documents: Documents, threads: int) -> _core.Csr:
        """The values of the features in the documents."""
        documents = self.spec.mask(documents)
        rows = self._counts(documents, threads)
        values = DenseValues.of(self.spec, documents, threads)
        return apply_weights(self.weighting, rows, self.dense, values, self._pairs, threads)

    def rest(self, documents: Documents, threads: int) -> _core.Csr:
        """The values of the features after those that count."""
        documents = self.spec.mask(documents)
        values = DenseValues.of(self.spec, documents, threads)
        dense = self.dense.matrix(values)
        if len(self.pairs) == 0:
            return dense
        indptr, indices, _ = self._counts(documents, threads)
        joined = _core.hstack([dense, self._pairs.matrix(indptr, indices)], threads)
        return _core.Csr(self.n_features - self.n_counted, *joined)

    def _counts(self, documents: Documents, threads: int) -> CsrArrays:
        parts = [
            count_known(block, [documents.texts_of(part)], np.float32, threads)
            for part, block in zip(self.vocabularies, self.parts, strict=True)
        ]
        sizes = [vocabulary.n_features for vocabulary in self.vocabularies.values()]
        return join_parts(parts, sizes, len(documents), threads)

    def dense_occurrences(self, documents: Documents) -> list[Occurrence]:
        """Where the features that are not counted occur in the first document.

        The shares of a feature sum to 1.
        """
        occurrences: list[Occurrence] = []
        first, documents = self.n_counted, self.spec.mask(documents)
        text, analysis = documents.texts[0], self.spec.tokens.plain_analysis()
        for entries in self.spec.columns.lexica.values():
            native, scores = native_lexicon(entries)
            matches = _core.lexicon_matches(analysis, native, text)
            for mask in _decisive_scores(np.array([scores[entry] for entry, _, _ in matches])):
                spans = [matches[i][1:] for i in np.flatnonzero(mask)]
                occurrences += [Occurrence(first, 1 / len(spans), *span) for span in spans]
                if not spans:
                    occurrences.append(Occurrence(first, 1.0, None, None))
                first += 1
        rest = range(first, self.n_features)
        return occurrences + [Occurrence(column, 1.0, None, None) for column in rest]


@dataclass
class FittedTexts:
    """Texts as values of the features that were fitted to them.

    X          the values
    groups     as in TextFeatures
    n_counted  as in TextFeatures
    features   a function that returns the features; it waits for the thread that builds them
    """

    X: _core.Csr
    groups: list[tuple[str, int]]
    n_counted: int
    features: Callable[[], TextFeatures]


def fit_texts(
    analyzer: Analyzer,
    documents: Documents,
    threads: int,
    labels: LabelsOrSets | None = None,
    among: NDArray[np.bool_] | None = None,
) -> FittedTexts:
    """Find the features of the documents and their values.

    labels  of the first documents, for what the analyzer learns from them; the others have none
    among   which of the features that count are left, as an earlier fit numbered them
    """
    n_docs, asked = len(documents), analyzer.resolve()
    documents = asked.mask(documents)
    spec = with_stems(asked, documents.texts, threads)
    counts = _selected_counts(spec, documents, threads, labels, among)
    values = DenseValues.of(spec, documents, threads)
    dense = DenseFeatures.fit(spec, values)
    if counts.n_features + len(dense.names) == 0:
        raise InputError(describe_no_features(spec, counts.n_candidates, n_docs))
    if not dense.names and counts.are_boundaries:
        raise InputError(describe_no_features(spec, 0, n_docs))
    groups, n_counted = counts.groups, counts.n_features
    vocabularies = start_job(counts.vocabularies, threads)

    def matrix() -> _core.Csr:
        return _core.Csr(n_counted, *counts.rows)

    idf, pairs = fit_weights(spec, counts.df, n_docs, matrix, labels, threads)
    weighting = group_weights(spec, groups, n_counted, idf)
    X = apply_weights(weighting, counts.rows, dense, values, pairs, threads)

    def features() -> TextFeatures:
        columns = vocabularies()
        fitted = with_needed_stems(spec, columns)
        return TextFeatures(fitted, columns, groups, idf, dense, pairs.pairs)

    return FittedTexts(X, groups, n_counted, features)


def _selected_counts(
    spec: AnalyzerSpec,
    documents: Documents,
    threads: int,
    labels: LabelsOrSets | None,
    among: NDArray[np.bool_] | None,
) -> TextCounts:
    """The counts of the features that the analyzer keeps."""

    def frequent(_: int, df: IntArray) -> NDArray[np.bool_]:
        return feature_mask(spec.selection, df, len(documents))

    counts = TextCounts.of(spec, documents, threads, frequent)
    selection = spec.selection.select
    chosen = np.ones(counts.n_features, bool)
    if selection is not None and counts.n_features > selection.m:
        matrix = _core.Csr(counts.n_features, *counts.rows)
        chosen = select_features(matrix, labels, selection, threads)
    if among is not None:
        chosen[chosen] = among
    if chosen.all():
        return counts
    by_part = np.split(chosen, np.cumsum(list(counts.sizes.values()))[:-1])

    def best(part: int, df: IntArray) -> NDArray[np.bool_]:
        keep = frequent(part, df)
        keep[keep] = by_part[part]
        return keep

    # The texts are read a second time: a counter lets go of what it does not keep.
    return TextCounts.of(spec, documents, threads, best)


def feature_mask(selection: SelectionSpec, df: IntArray, n_docs: int) -> NDArray[np.bool_]:
    """Which features of one part are kept, given their document frequencies."""
    keep = (df >= selection.min_df) & (df <= selection.max_df * n_docs)
    if selection.max_features is not None:
        frequent = np.flatnonzero(keep)
        order = np.argsort(-df[frequent], kind="stable")
        keep[frequent[order[selection.max_features :]]] = False
    return keep


def group_weights(
    spec: AnalyzerSpec,
    groups: list[tuple[str, int]],
    n_counted: int,
    idf: FloatArray | None,
) -> _core.GroupWeights:
    """The weighting of the analyzer, which turns counts into values."""
    tf = spec.weighting.tf
    return _core.GroupWeights(
        tf=tf,
        norm=spec.weighting.norm,
        idf=idf,
        starts=[start for _, start in groups] + [n_counted] if groups else [0],
        weights=[spec.group_weight(name) for name, _ in groups],
        tokens=spec.tokens.plain_analysis() if tf == "relative" else None,
    )


def fit_weights(
    spec: AnalyzerSpec,
    df: IntArray,
    n_docs: int,
    counts: Callable[[], _core.Csr],
    labels: LabelsOrSets | None,
    threads: int,
) -> tuple[FloatArray | None, PairFeatures]:
    """The idf of features and the pairs among them, learned from training texts."""
    form = spec.weighting.idf
    if form != "delta" and spec.selection.conjoin is None:
        return compute_idf(form, df, n_docs), PairFeatures(spec, NO_PAIRS, len(df))
    X = counts()
    idf = delta_idf(X, labels, threads) if form == "delta" else compute_idf(form, df, n_docs)
    return idf, PairFeatures.fit(spec, X, labels, threads)


def compute_idf(form: str | None, df: IntArray, n_docs: int) -> FloatArray | None:
    """The weights of features, given their document frequencies."""
    if form is None:
        return None
    if form == "exact":
        return np.log(n_docs / np.maximum(df, 1))  # a hashed column may be empty
    return np.log((1 + n_docs) / (1 + df)) + 1


def apply_weights(
    weighting: _core.GroupWeights,
    rows: CsrArrays,
    dense: DenseFeatures,
    values: DenseValues,
    pairs: PairFeatures,
    threads: int,
) -> _core.Csr:
    """Turn counts into weights, in place, and append the features that are not counted."""
    weighting.weigh(*rows, values.lengths, threads)
    n_counted = pairs.n_counted
    matrix = _core.Csr(n_counted, *rows, threads=threads)
    if not dense.names and len(pairs) == 0:
        return matrix
    parts = [matrix, dense.matrix(values), pairs.matrix(rows[0], rows[1])]
    joined = _core.hstack(parts, threads)
    return _core.Csr(n_counted + len(dense.names) + len(pairs), *joined)


def _decisive_scores(scores: FloatArray) -> list[NDArray[np.bool_]]:
    """By lexicon feature: the scores that determine its value."""
    if len(scores) == 0:
        return [np.zeros(0, bool)] * len(LexiconSummary._fields)
    every = np.ones(len(scores), bool)
    above, below = scores > 0, scores < 0
    return [scores == scores.max(), scores == scores.min(), every, above, below, above, below]
