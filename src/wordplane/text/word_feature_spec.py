"""Which features single words and characters have: the part of an analyzer's specification about
what is counted besides n-grams of words."""

from collections.abc import Mapping
from typing import Self

from wordplane import _core
from wordplane.common.frozen import frozen
from wordplane.text.checks import (
    check_flag,
    check_lengths,
    check_mapping,
    check_optional_range,
    check_texts,
)


@frozen
class WordFeatureSpec:
    """The parameters of an `Analyzer` for features of words and characters, checked."""

    chars: tuple[int, int] | None
    chars_across: bool
    prefixes: tuple[int, ...]
    suffixes: tuple[int, ...]
    shapes: bool
    lengths: bool
    known_words: tuple[str, ...] | None
    triggers: dict[str, list[str]]

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """Those of an analyzer with these parameters; an InputError if one is wrong."""
        known_words = given["known_words"]
        if known_words is not None:
            known_words = {word.lower() for word in check_texts("known_words", known_words)}
        lists = check_mapping("triggers", given["triggers"], "names of lists to words")
        return cls(
            chars=check_optional_range("chars", given["chars"]),
            chars_across=check_flag("chars_across", given["chars_across"]),
            prefixes=check_lengths("prefixes", given["prefixes"]),
            suffixes=check_lengths("suffixes", given["suffixes"]),
            shapes=check_flag("shapes", given["shapes"]),
            lengths=check_flag("lengths", given["lengths"]),
            known_words=None if known_words is None else tuple(sorted(known_words)),
            triggers={
                name: check_texts(f"triggers[{name!r}]", words) for name, words in lists.items()
            },
        )

    def token_features(self, *, spaced: bool, folding: _core.Folding) -> _core.TokenFeatures | None:
        """The features of single tokens, for the core; None if there are none."""
        inside = None if self.chars_across else self.chars
        affixes = self.prefixes or self.suffixes
        of_words = affixes or self.shapes or self.lengths or self.known_words
        if not (inside or of_words or self.triggers):
            return None
        return _core.TokenFeatures(
            spaced=spaced,
            folding=folding,
            chars=inside or (0, 0),
            affixes=(sorted(set(self.prefixes)), sorted(set(self.suffixes))),
            shapes=self.shapes,
            lengths=self.lengths,
            known_words=self.known_words or (),
            triggers=list(self.triggers.items()),
        )
