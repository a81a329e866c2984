"""The vocabulary of a model file, which may come from a stranger."""

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
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
# All names together may be so many times as long as the arrays, besides the first bytes.
MAX_NAME_GROWTH, FREE_NAME_BYTES = 64, 1 << 24


def vocabulary_arrays(parts: Iterable[str], spec: AnalyzerSpec) -> list[str]:
    """The names of the arrays of all vocabularies; hashing needs none."""
    if spec.selection.hash_bits is not None:
        return []
    return [f"{part}.{name}" for part in parts for name in VOCABULARY_ARRAYS]


def read_vocabulary(arrays: Mapping[str, NDArray[Any]], part: str, spec: AnalyzerSpec) -> Columns:
    """The vocabulary of a part of the features, checked.

    Chains of n-grams must not make names out of proportion to the bytes that describe them.
    """
    if spec.selection.hash_bits is not None:
        return HashedColumns.of_part(part, spec.selection.hash_bits)
    words, ends, firsts, lasts, columns = (arrays[f"{part}.{n}"] for n in VOCABULARY_ARRAYS)
    part_kind = parse_part(part).kind
    kind = {"words": "words", "chars": "chars", "tokens": "whole"}[part_kind]
    vocabulary = _core.Vocabulary(words, ends, firsts, lasts, columns, kind)
    longest, name_bytes = vocabulary.extent()
    lengths = {"words": spec.tokens.ngrams, "chars": spec.word_features.chars}
    most = max(lengths.get(part_kind) or (1, 1))
    if longest > most:
        raise InputError(f"an n-gram of length {longest}, expected at most {most}")
    n_bytes = words.nbytes + firsts.nbytes + lasts.nbytes + columns.nbytes
    if name_bytes > FREE_NAME_BYTES + MAX_NAME_GROWTH * n_bytes:
        raise InputError("the names of the features are too long for the size of the file")
    return vocabulary
