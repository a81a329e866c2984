"""Traits of texts by which later texts are compared with those that a model learned from.

A text has a frequent word or not; its length is in one of four ranges, and so is the share of its
words that are frequent; and most of its letters are of one script. Frequent words and ranges are
those of some texts, to be counted in others: a word is not more frequent there because it was
chosen for that. Words are only those that the features of a model show anyway.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cached_property, lru_cache
from itertools import compress, pairwise
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.forms import Pattern, check_value
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, JsonObject
from wordplane.features.counting.core import count_features, select_all
from wordplane.features.text_features import TextFeatures
from wordplane.model.known_words import are_shown
from wordplane.text.texts import batches
from wordplane.text.token_spec import plain_analysis

MAX_WORDS = 400
MIN_TEXTS = 5  # that have a word
QUARTERS = (0.25, 0.5, 0.75)
SCRIPT_CHARS = 100  # of a text that are looked at
MAX_CUT = 1e12
FACTS: dict[str, Pattern] = {"words": [str], "lengths": [float], "known": [float], "scripts": [str]}
NO_SCRIPT = "no letters"


@frozen
class TextTraits:
    """Which traits there are.

    words    that texts have or not
    lengths  where the ranges of the number of words end
    known    where the ranges of the share of words that are among `words` begin, but the first
    scripts  of most letters, such as LATIN; a last trait is any other
    """

    words: tuple[str, ...]
    lengths: tuple[float, ...]
    known: tuple[float, ...]
    scripts: tuple[str, ...]

    @classmethod
    def of(cls, texts: _core.Texts, features: TextFeatures, threads: int) -> Self:
        """The traits that tell texts such as these apart, with words that features show."""
        counter = count_features(_analysis(), [texts], "frequency", threads)
        df = counter.document_frequency(threads)
        select_all(counter, threads)
        names = counter.vocabulary(threads).names()
        order = np.argsort(-df, kind="stable")[:MAX_WORDS]
        frequent = [names[i] for i in order.tolist() if df[i] >= MIN_TEXTS]
        words = tuple(compress(frequent, are_shown(frequent, features)))
        plain = cls(words, (), (), ())
        _, n_words, n_known = plain._count(texts, threads)
        found = Counter(map(script_of, texts))
        scripts = tuple(name for name, n in found.most_common(8) if n >= MIN_TEXTS)
        return cls(words, _cuts(n_words), _cuts(_share(n_known, n_words)), scripts)

    @property
    def names(self) -> list[str]:
        """What to call each trait."""
        lengths = [f"{length} words" for length in _lengths_to(self.lengths)]
        known = [f"{share} of their words frequent" for share in _shares_from(self.known)]
        scripts = [f"in {name.capitalize()} letters" for name in self.scripts]
        return [*map(repr, self.words), *lengths, *known, *scripts, "in other letters"]

    def matrix(self, texts: _core.Texts, threads: int) -> FloatArray:
        """1 where a text has a trait, texts x traits.

        >>> traits = TextTraits(("a", "film"), (2.0,), (), ("LATIN",))
        >>> traits.matrix(_core.Texts(["a film", "a film, a good film"]), 1).astype(int).tolist()
        [[1, 1, 1, 0, 1, 1, 0], [1, 1, 0, 1, 1, 1, 0]]
        """
        X, n_words, n_known = self._count(texts, threads)
        code = {name: number for number, name in enumerate(self.scripts)}
        other = len(self.scripts)
        script = np.array([code.get(script_of(text), other) for text in texts], np.int64)
        ranges = [
            np.searchsorted(self.lengths, n_words),
            np.searchsorted(self.known, _share(n_known, n_words).round(6), side="right"),
            script,
        ]
        sizes = [len(self.lengths) + 1, len(self.known) + 1, other + 1]
        parts = [np.eye(n)[which] for n, which in zip(sizes, ranges, strict=True)]
        return np.hstack([X, *parts])

    def to_dict(self) -> JsonObject:
        """As JSON can hold them."""
        return {name: list(getattr(self, name)) for name in FACTS}

    @classmethod
    def from_dict(cls, stored: object) -> Self:
        """From JSON that may be anybody's."""
        check_value(stored, FACTS, "traits")
        assert isinstance(stored, dict)
        traits = cls(**{name: tuple(stored[name]) for name in FACTS})
        cuts = (*traits.lengths, *traits.known)
        right = (
            len(set(traits.words)) == len(traits.words) <= MAX_WORDS
            and len(cuts) <= 2 * len(QUARTERS)
            and all(abs(cut) <= MAX_CUT for cut in cuts)
            and all(list(c) == sorted(set(c)) for c in (traits.lengths, traits.known))
        )
        if not right:
            raise InputError("traits of texts that are out of range")
        return traits

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_block"}

    @cached_property
    def _block(self) -> _core.Block:
        data = [word.encode("utf-8", "surrogatepass") for word in self.words]
        ends = np.cumsum([len(word) for word in data], dtype=np.int64)
        none, columns = np.zeros(0, np.uint32), np.arange(len(data), dtype=np.int32)
        joined = np.frombuffer(b"".join(data), np.uint8)
        return _core.Block(_analysis(), _core.Vocabulary(joined, ends, none, none, columns))

    def _count(self, texts: _core.Texts, threads: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Which words each text has; how many it has, and how many of them are frequent."""
        X, n_words = np.zeros((len(texts), len(self.words))), np.zeros(len(texts))
        n_known = np.zeros(len(texts))
        for begin, end in batches(texts, "comparing texts"):
            n_words[begin:end] = _core.count_tokens(_analysis(), texts, begin, end, threads)
            if self.words:
                found = _core.count_features(self._block, texts, begin, end, threads)
                rows = begin + np.repeat(np.arange(end - begin), np.diff(found[0]))
                X[rows, found[1]] = 1
                np.add.at(n_known, rows, found[2])
        return X, n_words, n_known


def script_of(text: str) -> str:
    """The script of most letters of the beginning of a text, as Unicode calls it.

    >>> script_of("Шум и 3 more"), script_of("!?")
    ('CYRILLIC', 'no letters')
    """
    beginning = text[:SCRIPT_CHARS]
    if beginning.isascii():  # as most texts are, and quickly seen
        return "LATIN" if any(map(str.isalpha, beginning)) else NO_SCRIPT
    found = Counter(filter(None, map(_script, beginning)))
    return found.most_common(1)[0][0] if found else NO_SCRIPT


@lru_cache(maxsize=10_000)
def _script(char: str) -> str:
    return unicodedata.name(char, "OTHER").split()[0].split("-")[0] if char.isalpha() else ""


def _analysis() -> _core.Analysis:
    return plain_analysis("words", lowercase=True)


def _share(n_known: FloatArray, n_words: FloatArray) -> FloatArray:
    return np.asarray(n_known / np.maximum(n_words, 1))


def _cuts(values: FloatArray) -> tuple[float, ...]:
    """Where quarters of the values end; equal ends are one."""
    if len(values) == 0:
        return ()
    return tuple(sorted(set(np.quantile(values, QUARTERS, method="lower").round(6).tolist())))


def _lengths_to(ends: tuple[float, ...]) -> list[str]:
    """What to call the ranges that end there.

    >>> _lengths_to((5.0, 9.0))
    ['up to 5', 'more than 5, up to 9', 'more than 9']
    """
    if not ends:
        return ["any number of"]
    between = [f"more than {a:,.0f}, up to {b:,.0f}" for a, b in pairwise(ends)]
    return [f"up to {ends[0]:,.0f}", *between, f"more than {ends[-1]:,.0f}"]


def _shares_from(starts: tuple[float, ...]) -> list[str]:
    """What to call the ranges that begin there, and the one before.

    >>> _shares_from((0.5, 0.75))
    ['less than 50.0%', '50.0% to 75.0%', '75.0% or more']
    """
    if not starts:
        return ["any share"]
    between = [f"{a:.1%} to {b:.1%}" for a, b in pairwise(starts)]
    return [f"less than {starts[0]:.1%}", *between, f"{starts[-1]:.1%} or more"]
