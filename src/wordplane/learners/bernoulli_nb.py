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

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, MatrixLike
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.class_counts import (
    CountingClassifier,
    Prior,
    binarize,
    center,
    check_alpha,
    log_prior,
)


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
    reads_binary = True
    takes_negative = True

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

    def predict_joint_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(x, k) for every class."""
        matrix = self._known_counts(X)
        W, b = self._log_odds()
        return _core.linear_scores(matrix, W, b, thread_count(self.n_jobs))

    def _values(self, X: _core.Csr) -> _core.Csr:
        if not (isinstance(self.binarize, Real) and 0 <= float(self.binarize) < float("inf")):
            raise InputError(f"binarize is {self.binarize!r}, expected a number from 0 up")
        return binarize(X, float(self.binarize))

    def _smooth(self) -> None:
        prior = Prior(self.fit_prior, self.class_prior, self.prior_alpha)
        self.class_log_prior_ = log_prior(self.class_count_, prior)
        alpha = check_alpha(self.alpha)
        n_k = self.class_count_[:, None]
        self.feature_log_prob_ = np.log(self.feature_count_ + alpha) - np.log(n_k + 2 * alpha)
        self._set_weights(*center(*self._log_odds()))

    def _log_odds(self) -> tuple[FloatArray, FloatArray]:
        alpha, n_k = check_alpha(self.alpha), self.class_count_[:, None]
        # n_k - df, as sums of the same weights in another order, may fall below 0 by rounding.
        absent = np.maximum(n_k - self.feature_count_, 0.0)
        log_absent = np.log(absent + alpha) - np.log(n_k + 2 * alpha)
        W = np.ascontiguousarray((self.feature_log_prob_ - log_absent).T)
        return W, self.class_log_prior_ + log_absent.sum(axis=1)
