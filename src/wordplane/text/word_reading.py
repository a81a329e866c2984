"""How the words of a text are found, folded and replaced: the part of an analyzer about words."""

from collections.abc import Iterable, Mapping

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import Estimator
from wordplane.text.accents import strip_accents_unicode
from wordplane.text.checks import check_range, check_texts
from wordplane.text.negation import NEGATIONS
from wordplane.text.stemming import check_stem, stems_of
from wordplane.text.tokens import Token, check_normalize, check_stop_words


class WordReading(Estimator):
    """The parameters of an `Analyzer` that say what its words are, as the core takes them."""

    tokens: str
    ngrams: tuple[int, int] | None
    lowercase: bool
    strip_accents: bool
    normalize: Iterable[str] | None
    stop_words: str | Iterable[str] | None
    stem: str | Mapping[str, str] | None
    boundaries: bool
    negation: bool | Iterable[str]

    def check(self) -> None:
        """Raise an InputError if a parameter is wrong."""
        raise NotImplementedError

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text, folded as the parameters say, and where they are in it."""
        stems: Mapping[str, str] = {}
        if isinstance(self.stem, str):
            words = [word for word, _, _ in _core.tokenize(self.unstemmed_analysis(), text)]
            stems = stems_of(self.stem, words)
        elif self.stem is not None:
            stems = self.stems()
        return [Token(*token) for token in _core.tokenize(self._word_analysis(stems), text)]

    def word_analysis(self) -> _core.Analysis:
        """Words and their n-grams, for the core."""
        self.check()
        return self._word_analysis(self.stems())

    def unstemmed_analysis(self) -> _core.Analysis:
        """The single words that have stems, before they are replaced."""
        stop_words = self.folded_stop_words()
        return self.analysis(self.tokens, (1, 1), folding=self.folding(), stop_words=stop_words)

    def single_analysis(self) -> _core.Analysis:
        """Single words as they are in features, without NOT_ and boundaries."""
        return self.analysis(
            self.tokens,
            (1, 1),
            folding=self.folding(),
            stop_words=self.folded_stop_words(),
            stems=_native(self.stems()),
        )

    def plain_analysis(self) -> _core.Analysis:
        """Single words as they stand in the text, without NOT_ and boundaries: what is looked up
        in lexica."""
        return self.analysis(self.tokens, (1, 1))

    def stems(self) -> dict[str, str]:
        """The words that have stems, with these, checked; a language must have been looked up."""
        stem = check_stem(self.stem)
        if isinstance(stem, str):
            raise InputError(
                f"`stem` is the language {stem!r}, and only training in memory looks up the stems "
                "of its words; give words with their stems instead"
            )
        return stem or {}

    def _word_analysis(self, stems: Mapping[str, str]) -> _core.Analysis:
        return self.analysis(
            self.tokens,
            self.ngrams or (1, 1),
            folding=self.folding(),
            boundaries=self.boundaries,
            negations=self.negations(),
            stop_words=self.folded_stop_words(),
            stems=_native(stems),
        )

    def analysis(
        self,
        tokens: str,
        ngrams: tuple[int, int],
        *,
        folding: _core.Folding | None = None,
        boundaries: bool = False,
        negations: Iterable[str] = (),
        stop_words: Iterable[str] = (),
        stems: _core.Stems | None = None,
    ) -> _core.Analysis:
        """Tokens of a kind and their n-grams, for the core."""
        return _core.Analysis(
            tokens=tokens,
            folding=_core.Folding(lowercase=self.lowercase) if folding is None else folding,
            boundaries=boundaries,
            ngrams=check_range("ngrams", ngrams),
            stop_words=list(stop_words),
            negations=list(negations),
            stems=stems,
        )

    def folding(self) -> _core.Folding:
        """What is done to texts before their words are compared."""
        named = check_normalize(self.normalize)
        return _core.Folding(
            lowercase=self.lowercase,
            accents=self.strip_accents,
            urls="urls" in named,
            mentions="mentions" in named,
            numbers="numbers" in named,
        )

    def folded_stop_words(self) -> list[str]:
        """The stop words, folded as words are, checked."""
        words = check_stop_words(self.stop_words)
        if self.lowercase:
            words = [word.lower() for word in words]
        if self.strip_accents:
            words = [strip_accents_unicode(word) for word in words]
        return sorted(set(words))

    def negations(self) -> list[str]:
        """The words that negate, in lower case, checked."""
        if isinstance(self.negation, bool):
            return list(NEGATIONS) if self.negation else []
        return [word.lower() for word in check_texts("negation", self.negation)]


def _native(stems: Mapping[str, str]) -> _core.Stems | None:
    return _core.Stems(list(stems.items())) if stems else None
