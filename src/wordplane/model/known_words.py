"""How much of a text a model knows: the share of its words that a feature of the model contains.

A model gives every text a label, also one in another language, whose words say nothing to it. A
text is called unfamiliar if the model knows none of its words, or a smaller share of them than of
99 in 100 texts that were held out in training: of n such texts, the share is smaller than the
k-th smallest, k = floor((n + 1) / 100), which happens to at most one in 100 texts of the same kind.
With 19 to 98 texts held out it is smaller than all of theirs, which happens to one in n + 1; with
fewer, only a text without any known word is unfamiliar.

Reference: Vovk, Gammerman and Shafer (2005), Algorithmic learning in a random world, on the k-th
smallest of n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.features.text_counts import word_vocabularies
from wordplane.features.text_features import TextFeatures
from wordplane.text.documents import Documents
from wordplane.text.texts import batches

UNFAMILIAR = 0.01  # share of texts like those trained on that may be called so
MIN_HELD_OUT = 19  # texts
NEGATED = b"NOT_"


class Knowledge(NamedTuple):
    """What a model knows of texts.

    known       the share of the words of each text that the model knows; 0 if it has no words
    unfamiliar  whether a text is unlike those that the model was trained on
    """

    known: FloatArray
    unfamiliar: NDArray[np.bool_]


class KnownWords:
    """Counts the words of texts, and how many of them no feature of a model contains."""

    def __init__(self, features: TextFeatures) -> None:
        known = word_vocabularies(features.vocabularies)
        if not known:
            raise InputError("the model does not keep words, so none are known to it")
        word_bytes, word_ends = known[0].arrays()[:2]
        self._spec, tokens = features.spec, features.spec.tokens
        if tokens.negation or len(known) > 1:
            mark = NEGATED if tokens.negation else b""
            word_bytes, word_ends = _distinct_words(known, mark)
        none = np.zeros(0, np.uint32)
        columns = np.arange(len(word_ends), dtype=np.int32)
        vocabulary = _core.Vocabulary(word_bytes, word_ends, none, none, columns)
        self._analysis = tokens.plain_analysis()
        self._block = _core.Block(self._analysis, vocabulary)

    def count(self, texts: list[str]) -> tuple[int, int]:
        """How many words the texts have, and how many of them are unknown."""
        masked = self._spec.mask(Documents(_core.Texts(texts))).texts
        n_words, n_known = self._count(masked, 0, len(texts), 1)
        return int(n_words.sum()), int(n_words.sum() - n_known.sum())

    def shares(self, texts: _core.Texts, threads: int) -> FloatArray:
        """The share of the words of each text that are known; 0 if it has no words."""
        shares, texts = np.zeros(len(texts)), self._spec.mask(Documents(texts)).texts
        for begin, end in batches(texts, "counting known words"):
            n_words, n_known = self._count(texts, begin, end, threads)
            np.divide(n_known, n_words, out=shares[begin:end], where=n_words > 0)
        return shares

    def _count(
        self, texts: _core.Texts, begin: int, end: int, threads: int
    ) -> tuple[FloatArray, FloatArray]:
        n_words = _core.count_tokens(self._analysis, texts, begin, end, threads)
        indptr, _, counts = _core.count_features(self._block, texts, begin, end, threads)
        known_before = np.append(0.0, np.cumsum(counts))
        return n_words, np.asarray(known_before[indptr[1:]] - known_before[indptr[:-1]])


def are_shown(words: Sequence[str], features: TextFeatures) -> list[bool]:
    """Whether the names of features show each word, given in lower case: as a word of theirs, or
    if no words are kept, as a part of one of their names. Hashed features show none."""
    kept = word_vocabularies(features.vocabularies)
    if kept:
        data, ends = _distinct_words(kept, NEGATED)
        joined, bounds = data.tobytes(), [0, *ends.tolist()]
        shown = {joined[a:b].decode("utf-8", "replace").lower() for a, b in pairwise(bounds)}
        return [word in shown for word in words]
    others = features.vocabularies.values()
    names = [name for v in others if isinstance(v, _core.Vocabulary) for name in v.names()]
    everything = "\n".join(names).lower()
    return [word in everything for word in words]


def known_words_of(features: TextFeatures) -> KnownWords | None:
    """None if no words are kept."""
    return KnownWords(features) if word_vocabularies(features.vocabularies) else None


def _distinct_words(
    vocabularies: list[_core.Vocabulary], mark: bytes
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The words of all fields without the mark of negation, each once."""
    words: dict[bytes, None] = {}
    for vocabulary in vocabularies:
        word_bytes, word_ends = vocabulary.arrays()[:2]
        everything, begin = word_bytes.tobytes(), 0
        for end in word_ends.tolist():
            words[everything[begin:end].removeprefix(mark)] = None
            begin = end
    joined = np.frombuffer(b"".join(words), np.uint8)
    return joined, np.cumsum([len(word) for word in words], dtype=np.int64)


def least_known(shares: FloatArray) -> float:
    """The share of known words below which a text is unfamiliar, from those of held-out texts.

    >>> least_known(np.linspace(0, 1, 199))  # the second smallest
    0.005051
    >>> least_known(np.ones(10))
    0.0
    """
    if len(shares) < MIN_HELD_OUT:
        return 0.0
    k = max(int(UNFAMILIAR * (len(shares) + 1)), 1)
    return round(float(np.sort(shares)[k - 1]), 6)


def knowledge(shares: FloatArray, least: float) -> Knowledge:
    """The shares and what they mean."""
    return Knowledge(shares, np.asarray((shares <= 0) | (shares < least)))
