"""Vectors of tokens: the files of model2vec and WordLlama.

A safetensors file has a vector for each token of a tokenizer, whose `tokenizer.json` is in the same
folder or archive. The vector of a word is the mean of those of its tokens. model2vec may share
vectors among tokens (`mapping`) and weight them (`weights`).
"""

from collections.abc import Iterable
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.json_text import parse_json
from wordplane.features.pretrained.archive import json_files_near
from wordplane.features.pretrained.tokenizer import Tokenizer, tokenizer_of
from wordplane.features.pretrained.vectors import (
    Rows,
    WordVectors,
    check_finite,
    check_length,
    require_vector_memory,
)

NUMBERS = ("float16", "float32", "float64", "int8")
Arrays = dict[str, NDArray[np.generic]]


class TokenVectors(WordVectors):
    """Vectors of words by those of their tokens."""

    def __init__(self, tokenizer: Tokenizer, vectors: Rows) -> None:
        self._tokenizer, self._vectors = tokenizer, vectors
        self.words = list(tokenizer.whole_words())
        self.n_numbers = vectors.shape[1]

    def lookup(self, words: Iterable[str]) -> tuple[list[str], Rows]:
        """All words that can be cut into tokens."""
        known, rows = [], []
        for word in words:
            tokens = self._tokenizer.split(word)
            if tokens:
                known.append(word)
                rows.append(self._vectors[tokens].mean(axis=0))
        return known, np.array(rows, np.float32).reshape(len(rows), self.n_numbers)


def token_vectors(arrays: Arrays, path: str | PathLike[str], name: str) -> TokenVectors:
    """The vectors of a safetensors file in a folder or archive."""
    vectors = _vectors(arrays, name)
    why: list[str] = []
    for place, content in json_files_near(path):
        try:
            tokenizer = tokenizer_of(parse_json(content.decode()))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            why.append(f"{place} is none: {error!r:.100}")
            continue
        n_tokens = max(tokenizer.ids.values(), default=-1) + 1
        if min(tokenizer.ids.values(), default=0) < 0 or n_tokens > len(vectors):
            why.append(f"{place} has {n_tokens:,} tokens for {len(vectors):,} vectors")
            continue
        return TokenVectors(tokenizer, vectors)
    found = "; ".join(why) or "there is none in its folder or archive"
    raise InputError(f"{name}: vectors of tokens need a `tokenizer.json`: {found}")


def _vectors(arrays: Arrays, name: str) -> Rows:
    """One row per token."""
    matrices = [one for one in arrays.values() if one.ndim == 2 and one.dtype.name in NUMBERS]
    if len(matrices) != 1:
        raise InputError(
            f"{name}: has {len(matrices)} matrices of numbers, expected one with a vector for each "
            "token, as model2vec and WordLlama write it"
        )
    rows, mapping, weights = matrices[0], arrays.get("mapping"), arrays.get("weights")
    check_length(name, rows.shape[1])
    if mapping is not None:
        is_whole = mapping.ndim == 1 and mapping.dtype.kind in "iu"
        places = mapping.astype(np.int64) if is_whole else np.array([-1])
        if np.any((places < 0) | (places >= len(rows))):
            raise InputError(f"{name}: `mapping` has places where there is no vector")
        require_vector_memory(name, len(places), rows.shape[1])
        rows = rows[places]
    vectors = np.asarray(rows, np.float32)
    if weights is not None:
        if weights.shape != (len(vectors),) or weights.dtype.name not in NUMBERS:
            raise InputError(f"{name}: expected one number of `weights` for each vector")
        vectors = vectors * np.asarray(weights, np.float32)[:, None]
    check_finite(name, [f"token {row}" for row in range(len(vectors))], vectors)
    return vectors
