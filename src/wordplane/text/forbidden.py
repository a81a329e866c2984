"""Forbidden words: what is masked in texts before anything else reads them.

Every occurrence is replaced by as many spaces, so that no feature can tell of it: no word, no run
of words or characters, no form after a negation. Offsets of the other words stay what they were.
An occurrence ends where letters and digits do: `smith` is in "Smith's" and "blacksmith_smith", but
not in "smithy". In scripts without spaces between words it may stand anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from wordplane import _core
from wordplane.text.accents import strip_accents_unicode

MARKS = "\u0300-\u036f"  # accents that follow their letter
BEFORE, AFTER = r"(?<![^\W_])", rf"(?![^\W_{MARKS}]|[{MARKS}])"


class Mask:
    """Replaces words in texts by spaces.

    >>> Mask(("smith",)).text("Smith's film, by Dr. SMITH (not Smithers)")
    "     's film, by Dr.       (not Smithers)"
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        tokens: str = "words",
        lowercase: bool = True,
        strip_accents: bool = False,
    ) -> None:
        self._strips = strip_accents
        one_of = "|".join(_pattern(word, tokens, strip_accents) for word in words)
        self._pattern = re.compile(one_of, re.IGNORECASE if lowercase else 0)

    def text(self, text: str) -> str:
        """The text, with spaces in place of the words."""
        read = text if not self._strips or text.isascii() else "".join(map(_base, text))
        spans = [match.span() for match in self._pattern.finditer(read)]
        if not spans:
            return text
        kept, end = [], 0
        for start, stop in spans:
            kept += [text[end:start], " " * (stop - start)]
            end = stop
        return "".join([*kept, text[end:]])

    def texts(self, texts: _core.Texts) -> _core.Texts:
        """All texts."""
        given = list(texts)
        masked = [self.text(text) for text in given]
        return texts if masked == given else _core.Texts(masked)


@lru_cache(maxsize=64)
def mask_of(words: tuple[str, ...], tokens: str, lowercase: bool, strip_accents: bool) -> Mask:
    """The mask of some words; the same for the same arguments."""
    return Mask(words, tokens=tokens, lowercase=lowercase, strip_accents=strip_accents)


def _pattern(word: str, tokens: str, strip_accents: bool) -> str:
    if tokens == "counts":  # an item is a word or a run of words, and how often it occurs
        return rf"(?<!\S)(?:\S*_)?{re.escape(word)}(?:_\S*)?:[^\s:]+(?!\S)"
    if strip_accents:
        letters = strip_accents_unicode(word)
        form = "".join(re.escape(letter) + f"[{MARKS}]*" for letter in letters)
    else:
        forms = dict.fromkeys([word, *(unicodedata.normalize(f, word) for f in ("NFC", "NFD"))])
        form = f"(?:{'|'.join(map(re.escape, forms))})"
    form = re.sub(r"(?:\\ )+", r"\\s+", form)  # between the words of a phrase
    before = BEFORE if _joins(word[0], tokens) else ""
    return before + form + (AFTER if _joins(word[-1], tokens) else "")


def _joins(letter: str, tokens: str) -> bool:
    """Whether such letters in a row are one word."""
    return len(_core.tokenize(_core.Analysis(tokens=tokens, ngrams=(1, 1)), letter * 2)) < 2


@lru_cache(maxsize=4096)
def _base(letter: str) -> str:
    """A letter without its accents, if that is one letter; else as it is."""
    base = strip_accents_unicode(letter)
    return base if len(base) == 1 else letter
