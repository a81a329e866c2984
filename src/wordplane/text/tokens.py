"""What a token is, and what becomes of it: the values of these parameters, and their checks."""

from collections.abc import Iterable
from typing import NamedTuple

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.text.checks import check_text, check_texts
from wordplane.text.stop_words import ENGLISH

TOKENS = ("words", "spaced", "counts", "whitespace", "pattern")
REGEX = "regex:"  # and the pattern
NORMALIZED = ("urls", "mentions", "numbers")
WORD_TOKENS = ("words", "spaced", "counts")


class Token(NamedTuple):
    """A token and its place: text[start:end], counted in characters."""

    text: str
    start: int
    end: int


def check_tokens(tokens: object) -> None:
    """Raise an InputError unless it says what a token is."""
    expected = f"{', '.join(TOKENS)} or {REGEX}PATTERN"
    if callable(tokens):
        raise InputError(
            f"`tokens` is a function, which a model file cannot hold: use {expected}, or "
            "CountVectorizer(tokenizer=...) in a pipeline"
        )
    if not isinstance(tokens, str) or not (tokens in TOKENS or tokens.startswith(REGEX)):
        raise InputError(f"tokens is {tokens!r}, expected {expected}")
    check_text("tokens", tokens)
    try:
        _core.Analysis(tokens=tokens)
    except ValueError as error:
        pattern = tokens.removeprefix(REGEX)
        raise InputError(f"`tokens`: the pattern {pattern!r} cannot be used: {error}") from None


def check_normalize(value: object) -> list[str]:
    """What is replaced by its kind, as a list."""
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"normalize is {value!r}, expected a list such as ['urls', 'numbers']")
    names = list(value)
    for name in names:
        if name not in NORMALIZED:
            raise InputError(
                f"normalize has {name!r}, expected one or more of {', '.join(NORMALIZED)}"
            )
    return names


def check_stop_words(value: object) -> list[str]:
    """The stop words as a list; "english" stands for the built-in ones."""
    if value is None:
        return []
    if isinstance(value, str):
        if value != "english":
            raise InputError(f"`stop_words` is {value!r}, expected 'english' or a list of words")
        return list(ENGLISH)
    return check_texts("stop_words", value)
