"""Weights within bounds, for learners of two classes whose objective is smooth."""

import warnings

import numpy as np

from wordplane.common.errors import ConvergenceWarning
from wordplane.common.types import FloatArray
from wordplane.optimize.bounded import minimize_within
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.result import Result


def weights_within(
    F: LinearObjective,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    factor: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, Result]:
    """W and b of the objective's optimum within the bounds, which are of the features alone.

    start   the weights to begin with, such as the best without bounds
    factor  of each weight and of the bias: F's penalty is one on the weights divided by it
    """
    free = [np.inf] if F.intercept else []
    found = minimize_within(
        F,
        np.append(lower, np.negative(free)),
        np.append(upper, free),
        start=start,
        factor=factor,
    )
    if not found.converged:
        warnings.warn(
            f"fitting within bounds stopped ({found.reason}) after {found.n_iter} iterations: the "
            f"largest component of the gradient is {found.gradient_norm:.3g} at objective "
            f"{found.loss:.6g}",
            ConvergenceWarning,
            stacklevel=3,
        )
    return *F.split(found.w), found
