"""The recipe: what a classifier is made of if nobody says otherwise.

Words and runs of them, each text's values binary * idf with length 1, scaled by how much more
often the feature occurs in the class than outside it (NBSVM with smoothing by mass), and a
squared-hinge SVM for every class. What pays depends on the texts; a sample of them decides:

    short      (median below 100 tokens)  words 1-2, NOT_ after negations, characters 2-6;
                                          half way between naive Bayes and the SVM, C = 1.5;
                                          with more than five classes characters 1-5, and words
                                          count half
    long                                  words 1-3 that two texts have at least, 1-2 if there are
                                          more than five classes; the SVM's weights, C = 1;
                                          characters 2-5 too if there are few words in all
    unspaced   (Chinese, Japanese)        every character is a token: runs of 1-3, 1-2 if there are
                                          more than five classes; C = 0.75
    unspaced   (Thai, Lao, Burmese ...)   the same, runs of 1-5

The recipe is what is tried first. The default is the best by folds (`wordplane.model.race`) of it
and of its rivals:

    SVM           the recipe's features, a plain SVM
    characters    characters 1-4, across words too; log counts * idf of length 1; a plain SVM
    both          words 1-2 and these characters, read and learned like them
    both with NB  the same features, learned like the recipe's

More than 3,000 labels are learned by a label tree (`LabelTree`) on words instead: a machine for
each would take hours and gigabytes.

With less C, the rarer of two uneven classes is hardly ever predicted. docs/languages.md has the
evidence.

Reference: Wang and Manning (2012), Baselines and bigrams.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import IntArray
from wordplane.data.vectors import VECTOR_KIND
from wordplane.learners.names import RECIPE
from wordplane.learners.nbsvm import NBSVM
from wordplane.learners.registry import check_learner, learner_named
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.one_label import OneLabelClassifier
from wordplane.learners.support.protocols import takes_unlabeled
from wordplane.learners.svm import LinearSVM
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.text.fields import FieldsLike
from wordplane.text.token_spec import WORD_TOKENS

COUNTS_LEARNER = "nb"  # what learns from `word:count` items
TUNING_GRID = {"learner__C": (0.1, 0.3, 1.0, 3.0)}  # what a search tries beside the recipe itself

SHORT = 100  # tokens
FEW_TOKENS = 1_000_000  # in all texts together
MANY_TEXTS = 8000
MANY_CLASSES = 5
TREE_LABELS = 3000
HASH_BITS = 18  # for learners that count unknown words
UNSPACED = 1 / 3  # of the letters

SAMPLE = 200  # texts that are looked at
SAMPLE_CHARS = 1000  # of each of them

# How the names of letters begin that are written without spaces between words: those that mostly
# stand for syllables or more, and alphabets.
LOGOGRAPHIC = (
    "CJK", "IDEOGRAPHIC", "VERTICAL", "HIRAGANA", "HENTAIGANA", "KATAKANA", "HALFWIDTH KATAKANA",
    "BOPOMOFO", "YI SYLLABLE",
)  # fmt: skip
ALPHABETIC = (
    "THAI", "LAO", "KHMER", "MYANMAR", "TAI ", "NEW TAI LUE", "JAVANESE", "BALINESE",
)  # fmt: skip


class Rival(NamedTuple):
    """A way to read texts and to learn from them, which may be better than the recipe; tried only
    where one of the rivals `after` which it comes may be, if any are named."""

    name: str
    analyzer: Analyzer
    learner: LinearClassifier
    after: tuple[str, ...] = ()


class Parts(NamedTuple):
    """An analyzer and a learner, and what else may be tried, if the recipe was asked for."""

    analyzer: Analyzer
    learner: LinearClassifier
    rivals: tuple[Rival, ...] = ()


@frozen
class Recipe:
    """What a look at the texts decides.

    script        "spaced", "logographic" or "alphabetic", the last two without spaces
    short         whether the median of the numbers of tokens is below 100
    few_tokens    whether all texts together have fewer than a million tokens
    many_texts    whether there are 8,000 texts or more
    many_classes  whether there are more than five classes
    """

    script: str = "spaced"
    short: bool = True
    few_tokens: bool = False
    many_texts: bool = False
    many_classes: bool = False

    @classmethod
    def of(cls, documents: Documents, n_classes: int, n_docs: int | None = None) -> Self:
        """The recipe for these texts, or for n_docs texts of which these are `sample_rows`."""
        rows = sample_rows(len(documents))
        n_docs = len(documents) if n_docs is None else n_docs
        sample = documents.texts.take(rows)
        words = Analyzer().resolve().tokens.word_analysis()
        lengths = _core.count_tokens(words, sample, 0, len(rows), 1)
        middle = np.sort(lengths)[[(len(rows) - 1) // 2, len(rows) // 2]] if len(rows) else 0
        return cls(
            script=_script(sample[i][:SAMPLE_CHARS] for i in range(len(rows))),
            short=bool(np.mean(middle) < SHORT),
            few_tokens=bool(n_docs * np.mean(lengths) < FEW_TOKENS) if n_docs else True,
            many_texts=n_docs >= MANY_TEXTS,
            many_classes=n_classes > MANY_CLASSES,
        )

    def analyzer(self) -> Analyzer:
        """How the recipe reads texts."""
        common = Analyzer(boundaries=True, tf="binary", idf="smooth", norm="l2")
        # Opinions hang on turns of phrase; many classes are mostly topics, which have their own
        # words (20 newsgroups, folds of the training part: 93.2 % with runs of three, 93.6 %
        # without).
        turns = (1, 2 if self.many_classes else 3)
        if self.script == "logographic":
            return common.set_params(ngrams=turns, min_df=1 if self.short else 2)
        if self.script == "alphabetic":
            return common.set_params(ngrams=(1, 5), min_df=2 if self.many_texts else 1)
        if not self.short:
            return common.set_params(
                ngrams=turns, min_df=2, chars=(2, 5) if self.few_tokens else None
            )
        if self.many_classes:
            return common.set_params(
                ngrams=(1, 2),
                chars=(1, 5),
                weights={"word": 0.5},
                min_df=2 if self.many_texts else 1,
            )
        return common.set_params(ngrams=(1, 2), negation=True, chars=(2, 6))

    def learner(self, random_state: int = 0) -> NBSVM:
        """How the recipe finds weights."""
        unspaced = self.script != "spaced"
        C = 0.75 if unspaced else 1.5 if self.short else 1.0
        return NBSVM(
            beta=0.5 if unspaced or self.short else 1.0,
            binary=False,
            smoothing="mass",
            scaling="shifted",
            learner=LinearSVM(C=C, tol=0.01, random_state=random_state),
        )

    def rivals(self, random_state: int = 0) -> tuple[Rival, ...]:
        """What else is tried; where words are not written apart, no words."""
        min_df = 2 if self.many_texts and not self.short else 1
        characters = Analyzer(tf="log", idf="smooth", norm="l2", min_df=min_df)
        characters.set_params(ngrams=None, chars=(1, 4), chars_across=True)
        svm = LinearSVM(C=1.0, tol=0.01, random_state=random_state)
        plain = Rival("SVM", self.analyzer(), svm)
        if self.script != "spaced":
            return plain, Rival("characters", characters, svm)
        both = Analyzer(**{**characters.get_params(deep=False), "ngrams": (1, 2)})
        weighted = Rival("both with NB", both, self.learner(random_state))
        alone = Rival("characters", characters, svm, after=("both", "both with NB"))
        return plain, Rival("both", both, svm), weighted, alone


def label_tree(random_state: int = 0) -> LinearClassifier:
    """What takes the place of the recipe for more than 3,000 labels."""
    from wordplane.learners.label_tree import LabelTree

    return LabelTree(random_state=random_state)


def sample_rows(n_docs: int) -> IntArray:
    """The texts that are looked at."""
    return np.linspace(0, n_docs - 1, min(n_docs, SAMPLE)).astype(np.int64)


def _script(texts: Iterable[str]) -> str:
    """Which kind of script most words of the texts are written in."""
    letters = Counter({c: n for c, n in Counter("".join(texts)).items() if c.isalpha()})
    names = [(unicodedata.name(letter, ""), n) for letter, n in letters.items()]
    logographic = sum(n for name, n in names if name.startswith(LOGOGRAPHIC))
    alphabetic = sum(n for name, n in names if name.startswith(ALPHABETIC))
    if logographic + alphabetic <= UNSPACED * letters.total():
        return "spaced"
    return "logographic" if logographic >= alphabetic else "alphabetic"


def default_analyzer(
    learner: LinearClassifier | None,
    documents: Documents,
    n_classes: int,
    n_docs: int | None = None,
) -> Analyzer:
    """What suits a learner: counts for naive Bayes, the recipe's features for None, else tf-idf."""
    if learner is None and n_classes > TREE_LABELS:
        learner = label_tree()
    if learner is None:
        return Recipe.of(documents, n_classes, n_docs).analyzer()
    if learner.reads_counts:
        return Analyzer()
    weighted = Analyzer(tf="binary", idf="exact", norm="l2")
    if isinstance(learner, OneLabelClassifier) and learner.counts_unknown:
        return weighted.set_params(hash_bits=HASH_BITS)
    if learner.kind == "tree":
        # Thousands of labels have few texts each, too few to learn pairs of words from.
        n_docs = len(documents) if n_docs is None else n_docs
        return weighted.set_params(ngrams=(1, 1), min_df=2 if n_docs >= MANY_TEXTS else 1)
    return weighted


