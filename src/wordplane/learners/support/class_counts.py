"""What the naive Bayes learners share: they count, and everything else follows from the counts.

    class_count_     n_k, the documents of class k, by weight
    feature_count_   what they add up to in every column

Documents can be added to the counts and taken out of them again; either way the model is the one
that `fit` makes of the documents that are left.
"""

from collections.abc import Mapping
from numbers import Real
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import ALPHA_GRID, log_softmax
from wordplane.learners.support.incremental import (
    IncrementalClassifier,
    StateValue,
    all_or_nothing,
)

ROUNDING = 1e-9  # of a count


class NaiveBayes(IncrementalClassifier):
    """A classifier by joint probabilities: a learner adds `predict_joint_log_proba`."""

    def predict_joint_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(x, k) for every class."""
        raise NotImplementedError

    def predict_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(k | x) for every class."""
        return log_softmax(self.predict_joint_log_proba(X))

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """P(k | x) for every class."""
        return np.exp(self.predict_log_proba(X))


class CountingClassifier(NaiveBayes):
    """A linear classifier whose weights follow from counts.

    A learner adds `_smooth`, and `_values` if it does not count the values as they are.

    Attributes
    ----------
    class_count_, feature_count_
        Documents per class, and occurrences of each feature in each class, by weight.
    """

    grows = True
    grid = ALPHA_GRID
    reads_counts = True
    takes_negative = False
    scores_poorly = True
    state: tuple[str, ...] = ("class_count_", "feature_count_")

    class_count_: FloatArray
    feature_count_: FloatArray

    def _values(self, X: _core.Csr) -> _core.Csr:
        """What is counted."""
        return X

    def _smooth(self) -> None:
        """Set the weights that belong to the counts."""
        raise NotImplementedError

    def _start(self) -> None:
        self.class_count_ = np.zeros(len(self.classes_))
        self.feature_count_ = np.zeros((len(self.classes_), self.n_features_in_))

    def _add(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        """Add rows to the counts."""
        weights = self._row_weights(X, codes, sample_weight)
        self._add_counts(X, codes, weights, self.feature_count_)
        self.class_count_ += np.bincount(codes, weights, minlength=len(self.classes_))
        self._smooth()
        return self

    def _add_counts(
        self, X: _core.Csr, codes: Codes, weights: FloatArray, counts: FloatArray
    ) -> None:
        values = self._values(X)
        if not self.takes_negative:
            check_counts(values, type(self).__name__)
        _core.add_class_counts(values, codes, weights, counts, thread_count(self.n_jobs))

    @all_or_nothing
    def remove(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Take rows out of the counts again."""
        self._check_fitted()
        matrix = self._known_features(X)
        codes = self._known_labels(matrix, y)
        weights = self._row_weights(matrix, codes, sample_weight)
        counts = np.zeros_like(self.feature_count_)
        self._add_counts(matrix, codes, weights, counts)
        in_classes = np.bincount(codes, weights, minlength=len(self.classes_)).astype(np.float64)
        self.feature_count_ = _subtract(self.feature_count_, counts)
        self.class_count_ = _subtract(self.class_count_, in_classes)
        if not self.class_count_.any():  # shares of no rows would be 0 / 0
            raise InputError("no text with a label would be left")
        self._smooth()
        return self

    def fade(self, share: float) -> None:
        """Let all rows so far count (1 - share) as much."""
        self.class_count_ = self.class_count_ * (1 - share)
        self.feature_count_ = self.feature_count_ * (1 - share)
        self._smooth()

    def state_of_first_class(self) -> dict[str, FloatArray]:
        """The counts of both classes together, as those of the first."""
        state = self.get_state()
        for name in ("class_count_", "feature_count_"):
            counts = state[name]
            state[name] = np.stack([counts.sum(axis=0), np.zeros_like(counts[0])])
        return state

    def occurring(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The columns and the classes that have a count."""
        return np.asarray(self.feature_count_.any(axis=0)), self.class_count_ > 0

    def _refill(self, before: Mapping[str, StateValue], place: IntArray, kept: IntArray) -> None:
        columns = np.flatnonzero(place >= 0)
        rows = np.flatnonzero(kept >= 0)
        n_docs, counts = np.asarray(before["class_count_"]), np.asarray(before["feature_count_"])
        self.class_count_[kept[rows]] = n_docs[rows]
        self.feature_count_[np.ix_(kept[rows], place[columns])] = counts[np.ix_(rows, columns)]
        self._smooth()

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        return self._scores(self._known_counts(X))

    def _known_counts(self, X: MatrixLike) -> _core.Csr:
        self._check_fitted()
        return self._values(self._known_features(X))


def check_counts(X: _core.Csr, name: str) -> None:
    """Refuse values below 0."""
    if X.has_negative:
        raise InputError(f"Negative values in data passed to {name} (input X): counts are expected")


def _subtract(counts: FloatArray, taken: FloatArray) -> FloatArray:
    """counts - taken, 0 where only rounding is left."""
    left = counts - taken
    if (left < -ROUNDING * np.maximum(counts, 1.0)).any():
        raise InputError("these texts cannot be removed: the model did not learn from all of them")
    return np.asarray(np.where(left > ROUNDING * np.maximum(counts, 1.0), left, 0.0))


def binarize(X: _core.Csr, threshold: float = 0.0) -> _core.Csr:
    """1 where a value is above the threshold, which is not negative, else 0.

    >>> from wordplane.common.matrix import as_csr
    >>> binarize(as_csr([[3, 0], [0.5, 1]])).arrays()[2]
    array([1., 1., 1.], dtype=float32)
    """
    indptr, indices, values = X.arrays()
    return _core.Csr(X.shape[1], indptr, indices, (values > threshold).astype(np.float32))


def check_alpha(alpha: object) -> float:
    """alpha as a number above 0."""
    if not (isinstance(alpha, Real) and 0 < float(alpha) < float("inf")):
        raise InputError(f"alpha is {alpha!r}, expected a finite number above 0")
    return float(alpha)


class Prior(NamedTuple):
    """How the shares of the classes are found."""

    fit_prior: bool = True
    class_prior: ArrayLike | None = None
    prior_alpha: float = 0.0


def log_prior(
    class_count: FloatArray, prior: Prior, there: NDArray[np.bool_] | None = None
) -> FloatArray:
    """log mu_k, classes last: given, or equal, or (n_k + a) / sum_k (n_k + a).

    Classes that are not `there` have no share at all.

    >>> np.exp(log_prior(np.array([3.0, 1.0]), Prior(prior_alpha=1)))
    array([0.66666667, 0.33333333])
    """
    fit_prior, class_prior, prior_alpha = prior
    there = np.ones(class_count.shape, bool) if there is None else there
    if not isinstance(fit_prior, (bool, np.bool_)):
        raise InputError(f"fit_prior is {fit_prior!r}, expected True or False")
    if not (isinstance(prior_alpha, Real) and 0 <= float(prior_alpha) < float("inf")):
        raise InputError(f"prior_alpha is {prior_alpha!r}, expected a finite number from 0 up")
    if class_prior is not None:
        n_classes = class_count.shape[-1]
        try:
            shares = np.asarray(class_prior, dtype=np.float64)
        except (TypeError, ValueError):
            shares = np.zeros(0)
        if shares.shape != (n_classes,) or not (shares > 0).all():
            raise InputError(f"class_prior is {class_prior!r}, expected {n_classes} shares above 0")
        shares = np.where(there, shares, 0.0)
    else:
        counts = class_count + float(prior_alpha) if fit_prior else np.ones_like(class_count)
        counts = np.where(there, counts, 0.0)
        shares = counts / counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):  # a class without documents has log mu = -inf
        return np.asarray(np.log(shares))


def center(W: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """W and b, a column per class, without what more than two classes share: it decides nothing."""
    if len(b) <= 2:
        return W, b
    return W - W.mean(axis=1, keepdims=True), b - b[np.isfinite(b)].mean()
