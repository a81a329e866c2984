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

from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Self

from wordplane.common.errors import InputError
from wordplane.common.estimator import Estimator
from wordplane.text.analyzer_spec import OPTIONAL, AnalyzerSpec
from wordplane.text.column_spec import Embeddings
from wordplane.text.fields import FieldsLike
from wordplane.text.stop_words import ENGLISH
from wordplane.text.token_spec import Token, TokenSpec

if TYPE_CHECKING:  # the options of the command line are made without NumPy
    from wordplane.common.types import JsonObject


class Analyzer(Estimator):
    """Which features a text has.

    Parameters
    ----------
    tokens : str, default "words"
        "words": words with inner apostrophes and hyphens, numbers, known emoticons and emoji,
        every other punctuation mark or symbol by itself, and every letter of a script that is
        written without spaces between words (Chinese, Japanese, Thai ...). "spaced": the same,
        but words have spaces in every script. "counts": `word:count` items separated by white
        space. "whitespace": whatever is separated by white space. "pattern": runs of two or more
        letters, digits and underscores, as scikit-learn's. "regex:PATTERN": what a regular
        expression of Python matches, found in linear time; it may have neither groups that
        capture, nor lookaround, nor back references.
    ngrams : (int, int) or None, default (1, 2)
        The shortest and the longest run of tokens that is a feature; None for no such features.
    lowercase : bool, default True
        Whether to fold case.
    strip_accents : bool, default False
        Take letters without their accents: e for é, and fi for the ligature.
    normalize : list of str, default None
        Take web addresses ("urls"), mentions of users ("mentions") and numbers ("numbers") as the
        same token each: <url>, <mention>, <number>. They have no features of characters.
    forbid : list of str, default None
        Words that no feature may tell of: masked in the text before it is read, so that they are
        also in no run of words or characters and in no form after a negation. With fields,
        field:word is the word in one field.
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

    def __init__(  # noqa: PLR0913
        self,
        *,
        tokens: str = "words",
        ngrams: tuple[int, int] | None = (1, 2),
        lowercase: bool = True,
        strip_accents: bool = False,
        normalize: Iterable[str] | None = None,
        forbid: Iterable[str] | None = None,
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
        self.forbid = forbid
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
        shown = type(self)(**self.get_params(deep=False))
        if isinstance(self.stem, Mapping):
            shown.stem = f"{len(self.stem):,} words"
        if isinstance(self.stop_words, Sized) and not isinstance(self.stop_words, str):
            shown.stop_words = f"{len(self.stop_words):,} words"
        return super(Analyzer, shown).__repr__()

    def __sklearn_clone__(self) -> Self:
        """A copy that shares the lexica and the embeddings, which stay fitted."""
        return type(self)(**self.get_params(deep=False))

    def resolve(self) -> AnalyzerSpec:
        """What the parameters ask for, checked: an InputError says which is wrong.

        The specification does not change when parameters are set later.
        """
        return AnalyzerSpec.of(self.get_params(deep=False))

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text, folded as the parameters say, and where they are in it."""
        return TokenSpec.of(self.get_params(deep=False)).tokenize(text)

    def to_dict(self) -> JsonObject:
        """The parameters as JSON can hold them; of the embeddings, only their names."""
        return self.resolve().to_dict()

    @classmethod
    def from_dict(
        cls, described: object, embeddings: Mapping[str, Embeddings] | None = None
    ) -> Self:
        """The analyzer that `to_dict` described; unknown or missing entries are an error.

        Whether the values are right is for `resolve` to say.
        """
        names = set(cls().get_params())
        entries = described if isinstance(described, dict) else {}
        is_complete = names - set(OPTIONAL) <= set(entries) <= names
        if not is_complete or entries.get("embeddings", []) != list(embeddings or {}):
            raise InputError(f"an analyzer needs the entries {', '.join(sorted(names))}")
        values = {**entries, "embeddings": embeddings}
        for name in ("ngrams", "chars", "prefixes", "suffixes"):
            if isinstance(values[name], list):
                values[name] = tuple(values[name])
            elif values[name] is not None:
                raise InputError(
                    f"the analyzer's {name} is {values[name]!r:.60}, expected a list of numbers"
                )
        if values.get("stop_words") == list(ENGLISH):
            values["stop_words"] = "english"
        return cls().set_params(**values)