def unsuited_parameters(given: Mapping[str, object]) -> dict[str, object]:
    """What the features that suit a learner must do without, given other parameters.

    >>> unsuited_parameters({"tokens": "whitespace"})
    {'negation': False}
    """
    without: dict[str, object] = {}
    if given.get("tokens", "words") not in WORD_TOKENS:  # only words can be negated
        without["negation"] = False
    if given.get("hash_bits") is not None:  # there are no rare features to leave out
        without["min_df"] = 1
    return without


def choose_parts(
    analyzer: Analyzer | None,
    learner: str | LinearClassifier | None,
    documents: Documents,
    n_classes: int,
    n_docs: int | None = None,
    *,
    fields: FieldsLike = None,
    random_state: int,
) -> Parts:
    """What is given, and the rest as it suits these documents, or n_docs of which these are the
    `sample_rows`; with fields in place of one text, if some are given. If nothing is, rivals of the
    recipe."""
    is_open = learner is None and analyzer is None and fields is None
    if isinstance(learner, str):
        learner = None if learner == RECIPE else learner_named(learner)
    if learner is not None:
        learner = check_learner(learner)
    elif n_classes > TREE_LABELS:
        learner = label_tree(random_state)
    if learner is None:
        recipe = Recipe.of(documents, n_classes, n_docs)
        learner = recipe.learner(random_state)
        if is_open:
            return Parts(recipe.analyzer(), learner, recipe.rivals(random_state))
        analyzer = recipe.analyzer() if analyzer is None else analyzer
    elif analyzer is None:
        analyzer = default_analyzer(learner, documents, n_classes, n_docs)
    suited = suited_analyzer(analyzer, learner)
    if fields is None:
        return Parts(suited, learner)
    if suited.resolve().columns.fields:
        raise InputError("`fields` are those of the analyzer: leave out either")
    with_fields = Analyzer(**{**suited.get_params(deep=False), "fields": fields})
    return Parts(suited_analyzer(with_fields, learner), learner)


