"""The counts of the features of some texts: parts with a vocabulary each, or hashed."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import IntArray
from wordplane.features.counting.core import (
    count_features,
    count_known,
    count_token_features,
    take_counts,
)
from wordplane.features.hashing import HashedColumns
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.documents import Documents
from wordplane.text.fields import name_of_field, parse_part

Counter = _core.Counter | _core.TokenFeatureCounter
CsrArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
Columns: TypeAlias = _core.Vocabulary | HashedColumns

BOUNDARIES = {"<s>", "</s>"}


class Names(Protocol):
    """What knows the names of features by column: a vocabulary, or a counter of tokens."""

    def name(self, column: int) -> str: ...


@dataclass
class TextCounts:
    """The counts of the features that are kept, of all parts.

    rows          the counts, n_docs x n_features
    sizes         by part: its number of features
    df            by feature: the number of documents with it
    n_candidates  the number of features before some were left out
    vocabularies  a function that returns them by part; it builds them when it is called first
    token_names   of features of single tokens, by part
    """

    rows: CsrArrays
    sizes: dict[str, int]
    df: IntArray
    n_candidates: int
    vocabularies: Callable[[], dict[str, Columns]]
    token_names: Mapping[str, Names]

    @classmethod
    def of(
        cls,
        spec: AnalyzerSpec,
        documents: Documents,
        threads: int,
        mask: Callable[[int, IntArray], NDArray[np.bool_]],
    ) -> Self:
        """Count; `mask` says which features to keep, given the number of a part and document
        frequencies."""
        if spec.selection.hash_bits is not None:
            return cls._hashed(spec, spec.selection.hash_bits, documents, threads)
        counters: dict[str, Counter] = {}
        frequencies = [np.zeros(0, np.int64)]
        for number, (part, analysis) in enumerate(spec.analyses().items()):
            counter = count_part(analysis, documents.texts_of(part), threads)
            df = counter.document_frequency(threads)
            keep = mask(number, df)
            counter.select(keep, threads)
            counters[part] = counter
            frequencies.append(df[keep])
        parts = [take_counts(counter, np.float32, threads) for counter in counters.values()]
        sizes = dict(zip(counters, map(len, frequencies[1:]), strict=True))
        return cls(
            rows=join_parts(parts, list(sizes.values()), len(documents), threads),
            sizes=sizes,
            df=np.concatenate(frequencies),
            n_candidates=sum(counter.n_features for counter in counters.values()),
            vocabularies=cache(partial(_vocabularies, counters, threads)),
            token_names={
                part: counter
                for part, counter in counters.items()
                if isinstance(counter, _core.TokenFeatureCounter)
            },
        )

    @classmethod
    def _hashed(cls, spec: AnalyzerSpec, bits: int, documents: Documents, threads: int) -> Self:
        """The counts of hashed features: all columns are kept."""
        analyses = spec.analyses()
        columns: dict[str, Columns] = {part: HashedColumns.of_part(part, bits) for part in analyses}
        parts = [
            count_known(block_of(analysis, columns[part]), [documents.texts], np.float32, threads)
            for part, analysis in analyses.items()
        ]
        df = [np.bincount(indices, minlength=1 << bits) for _, indices, _ in parts]
        if not any(one.any() for one in df):
            raise InputError(describe_no_features(spec, 0, len(documents)))
        sizes = dict.fromkeys(analyses, 1 << bits)
        return cls(
            rows=join_parts(parts, list(sizes.values()), len(documents), threads),
            sizes=sizes,
            df=np.concatenate(df),
            n_candidates=sum(sizes.values()),
            vocabularies=lambda: columns,
            token_names={},
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
        return find_groups(self.sizes, self.token_names)


def find_groups(
    sizes: Mapping[str, int], token_names: Mapping[str, Names]
) -> list[tuple[str, int]]:
    """The names and first features of the groups of features, by the sizes of the parts; hashed
    features of single tokens have no names, and are characters."""
    groups: list[tuple[str, int]] = []
    first = 0
    for part, size in sizes.items():
        field, kind = parse_part(part)
        if part in token_names:
            own = [(name, first + start) for name, start in _token_groups(token_names[part], size)]
        else:
            own = [("word" if kind == "words" else "char", first)]
        if field is not None:
            own = [(name_of_field(field, group), start) for group, start in own]
        groups += own
        first += size
    return groups


def _token_groups(columns: Names, size: int) -> list[tuple[str, int]]:
    """The groups of single tokens, whose names begin with theirs: each is a run of columns."""
    groups: list[tuple[str, int]] = []
    start = 0
    while start < size:
        group = columns.name(start).partition(":")[0]
        groups.append((group, start))
        prefix = group + ":"
        start = bisect_left(
            range(size), True, start, key=lambda i: not columns.name(i).startswith(prefix)
        )
    return groups


def part_prefix(spec: AnalyzerSpec, part: str) -> str:
    """What the names of the features of a part begin with, besides what its vocabulary says."""
    field, kind = parse_part(part)
    of_field = "" if field is None else f"{list(spec.columns.fields)[field]}:"
    return of_field + ("char:" if kind == "chars" else "")


def word_vocabularies(parts: Mapping[str, Columns]) -> list[_core.Vocabulary]:
    """The vocabularies of words: one, one per field, or none."""
    return [
        columns
        for part, columns in parts.items()
        if parse_part(part).kind == "words" and isinstance(columns, _core.Vocabulary)
    ]


def token_vocabularies(parts: Mapping[str, Columns]) -> dict[str, _core.Vocabulary]:
    """The vocabularies of single tokens."""
    return {
        part: columns
        for part, columns in parts.items()
        if parse_part(part).kind == "tokens" and isinstance(columns, _core.Vocabulary)
    }


def _vocabularies(counters: dict[str, Counter], threads: int) -> dict[str, Columns]:
    return {part: counter.vocabulary(threads) for part, counter in counters.items()}


def count_part(
    analysis: _core.Analysis | _core.TokenFeatures, texts: _core.Texts, threads: int
) -> Counter:
    """Count all features of one part."""
    if isinstance(analysis, _core.TokenFeatures):
        return count_token_features(analysis, texts, threads)
    return count_features(analysis, [texts], "frequency", threads)


def block_of(analysis: _core.Analysis | _core.TokenFeatures, columns: Columns) -> _core.Block:
    """A part of the features, for the core."""
    if isinstance(columns, HashedColumns):
        return _core.Block(analysis, columns.n_features)
    return _core.Block(analysis, columns)


def join_parts(parts: list[CsrArrays], sizes: list[int], n_docs: int, threads: int) -> CsrArrays:
    """Join the counts of all parts into one matrix."""
    if len(parts) == 1:
        return parts[0]
    matrices = [_core.Csr(n, *part) for n, part in zip(sizes, parts, strict=True)]
    no_values = np.zeros(0, np.int32), np.zeros(0, np.float32)
    empty = _core.Csr(0, np.zeros(n_docs + 1, np.int64), *no_values)
    return _core.hstack([*matrices, empty], threads)


def describe_no_features(spec: AnalyzerSpec, n_candidates: int, n_docs: int) -> str:
    """Why there are no features, and what to do."""
    min_df, max_df = spec.selection.min_df, spec.selection.max_df
    if not spec.analyses():
        return "the analyzer asks for no features; give it `ngrams`, `chars` or others"
    if n_candidates == 0:
        return f"none of the {n_docs} texts has a word"
    if max_df < 1:
        return (
            f"no feature occurs in {min_df} or more of the {n_docs} texts and in at most "
            f"{max_df:.0%} of them; lower `min_df` or raise `max_df`"
        )
    return f"no feature occurs in {min_df} or more of the {n_docs} texts; lower `min_df`"
