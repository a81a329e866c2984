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
from typing import TYPE_CHECKING, Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import (
    ClassWeight,
    all_or_nothing,
)
from wordplane.learners.support.class_counts import check_alpha, log_softmax
from wordplane.learners.support.counting import CountingClassifier
from wordplane.learners.support.grids import ALPHA_GRID

if TYPE_CHECKING:
    from sklearn.utils import Tags


class ComplementNB(CountingClassifier):
    """Naive Bayes on what the other classes do not say.

    Parameters
    ----------
    alpha : float, default 1.0
        Added to the count of every word, above 0.
    norm : bool, default False
        Divide the weights of a class by their sum.
    class_weight : None, "balanced" or mapping, default None
        How much a document of each class counts.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two classes.
    class_count_, feature_count_, feature_all_
        Documents per class, occurrences of each feature in each class and in all, by weight.
    feature_log_prob_
        The weights w, one row per class.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

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
    reads_counts = True
    state = ("class_count_", "feature_count_")

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

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Count the words of every class."""
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

    def predict_joint_log_proba(self, X: MatrixLike) -> FloatArray:
        """The score z of every class."""
        self._check_fitted()
        matrix = self._known_features(X)
        W = np.ascontiguousarray(self.feature_log_prob_.T)
        return _core.linear_scores(matrix, W, np.zeros(W.shape[1]), thread_count(self.n_jobs))

    def predict_log_proba(self, X: MatrixLike) -> FloatArray:
        """log softmax(z)."""
        return log_softmax(self.predict_joint_log_proba(X))

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """softmax(z)."""
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on measurements; it is meant for counts
        return tags

    def _add_counts(
        self, X: _core.Csr, codes: Codes, weights: FloatArray, counts: FloatArray
    ) -> None:
        if X.has_negative:
            raise InputError(
                "Negative values in data passed to ComplementNB (input X): counts are expected"
            )
        super()._add_counts(X, codes, weights, counts)

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
