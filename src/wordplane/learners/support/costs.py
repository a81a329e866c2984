"""What mistakes cost: a table of costs, checked."""

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray


def cost_matrix(cost: ArrayLike | None, n_classes: int) -> FloatArray:
    """cost[true, predicted] for classes in sorted order; None means 1 for every mistake.

    >>> cost_matrix(None, 2)
    array([[0., 1.],
           [1., 0.]])
    """
    if cost is None:
        return 1.0 - np.eye(n_classes)
    try:
        costs = np.ascontiguousarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.zeros(0)
    if costs.shape != (n_classes, n_classes):
        raise InputError(f"cost is {cost!r}, expected a table of {n_classes} x {n_classes} numbers")
    if not np.isfinite(costs).all() or (costs < 0).any() or np.diag(costs).any():
        raise InputError("costs must be finite and not negative, and 0 on the diagonal")
    return costs
