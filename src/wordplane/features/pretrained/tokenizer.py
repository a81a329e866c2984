"""How words become tokens of a vocabulary: the three models of `tokenizer.json` files.

WordPiece  the longest token that the rest begins with, again and again; inside a word with ##
Unigram    the tokens with the largest sum of scores
BPE        characters, of which the pair that was merged first is merged, again and again

The first token of a word has a mark, as in "▁word" or "Ġword", or the others have one.
"""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from typing import cast

from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject

WORD_MARKS = ("▁", "Ġ")
MAX_WORD = 100  # characters; longer ones have no tokens


class Tokenizer(ABC):
    """Cuts words into tokens.

    ids    the number of each token
    mark   what the first token of a word begins with
    """

    def __init__(self, ids: Mapping[str, int], mark: str, *, strips_accents: bool = False) -> None:
        self.ids, self.mark, self._strips_accents = ids, mark, strips_accents

    def split(self, word: str) -> list[int]:
        """The numbers of the tokens of a word; none if it cannot be cut into tokens."""
        if self._strips_accents:
            plain = unicodedata.normalize("NFD", word)
            word = "".join(c for c in plain if unicodedata.category(c) != "Mn")
        if not 0 < len(word) <= MAX_WORD:
            return []
        whole = self.ids.get(self.mark + word)
        return [whole] if whole is not None else self._cut(self.mark + word)

    def whole_words(self) -> dict[str, int]:
        """The tokens that are words."""
        found = {}
        for token, number in self.ids.items():
            word = token.removeprefix(self.mark)
            if token.startswith(self.mark) and len(word) > 0 and not word.startswith(("##", "<")):
                found[word] = number
        return found

    @abstractmethod
    def _cut(self, word: str) -> list[int]: ...


class WordPiece(Tokenizer):
    """Longest tokens first.

    >>> WordPiece({"play": 5, "##ing": 6, "##in": 7}, "").split("playing")
    [5, 6]
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        mark: str,
        *,
        inside: str = "##",
        strips_accents: bool = False,
    ) -> None:
        super().__init__(ids, mark, strips_accents=strips_accents)
        self._inside = inside

    def _cut(self, word: str) -> list[int]:
        found, begin = [], 0
        while begin < len(word):
            prefix = self._inside if begin > 0 else ""
            for end in range(len(word), begin, -1):
                number = self.ids.get(prefix + word[begin:end])
                if number is not None:
                    found.append(number)
                    begin = end
                    break
            else:
                return []
        return found


class Unigram(Tokenizer):
    """The likeliest tokens.

    >>> ids, scores = {"▁a": 0, "b": 1, "▁": 2, "ab": 3}, [-1.0, -1.0, -2.0, -3.0]
    >>> Unigram(ids, "▁", scores=scores).split("ab")
    [0, 1]
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        mark: str,
        *,
        scores: list[float],
        strips_accents: bool = False,
    ) -> None:
        super().__init__(ids, mark, strips_accents=strips_accents)
        self._scores, self._longest = scores, max(map(len, ids), default=0)

    def _cut(self, word: str) -> list[int]:
        best: list[tuple[float, list[int]] | None] = [(0.0, [])]
        for end in range(1, len(word) + 1):
            found = None
            for begin in range(max(end - self._longest, 0), end):
                before, number = best[begin], self.ids.get(word[begin:end])
                if before is None or number is None:
                    continue
                score = before[0] + self._scores[number]
                if found is None or score > found[0]:
                    found = score, [*before[1], number]
            best.append(found)
        last = best[-1]
        return [] if last is None else last[1]


class BytePair(Tokenizer):
    """Merged pairs.

    >>> ids = {"▁": 0, "a": 1, "b": 2, "ab": 3, "▁ab": 4, "c": 5}
    >>> BytePair(ids, "▁", ranks={("a", "b"): 0, ("▁", "ab"): 1}).split("abc")
    [4, 5]
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        mark: str,
        *,
        ranks: Mapping[tuple[str, str], int],
        strips_accents: bool = False,
    ) -> None:
        super().__init__(ids, mark, strips_accents=strips_accents)
        self._ranks = ranks

    def _cut(self, word: str) -> list[int]:
        parts = list(word)
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            first = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if first not in self._ranks:
                break
            at = pairs.index(first)
            parts[at : at + 2] = ["".join(first)]
        return [self.ids[part] for part in parts if part in self.ids]


def tokenizer_of(content: JsonObject) -> Tokenizer:
    """The tokenizer of a parsed `tokenizer.json`; an InputError or KeyError if it is none."""
    model = cast(JsonObject, content["model"])
    kind, vocab = model.get("type"), model["vocab"]
    kind = kind or ("Unigram" if isinstance(vocab, list) else "BPE" if "merges" in model else "")
    scores: list[float] = []
    if kind == "Unigram":
        scored = cast(list[tuple[str, float]], vocab)
        scores = [float(score) for _, score in scored]
        ids = {str(token): number for number, (token, _) in enumerate(scored)}
    else:
        ids = {str(token): int(number) for token, number in cast(dict[str, int], vocab).items()}
    mark = max(WORD_MARKS, key=lambda mark: sum(token.startswith(mark) for token in ids))
    mark = mark if any(token.startswith(mark) for token in ids) else ""
    strips = _strips_accents(content.get("normalizer"))
    if kind == "WordPiece":
        inside = str(model.get("continuing_subword_prefix", "##"))
        return WordPiece(ids, mark, inside=inside, strips_accents=strips)
    if kind == "Unigram":
        return Unigram(ids, mark, scores=scores, strips_accents=strips)
    if kind == "BPE":
        merges = cast(list[str | list[str]], model["merges"])
        pairs = (one.split(" ") if isinstance(one, str) else one for one in merges)
        ranks = {(str(first), str(second)): rank for rank, (first, second) in enumerate(pairs)}
        return BytePair(ids, mark, ranks=ranks, strips_accents=strips)
    raise InputError(f"a tokenizer of the kind {kind!r}, expected WordPiece, Unigram or BPE")


def _strips_accents(normalizer: object) -> bool:
    """Whether accents are taken off before words are cut."""
    if not isinstance(normalizer, dict):
        return False
    if normalizer.get("type") == "Sequence":
        return any(map(_strips_accents, normalizer.get("normalizers", [])))
    if normalizer.get("type") == "StripAccents":
        return True
    strips = normalizer.get("strip_accents")
    return normalizer.get("type") == "BertNormalizer" and bool(
        normalizer.get("lowercase") if strips is None else strips
    )
