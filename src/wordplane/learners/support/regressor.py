"""What regressors share: numbers as targets, and R^2."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.labels import warn_of_column_vector
from wordplane.common.matrix_estimator import MatrixEstimator
from wordplane.common.types import FloatArray, MatrixLike, WeightsLike

if TYPE_CHECKING:
    from sklearn.utils import Tags


class Regressor(MatrixEstimator):
    """Predicts numbers for the rows of a matrix."""

    def predict(self, X: MatrixLike) -> FloatArray:
        """A number, or a row of numbers, for every row."""
        raise NotImplementedError

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: WeightsLike = None) -> float:
        """R^2: 1 less the squared errors as a share of those of the mean of y."""
        return r_squared(self.predict(X), y, sample_weight)

    def __sklearn_tags__(self) -> "Tags":
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        return tags


def r_squared(predicted: FloatArray, y: ArrayLike, sample_weight: WeightsLike = None) -> float:
    """1 less the squared errors as a share of those of the mean of y.

    >>> r_squared(np.array([1.0, 2.0, 2.0]), [1, 2, 3])
    0.5
    """
    targets = as_targets(y)
    weight = np.ones(len(targets)) if sample_weight is None else np.asarray(sample_weight)
    errors = np.average((targets - predicted) ** 2, axis=0, weights=weight)
    spread = np.average(
        (targets - np.average(targets, axis=0, weights=weight)) ** 2, axis=0, weights=weight
    )
    return float(np.mean(1 - errors / np.maximum(spread, np.finfo(float).tiny)))


def as_targets(y: ArrayLike | None) -> FloatArray:
    """y as finite numbers, one or a row of them for every row."""
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None")
    try:
        targets = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("y has values that are not numbers, which regression needs") from None
    if targets.ndim not in (1, 2):
        raise InputError(f"y has {targets.ndim} dimensions, expected 1 or 2")
    if not np.isfinite(targets).all():
        raise InputError("Input y contains NaN or infinity; drop such rows first")
    return targets


def as_target(y: ArrayLike | None) -> FloatArray:
    """y as a finite number for every row.

    >>> as_target([1, 2.5])
    array([1. , 2.5])
    """
    targets = as_targets(y)
    if targets.ndim == 1:
        return targets
    if targets.shape[1] > 1:
        raise InputError(f"y has {targets.shape[1]} columns, expected a number for every row")
    warn_of_column_vector()
    return targets.ravel()
