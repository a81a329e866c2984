"""The features that an analyzer found in training texts: documents in, a matrix out.

The columns are those of the parts that count (words, characters across words, single tokens,
each with its vocabulary), then lexicon features, columns of numbers, and categories.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.errors import InputError
from wordplane.features.counting import count
from wordplane.text.analyzer import Analyzer
from wordplane.text.column import batches
from wordplane.text.documents import Documents
from wordplane.text.lexicon import LexiconSummary, lexicon_matrix, native_lexicon

Counter = _core.Counter | _core.TokenFeatureCounter
Arrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]

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
    groups        first column of every group that counts, in order, and at last their number
    idf           by column of those groups; None if the analyzer has none
    center, scale of lexicon features and numbers: x becomes (x - center) / scale
    categories    by column of categories: the values that are features
    """

    analyzer: Analyzer
    vocabularies: dict[str, _core.Vocabulary]
    groups: list[tuple[str, int]]
    idf: NDArray[np.float64] | None
    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    categories: dict[str, list[str]]

    def __post_init__(self) -> None:
        readers = self.analyzer.readers()
        if list(readers) != list(self.vocabularies):
            raise InputError("the vocabularies are not those that the analyzer asks for")
        self.blocks = [
            _core.Block(reader, self.vocabularies[part]) for part, reader in readers.items()
        ]
        self.lexica = {name: native_lexicon(held) for name, held in self.analyzer.entries().items()}
        self.n_counted = sum(held.n_features for held in self.vocabularies.values())
        self._dense_names = _dense_names(self.analyzer)
        self._category_columns = _category_columns(self.categories)
        n_dense = len(self._dense_names)
        if (len(self.center), len(self.scale)) != (n_dense, n_dense) or not (self.scale > 0).all():
            raise InputError("one center and scale per number expected")
        given = self.analyzer.group_weights()
        starts = [start for _, start in self.groups] + [self.n_counted]
        self.weighting = _core.GroupWeights(
            tf=self.analyzer.tf,
            norm=self.analyzer.norm,
            idf=self.idf,
            starts=starts,
            weights=[given.get(name, 1.0) for name, _ in self.groups],
        )

    def __reduce__(self) -> Any:
        return TextFeatures, (
            self.analyzer,
            self.vocabularies,
            self.groups,
            self.idf,
            self.center,
            self.scale,
            self.categories,
        )

    @classmethod
    def fit(cls, analyzer: Analyzer, documents: Documents, threads: int) -> tuple[Self, _core.Csr]:
        """The features of the documents, and the matrix of their values."""
        counted = {
            part: _counted(reader, documents.texts, analyzer, threads)
            for part, reader in analyzer.readers().items()
        }
        categories = {
            name: sorted({value for value in values if value is not None})
            for name, values in documents.categories.items()
        }
        dense = _dense_columns(analyzer, documents, threads)
        n_counted = sum(counter.n_selected for counter, _ in counted.values())
        if n_counted + dense.shape[1] + sum(map(len, categories.values())) == 0:
            raise InputError(_nothing_found(analyzer, counted, len(documents)))
        df = np.concatenate([held for _, held in counted.values()] or [np.zeros(0, np.int64)])
        parts = [_count_arrays(counter, threads) for counter, _ in counted.values()]
        vocabularies = {part: counter.vocabulary() for part, (counter, _) in counted.items()}
        center = dense.mean(axis=0) if len(dense) else np.zeros(dense.shape[1])
        spread = dense.std(axis=0) if len(dense) else np.zeros(dense.shape[1])
        features = cls(
            analyzer=analyzer,
            vocabularies=vocabularies,
            groups=_groups(vocabularies),
            idf=_idf(analyzer.idf, df, len(documents)),
            center=center,
            scale=np.where(spread > 0, spread, 1.0),
            categories=categories,
        )
        return features, features._joined(parts, dense, documents, threads)

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.n_counted + len(self._dense_names) + len(self._category_columns)

    def name(self, column: int) -> str:
        """The name of the feature in a column."""
        rest = column
        for part, vocabulary in self.vocabularies.items():
            if rest < vocabulary.n_features:
                return ("char:" if part == "chars" else "") + vocabulary.name(rest)
            rest -= vocabulary.n_features
        return [*self._dense_names, *self._category_columns][rest]

    def transform(self, documents: Documents, threads: int) -> _core.Csr:
        """The documents as values of the features."""
        parts = []
        for block in self.blocks:
            rows = [
                _core.count_features(block, documents.texts, begin, end, threads)
                for begin, end in batches(documents.texts, "reading texts")
            ]
            parts.append(_stacked(rows))
        dense = _dense_columns(self.analyzer, documents, threads)
        return self._joined(parts, dense, documents, threads)

    def beside_text(self, documents: Documents, threads: int) -> _core.Csr:
        """The columns after those that count: lexicon features, numbers, categories."""
        return self._beside(_dense_columns(self.analyzer, documents, threads), documents)

    def occurrences(self, documents: Documents) -> list[Occurrence]:
        """Where the features of the first document are; their shares sum to 1 by column."""
        found, first = [], 0
        text = documents.texts[0]
        for block in self.blocks:
            columns, counts, starts, ends = _core.trace(block, text)
            _, which = np.unique(columns, return_inverse=True)
            shares = counts / np.bincount(which, counts)[which] if len(counts) else counts
            rows = zip(
                columns.tolist(), shares.tolist(), starts.tolist(), ends.tolist(), strict=True
            )
            found += [Occurrence(first + column, *rest) for column, *rest in rows]
            first += block.vocabulary.n_features
        for entries, scores in self.lexica.values():
            matches = _core.lexicon_matches(self.analyzer.plain_analysis(), entries, text)
            matched = np.array([scores[entry] for entry, _, _ in matches])
            for makes in _decisive(matched):
                places: list[Any] = [matches[i][1:] for i in np.flatnonzero(makes)]
                places = places or [(None, None)]
                found += [Occurrence(first, 1 / len(places), *place) for place in places]
                first += 1
        rest = range(first, self.n_features)
        return found + [Occurrence(column, 1.0, None, None) for column in rest]

    def _joined(
        self, parts: list[Arrays], dense: NDArray[np.float64], documents: Documents, threads: int
    ) -> _core.Csr:
        if len(parts) == 1:
            indptr, indices, values = parts[0]
        else:
            sizes = [vocabulary.n_features for vocabulary in self.vocabularies.values()]
            matrices = [_core.Csr(n, *part) for n, part in zip(sizes, parts, strict=True)]
            none = _core.Csr(0, np.zeros(len(documents) + 1, np.int64), *NO_VALUES)
            indptr, indices, values = _core.hstack([*matrices, none], threads)
        self.weighting.weigh(indptr, indices, values, threads)
        counted = _core.Csr(self.n_counted, indptr, indices, values)
        if self.n_features == self.n_counted:
            return counted
        beside = self._beside(dense, documents)
        return _core.Csr(self.n_features, *_core.hstack([counted, beside], threads))

    def _beside(self, dense: NDArray[np.float64], documents: Documents) -> _core.Csr:
        n_docs, n_dense = dense.shape
        columns = [np.broadcast_to(np.arange(n_dense), dense.shape).ravel()]
        rows = [np.repeat(np.arange(n_docs), n_dense)]
        values = [((dense - self.center) / self.scale).ravel()]
        for name, held in documents.categories.items():
            found = [self._category_columns.get(f"{name}={value}", -1) for value in held]
            known = np.flatnonzero(np.array(found, dtype=np.int64) >= 0)
            rows.append(known)
            columns.append(n_dense + np.array(found, dtype=np.int64)[known])
            values.append(np.ones(len(known)))
        row, column = np.concatenate(rows), np.concatenate(columns)
        order = np.lexsort((column, row))
        indptr = np.zeros(n_docs + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=n_docs), out=indptr[1:])
        return _core.Csr(
            n_dense + len(self._category_columns),
            indptr,
            column[order].astype(np.int32),
            np.concatenate(values)[order].astype(np.float32),
        )


