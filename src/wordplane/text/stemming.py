"""Stems of words, by the Snowball stemmers (PyStemmer).

A model keeps the stems of the words that it was trained on, as plain data: whoever loads it needs
no stemmer, and a word always has the stem that it had in training. A word that training has not
seen stays as it is.

Reference: Porter (2001), Snowball: a language for stemming algorithms.
"""

from collections.abc import Iterable, Mapping

from wordplane.common.errors import InputError, install
from wordplane.text.checks import check_mapping, check_text


def check_stem(value: object) -> str | dict[str, str] | None:
    """A language, words with their stems, or None."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise InputError(f"`stem` is {value!r:.60}, expected a language or words with their stems")
    pairs = check_mapping("stem", value, "words to stems")
    return {word: check_text(f"the stem of {word!r}", stem) for word, stem in pairs.items()}


def stems_of(language: str, words: Iterable[str]) -> dict[str, str]:
    """The stems of the words that have another stem than themselves.

    >>> stems_of("english", ["film", "films", "acting"])
    {'films': 'film', 'acting': 'act'}
    """
    try:
        import Stemmer
    except ImportError:
        raise InputError(f"`stem` needs PyStemmer; {install('stem')}") from None
    languages = Stemmer.algorithms()
    if language not in languages:
        raise InputError(f"`stem` is {language!r}, expected one of {', '.join(languages)}")
    known = list(words)
    stems = Stemmer.Stemmer(language).stemWords(known)
    pairs = zip(known, stems, strict=True)
    return {word: stem for word, stem in pairs if stem and stem != word}
