"""A classifier whose weights are set by hand.

    z_k = bias_k + sum over the words j of the text of weight[j, k]

Nothing is learned: the weights come as {(word, class): weight}, or as one list of words per
class, each of which counts 1 for it. Entries may be n-grams ("not good"). Texts are read by an
analyzer, so that words are found as it gives them: where it folds case, write lower case.

Reference: Eisenstein (2018), Natural Language Processing, section 2.1.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Self, TypeAlias

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, class_array
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.features.counting.core import count_known
from wordplane.learners.support.base import best_class
from wordplane.learners.support.untrained import UntrainedClassifier
from wordplane.text.analyzer import Analyzer
from wordplane.text.texts import as_texts

# {(word, class): weight}, or {class: words}
Weights: TypeAlias = (
    Mapping[tuple[str, str], float]
    | Mapping[tuple[str, int], float]
    | Mapping[str, Iterable[str]]
    | Mapping[int, Iterable[str]]
)


class HandSetWeights(UntrainedClassifier):
    """Words with weights for classes: texts in, labels out, no training.

    Parameters
    ----------
    weights : mapping
        {(word, class): weight}, or {class: list of words}, whose words have the weight 1.
    bias : mapping, default None
        {class: score that a text has before any word}; 0 for classes that are not in it.
    analyzer : Analyzer, default None
        How texts become words; None means `Analyzer()`.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    classes_
        The labels, sorted.
    coef_, intercept_
        The linear model in scikit-learn's shapes.
    feature_names_
        The words, sorted: the columns of `coef_`.

    Examples
    --------
    >>> model = HandSetWeights({"good": ["great", "fun", "not bad"], "bad": ["dull", "bad"]})
    >>> model.predict(["Great fun!", "dull", "not bad, great"])
    array(['good', 'bad', 'good'], dtype='<U4')
    >>> HandSetWeights({("win", "spam"): 2.5, ("win", "ham"): 0.5}).decision_function(["win win"])
    array([4.])
    """

    def __init__(
        self,
        weights: Weights,
        *,
        bias: Mapping[str, float] | Mapping[int, float] | None = None,
        analyzer: Analyzer | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.weights = weights
        self.bias = bias
        self.analyzer = analyzer
        self.n_jobs = n_jobs

    @property
    def classes_(self) -> LabelArray:
        """The labels, sorted."""
        return self._table()[0]

    @property
    def feature_names_(self) -> list[str]:
        """The words, sorted."""
        return self._table()[1]

    @property
    def coef_(self) -> FloatArray:
        """The weights, one row per class, or one for `classes_[1]` if there are two."""
        return np.ascontiguousarray(self._table()[2].T)

    @property
    def intercept_(self) -> FloatArray:
        """The bias of each row of `coef_`."""
        return self._table()[3]

    def fit(self, texts: Iterable[str], y: LabelsLike | None = None) -> Self:
        """Nothing is learned; texts, weights and labels are checked."""
        column = as_texts(texts)
        self._table()
        if y is not None and len(labels := as_labels(y)) != len(column):
            raise InputError(f"{len(column)} texts and {len(labels)} labels: one each is needed")
        return self

    def decision_function(self, texts: Iterable[str]) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        _, words, W, b = self._table()
        threads = thread_count(self.n_jobs)
        analyzer = Analyzer() if self.analyzer is None else self.analyzer
        vocabulary = _core.Vocabulary.from_names(words)
        block = _core.Block(analyzer.resolve().tokens.word_analysis(), vocabulary)
        indptr, indices, values = count_known(block, [as_texts(texts)], np.int64, threads)
        counts = (values > 0 if analyzer.tf == "binary" else values).astype(np.float64)
        X = _core.Csr(len(words), indptr, indices, counts)
        z = _core.linear_scores(X, W, b, threads)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, texts: Iterable[str]) -> LabelArray:
        """The class with the largest score; the first of them if several have it."""
        z = self.decision_function(texts)
        return self.classes_[best_class(z, len(self.classes_))]

    def _table(
        self,
    ) -> tuple[LabelArray, list[str], FloatArray, FloatArray]:
        """Classes, words, W (words x outputs) and b."""
        given = _by_word_and_class(self.weights)
        bias = {} if self.bias is None else self.bias
        labels = as_labels([*{label for _, label in given} | set(bias)])
        classes = class_array(sorted(labels.tolist()))
        if len(classes) < 2:
            raise InputError(f"weights for {len(classes)} class, expected at least two")
        words = sorted({word for word, _ in given})
        column = {word: j for j, word in enumerate(words)}
        row = {label: k for k, label in enumerate(classes.tolist())}
        W, b = np.zeros((len(words), len(classes))), np.zeros(len(classes))
        for (word, label), weight in given.items():
            W[column[word], row[label]] = weight
        for label, score in bias.items():
            b[row[label]] = score
        if not (np.isfinite(W).all() and np.isfinite(b).all()):
            raise InputError("a weight is not finite")
        if len(classes) == 2:
            W, b = W[:, 1:] - W[:, :1], b[1:] - b[:1]
        return classes, words, np.ascontiguousarray(W), b


def _by_word_and_class(weights: Weights) -> dict[tuple[str, Hashable], float]:
    if not isinstance(weights, Mapping) or not weights:
        raise InputError(
            f"weights is {weights!r}, expected {{(word, class): weight}} or word lists"
        )
    if all(isinstance(key, tuple) for key in weights):
        return {_checked_pair(key): _checked_weight(key, value) for key, value in weights.items()}
    found: dict[tuple[str, Hashable], float] = {}
    for label, words in weights.items():
        if isinstance(words, (str, Mapping)) or not isinstance(words, Iterable):
            raise InputError(f"the words of {label!r} are {words!r}, expected a list of words")
        found.update((_checked_pair((word, label)), 1.0) for word in words)
    return found


def _checked_pair(pair: Hashable) -> tuple[str, Hashable]:
    if isinstance(pair, tuple) and len(pair) == 2:
        word, label = pair
        if isinstance(word, str) and " ".join(word.split()) == word:
            return word, label
    raise InputError(
        f"{pair!r} is not a (word, class); an entry of several words has single blanks between them"
    )


def _checked_weight(pair: object, weight: object) -> float:
    if not isinstance(weight, (int, float, np.number)):
        raise InputError(f"the weight of {pair!r} is {weight!r}, expected a number")
    return float(weight)
