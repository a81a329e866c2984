"""How text becomes named features: a plain, serializable specification.

Features come in groups. Words and their n-grams are features under their own names; the names of
all other features begin with the name of their group:

    char: th        characters                  prefix:un  suffix:ing   of words
    shape:ALLCAPS   capitals, digits, ...       length:4-6              of words
    trigger:refund  from word lists             lexicon:mood:mean       from a lexicon
    n_links         a column of numbers         sender=bob              a column of categories
    embedding:pmi:0 of the mean of word vectors and:not&good        both are in the text
    vector:image:0  a column of vectors         title:good          a word of a field

In groups that count (words to triggers), a count x becomes weight * tf(x) * idf, divided by the
norm of its group in the text. Lexicon features and columns of numbers are standardized with their
mean and standard deviation in the training texts. Word embeddings are centered dimension by
dimension and scaled as a group: the mean squared norm of a training text is 1, times the weight.
Columns of vectors are treated alike. Each field (`wordplane.text.fields`) has groups of its own.
Conjunctions are 1, divided by the norm of their group, times its weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Self

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.text.checks import (
    check_lengths,
    check_mapping,
    check_number,
    check_range,
    check_text,
    check_texts,
)
from wordplane.text.embedded import Embeddings, check_embeddings
from wordplane.text.feature_choice import (
    Selection,
    check_conjoin,
    check_frequencies,
    parse_selection,
)
from wordplane.text.fields import FIELD_KIND, FieldsLike, check_fields, name_of_field
from wordplane.text.incompatible import check_together
from wordplane.text.stemming import check_stem
from wordplane.text.stop_words import ENGLISH
from wordplane.text.tokens import check_normalize, check_stop_words, check_tokens
from wordplane.text.word_reading import WordReading

if TYPE_CHECKING:
    from wordplane.common.types import JsonObject

OF_WORD_FLAGS = ("shapes", "lengths")
TFS = ("count", "binary", "relative", "log1p", "log")
IDFS = (None, "smooth", "exact", "delta")
NORMS = (None, "l1", "l2")
KINDS = ("number", "category", "vector")
COUNTED_GROUPS = ("word", "char", "length", "prefix", "shape", "suffix", "trigger")
# Parameters that the files of earlier versions do not have, with what they were then.
NEWER: dict[str, object] = {
    "embeddings": None,
    "select": None,
    "conjoin": None,
    "hash_bits": None,
    "stop_words": None,
    "strip_accents": False,
    "normalize": None,
    "stem": None,
    "fields": None,
}
WEIGHTED_GROUPS = (*COUNTED_GROUPS, "embedding", "vector", "and")


class Analyzer(WordReading):
    """Which features a text has.

    Parameters
    ----------
    tokens : str, default "words"
        "words": words with inner apostrophes and hyphens, numbers, known emoticons and emoji,
        every other punctuation mark or symbol by itself, and every letter of a script that is
        written without spaces between words (Chinese, Japanese, Thai ...). "spaced": the same,
        but words have spaces in every script, as before version 0.2. "counts": `word:count` items
        separated by white space. "whitespace": whatever is separated by white space. "pattern":
        runs of two or more letters, digits and underscores, as scikit-learn's. "regex:PATTERN":
        what a regular expression of Python matches, found in linear time; it may have neither
        groups that capture, nor lookaround, nor back references.
    ngrams : (int, int) or None, default (1, 2)
        The shortest and the longest run of tokens that is a feature; None for no such features.
    lowercase : bool, default True
        Whether to fold case.
    strip_accents : bool, default False
        Take letters without their accents: e for é, and fi for the ligature.
    normalize : list of str, default None
        Take web addresses ("urls"), mentions of users ("mentions") and numbers ("numbers") as the
        same token each: <url>, <mention>, <number>. They have no features of characters.
    stop_words : "english", list of str or None, default None
        Words to leave out, before n-grams are made; "english" are 268 words of grammar.
    stem : str, mapping of str to str or None, default None
        Replace words by their stems: a language of Snowball such as "english", for the stems of
        all words that are trained on, or words with their stems. Other words stay as they are.
    boundaries : bool, default False
        Put the tokens <s> and </s> around every text.
    negation : bool or list of str, default False
        Prefix NOT_ to every word after a negation word up to the next punctuation mark. A list
        replaces the built-in negation words; *n't in it stands for all words that end in n't.
    chars : (int, int) or None, default None
        The shortest and the longest run of characters that is a feature.
    chars_across : bool, default False
        Let runs of characters cross white space instead of ending at it.
    prefixes : list of int, default ()
        The lengths of word beginnings that are features.
    suffixes : list of int, default ()
        The lengths of word endings that are features.
    shapes : bool, default False
        Words in capitals, capitalized, with digits, in mixed case or elongated (sooo); emoticons;
        and whether all words of the text are capitalized.
    lengths : bool, default False
        The lengths of words.
    known_words : list of str or None, default None
        Correctly spelled words; shape:MISSPELT counts all others.
    triggers : mapping of str to list of str or None, default None
        Lists of words to search for in the raw text, so they may include ":)" or "money back".
        Every word is a feature, and so is the occurrence of any word of a list.
    lexica : mapping of str to Lexicon or None, default None
        Lexica by name. The features of each: the maximum, minimum and mean score in the text,
        and the sum and number of the positive and of the negative scores.
    embeddings : mapping of str to WordEmbeddings or None, default None
        Fitted word embeddings by name. The features of a text are the mean of its word vectors.
    columns : mapping of str to "number", "category" or "vector" or None, default None
        Further columns, in addition to the text, that are features.
    fields : list of str, or mapping of str to float, or None, default None
        Columns of text that are feature spaces of their own, in place of one text: a word in the
        title is another feature than the same word in the body. A mapping gives each a weight, by
        which its features are multiplied.
    min_df : int, default 1
        Leave out features that occur in fewer documents.
    max_df : float, default 1.0
        Leave out features that occur in a larger share of the documents.
    max_features : int or None, default None
        Keep only this number of the most frequent features of each kind of text feature.
    select : str or None, default None
        Keep only the text features with the largest scores, such as "ig:1000": the score is
        information gain (ig), chi-squared (chi2), corpus TF-IDF (tfidf) or the number of texts
        (df). Scores come from the training texts alone, also inside cross-validation.
    conjoin : int or None, default None
        Add a feature and:a&b for each pair of features that occur together in 2 training texts or
        more, among this number of features with the largest score (that of `select`, or else
        information gain).
    hash_bits : int or None, default None
        Hash words and characters into 2 ** hash_bits columns each: the model has no vocabulary,
        and different features may share a column.
    tf : "count", "binary", "relative", "log1p" or "log", default "count"
        What a count x becomes: x, 1, x / the number of tokens of the text, log(1 + x) or
        1 + log x.
    idf : "smooth", "exact", "delta" or None, default None
        Weight features by rarity: log((1 + n) / (1 + df)) + 1, log(n / df), or not at all.
        "delta", for two classes, is the difference of log((1 + n) / (1 + df)) between them: above
        0 for what is typical of the first, below 0 for the second.
    norm : "l1", "l2" or None, default None
        The norm by which the features of each group in a text are divided.
    weights : mapping of str to float or None, default None
        The weights of groups of features by name, such as {"char": 0.5}; the default is 1.

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
        strip_accents: bool = False,
        normalize: Iterable[str] | None = None,
        stop_words: str | Iterable[str] | None = None,
        stem: str | Mapping[str, str] | None = None,
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
        embeddings: Mapping[str, Embeddings] | None = None,
        columns: Mapping[str, str] | None = None,
        fields: FieldsLike = None,
        min_df: int = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        select: str | None = None,
        conjoin: int | None = None,
        hash_bits: int | None = None,
        tf: str = "count",
        idf: str | None = None,
        norm: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.tokens = tokens
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.normalize = normalize
        self.stop_words = stop_words
        self.stem = stem
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
        self.fields = fields
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.select = select
        self.conjoin = conjoin
        self.hash_bits = hash_bits
        self.tf = tf
        self.idf = idf
        self.norm = norm
        self.weights = weights

    def __repr__(self) -> str:
        shown = Analyzer(**self.get_params(deep=False))
        if isinstance(self.stem, Mapping):
            shown.stem = f"{len(self.stem):,} words"
        if not isinstance(self.stop_words, str | None):
            shown.stop_words = f"{len(check_stop_words(self.stop_words)):,} words"
        return super(Analyzer, shown).__repr__()

    def __sklearn_clone__(self) -> Self:
        """A copy that shares the lexica and the embeddings, which stay fitted."""
        return type(self)(**self.get_params(deep=False))

    def analyses(self) -> dict[str, _core.Analysis | _core.TokenFeatures]:
        """The parts that count, for the core: words, characters, features of single tokens; with
        fields, those of each field."""
        self.check()
        parts, fields = self._text_analyses(), range(len(self.field_weights()))
        of_fields = {
            name_of_field(field, part): one for field in fields for part, one in parts.items()
        }
        return of_fields or parts

    def _text_analyses(self) -> dict[str, _core.Analysis | _core.TokenFeatures]:
        parts: dict[str, _core.Analysis | _core.TokenFeatures] = {}
        if self.ngrams is not None:
            parts["words"] = self.word_analysis()
        if self.chars is not None and self.chars_across:
            parts["chars"] = self.analysis("chars", self.chars, folding=self.folding())
        inside = (
            (0, 0) if self.chars is None or self.chars_across else check_range("chars", self.chars)
        )
        prefixes = sorted(set(check_lengths("prefixes", self.prefixes)))
        suffixes = sorted(set(check_lengths("suffixes", self.suffixes)))
        known_words, triggers = self._known_words(), list(self._triggers().items())
        of_words = prefixes or suffixes or self.shapes or self.lengths or known_words
        if of_words or triggers or inside != (0, 0):
            parts["tokens"] = _core.TokenFeatures(
                spaced=self.tokens == "spaced",
                folding=self.folding(),
                chars=inside,
                affixes=(prefixes, suffixes),
                shapes=self.shapes,
                lengths=self.lengths,
                known_words=known_words,
                triggers=triggers,
            )
        return parts

    def check(self) -> None:
        """Raise an InputError if a parameter is wrong."""
        check_tokens(self.tokens)
        for name, allowed in (("tf", TFS), ("idf", IDFS), ("norm", NORMS)):
            if getattr(self, name) not in allowed:
                expected = ", ".join(map(str, allowed))
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {expected}")
        for name in ("lowercase", "strip_accents", "boundaries", "chars_across", *OF_WORD_FLAGS):
            if type(getattr(self, name)) is not bool:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected True or False")
        check_frequencies(self.min_df, self.max_df, self.max_features)
        for name in ("ngrams", "chars"):
            if getattr(self, name) is not None:
                check_range(name, getattr(self, name))
        check_lengths("prefixes", self.prefixes)
        check_lengths("suffixes", self.suffixes)
        check_together(self.get_params(deep=False))
        self.negations()
        self._known_words()
        self._triggers()
        self.folded_stop_words()
        check_normalize(self.normalize)
        check_stem(self.stem)
        self.lexicon_entries()
        self.fitted_embeddings()
        self.column_kinds()
        self.group_weights()
        self.selection()
        check_conjoin(self.conjoin)

    def has_plain_columns(self) -> bool:
        """Whether a feature that counts can be left out and the others stay as they are."""
        return self.hash_bits is None and self.conjoin is None

    def selection(self) -> Selection | None:
        """The score and number of `select`, checked."""
        return None if self.select is None else parse_selection(self.select)

    def lexicon_entries(self) -> dict[str, dict[str, float]]:
        """The words and scores of the lexica by name, checked."""
        if self.lexica is None:
            return {}
        lexica = check_mapping("lexica", self.lexica, "names of lexica to words with scores")
        return {
            name: {
                check_text(f"a word of lexica[{name!r}]", word): check_number(
                    f"the score of {word!r}", score
                )
                for word, score in check_mapping(f"lexica[{name!r}]", lexicon, "words to scores")
            }
            for name, lexicon in lexica
        }

    def fitted_embeddings(self) -> dict[str, Embeddings]:
        """The word embeddings by name, checked."""
        return check_embeddings(self.embeddings)

    def column_kinds(self) -> dict[str, str]:
        """The kinds of the further columns by name, checked; those of fields are "text"."""
        return {**dict.fromkeys(self.field_weights(), FIELD_KIND), **self._columns()}

    def field_weights(self) -> dict[str, float]:
        """The weights of the fields by name, checked."""
        return check_fields(self.fields)

    def _columns(self) -> dict[str, str]:
        if self.columns is None:
            return {}
        kinds = dict(check_mapping("columns", self.columns, "names of columns to kinds"))
        for name, kind in kinds.items():
            if kind not in KINDS:
                raise InputError(f"columns[{name!r}] is {kind!r}, expected {', '.join(KINDS)}")
        return kinds

    def group_weights(self) -> dict[str, float]:
        """The weights of groups by name, checked."""
        if self.weights is None:
            return {}
        weights = {}
        for name, weight in check_mapping("weights", self.weights, "groups of features to numbers"):
            if name not in WEIGHTED_GROUPS:
                raise InputError(
                    f"weights has the group {name!r}, expected one of {', '.join(WEIGHTED_GROUPS)}"
                )
            weights[name] = check_number(f"the weight of {name}", weight)
        return weights

    def to_dict(self) -> JsonObject:
        """The parameters as JSON can hold them; of the embeddings, only their names."""
        negation = self.negation if isinstance(self.negation, bool) else self.negations()
        spec = {
            **self.get_params(),
            "ngrams": None if self.ngrams is None else list(check_range("ngrams", self.ngrams)),
            "negation": negation,
            "stop_words": None if self.stop_words is None else check_stop_words(self.stop_words),
            "normalize": None if self.normalize is None else check_normalize(self.normalize),
            "stem": check_stem(self.stem),
            "chars": None if self.chars is None else list(check_range("chars", self.chars)),
            "prefixes": check_lengths("prefixes", self.prefixes),
            "suffixes": check_lengths("suffixes", self.suffixes),
            "known_words": None if self.known_words is None else self._known_words(),
            "triggers": None if self.triggers is None else self._triggers(),
            "lexica": None if self.lexica is None else self.lexicon_entries(),
            "columns": None if self.columns is None else self._columns(),
            "fields": self.field_weights(),
            "weights": None if self.weights is None else self.group_weights(),
            "embeddings": list(self.fitted_embeddings()),
        }
        for name, before in NEWER.items():  # older versions can read models without them
            if spec[name] == before or getattr(self, name) is None:
                del spec[name]
        return spec

    @classmethod
    def from_dict(cls, spec: object, embeddings: Mapping[str, Embeddings] | None = None) -> Self:
        """The analyzer that `to_dict` described; unknown or missing entries are an error."""
        expected = set(cls().get_params()) - {"embeddings"}
        if isinstance(spec, dict) and spec.get("embeddings", []) == list(embeddings or {}):
            spec = {**NEWER, **spec}
            del spec["embeddings"]
            if spec["stop_words"] == list(ENGLISH):
                spec["stop_words"] = "english"
        if not isinstance(spec, dict) or set(spec) != expected:
            raise InputError(f"an analyzer needs the entries {', '.join(sorted(expected))}")
        for name in ("ngrams", "chars", "prefixes", "suffixes"):
            if not isinstance(spec[name], list | None):
                raise InputError(
                    f"the analyzer's {name} is {spec[name]!r:.60}, expected a list of numbers"
                )
        tuples = {
            name: None if spec[name] is None else tuple(spec[name])
            for name in ("ngrams", "chars", "prefixes", "suffixes")
        }
        analyzer = cls(**{**spec, **tuples, "embeddings": embeddings})
        analyzer.check()
        return analyzer

    def _known_words(self) -> list[str]:
        if self.known_words is None:
            return []
        return sorted({word.lower() for word in check_texts("known_words", self.known_words)})

    def _triggers(self) -> dict[str, list[str]]:
        if self.triggers is None:
            return {}
        lists = check_mapping("triggers", self.triggers, "names of lists to words")
        return {name: check_texts(f"triggers[{name!r}]", words) for name, words in lists}
