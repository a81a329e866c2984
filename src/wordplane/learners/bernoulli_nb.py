"""Bernoulli naive Bayes: which words occur, and which do not.

    mu_k = n_k / n                                    (share of the documents)
    p_jk = (alpha + df_kj) / (2 alpha + n_k)          (share of k's documents that contain j)
    z_k  = log mu_k + sum_j [x_j log p_jk + (1 - x_j) log(1 - p_jk)],   x_j = 1(word j occurs)

so W_jk = log p_jk - log(1 - p_jk) and b_k = log mu_k + sum_j log(1 - p_jk): absent words count,
and yet a document costs one sparse product.

Reference: McCallum and Nigam (1998), A comparison of event models for naive Bayes.
"""

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import (
    ClassWeight,
    all_or_nothing,
)
from wordplane.learners.support.class_counts import (
    Prior,
    binarize,
    check_alpha,
    log_prior,
    log_softmax,
)
from wordplane.learners.support.counting import CountingClassifier
from wordplane.learners.support.grids import ALPHA_GRID

if TYPE_CHECKING:
    from sklearn.utils import Tags


class BernoulliNB(CountingClassifier):
    """Naive Bayes on the presence and absence of words.

    Parameters
    ----------
    alpha : float, default 1.0
        Added to the number of documents with and without each word, above 0.
    binarize : float, default 0.0
        A word occurs where its value is above this number, which is not negative.
    fit_prior : bool, default True
        Learn the share of the classes; False takes them as equally likely.
    class_prior : array of shape (n_classes,), default None
        Use these shares instead of learning them.
    prior_alpha : float, default 0
        Added to the number of documents of every class where the shares are learned.
    class_weight : None, "balanced" or mapping, default None
        How much a document of each class counts.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model of the 0/1 values. With two classes one row, the W of the second class
        less that of the first; with more, the mean of W over the classes is taken off each column
        (and that of b off the biases), which changes no decision: what all classes share decides
        nothing. `predict_joint_log_proba` has the scores before that.
    class_count_, feature_count_
        Documents per class, and documents of each class with each feature, by weight.
    class_log_prior_, feature_log_prob_
        log mu and log p.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X = [[1, 1, 0], [2, 0, 0], [0, 1, 1]]
    >>> model = BernoulliNB().fit(X, ["sport", "sport", "law"])
    >>> np.exp(model.feature_log_prob_)
    array([[0.33333333, 0.66666667, 0.66666667],
           [0.75      , 0.5       , 0.25      ]])
    >>> model.predict([[0, 0, 0]])
    array(['sport'], dtype='<U5')
    """

    name = "bernoulli"
    text_defaults: Mapping[str, object] = {"alpha": 0.1}
    reads_counts = True
    reads_binary = True
    state = ("class_count_", "feature_count_")

    class_log_prior_: FloatArray
    feature_log_prob_: FloatArray

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        binarize: float = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        prior_alpha: float = 0.0,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Count the documents of every class that contain each word."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        self._start()
        return self._count(matrix, codes, sample_weight)

    @all_or_nothing
    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Add documents to the counts; the first call names all classes."""
        matrix, codes, first = self._next_rows(X, y, classes)
        if first:
            self._start()
        return self._count(matrix, codes, sample_weight)

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """alpha."""
        return {"alpha": ALPHA_GRID}

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        return self._scores(self._values(self._known_features(X)))

    def predict_joint_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(x, k) for every class."""
        self._check_fitted()
        matrix = self._values(self._known_features(X))
        W, b = self._log_odds()
        return _core.linear_scores(matrix, W, b, thread_count(self.n_jobs))

    def predict_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(k | x) for every class."""
        return log_softmax(self.predict_joint_log_proba(X))

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """P(k | x) for every class."""
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on measurements; it is meant for words
        return tags

    def _values(self, X: _core.Csr) -> _core.Csr:
        if not (isinstance(self.binarize, Real) and 0 <= float(self.binarize) < float("inf")):
            raise InputError(f"binarize is {self.binarize!r}, expected a number from 0 up")
        return binarize(X, float(self.binarize))

    def _smooth(self) -> None:
        there = np.ones(len(self.classes_), dtype=bool)
        prior = Prior(self.fit_prior, self.class_prior, self.prior_alpha)
        self.class_log_prior_ = log_prior(self.class_count_, there, prior)
        alpha = check_alpha(self.alpha)
        n_k = self.class_count_[:, None]
        self.feature_log_prob_ = np.log(self.feature_count_ + alpha) - np.log(n_k + 2 * alpha)
        W, b = self._log_odds()
        if len(self.classes_) > 2:  # what all classes share decides nothing
            W, b = W - W.mean(axis=1, keepdims=True), b - b[np.isfinite(b)].mean()
        self._set_weights(W, b)

    def _log_odds(self) -> tuple[FloatArray, FloatArray]:
        alpha, n_k = check_alpha(self.alpha), self.class_count_[:, None]
        # n_k - df, as sums of the same weights in another order, may fall below 0 by rounding.
        absent = np.maximum(n_k - self.feature_count_, 0.0)
        log_absent = np.log(absent + alpha) - np.log(n_k + 2 * alpha)
        W = np.ascontiguousarray((self.feature_log_prob_ - log_absent).T)
        return W, self.class_log_prior_ + log_absent.sum(axis=1)
