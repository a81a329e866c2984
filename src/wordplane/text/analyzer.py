"""How text becomes named features: a plain, serialisable specification.

Features come in groups. Words and their n-grams go by their own names; the names of all others
begin with that of their group:

    char: th        characters                  prefix:un  suffix:ing   of words
    shape:ALLCAPS   capitals, digits, ...       length:4-6              of words
    trigger:refund  of given lists              lexicon:mood:mean       of a lexicon
    n_links         a column of numbers         sender=bob              a column of categories
    embedding:pmi:0 of the mean of word vectors

In groups that count (words to triggers), a count x becomes weight * tf(x) * idf, divided by the
norm of its group in the text. Lexicon features and columns of numbers are standardised with the
mean and deviation that they have in the training texts. Word embeddings are centered by column
and scaled as a group, so that the mean squared norm of a training text is 1, times the weight.
"""

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, NamedTuple, Self

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import Estimator

TOKENS = ("words", "counts")
TFS = ("count", "binary", "relative", "log1p", "log")
IDFS = (None, "smooth", "exact")
NORMS = (None, "l1", "l2")
KINDS = ("number", "category")
COUNTED_GROUPS = ("word", "char", "length", "prefix", "shape", "suffix", "trigger")
WEIGHED_GROUPS = (*COUNTED_GROUPS, "embedding")

# *n't stands for every word that ends so.
NEGATIONS = (
    "not no never nor neither none nobody nothing nowhere cannot cant without "
    "hardly scarcely barely *n't *n\N{RIGHT SINGLE QUOTATION MARK}t"
).split()