def suited_analyzer(analyzer: Analyzer, learner: LinearClassifier) -> Analyzer:
    """The analyzer, checked, or what a learner makes of it that takes only some values."""
    columns = analyzer.resolve().columns
    if learner.reads_binary:
        return binary_analyzer(analyzer, learner)
    if learner.reads_counts:
        options = {"number": "extra", VECTOR_KIND: "vectors"}
        for name, kind in columns.kinds.items():
            if kind in options:
                raise InputError(
                    f"{learner!r} learns from counts, and the column {name!r} "
                    f"(`{options[kind]}`) has numbers below 0 once it is centered: leave it out, "
                    "or name another learner, such as 'svm' or 'logistic'"
                )
    return analyzer


def binary_analyzer(analyzer: Analyzer, learner: LinearClassifier) -> Analyzer:
    """The analyzer for a learner that asks whether a feature occurs, not how often."""
    columns = analyzer.resolve().columns
    if columns.lexica or columns.embeddings or columns.columns:
        raise InputError(
            f"{learner!r} takes every value as 1: it cannot use lexica, embeddings or columns "
            "beside the text"
        )
    fields = list(columns.fields) or None  # their weights would change nothing
    changed = {"tf": "binary", "idf": None, "norm": None, "weights": None, "fields": fields}
    return Analyzer(**{**analyzer.get_params(deep=False), **changed})


def unlabeled_learner(learner: LinearClassifier, params: Mapping[str, object]) -> LinearClassifier:
    """What learns from texts without labels too: that learner, by self-training if it cannot
    itself. EM naive Bayes chooses alpha by leaving one out."""
    from wordplane.learners.em import EMNaiveBayes
    from wordplane.learners.self_training import SelfTraining

    if isinstance(learner, EMNaiveBayes) and params.get("model") != "bernoulli":
        params = {"alpha": "loo", **params}
    learner.set_params(**params)
    can_use_them = takes_unlabeled(learner)
    if isinstance(learner, OneLabelClassifier) and not can_use_them:
        raise InputError(
            f"{learner!r} cannot learn from texts without labels: leave them out, or use "
            "`learner=pu`, which can"
        )
    return learner if can_use_them else SelfTraining(learner)
