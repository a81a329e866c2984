"""Weights of rows."""

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, WeightsLike

MAX_SUM = 1e100  # squares and products of sums must be finite


def as_weights(sample_weight: WeightsLike, n_rows: int) -> FloatArray:
    """One weight per row: finite, not negative, not all zero. None means 1 for every row.

    >>> as_weights([1, 2], 2), as_weights(None, 3)
    (array([1., 2.]), array([1., 1., 1.]))
    >>> as_weights([1, -1], 2)
    Traceback (most recent call last):
    wordplane.common.errors.InputError: sample weights must be finite and not negative
    """
    try:
        given = 1.0 if sample_weight is None else sample_weight
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample weights must be numbers") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise InputError("Sample weights must be 1D array or scalar")
    if len(weights) != n_rows:
        raise InputError(
            f"X has {n_rows} rows and sample_weight has {len(weights)}, expected one per row "
            "(inconsistent numbers of samples)"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("sample weights must be finite and not negative")
    if n_rows > 0 and not weights.any():
        raise InputError("the sample weights are all zero: no row counts")
    with np.errstate(over="ignore"):
        if weights.sum() > MAX_SUM:
            raise InputError(
                f"the sample weights add up to more than {MAX_SUM:g}: divide all of them by the "
                "same number"
            )
    return weights