def negates(word: str, negations: Iterable[str] = NEGATIONS) -> bool:
    """Whether what follows the word is negated.

    >>> [negates(word) for word in ("Never", "didn't", "notable")]
    [True, True, False]
    """
    word = word.lower()
    return any(
        word.endswith(held[1:]) if held.startswith("*") else word == held for held in negations
    )


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
    ngrams : (int, int) or None, default (1, 2)
        The shortest and the longest run of tokens that makes a feature; None for none.
    lowercase : bool, default True
        Whether case is folded.
    boundaries : bool, default False
        Put the tokens <s> and </s> around every text.
    negation : bool or list of str, default False
        Prefix NOT_ to every word after a negation word up to the next punctuation mark. A list
        replaces the negation words; *n't in it stands for all that end so.
    chars : (int, int) or None, default None
        The shortest and the longest run of characters that makes a feature.
    chars_across : bool, default False
        Let runs of characters cross white space, instead of standing inside it.
    prefixes : list of int, default ()
        Lengths of the beginnings of words that are features.
    suffixes : list of int, default ()
        Lengths of the endings of words that are features.
    shapes : bool, default False
        Words in capitals, capitalised, with digits or mixed case, elongated (sooo), emoticons,
        and whether all words of the text are capitalised.
    lengths : bool, default False
        How long words are.
    known_words : list of str or None, default None
        Correct words; shape:MISSPELT counts the others.
    triggers : mapping of str to list of str or None, default None
        Lists of words to be sought in the raw text, so that ":)" or "money back" can be among
        them. Every word is a feature, and so is any of a list.
    lexica : mapping of str to Lexicon or None, default None
        Lexica by name. What each says about a text: max, min and mean score, sum and number
        of the positive and of the negative ones.
    embeddings : mapping of str to WordEmbeddings or None, default None
        Fitted word embeddings by name: a text has the mean of the vectors of its words.
    columns : mapping of str to "number" or "category" or None, default None
        Columns beside the text that are features too.
    min_df : int, default 1
        Leave out features that fewer documents contain.
    max_df : float, default 1.0
        Leave out features that a larger share of the documents contains.
    max_features : int or None, default None
        Of words and of each other kind of text features keep the most frequent, so many.
    tf : "count", "binary", "relative", "log1p" or "log", default "count"
        What becomes of a count x: itself, 1, x / the number of tokens of the text, log(1 + x) or
        1 + log x.
    idf : "smooth", "exact" or None, default None
        Weigh features by rarity: log((1 + n) / (1 + df)) + 1, log(n / df), or not.
    norm : "l1", "l2" or None, default None
        What the features of each group in a text are divided by.
    weights : mapping of str to float or None, default None
        The weight of a group of features by its name, such as {"char": 0.5}; 1 if not given.

    Examples
    --------
    >>> analyzer = Analyzer()
    >>> [token.text for token in analyzer.tokenize("Didn't like it :-( $5!")]
    ["didn't", 'like', 'it', ':-(', '$', '5', '!']
    >>> analyzer.tokenize("¡Olé!")[1]
    Token(text='olé', start=1, end=4)
    >>> [token.text for token in Analyzer(negation=True).tokenize("I didn't like it, but you did")]
    ['i', "didn't", 'NOT_like', 'NOT_it', ',', 'but', 'you', 'did']
    """

    def __init__(
        self,
        *,
        tokens: str = "words",
        ngrams: tuple[int, int] | None = (1, 2),
        lowercase: bool = True,
        boundaries: bool = False,
        negation: bool | Iterable[str] = False,
        chars: tuple[int, int] | None = None,
        chars_across: bool = False,
        prefixes: Iterable[int] = (),
        suffixes: Iterable[int] = (),
        shapes: bool = False,
        lengths: bool = False,
        known_words: Iterable[str] | None = None,
        triggers: Mapping[str, Iterable[str]] | None = None,
        lexica: Mapping[str, Mapping[str, float]] | None = None,
        embeddings: Mapping[str, Any] | None = None,
        columns: Mapping[str, str] | None = None,
        min_df: int = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        tf: str = "count",
        idf: str | None = None,
        norm: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.tokens = tokens
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.boundaries = boundaries
        self.negation = negation
        self.chars = chars
        self.chars_across = chars_across
        self.prefixes = prefixes
        self.suffixes = suffixes
        self.shapes = shapes
        self.lengths = lengths
        self.known_words = known_words
        self.triggers = triggers
        self.lexica = lexica
        self.embeddings = embeddings
        self.columns = columns
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.tf = tf
        self.idf = idf
        self.norm = norm
        self.weights = weights

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text, folded as the parameters say, with their places in it."""
        return [Token(*token) for token in _core.tokenize(self.word_analysis(), text)]

    def __sklearn_clone__(self) -> Self:
        """A copy that shares lexica and embeddings: these are fitted, and stay so."""
        return type(self)(**self.get_params(deep=False))

    def readers(self) -> dict[str, _core.Analysis | _core.TokenFeatures]:
        """The parts that count, as the core reads them: words, characters, single tokens."""
        self.check()
        parts: dict[str, _core.Analysis | _core.TokenFeatures] = {}
        if self.ngrams is not None:
            parts["words"] = self.word_analysis()
        if self.chars is not None and self.chars_across:
            parts["chars"] = self._analysis("chars", self.chars)
        inside = (0, 0) if self.chars is None or self.chars_across else _range("chars", self.chars)
        prefixes = sorted(set(_lengths("prefixes", self.prefixes)))
        suffixes = sorted(set(_lengths("suffixes", self.suffixes)))
        known_words, triggers = self._known_words(), list(self._triggers().items())
        of_words = prefixes or suffixes or self.shapes or self.lengths or known_words
        if of_words or triggers or inside != (0, 0):
            parts["tokens"] = _core.TokenFeatures(
                lowercase=self.lowercase,
                chars=inside,
                prefixes=prefixes,
                suffixes=suffixes,
                shapes=self.shapes,
                lengths=self.lengths,
                known_words=known_words,
                triggers=triggers,
            )
        return parts

    def word_analysis(self) -> _core.Analysis:
        """Words and their n-grams, as the core reads them."""
        self.check()
        ngrams = self.ngrams or (1, 1)
        return self._analysis(self.tokens, ngrams, self.boundaries, self._negations())

    def plain_analysis(self) -> _core.Analysis:
        """Words by themselves, neither marked nor between boundaries: what lexica look up."""
        return self._analysis(self.tokens, (1, 1))

    def check(self) -> None:
        """Raises InputError where a parameter is not what it should be."""
        for name, allowed in (("tokens", TOKENS), ("tf", TFS), ("idf", IDFS), ("norm", NORMS)):
            if getattr(self, name) not in allowed:
                expected = ", ".join(map(str, allowed))
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {expected}")
        for name in ("lowercase", "boundaries", "chars_across", "shapes", "lengths"):
            if type(getattr(self, name)) is not bool:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected True or False")
        if type(self.min_df) is not int or self.min_df < 1:
            raise InputError(f"min_df is {self.min_df!r}, expected a whole number from 1 up")
        if type(self.max_df) not in (int, float) or not 0 < self.max_df <= 1:
            raise InputError(f"max_df is {self.max_df!r}, expected a share above 0, 1 at most")
        if self.max_features is not None and (
            type(self.max_features) is not int or self.max_features < 1
        ):
            raise InputError(f"max_features is {self.max_features!r}, expected a whole number")
        for name in ("ngrams", "chars"):
            if getattr(self, name) is not None:
                _range(name, getattr(self, name))
        of_words = _lengths("prefixes", self.prefixes) + _lengths("suffixes", self.suffixes)
        if self.tokens == "counts":
            if self.ngrams is None or _range("ngrams", self.ngrams)[1] > 1 or self.boundaries:
                raise InputError("word:count texts have no order: use ngrams=(1, 1), no boundaries")
            others = (self.negation, self.chars, self.shapes, self.lengths, self.known_words)
            if any(others) or self.triggers or of_words:
                raise InputError("word:count texts have words only: no other features of the text")
        self._negations()
        self._known_words()
        self._triggers()
        self.entries()
        self.word_vectors()
        self.column_kinds()
        self.group_weights()

    def entries(self) -> dict[str, dict[str, float]]:
        """The lexica, checked."""
        if self.lexica is None:
            return {}
        lexica = _mapping("lexica", self.lexica, "names of lexica to their words and scores")
        return {
            name: {
                _text("a word of a lexicon", word): _number(f"the score of {word!r}", score)
                for word, score in _mapping(f"the lexicon {name}", lexicon, "words to scores")
            }
            for name, lexicon in lexica
        }

    def word_vectors(self) -> dict[str, Any]:
        """The word embeddings, checked."""
        if self.embeddings is None:
            return {}
        named = dict(_mapping("embeddings", self.embeddings, "names to fitted WordEmbeddings"))
        for name, held in named.items():
            if not hasattr(held, "vectors_"):
                raise InputError(
                    f"the embeddings {name} is {held!r}, expected fitted WordEmbeddings: fit them "
                    "on texts first (they need no labels)"
                )
        return named

    def column_kinds(self) -> dict[str, str]:
        """The columns beside the text, checked."""
        if self.columns is None:
            return {}
        kinds = dict(_mapping("columns", self.columns, "names of columns to their kinds"))
        for name, kind in kinds.items():
            if kind not in KINDS:
                raise InputError(f"the column {name} is {kind!r}, expected one of number, category")
        return kinds

    def group_weights(self) -> dict[str, float]:
        """The weights of groups, checked."""
        if self.weights is None:
            return {}
        weights = {}
        for name, weight in _mapping("weights", self.weights, "groups of features to numbers"):
            if name not in WEIGHED_GROUPS:
                raise InputError(
                    f"weights names {name!r}, expected groups among {', '.join(WEIGHED_GROUPS)}"
                )
            weights[name] = _number(f"the weight of {name}", weight)
        return weights

    def to_dict(self) -> dict[str, Any]:
        """The parameters as JSON can hold them; embeddings by name, without their vectors."""
        negation = self.negation if isinstance(self.negation, bool) else self._negations()
        spec = {
            **self.get_params(),
            "ngrams": None if self.ngrams is None else list(_range("ngrams", self.ngrams)),
            "negation": negation,
            "chars": None if self.chars is None else list(_range("chars", self.chars)),
            "prefixes": _lengths("prefixes", self.prefixes),
            "suffixes": _lengths("suffixes", self.suffixes),
            "known_words": None if self.known_words is None else self._known_words(),
            "triggers": None if self.triggers is None else self._triggers(),
            "lexica": None if self.lexica is None else self.entries(),
            "columns": None if self.columns is None else self.column_kinds(),
            "weights": None if self.weights is None else self.group_weights(),
            "embeddings": list(self.word_vectors()),
        }
        if self.embeddings is None:  # so that models without them are read by older versions
            del spec["embeddings"]
        return spec

    @classmethod
    def from_dict(cls, spec: object, embeddings: Mapping[str, Any] | None = None) -> Self:
        """The analyzer that `to_dict` described; refuses unknown or missing entries."""
        expected = set(cls().get_params()) - {"embeddings"}
        if isinstance(spec, dict) and spec.get("embeddings", []) == list(embeddings or {}):
            spec = {name: held for name, held in spec.items() if name != "embeddings"}
        if not isinstance(spec, dict) or set(spec) != expected:
            raise InputError(f"an analyzer has the entries {', '.join(sorted(expected))}")
        for name in ("ngrams", "chars", "prefixes", "suffixes"):
            if not isinstance(spec[name], list | None):
                raise InputError(f"an analyzer's {name} are a list of numbers")
        tuples = {
            name: None if spec[name] is None else tuple(spec[name])
            for name in ("ngrams", "chars", "prefixes", "suffixes")
        }
        analyzer = cls(**{**spec, **tuples, "embeddings": embeddings})
        analyzer.check()
        return analyzer

    def _analysis(
        self,
        tokens: str,
        ngrams: tuple[int, int],
        boundaries: bool = False,
        negations: Iterable[str] = (),
    ) -> _core.Analysis:
        min_n, max_n = _range("ngrams", ngrams)
        return _core.Analysis(
            tokens=tokens,
            lowercase=self.lowercase,
            boundaries=boundaries,
            min_n=min_n,
            max_n=max_n,
            stop_words=[],
            negations=list(negations),
        )

    def _negations(self) -> list[str]:
        if isinstance(self.negation, bool):
            return list(NEGATIONS) if self.negation else []
        return [word.lower() for word in _texts("negation", self.negation)]

    def _known_words(self) -> list[str]:
        if self.known_words is None:
            return []
        return sorted({word.lower() for word in _texts("known_words", self.known_words)})

    def _triggers(self) -> dict[str, list[str]]:
        if self.triggers is None:
            return {}
        lists = _mapping("triggers", self.triggers, "names of lists to their words")
        return {name: _texts(f"the triggers {name}", words) for name, words in lists}


def _range(name: str, value: Any) -> tuple[int, int]:
    try:
        low, high = (index(n) for n in value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}, expected a pair such as (1, 2)") from None
    if not 1 <= low <= high <= 100:
        raise InputError(f"{name} is {value!r}, expected 1 <= shortest <= longest <= 100")
    return low, high


def _lengths(name: str, value: Any) -> list[int]:
    try:
        lengths = [index(n) for n in value]
    except TypeError:
        lengths = [0]
    if not all(1 <= n <= 100 for n in lengths):
        raise InputError(f"{name} is {value!r}, expected lengths from 1 to 100 such as [2, 3]")
    return lengths


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f"{what} is {value!r}, expected text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} is {value!r}, half of a surrogate pair") from None
    return value


def _texts(what: str, values: Any) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{what} is {values!r}, expected a list of words")
    return [_text(f"one of {what}", value) for value in values]


def _number(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e30:
        raise InputError(f"{what} is {value!r}, expected a finite number")
    if value != value:
        raise InputError(f"{what} is not a number")
    return float(value)


def _mapping(what: str, value: Any, expected: str) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise InputError(f"{what} is {value!r}, expected a mapping of {expected}")
    return [(_text(f"a name in {what}", name), held) for name, held in value.items()]
