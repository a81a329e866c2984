"""What a token is, and what becomes of it: the part of an analyzer's specification about tokens."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.text.accents import strip_accents_unicode
from wordplane.text.checks import check_flag, check_optional_range, check_text, check_texts
from wordplane.text.forbidden import Mask, mask_of
from wordplane.text.negation import NEGATIONS
from wordplane.text.stemming import check_stem, stems_of
from wordplane.text.stop_words import ENGLISH

TOKENS = ("words", "spaced", "counts", "whitespace", "pattern")
WORD_TOKENS = ("words", "spaced", "counts")
REGEX = "regex:"  # and the pattern
NORMALIZED = ("urls", "mentions", "numbers")


class Token(NamedTuple):
    """A token and its place: text[start:end], counted in characters."""

    text: str
    start: int
    end: int


@frozen
class TokenSpec:
    """The parameters of an `Analyzer` that say what its tokens are, checked.

    forbid      words, each for all fields or as field:word
    stop_words  as words, also the built-in ones
    stem        a language, or words with their stems
    negation    a list is in lower case
    """

    tokens: str
    ngrams: tuple[int, int] | None
    lowercase: bool
    strip_accents: bool
    normalize: tuple[str, ...]
    forbid: tuple[str, ...]
    stop_words: tuple[str, ...]
    stem: str | dict[str, str] | None
    boundaries: bool
    negation: bool | tuple[str, ...]

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """The tokens of an analyzer with these parameters; an InputError if one is wrong."""
        negation = given["negation"]
        if not isinstance(negation, bool):
            negation = tuple(word.lower() for word in check_texts("negation", negation))
        return cls(
            tokens=check_tokens(given["tokens"]),
            ngrams=check_optional_range("ngrams", given["ngrams"]),
            lowercase=check_flag("lowercase", given["lowercase"]),
            strip_accents=check_flag("strip_accents", given["strip_accents"]),
            normalize=_check_normalize(given["normalize"]),
            forbid=_check_forbid(given["forbid"]),
            stop_words=_check_stop_words(given["stop_words"]),
            stem=check_stem(given["stem"]),
            boundaries=check_flag("boundaries", given["boundaries"]),
            negation=negation,
        )

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text, folded as the parameters say, and where they are in it."""
        text, stems = self.mask(self.forbid, text), self.stem
        if isinstance(stems, str):
            words = [word for word, _, _ in _core.tokenize(self.unstemmed_analysis(), text)]
            stems = stems_of(stems, words)
        return [Token(*token) for token in _core.tokenize(self._analysis(stems), text)]

    def mask(self, words: tuple[str, ...], text: str) -> str:
        """The text with spaces in place of the words."""
        return self.mask_of(words).text(text) if words else text

    def mask_of(self, words: tuple[str, ...]) -> Mask:
        """What masks these words, whose case and accents matter if those of tokens do."""
        return mask_of(words, self.tokens, self.lowercase, self.strip_accents)

    def word_analysis(self) -> _core.Analysis:
        """Words and their n-grams, for the core."""
        return self._analysis(self.stems())

    def unstemmed_analysis(self) -> _core.Analysis:
        """The single words that have stems, before they are replaced."""
        return _core.Analysis(
            tokens=self.tokens,
            folding=self.folding(),
            ngrams=(1, 1),
            stop_words=self._folded_stop_words(),
        )

    def plain_analysis(self) -> _core.Analysis:
        """Single words as they are in the text, without NOT_ and boundaries: what is looked up in
        lexica."""
        return plain_analysis(self.tokens, self.lowercase)

    def char_analysis(self, lengths: tuple[int, int]) -> _core.Analysis:
        """Runs of characters that cross white space, for the core."""
        return _core.Analysis(tokens="chars", folding=self.folding(), ngrams=lengths)

    def folding(self) -> _core.Folding:
        """What is done to texts before their words are compared."""
        return _core.Folding(
            lowercase=self.lowercase,
            accents=self.strip_accents,
            **{name: name in self.normalize for name in NORMALIZED},
        )

    def stems(self) -> dict[str, str]:
        """The words that have stems, with these; those of a language must have been looked up."""
        if isinstance(self.stem, str):
            raise InputError(
                f"`stem` is the language {self.stem!r}, and only training in memory looks up the "
                "stems of its words; give words with their stems instead"
            )
        return self.stem or {}

    def _analysis(self, stems: Mapping[str, str] | None) -> _core.Analysis:
        negations = self.negation
        if isinstance(negations, bool):
            negations = tuple(NEGATIONS) if negations else ()
        return _core.Analysis(
            tokens=self.tokens,
            folding=self.folding(),
            boundaries=self.boundaries,
            ngrams=self.ngrams or (1, 1),
            stop_words=self._folded_stop_words(),
            negations=list(negations),
            stems=_core.Stems(list(stems.items())) if stems else None,
        )

    def _folded_stop_words(self) -> list[str]:
        words: Iterable[str] = self.stop_words
        if self.lowercase:
            words = [word.lower() for word in words]
        if self.strip_accents:
            words = [strip_accents_unicode(word) for word in words]
        return sorted(set(words))


def plain_analysis(tokens: str, lowercase: bool) -> _core.Analysis:
    """Single words, with their case folded or not, and otherwise as they are in the text."""
    return _core.Analysis(tokens=tokens, folding=_core.Folding(lowercase=lowercase), ngrams=(1, 1))


def check_tokens(tokens: object) -> str:
    """The name of a kind of tokens, or a pattern."""
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
    return tokens


def _check_normalize(value: object) -> tuple[str, ...]:
    """What is replaced by its kind."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"normalize is {value!r}, expected a list such as ['urls', 'numbers']")
    names = tuple(value)
    for name in names:
        if name not in NORMALIZED:
            raise InputError(
                f"normalize has {name!r}, expected one or more of {', '.join(NORMALIZED)}"
            )
    return names


def _check_forbid(value: object) -> tuple[str, ...]:
    """Words without white space around them, each once."""
    given = [] if value is None else [value] if isinstance(value, str) else value
    words = check_texts("forbid", given)
    for word in words:
        if not word.strip():
            raise InputError(f"`forbid` has {word!r}, expected a word")
    return tuple(dict.fromkeys(word.strip() for word in words))


def _check_stop_words(value: object) -> tuple[str, ...]:
    """The stop words; "english" stands for the built-in ones."""
    if value is None:
        return ()
    if isinstance(value, str):
        if value != "english":
            raise InputError(f"`stop_words` is {value!r}, expected 'english' or a list of words")
        return ENGLISH
    return tuple(check_texts("stop_words", value))