def _counted(
    reader: _core.Analysis | _core.TokenFeatures,
    texts: _core.Texts,
    analyzer: Analyzer,
    threads: int,
) -> tuple[Counter, NDArray[np.int64]]:
    """The features that enough texts have, and not too many, and how many have each."""
    counter: Counter
    if isinstance(reader, _core.Analysis):
        counter = count(reader, texts, "frequency", threads)
    else:
        counter = _core.TokenFeatureCounter(reader)
        for begin, end in batches(texts, "reading texts"):
            counter.add(texts, begin, end, threads)
        counter.finish()
    df = counter.document_frequency(threads)
    keep = (df >= analyzer.min_df) & (df <= analyzer.max_df * len(texts))
    if analyzer.max_features is not None:
        kept = np.flatnonzero(keep)
        keep[kept[np.argsort(-df[kept], kind="stable")[analyzer.max_features :]]] = False
    counter.select(keep, threads)
    return counter, df[keep]


def _count_arrays(counter: Counter, threads: int) -> Arrays:
    indptr = counter.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    counter.fill(indices, values, threads)
    if isinstance(counter, _core.Counter):
        counter.forget_documents()
    return indptr, indices, values


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


def _groups(vocabularies: dict[str, _core.Vocabulary]) -> list[tuple[str, int]]:
    """The groups of features that are counted: their names and first columns."""
    groups, first = [], 0
    for part, vocabulary in vocabularies.items():
        if part == "tokens":  # those of a group are together
            names = [name.partition(":")[0] for name in vocabulary.names()]
            groups += [(name, first + names.index(name)) for name in dict.fromkeys(names)]
        else:
            groups.append(("word" if part == "words" else "char", first))
        first += vocabulary.n_features
    return groups


