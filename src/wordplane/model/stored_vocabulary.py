"""The vocabulary of a model file, which may come from a stranger."""

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.hashing import HashedColumns
from wordplane.features.text_counts import Columns
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.fields import parse_part

VOCABULARY_ARRAYS = {
    "word_bytes": ("uint8", 1),
    "word_ends": ("int64", 1),
    "ngram_firsts": ("uint32", 1),
    "ngram_lasts": ("uint32", 1),
    "columns": ("int32", 1),
}


def vocabulary_arrays(parts: Iterable[str], spec: AnalyzerSpec) -> list[str]:
    """The names of the arrays of all vocabularies; hashing needs none."""
    if spec.selection.hash_bits is not None:
        return []
    return [f"{part}.{name}" for part in parts for name in VOCABULARY_ARRAYS]


def read_vocabulary(arrays: Mapping[str, NDArray[Any]], part: str, spec: AnalyzerSpec) -> Columns:
    """The vocabulary of a part of the features, checked."""
    if spec.selection.hash_bits is not None:
        return HashedColumns.of_part(part, spec.selection.hash_bits)
    words, ends, firsts, lasts, columns = (arrays[f"{part}.{n}"] for n in VOCABULARY_ARRAYS)
    part_kind = parse_part(part).kind
    kind = {"words": "words", "chars": "chars", "tokens": "whole"}[part_kind]
    lengths = {"words": spec.tokens.ngrams, "chars": spec.word_features.chars}
    longest = max(lengths.get(part_kind) or (1, 1))
    return _core.Vocabulary.read(words, ends, firsts, lasts, columns, kind, longest)
