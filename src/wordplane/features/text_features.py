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
from wordplane.common.types import FloatArray, IntArray
from wordplane.features.counted_parts import (
    Columns,
    CountedParts,
    CsrArrays,
    column_name,
    describe_no_features,
    join_parts,
    part_prefix,
    stack_rows,
)
from wordplane.features.hashed_columns import block_of, count_block
from wordplane.features.label_scores import delta_idf, select_features
from wordplane.features.pairs import NO_PAIRS, PairFeatures
from wordplane.features.stems import with_needed_stems, with_stems
from wordplane.features.uncounted import UncountedFeatures, UncountedValues
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.text.fields import parse_part
from wordplane.text.lexicon import LexiconSummary, native_lexicon


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

    vocabularies  by part (words, chars, tokens), or the columns that hashes choose
    groups        the name and first feature of every group that counts, in order
    idf           of the features of those groups; None if the analyzer has none
    uncounted     the features after them
    pairs         the columns of the features that the last features are conjunctions of
    """

    analyzer: Analyzer
    vocabularies: dict[str, Columns]
    groups: list[tuple[str, int]]
    idf: FloatArray | None
    uncounted: UncountedFeatures
    pairs: IntArray = field(default_factory=lambda: NO_PAIRS)

    def __post_init__(self) -> None:
        analyses = self.analyzer.analyses()
        if list(analyses) != list(self.vocabularies):
            raise InputError(
                f"there are vocabularies of {', '.join(self.vocabularies)}, but the analyzer needs "
                f"those of {', '.join(analyses)}"
            )
        self.parts = [
            block_of(analysis, self.vocabularies[part]) for part, analysis in analyses.items()
        ]
        self.n_counted = sum(each.n_features for each in self.vocabularies.values())
        self.weighting = group_weights(self.analyzer, self.groups, self.n_counted, self.idf)
        self._pairs = PairFeatures(self.analyzer, self.pairs, self.n_counted)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        counted = (self.analyzer, self.vocabularies, self.groups, self.idf)
        return type(self), (*counted, self.uncounted, self.pairs)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.n_counted + len(self.uncounted.names) + len(self.pairs)

    def name(self, column: int) -> str:
        """The name of the feature in a column of the matrix."""
        rest = column
        pair = column - self.n_counted - len(self.uncounted.names)
        if pair >= 0:
            a, b = self.pairs[pair].tolist()
            return pair_name(self.name(a), self.name(b))
        for part, vocabulary in self.vocabularies.items():
            if rest < vocabulary.n_features:
                return column_name(self.analyzer, part, vocabulary, rest)
            rest -= vocabulary.n_features
        return self.uncounted.names[rest]

    def names(self) -> list[str]:
        """The names of all features."""
        names: list[str] = []
        for part, vocabulary in self.vocabularies.items():
            prefix = part_prefix(self.analyzer, part)
            names += [prefix + name for name in vocabulary.names()]
        names += self.uncounted.names
        return names + [pair_name(names[a], names[b]) for a, b in self.pairs.tolist()]

    def spaces(self) -> list[Space]:
        """What a scorer needs to read texts: of each field, or of the one text."""
        fields = list(self.analyzer.field_weights())
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
            weighting = group_weights(self.analyzer, groups, end - first, idf)
            spaces.append(Space(name, parts[own][0], self.parts[own], weighting, first, end))
            first = end
        return spaces

    def transform(self, documents: Documents, threads: int) -> _core.Csr:
        """The values of the features in the documents."""
        rows = self._counts(documents, threads)
        values = UncountedValues.of(self.analyzer, documents, threads)
        return apply_weights(self.weighting, rows, self.uncounted, values, self._pairs, threads)

    def rest(self, documents: Documents, threads: int) -> _core.Csr:
        """The values of the features after those that count."""
        values = UncountedValues.of(self.analyzer, documents, threads)
        uncounted = self.uncounted.matrix(values)
        if len(self.pairs) == 0:
            return uncounted
        indptr, indices, _ = self._counts(documents, threads)
        joined = _core.hstack([uncounted, self._pairs.matrix(indptr, indices)], threads)
        return _core.Csr(self.n_features - self.n_counted, *joined)

    def _counts(self, documents: Documents, threads: int) -> CsrArrays:
        parts = [
            stack_rows(count_block(block, documents.texts_of(part), threads))
            for part, block in zip(self.vocabularies, self.parts, strict=True)
        ]
        sizes = [vocabulary.n_features for vocabulary in self.vocabularies.values()]
        return join_parts(parts, sizes, len(documents), threads)

    def uncounted_occurrences(self, documents: Documents) -> list[Occurrence]:
        """Where the features that are not counted occur in the first document.

        The shares of a feature sum to 1.
        """
        occurrences: list[Occurrence] = []
        first = self.n_counted
        text = documents.texts[0]
        for entries in self.analyzer.lexicon_entries().values():
            native, scores = native_lexicon(entries)
            matches = _core.lexicon_matches(self.analyzer.plain_analysis(), native, text)
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
    n_docs = len(documents)
    analyzer = with_stems(analyzer, documents.texts, threads)
    counts = _selected_counts(analyzer, documents, threads, labels, among)
    values = UncountedValues.of(analyzer, documents, threads)
    uncounted = UncountedFeatures.fit(analyzer, values)
    if counts.n_features + len(uncounted.names) == 0:
        raise InputError(describe_no_features(analyzer, counts.n_candidates, n_docs))
    if not uncounted.names and counts.are_boundaries:
        raise InputError(describe_no_features(analyzer, 0, n_docs))
    groups, n_counted = counts.groups, counts.n_features

    def matrix() -> _core.Csr:
        return _core.Csr(n_counted, *counts.rows)

    idf, pairs = fit_weights(analyzer, counts.df, n_docs, matrix, labels, threads)
    weighting = group_weights(analyzer, groups, n_counted, idf)
    X = apply_weights(weighting, counts.rows, uncounted, values, pairs, threads)

    def features() -> TextFeatures:
        columns = counts.vocabularies()
        fitted = with_needed_stems(analyzer, columns)
        return TextFeatures(fitted, columns, groups, idf, uncounted, pairs.pairs)

    return FittedTexts(X, groups, n_counted, features)


def _selected_counts(
    analyzer: Analyzer,
    documents: Documents,
    threads: int,
    labels: LabelsOrSets | None,
    among: NDArray[np.bool_] | None,
) -> CountedParts:
    """The counts of the features that the analyzer keeps."""

    def frequent(_: int, df: IntArray) -> NDArray[np.bool_]:
        return feature_mask(analyzer, df, len(documents))

    counts = CountedParts.of(analyzer, documents, threads, frequent)
    selection = analyzer.selection()
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

    # Read again: a counter lets go of what it does not keep.
    return CountedParts.of(analyzer, documents, threads, best)


def feature_mask(analyzer: Analyzer, df: IntArray, n_docs: int) -> NDArray[np.bool_]:
    """Which features of one part the analyzer keeps, given their document frequencies."""
    keep = (df >= analyzer.min_df) & (df <= analyzer.max_df * n_docs)
    if analyzer.max_features is not None:
        frequent = np.flatnonzero(keep)
        order = np.argsort(-df[frequent], kind="stable")
        keep[frequent[order[analyzer.max_features :]]] = False
    return keep


def group_weights(
    analyzer: Analyzer,
    groups: list[tuple[str, int]],
    n_counted: int,
    idf: FloatArray | None,
) -> _core.GroupWeights:
    """The weighting of the analyzer, which turns counts into values."""
    return _core.GroupWeights(
        tf=analyzer.tf,
        norm=analyzer.norm,
        idf=idf,
        starts=[start for _, start in groups] + [n_counted] if groups else [0],
        weights=[group_weight(analyzer, name) for name, _ in groups],
        tokens=analyzer.plain_analysis() if analyzer.tf == "relative" else None,
    )


def group_weight(analyzer: Analyzer, group: str) -> float:
    """What the values of a group are multiplied by; with fields, also by the weight of its own."""
    field, kind = parse_part(group)
    weight = analyzer.group_weights().get(kind, 1.0)
    return weight if field is None else weight * list(analyzer.field_weights().values())[field]


def fit_weights(
    analyzer: Analyzer,
    df: IntArray,
    n_docs: int,
    counts: Callable[[], _core.Csr],
    labels: LabelsOrSets | None,
    threads: int,
) -> tuple[FloatArray | None, PairFeatures]:
    """The idf of features and the pairs among them, learned from training texts."""
    if analyzer.idf != "delta" and analyzer.conjoin is None:
        no_pairs = PairFeatures(analyzer, NO_PAIRS, len(df))
        return compute_idf(analyzer.idf, df, n_docs), no_pairs
    X = counts()
    is_delta = analyzer.idf == "delta"
    idf = delta_idf(X, labels, threads) if is_delta else compute_idf(analyzer.idf, df, n_docs)
    return idf, PairFeatures.fit(analyzer, X, labels, threads)


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
    uncounted: UncountedFeatures,
    values: UncountedValues,
    pairs: PairFeatures,
    threads: int,
) -> _core.Csr:
    """Turn counts into weights, in place, and append the features that are not counted."""
    weighting.weigh(*rows, values.lengths, threads)
    n_counted = pairs.n_counted
    matrix = _core.Csr(n_counted, *rows, threads=threads)
    if not uncounted.names and len(pairs) == 0:
        return matrix
    parts = [matrix, uncounted.matrix(values), pairs.matrix(rows[0], rows[1])]
    joined = _core.hstack(parts, threads)
    return _core.Csr(n_counted + len(uncounted.names) + len(pairs), *joined)


def pair_name(a: str, b: str) -> str:
    """The name of a conjunction."""
    return f"and:{a}&{b}"


def _decisive_scores(scores: FloatArray) -> list[NDArray[np.bool_]]:
    """By lexicon feature: the scores that determine its value."""
    if len(scores) == 0:
        return [np.zeros(0, bool)] * len(LexiconSummary._fields)
    every = np.ones(len(scores), bool)
    above, below = scores > 0, scores < 0
    return [scores == scores.max(), scores == scores.min(), every, above, below, above, below]
