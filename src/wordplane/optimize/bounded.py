"""Minimize within bounds: lower <= w <= upper, coordinate by coordinate.

    minimize  loss(factor * u) + penalty(u)   over u with  lower <= factor * u <= upper

by L-BFGS-B (SciPy's). Where both bounds are equal, a weight is fixed, and what it adds to the
scores is an offset for the others. The problem is convex, so a point where no free component of
the gradient points down, and none at a bound points inside, is the optimum.

Reference: Byrd, Lu, Nocedal and Zhu (1995), A limited memory algorithm for bound constrained
optimization.
"""

import numpy as np

from wordplane.optimize.objective import LinearObjective, require_smooth
from wordplane.optimize.result import Result
from wordplane.optimize.vectors import Floats, largest

MEMORY = 10  # pairs of steps and changes of the gradient


def minimize_within(
    F: LinearObjective,
    lower: Floats,
    upper: Floats,
    *,
    start: Floats,
    factor: Floats | None = None,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> Result:
    """The best w of F within bounds; all three are flat, as F has its weights.

    It ends where no component of the projected gradient is above tol times its largest at
    weights of zero.
    """
    from scipy.optimize import minimize

    require_smooth(F, "L-BFGS-B")
    scale = np.ones(len(start)) if factor is None else factor
    usable = scale != 0
    divisor = np.where(usable, scale, 1.0)
    ends = np.where(usable, lower / divisor, 0.0), np.where(usable, upper / divisor, 0.0)
    low, high = np.minimum(*ends), np.maximum(*ends)

    def function(u: Floats) -> tuple[float, Floats]:
        value, gradient = F.loss(scale * u)
        penalty = F.penalty
        return value + penalty.smooth_value(u), scale * gradient + penalty.smooth_gradient(u)

    gradient_tol = tol * max(largest(function(np.zeros(len(start)))[1]), np.finfo(float).tiny)
    found = minimize(
        function,
        np.clip(np.where(usable, start / divisor, 0.0), low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack([low, high]),
        options={
            "maxcor": MEMORY,
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "gtol": gradient_tol,
            "ftol": 0.0,
        },
    )
    u = np.asarray(found.x)
    projected = u - np.clip(u - function(u)[1], low, high)
    norm = largest(projected)
    reason = "gradient" if norm <= gradient_tol else "max_iter" if found.status == 1 else "step"
    w = np.where(usable, np.clip(scale * u, lower, upper), np.clip(0.0, lower, upper))
    return Result(w, float(found.fun), norm, int(found.nit), reason)
