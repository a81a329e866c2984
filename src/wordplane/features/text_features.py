"""The features that an analyzer found in training texts: documents in, a matrix out.

The columns are those of the parts that count (words, characters across words, single tokens,
each with its vocabulary), then what stands beside them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.pool import start_job
from wordplane.features.beside import Beside, BesideValues
from wordplane.features.counting import count
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.text.lexicon import LexiconSummary, native_lexicon
from wordplane.text.texts import batches

Counter = _core.Counter | _core.TokenFeatureCounter
Arrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]

BOUNDARIES = {"<s>", "</s>"}
NO_VALUES = np.zeros(0, np.int32), np.zeros(0, np.float32)


class Occurrence(NamedTuple):
    """Where a feature is found: text[start:end], and the share of its value that is from there."""

    column: int
    share: float
    start: int | None
    end: int | None


@dataclass
class TextFeatures:
    """Fitted features of an analyzer.

    vocabularies  by part: words, chars, tokens
    groups        name and first column of every group that counts, in order
    idf           by column of those groups; None if the analyzer has none
    beside        the features after them
    """

    analyzer: Analyzer
    vocabularies: dict[str, _core.Vocabulary]
    groups: list[tuple[str, int]]
    idf: NDArray[np.float64] | None
    beside: Beside

    def __post_init__(self) -> None:
        readers = self.analyzer.analyses()
        if list(readers) != list(self.vocabularies):
            raise InputError("the vocabularies are not those that the analyzer asks for")
        self.blocks = [
            _core.Block(reader, self.vocabularies[part]) for part, reader in readers.items()
        ]
        self.n_counted = sum(held.n_features for held in self.vocabularies.values())
        self.weighting = group_weights(self.analyzer, self.groups, self.n_counted, self.idf)

    def __reduce__(self) -> Any:
        fields = (self.analyzer, self.vocabularies, self.groups, self.idf, self.beside)
        return TextFeatures, fields

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.n_counted + len(self.beside.names)

    def name(self, column: int) -> str:
        """The name of the feature in a column."""
        rest = column
        for part, vocabulary in self.vocabularies.items():
            if rest < vocabulary.n_features:
                return ("char:" if part == "chars" else "") + vocabulary.name(rest)
            rest -= vocabulary.n_features
        return self.beside.names[rest]

    def transform(self, documents: Documents, threads: int) -> _core.Csr:
        """The documents as values of the features."""
        parts = []
        for block in self.blocks:
            rows = [
                _core.count_features(block, documents.texts, begin, end, threads)
                for begin, end in batches(documents.texts, "reading texts")
            ]
            parts.append(_stacked(rows))
        sizes = [vocabulary.n_features for vocabulary in self.vocabularies.values()]
        joined = side_by_side(parts, sizes, len(documents), threads)
        values = BesideValues.of(self.analyzer, documents, threads)
        return weighed(self.weighting, self.n_counted, joined, self.beside, values, threads)

    def beside_occurrences(self, documents: Documents) -> list[Occurrence]:
        """Where what stands beside the counted features is found in the first document; the
        shares of a column sum to 1."""
        found: list[Occurrence] = []
        first = self.n_counted
        text = documents.texts[0]
        for entries in self.analyzer.lexicon_entries().values():
            native, scores = native_lexicon(entries)
            matches = _core.lexicon_matches(self.analyzer.plain_analysis(), native, text)
            for makes in _decisive(np.array([scores[entry] for entry, _, _ in matches])):
                spans: list[Any] = [matches[i][1:] for i in np.flatnonzero(makes)]
                spans = spans or [(None, None)]
                found += [Occurrence(first, 1 / len(spans), *span) for span in spans]
                first += 1
        rest = range(first, self.n_features)
        return found + [Occurrence(column, 1.0, None, None) for column in rest]


@dataclass
class FittedTexts:
    """Texts as values of the features that were fitted to them.

    X          the values
    groups     as in TextFeatures
    n_counted  as in TextFeatures
    features   gives the features, whose vocabularies may still be put together by a thread
    """

    X: _core.Csr
    groups: list[tuple[str, int]]
    n_counted: int
    features: Callable[[], TextFeatures]


def fit_texts(analyzer: Analyzer, documents: Documents, threads: int) -> FittedTexts:
    """Find the features of the documents, and their values."""
    n_docs = len(documents)
    counts = CountedParts.of(
        analyzer, documents, threads, lambda df: kept_features(analyzer, df, n_docs)
    )
    values = BesideValues.of(analyzer, documents, threads)
    beside = Beside.fit(analyzer, values)
    if counts.n_features + len(beside.names) == 0:
        raise InputError(nothing_kept(analyzer, counts.n_found, n_docs))
    if not beside.names and counts.are_boundaries:
        raise InputError(nothing_kept(analyzer, 0, n_docs))
    groups, n_counted = counts.groups, counts.n_features
    idf = idf_of(analyzer.idf, counts.df, n_docs)
    weighting = group_weights(analyzer, groups, n_counted, idf)
    X = weighed(weighting, n_counted, counts.rows, beside, values, threads)

    def features() -> TextFeatures:
        return TextFeatures(analyzer, counts.vocabularies(), groups, idf, beside)

    return FittedTexts(X, groups, n_counted, features)


@dataclass
class CountedParts:
    """The counts of the features that are kept, of all parts.

    rows          the counts, n_docs x features
    sizes         by part: how many features it has
    df            by feature: how many documents have it
    n_found       how many features there were
    vocabularies  gives them by part; a thread may still put them together
    """

    rows: Arrays
    sizes: dict[str, int]
    df: NDArray[np.int64]
    n_found: int
    vocabularies: Callable[[], dict[str, _core.Vocabulary]]

    @classmethod
    def of(
        cls,
        analyzer: Analyzer,
        documents: Documents,
        threads: int,
        kept: Callable[[NDArray[np.int64]], NDArray[np.bool_]],
    ) -> Self:
        """Count; `kept` says of document frequencies which of a part's features are kept."""
        counters: dict[str, Counter] = {}
        found = [np.zeros(0, np.int64)]
        for part, reader in analyzer.analyses().items():
            counter = counted(reader, documents.texts, threads)
            df = counter.document_frequency(threads)
            keep = kept(df)
            counter.select(keep, threads)
            counters[part] = counter
            found.append(df[keep])
        parts = [count_arrays(counter, threads) for counter in counters.values()]
        sizes = dict(zip(counters, map(len, found[1:]), strict=True))
        return cls(
            rows=side_by_side(parts, list(sizes.values()), len(documents), threads),
            sizes=sizes,
            df=np.concatenate(found),
            n_found=sum(counter.n_features for counter in counters.values()),
            vocabularies=start_job(partial(_vocabularies, counters, threads), threads),
        )

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return sum(self.sizes.values())

    @property
    def are_boundaries(self) -> bool:
        """Whether all features are made of where texts begin and end: no text has a word."""
        if not 0 < self.n_found <= len(BOUNDARIES) + 1:
            return False
        names = [name for held in self.vocabularies().values() for name in held.names()]
        return all(set(name.split(" ")) <= BOUNDARIES for name in names)

    @cached_property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of features: their names and first columns."""
        groups, first = [], 0
        for part, size in self.sizes.items():
            if part == "tokens":  # those of a group are together
                held = self.vocabularies()[part]
                names = [name.partition(":")[0] for name in held.names()]
                groups += [(name, first + names.index(name)) for name in dict.fromkeys(names)]
            else:
                groups.append(("word" if part == "words" else "char", first))
            first += size
        return groups


def _vocabularies(counters: dict[str, Counter], threads: int) -> dict[str, _core.Vocabulary]:
    return {part: counter.vocabulary(threads) for part, counter in counters.items()}


def counted(
    reader: _core.Analysis | _core.TokenFeatures, texts: _core.Texts, threads: int
) -> Counter:
    """All features of one part, counted."""
    if isinstance(reader, _core.Analysis):
        return count(reader, [texts], "frequency", threads)
    counter = _core.TokenFeatureCounter(reader)
    for begin, end in batches(texts, "reading texts"):
        counter.add(texts, begin, end, threads)
    counter.finish()
    return counter


def count_arrays(counter: Counter, threads: int) -> Arrays:
    """The counts of the selected features, which the counter then forgets."""
    indptr = counter.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    counter.fill(indices, values, threads)
    return indptr, indices, values


def kept_features(analyzer: Analyzer, df: NDArray[np.int64], n_docs: int) -> NDArray[np.bool_]:
    """Which features of one part, with these document frequencies, the analyzer keeps."""
    keep = (df >= analyzer.min_df) & (df <= analyzer.max_df * n_docs)
    if analyzer.max_features is not None:
        kept = np.flatnonzero(keep)
        keep[kept[np.argsort(-df[kept], kind="stable")[analyzer.max_features :]]] = False
    return keep


def group_weights(
    analyzer: Analyzer,
    groups: list[tuple[str, int]],
    n_counted: int,
    idf: NDArray[np.float64] | None,
) -> _core.GroupWeights:
    """From counts to values, as the analyzer says."""
    given = analyzer.group_weights()
    return _core.GroupWeights(
        tf=analyzer.tf,
        norm=analyzer.norm,
        idf=idf,
        starts=[start for _, start in groups] + [n_counted] if groups else [0],
        weights=[given.get(name, 1.0) for name, _ in groups],
        tokens=analyzer.plain_analysis() if analyzer.tf == "relative" else None,
    )


def idf_of(form: str | None, df: NDArray[np.int64], n_docs: int) -> NDArray[np.float64] | None:
    """The weights of features that df of n documents have."""
    if form is None:
        return None
    if form == "exact":
        return np.log(n_docs / df)
    return np.log((1 + n_docs) / (1 + df)) + 1


def side_by_side(parts: list[Arrays], sizes: list[int], n_docs: int, threads: int) -> Arrays:
    """The counts of all parts as one matrix."""
    if len(parts) == 1:
        return parts[0]
    matrices = [_core.Csr(n, *part) for n, part in zip(sizes, parts, strict=True)]
    none = _core.Csr(0, np.zeros(n_docs + 1, np.int64), *NO_VALUES)
    return _core.hstack([*matrices, none], threads)


def weighed(
    weighting: _core.GroupWeights,
    n_counted: int,
    rows: Arrays,
    beside: Beside,
    values: BesideValues,
    threads: int,
) -> _core.Csr:
    """Counts, which become values, and what stands beside them."""
    weighting.weigh(*rows, values.lengths, threads)
    matrix = _core.Csr(n_counted, *rows, threads=threads)
    if not beside.names:
        return matrix
    joined = _core.hstack([matrix, beside.matrix(values)], threads)
    return _core.Csr(n_counted + len(beside.names), *joined)


def nothing_kept(analyzer: Analyzer, n_found: int, n_docs: int) -> str:
    """Why there are no features, and what to do."""
    if not analyzer.analyses():
        return "the analyzer asks for no features"
    if n_found == 0:
        return f"there is no word in any of the {n_docs} texts"
    if analyzer.max_df < 1:
        return (
            f"no feature is in {analyzer.min_df} or more of the {n_docs} texts and in "
            f"{analyzer.max_df:.0%} of them or fewer; lower min_df or raise max_df"
        )
    return f"no feature is in {analyzer.min_df} or more of the {n_docs} texts; lower min_df"


def _stacked(rows: list[tuple[Any, Any, Any]]) -> Arrays:
    """Matrices below each other."""
    indptr = [np.zeros(1, np.int64)]
    for part, _, _ in rows:
        indptr.append(part[1:] + indptr[-1][-1])
    return (
        np.concatenate(indptr),
        np.concatenate([indices for _, indices, _ in rows] or [NO_VALUES[0]]),
        np.concatenate([values for _, _, values in rows] or [NO_VALUES[1]]).astype(np.float32),
    )


def _decisive(scores: NDArray[np.float64]) -> list[NDArray[np.bool_]]:
    """By lexicon feature: which of the scores make it what it is."""
    if len(scores) == 0:
        return [np.zeros(0, bool)] * len(LexiconSummary._fields)
    every = np.ones(len(scores), bool)
    above, below = scores > 0, scores < 0
    return [scores == scores.max(), scores == scores.min(), every, above, below, above, below]
