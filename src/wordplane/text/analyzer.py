"""How text becomes named features: a plain, serialisable specification."""

from operator import index
from typing import Any, NamedTuple, Self

from wordplane import _core
from wordplane.errors import InputError
from wordplane.estimator import Estimator

TOKENS = ("words", "counts")


class Token(NamedTuple):
    """A token and where it stands: text[start:end], counted in characters."""

    text: str
    start: int
    end: int


class Analyzer(Estimator):
    """Which features a text has.

    Parameters
    ----------
    tokens : "words" or "counts", default "words"
        "words": words with inner apostrophes and hyphens, numbers, known emoticons and emoji
        whole, every other punctuation mark or symbol by itself. "counts": the text is a list
        of `word:count` items between white space.
    ngrams : (int, int), default (1, 2)
        The shortest and the longest run of tokens that makes a feature.
    lowercase : bool, default True
        Whether case is folded.
    boundaries : bool, default False
        Put the tokens <s> and </s> around every text.
    min_df : int, default 1
        Leave out features that fewer documents contain.
    binary : bool, default False
        A feature counts once per document, however often it occurs.

    Examples
    --------
    >>> analyzer = Analyzer()
    >>> [token.text for token in analyzer.tokenize("Didn't like it :-( $5!")]
    ["didn't", 'like', 'it', ':-(', '$', '5', '!']
    >>> analyzer.tokenize("¡Olé!")[1]
    Token(text='olé', start=1, end=4)
    """

    def __init__(
        self,
        *,
        tokens: str = "words",
        ngrams: tuple[int, int] = (1, 2),
        lowercase: bool = True,
        boundaries: bool = False,
        min_df: int = 1,
        binary: bool = False,
    ) -> None:
        self.tokens = tokens
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.boundaries = boundaries
        self.min_df = min_df
        self.binary = binary

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text, folded as the parameters say, with their places in it."""
        return [Token(*token) for token in _core.tokenize(self.native(), text)]

    def native(self) -> _core.Analysis:
        """The same specification as the core reads it; checks every parameter."""
        if self.tokens not in TOKENS:
            raise InputError(f"tokens is {self.tokens!r}, expected one of {', '.join(TOKENS)}")
        try:
            min_n, max_n = (index(n) for n in self.ngrams)
        except (TypeError, ValueError):
            raise InputError(f"ngrams is {self.ngrams!r}, expected a pair such as (1, 2)") from None
        if not 1 <= min_n <= max_n <= 100:
            raise InputError(f"ngrams is {self.ngrams!r}, expected 1 <= shortest <= longest <= 100")
        if self.tokens == "counts" and (max_n > 1 or self.boundaries):
            raise InputError("word:count texts have no order: use ngrams=(1, 1), no boundaries")
        if type(self.min_df) is not int or self.min_df < 1:
            raise InputError(f"min_df is {self.min_df!r}, expected a whole number from 1 up")
        for name in ("lowercase", "boundaries", "binary"):
            if type(getattr(self, name)) is not bool:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected True or False")
        return _core.Analysis(
            tokens=self.tokens,
            lowercase=self.lowercase,
            boundaries=self.boundaries,
            min_n=min_n,
            max_n=max_n,
            stop_words=[],
        )

    def to_dict(self) -> dict[str, Any]:
        """The parameters as JSON can hold them."""
        return {**self.get_params(), "ngrams": list(self.ngrams)}

    @classmethod
    def from_dict(cls, spec: object) -> Self:
        """The analyzer that `to_dict` described; refuses unknown or missing entries."""
        expected = set(cls().get_params())
        if not isinstance(spec, dict) or set(spec) != expected:
            raise InputError(f"an analyzer has the entries {', '.join(sorted(expected))}")
        if not isinstance(spec["ngrams"], list):
            raise InputError("an analyzer's ngrams are a list of two numbers")
        analyzer = cls(**{**spec, "ngrams": tuple(spec["ngrams"])})
        analyzer.native()
        return analyzer
