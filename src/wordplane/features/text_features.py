"""The features that an analyzer finds in training texts: documents in, a matrix out.

First come the features of the parts that count (words, characters across words, single tokens,
each with its vocabulary), then those that are not counted, then pairs of features that count.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelsOrSets
from wordplane.common.pool import start_job
from wordplane.common.types import FloatArray, IntArray
from wordplane.features.counting import CountArrays, count_features
from wordplane.features.label_scores import delta_idf, select_features
from wordplane.features.pairs import NO_PAIRS, PairFeatures
from wordplane.features.uncounted import UncountedFeatures, UncountedValues
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.text.lexicon import LexiconSummary, native_lexicon
from wordplane.text.texts import batches

Counter = _core.Counter | _core.TokenFeatureCounter
CsrArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]

BOUNDARIES = {"<s>", "</s>"}
NO_VALUES = np.zeros(0, np.int32), np.zeros(0, np.float32)


class Occurrence(NamedTuple):
    """Where a feature occurs, text[start:end], and the share of its value that comes from there."""

    column: int
    share: float
    start: int | None
    end: int | None


@dataclass
class TextFeatures:
    """Fitted features of an analyzer.

    vocabularies  by part: words, chars, tokens
    groups        the name and first feature of every group that counts, in order
    idf           of the features of those groups; None if the analyzer has none
    uncounted     the features after them
    pairs         the columns of the features that the last features are conjunctions of
    """

    analyzer: Analyzer
    vocabularies: dict[str, _core.Vocabulary]
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
            _core.Block(analysis, self.vocabularies[part]) for part, analysis in analyses.items()
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
                return ("char:" if part == "chars" else "") + vocabulary.name(rest)
            rest -= vocabulary.n_features
        return self.uncounted.names[rest]

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
        parts = []
        for part in self.parts:
            rows = [
                _core.count_features(part, documents.texts, begin, end, threads)
                for begin, end in batches(documents.texts, "reading texts")
            ]
            parts.append(_stack_rows(rows))
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
    analyzer: Analyzer, documents: Documents, threads: int, labels: LabelsOrSets | None = None
) -> FittedTexts:
    """Find the features of the documents and their values.

    labels  of the first documents, for what the analyzer learns from them; the others have none
    """
    n_docs = len(documents)
    counts = _selected_counts(analyzer, documents, threads, labels)
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
        return TextFeatures(analyzer, counts.vocabularies(), groups, idf, uncounted, pairs.pairs)

    return FittedTexts(X, groups, n_counted, features)


def _selected_counts(
    analyzer: Analyzer, documents: Documents, threads: int, labels: LabelsOrSets | None
) -> "CountedParts":
    """The counts of the features that the analyzer keeps."""

    def frequent(_: int, df: IntArray) -> NDArray[np.bool_]:
        return feature_mask(analyzer, df, len(documents))

    counts = CountedParts.of(analyzer, documents, threads, frequent)
    selection = analyzer.selection()
    if selection is None or counts.n_features <= selection.m:
        return counts
    matrix = _core.Csr(counts.n_features, *counts.rows)
    chosen = select_features(matrix, labels, selection, threads)
    by_part = np.split(chosen, np.cumsum(list(counts.sizes.values()))[:-1])

    def best(part: int, df: IntArray) -> NDArray[np.bool_]:
        keep = frequent(part, df)
        keep[keep] = by_part[part]
        return keep

    # Read again: a counter lets go of what it does not keep.
    return CountedParts.of(analyzer, documents, threads, best)


@dataclass
class CountedParts:
    """The counts of the features that are kept, of all parts.

    rows          the counts, n_docs x n_features
    sizes         by part: its number of features
    df            by feature: the number of documents with it
    n_candidates  the number of features before some were left out
    vocabularies  a function that returns them by part; it waits for the thread that builds them
    """

    rows: CsrArrays
    sizes: dict[str, int]
    df: IntArray
    n_candidates: int
    vocabularies: Callable[[], dict[str, _core.Vocabulary]]

    @classmethod
    def of(
        cls,
        analyzer: Analyzer,
        documents: Documents,
        threads: int,
        mask: Callable[[int, IntArray], NDArray[np.bool_]],
    ) -> Self:
        """Count; `mask` says which features to keep, given the number of a part and document
        frequencies."""
        counters: dict[str, Counter] = {}
        frequencies = [np.zeros(0, np.int64)]
        for number, (part, analysis) in enumerate(analyzer.analyses().items()):
            counter = count_part(analysis, documents.texts, threads)
            df = counter.document_frequency(threads)
            keep = mask(number, df)
            counter.select(keep, threads)
            counters[part] = counter
            frequencies.append(df[keep])
        parts = [count_arrays(counter, threads) for counter in counters.values()]
        sizes = dict(zip(counters, map(len, frequencies[1:]), strict=True))
        return cls(
            rows=join_parts(parts, list(sizes.values()), len(documents), threads),
            sizes=sizes,
            df=np.concatenate(frequencies),
            n_candidates=sum(counter.n_features for counter in counters.values()),
            vocabularies=start_job(partial(_vocabularies, counters, threads), threads),
        )

    @property
    def n_features(self) -> int:
        """The number of features."""
        return sum(self.sizes.values())

    @property
    def are_boundaries(self) -> bool:
        """Whether all features consist of text boundaries, that is, no text has a word."""
        if not 0 < self.n_candidates <= len(BOUNDARIES) + 1:
            return False
        names = [name for each in self.vocabularies().values() for name in each.names()]
        return all(set(name.split(" ")) <= BOUNDARIES for name in names)

    @cached_property
    def groups(self) -> list[tuple[str, int]]:
        """The names and first features of the groups of features."""
        groups, first = [], 0
        for part, size in self.sizes.items():
            if part == "tokens":  # the features of a group are consecutive
                vocabulary = self.vocabularies()[part]
                names = [name.partition(":")[0] for name in vocabulary.names()]
                groups += [(name, first + names.index(name)) for name in dict.fromkeys(names)]
            else:
                groups.append(("word" if part == "words" else "char", first))
            first += size
        return groups


def _vocabularies(counters: dict[str, Counter], threads: int) -> dict[str, _core.Vocabulary]:
    return {part: counter.vocabulary(threads) for part, counter in counters.items()}


def count_part(
    analysis: _core.Analysis | _core.TokenFeatures, texts: _core.Texts, threads: int
) -> Counter:
    """Count all features of one part."""
    if isinstance(analysis, _core.Analysis):
        return count_features(analysis, [texts], "frequency", threads)
    counter = _core.TokenFeatureCounter(analysis)
    for begin, end in batches(texts, "reading texts"):
        counter.add(texts, begin, end, threads)
    counter.finish()
    return counter


def count_arrays(counter: Counter, threads: int) -> CsrArrays:
    """Take the counts of the selected features out of the counter."""
    indptr = counter.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    counter.fill(indices, values, threads)
    return indptr, indices, values


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
    weights = analyzer.group_weights()
    return _core.GroupWeights(
        tf=analyzer.tf,
        norm=analyzer.norm,
        idf=idf,
        starts=[start for _, start in groups] + [n_counted] if groups else [0],
        weights=[weights.get(name, 1.0) for name, _ in groups],
        tokens=analyzer.plain_analysis() if analyzer.tf == "relative" else None,
    )


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
        return np.log(n_docs / df)
    return np.log((1 + n_docs) / (1 + df)) + 1


def join_parts(parts: list[CsrArrays], sizes: list[int], n_docs: int, threads: int) -> CsrArrays:
    """Join the counts of all parts into one matrix."""
    if len(parts) == 1:
        return parts[0]
    matrices = [_core.Csr(n, *part) for n, part in zip(sizes, parts, strict=True)]
    empty = _core.Csr(0, np.zeros(n_docs + 1, np.int64), *NO_VALUES)
    return _core.hstack([*matrices, empty], threads)


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


def describe_no_features(analyzer: Analyzer, n_candidates: int, n_docs: int) -> str:
    """Why there are no features, and what to do."""
    if not analyzer.analyses():
        return "the analyzer asks for no features; give it `ngrams`, `chars` or others"
    if n_candidates == 0:
        return f"none of the {n_docs} texts has a word"
    if analyzer.max_df < 1:
        return (
            f"no feature occurs in {analyzer.min_df} or more of the {n_docs} texts and in at most "
            f"{analyzer.max_df:.0%} of them; lower `min_df` or raise `max_df`"
        )
    return f"no feature occurs in {analyzer.min_df} or more of the {n_docs} texts; lower `min_df`"


def _stack_rows(rows: list[CountArrays]) -> CsrArrays:
    """Join matrices one below the other."""
    indptr = [np.zeros(1, np.int64)]
    for pointers, _, _ in rows:
        indptr.append(pointers[1:] + indptr[-1][-1])
    return (
        np.concatenate(indptr),
        np.concatenate([indices for _, indices, _ in rows] or [NO_VALUES[0]]),
        np.concatenate([values.astype(np.float32) for _, _, values in rows] or [NO_VALUES[1]]),
    )


def _decisive_scores(scores: FloatArray) -> list[NDArray[np.bool_]]:
    """By lexicon feature: the scores that determine its value."""
    if len(scores) == 0:
        return [np.zeros(0, bool)] * len(LexiconSummary._fields)
    every = np.ones(len(scores), bool)
    above, below = scores > 0, scores < 0
    return [scores == scores.max(), scores == scores.min(), every, above, below, above, below]
