"""Baselines: how good a classifier is that looks at no words.

majority:   always the class with most training rows (the first among equals);
            as a linear model W = 0, b = log share
random:     a class at random, all equally likely or by their shares
"""

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import ClassWeight, LinearClassifier, probabilities
from wordplane.learners.support.incremental import IncrementalClassifier

if TYPE_CHECKING:
    from sklearn.utils import Tags


class MajorityBaseline(IncrementalClassifier):
    """Always the most frequent class.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model: weights of 0, and the logarithms of the shares of the classes.
    class_count_
        Rows per class, by weight.

    Examples
    --------
    >>> MajorityBaseline().fit([[1], [2], [3]], ["ham", "spam", "ham"]).predict([[5]])
    array(['ham'], dtype='<U4')
    """

    name = "majority"
    scores_poorly = True
    class_count_: FloatArray

    def __init__(self, *, class_weight: ClassWeight = None, n_jobs: int | None = None) -> None:
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """The shares of the classes, for every row."""
        z = self.decision_function(X)
        return np.ones((len(z), 1)) if len(self.classes_) == 1 else probabilities(z)

    def _start(self) -> None:
        self.class_count_ = np.zeros(len(self.classes_))

    def _add(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        weights = self._row_weights(X, codes, sample_weight)
        self.class_count_ += np.bincount(codes, weights, minlength=len(self.classes_))
        with np.errstate(divide="ignore"):
            b = np.log(self.class_count_ / self.class_count_.sum())
        self._set_weights(np.zeros((self.n_features_in_, len(b))), b)
        return self


class RandomBaseline(LinearClassifier):
    """A class at random for every row; not a linear model.

    Parameters
    ----------
    shares : "equal" or "learned", default "equal"
        All classes equally likely, or as often as in training.
    class_weight : None, "balanced" or mapping, default None
        How much a row of each class counts for learned shares.
    n_jobs : int, default None
        Not used; every learner has it.
    random_state : int, default 0
        The seed: the same number of rows always gets the same guesses.

    Attributes
    ----------
    classes_
        The labels, sorted.
    class_prior_
        The share of each.

    Examples
    --------
    >>> model = RandomBaseline(shares="learned").fit([[1], [2], [3]], ["ham", "spam", "ham"])
    >>> model.class_prior_
    array([0.66666667, 0.33333333])
    """

    name = "random"
    scores_poorly = True
    kind = "random"
    class_prior_: FloatArray

    def __init__(
        self,
        *,
        shares: str = "equal",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.shares = shares
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Count the rows of each class."""
        if self.shares not in ("equal", "learned"):
            raise InputError(f"shares is {self.shares!r}, expected 'equal' or 'learned'")
        _, codes, weights = self._weighted_rows(X, y, sample_weight)
        counts = np.bincount(codes, weights, minlength=len(self.classes_)).astype(np.float64)
        if self.shares == "equal":
            counts = np.ones(len(self.classes_))
        self.class_prior_ = counts / counts.sum()
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """1 for the class drawn, 0 for others; with two classes 1 or -1, for `classes_[1]`."""
        drawn = self._draw(X)
        if len(self.classes_) == 2:
            return np.where(drawn == 1, 1.0, -1.0)
        z = np.eye(len(self.classes_))[drawn]
        return z[:, 0] if z.shape[1] == 1 else z

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True  # a row's guess depends on its place
        return tags

    def _draw(self, X: MatrixLike) -> NDArray[np.int64]:
        self._check_fitted()
        n_rows = self._known_features(X).shape[0]
        rng = np.random.default_rng(self.random_state)
        return rng.choice(len(self.classes_), n_rows, p=self.class_prior_)