def _idf(form: str | None, df: NDArray[np.int64], n_docs: int) -> NDArray[np.float64] | None:
    if form is None:
        return None
    if form == "exact":
        return np.log(n_docs / df)
    return np.log((1 + n_docs) / (1 + df)) + 1


def _dense_names(analyzer: Analyzer) -> list[str]:
    of_lexica = [
        f"lexicon:{name}:{feature}"
        for name in analyzer.entries()
        for feature in LexiconSummary._fields
    ]
    return of_lexica + [name for name, kind in analyzer.column_kinds().items() if kind == "number"]


def _category_columns(categories: dict[str, list[str]]) -> dict[str, int]:
    names = [f"{name}={value}" for name, values in categories.items() for value in values]
    return {name: column for column, name in enumerate(names)}


def _dense_columns(analyzer: Analyzer, documents: Documents, threads: int) -> NDArray[np.float64]:
    """Lexicon features and numbers, as they are."""
    parts = [
        lexicon_matrix(analyzer, native_lexicon(entries), documents.texts, threads)
        for entries in analyzer.entries().values()
    ]
    parts += [numbers[:, None] for numbers in documents.numbers.values()]
    return np.hstack([np.zeros((len(documents), 0)), *parts])


def _decisive(scores: NDArray[np.float64]) -> list[NDArray[np.bool_]]:
    """By lexicon feature: which of the scores make it what it is."""
    if len(scores) == 0:
        return [np.zeros(0, bool)] * len(LexiconSummary._fields)
    every = np.ones(len(scores), bool)
    above, below = scores > 0, scores < 0
    return [scores == scores.max(), scores == scores.min(), every, above, below, above, below]


def _nothing_found(analyzer: Analyzer, counted: dict[str, Any], n_docs: int) -> str:
    if any(counter.n_features for counter, _ in counted.values()):
        return (
            f"no feature is in {analyzer.min_df} or more of the {n_docs} texts and in "
            f"{analyzer.max_df:.0%} of them or fewer; lower min_df or raise max_df"
            if analyzer.max_df < 1
            else f"no feature is in {analyzer.min_df} or more of the {n_docs} texts; lower min_df"
        )
    if not counted:
        return "the analyzer asks for no features"
    return f"there is no word in any of the {n_docs} texts"
