"""Complement naive Bayes: what speaks against all other classes speaks for a class.

    c_kj   = alpha + the count of word j in all classes but k
    w_kj   = -log(c_kj / sum_j c_kj)
    w_kj   = w_kj / sum_j w_kj                        (if `norm`)
    z_k    = sum_j x_j w_kj

There is no prior: it suits classes of very different sizes. (With one class alone there is
nothing to compare.) Scores are not log-probabilities; `predict_proba` is their softmax.

Reference: Rennie, Shih, Teevan and Karger (2003), Tackling the poor assumptions of naive Bayes
text classifiers, ICML; steps 4 to 7 of their table 4, `norm` being step 7.
"""

from collections.abc import Mapping

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, MatrixLike
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.class_counts import CountingClassifier, check_alpha


class ComplementNB(CountingClassifier):
    """Naive Bayes on what the other classes do not say.

    Parameters
    ----------
    alpha : float, default 1.0
        Added to the count of every word, above 0.
    norm : bool, default False
        Divide the weights of a class by their sum.

    Attributes
    ----------
    class_count_, feature_count_, feature_all_
        Documents per class, occurrences of each feature in each class and in all, by weight.
    feature_log_prob_
        The weights w, one row per class.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3]]
    >>> model = ComplementNB().fit(X, ["sport", "sport", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> np.exp(-model.feature_log_prob_)[1]  # of what is not sport: 1 + (0, 1, 3), by its sum
    array([0.14285714, 0.28571429, 0.57142857])
    """

    name = "complement"
    text_defaults: Mapping[str, object] = {"alpha": 0.5}

    feature_all_: FloatArray
    feature_log_prob_: FloatArray

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        norm: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.norm = norm
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def predict_joint_log_proba(self, X: MatrixLike) -> FloatArray:
        """The score z of every class, of which `predict_proba` is the softmax."""
        matrix = self._known_counts(X)
        W = np.ascontiguousarray(self.feature_log_prob_.T)
        return _core.linear_scores(matrix, W, np.zeros(W.shape[1]), thread_count(self.n_jobs))

    def _smooth(self) -> None:
        if not isinstance(self.norm, (bool, np.bool_)):
            raise InputError(f"norm is {self.norm!r}, expected True or False")
        alpha = check_alpha(self.alpha)
        self.feature_all_ = self.feature_count_.sum(axis=0)
        # all - own, rounded, may fall below 0 where no other class has the word.
        others = np.maximum(self.feature_all_ - self.feature_count_, 0.0) + alpha
        w = np.log(others.sum(axis=1, keepdims=True)) - np.log(others)
        if self.norm:
            sums = w.sum(axis=1, keepdims=True)
            w /= np.where(sums > 0, sums, 1.0)  # 0 if there is but one word
        self.feature_log_prob_ = w
        self._set_weights(self.feature_log_prob_.T, np.zeros(len(self.classes_)))
