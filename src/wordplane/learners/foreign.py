"""Linear classifiers of other libraries: whatever learns `coef_`, `intercept_` and `classes_`.

    w, b = what the other learner finds on the same rows

The fitted model is ours: it is saved, explained and served like any other, and whoever loads it
does not need the other library.
"""

from copy import deepcopy
from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.matrix import scipy_csr
from wordplane.common.types import FloatArray, LabelArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import LinearClassifier

CHECKED_ROWS = 100
TOLERANCE = 1e-6  # of scores, relative to the largest


class LinearEstimator(Protocol):
    """What is used of another library's classifier."""

    coef_: ArrayLike
    intercept_: ArrayLike
    classes_: ArrayLike

    def fit(self, X: object, y: LabelArray, **weights: FloatArray) -> object: ...

    def decision_function(self, X: object) -> ArrayLike: ...


class ForeignLinear(LinearClassifier):
    """A linear classifier of scikit-learn, or of a library that has its conventions.

    Parameters
    ----------
    learner : estimator
        A classifier that has `coef_`, `intercept_` and `classes_` after `fit`.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> X, y = [[1, 0], [2, 1], [0, 1], [0, 2]], ["a", "a", "b", "b"]
    >>> ForeignLinear(SGDClassifier(random_state=0)).fit(X, y).predict([[3, 0]])
    array(['a'], dtype='<U1')
    """

    def __init__(self, learner: LinearEstimator) -> None:
        self.learner = learner

    def __repr__(self) -> str:
        return repr(self.learner)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Let a copy of the learner learn, and take over its weights."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        indptr, indices, values = matrix.arrays()
        if indptr[-1] <= np.iinfo(np.int32).max:  # some learners take no others
            indptr = indptr.astype(np.int32)
        rows = scipy_csr((values.astype(np.float64), indices, indptr), shape=matrix.shape)
        fitted = deepcopy(self.learner)
        weights = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
        fitted.fit(rows, self.classes_[codes], **weights)
        if not all(hasattr(fitted, name) for name in ("coef_", "intercept_", "classes_")):
            raise InputError(
                f"{self.learner!r} has no `coef_`, `intercept_` and `classes_` after `fit`, so it "
                "is not a linear classifier; others go into a scikit-learn pipeline after a "
                "vectorizer"
            )
        self.coef_, self.intercept_ = self._weights_of(fitted, matrix.shape[1])
        some = rows[:CHECKED_ROWS]
        expected = np.asarray(fitted.decision_function(some), np.float64)
        ours = (some @ self.coef_.T + self.intercept_).reshape(expected.shape)
        if np.abs(ours - expected).max() > TOLERANCE * max(1.0, np.abs(expected).max()):
            raise InputError(f"{self.learner!r} does not decide by `coef_` and `intercept_` alone")
        return self

    def _weights_of(
        self, fitted: LinearEstimator, n_features: int
    ) -> tuple[FloatArray, FloatArray]:
        given = fitted.coef_
        dense = given.toarray() if hasattr(given, "toarray") else given
        coef = np.atleast_2d(np.asarray(dense, np.float64))
        n_classes = len(self.classes_)
        shape = (1 if n_classes == 2 else n_classes, n_features)
        same = np.array_equal(np.asarray(fitted.classes_), self.classes_)
        if coef.shape != shape or not same or not hasattr(fitted, "decision_function"):
            raise InputError(
                f"{self.learner!r} has weights of the shape {coef.shape}, expected {shape}: one "
                "row per class, or one for two classes"
            )
        intercept = np.broadcast_to(np.asarray(fitted.intercept_, np.float64), shape[:1])
        return coef, intercept.copy()
