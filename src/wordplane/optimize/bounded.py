"""Minimize within bounds: lower <= w <= upper, coordinate by coordinate; few of them are finite.

    minimize  loss(factor * u) + penalty(u)   over u with  lower <= factor * u <= upper

    fixed = those with equal bounds
    until nothing changes:
        minimize over the others, given the fixed ones (an offset of the scores), by Newton's method
        fix at its bound each that is beyond it
        if there is none: free each at a bound whose gradient points inside

Where it ends, no free component of the gradient is above the tolerance, and none at a bound points
inside: these are the conditions of an optimum, since the problem is convex.

Reference: Nocedal and Wright (2006), Numerical Optimization, chapter 16, on active sets.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wordplane.optimize.newton import newton
from wordplane.optimize.objective import LinearObjective, Objective, require_smooth
from wordplane.optimize.solution import Result
from wordplane.optimize.vectors import Floats, largest

TOL, MAX_ITER = 1e-5, 1000
MORE_ROUNDS = 20  # besides two for each bound


def minimize_within(
    F: LinearObjective,
    lower: Floats,
    upper: Floats,
    *,
    start: Floats,
    factor: Floats | None = None,
) -> Result:
    """The best w of F within bounds; all are flat, as F has its weights. The last weight, the bias
    if there is one, must be free if F's penalty leaves it out.

    It ends where no component of the projected gradient is above TOL times its largest at
    weights of zero.
    """
    require_smooth(F, "fitting within bounds")
    scale = np.ones(len(start)) if factor is None else factor
    usable = scale != 0
    divisor = np.where(usable, scale, 1.0)
    ends = np.where(usable, lower / divisor, 0.0), np.where(usable, upper / divisor, 0.0)
    low, high = np.minimum(*ends), np.maximum(*ends)
    u = np.clip(np.where(usable, start / divisor, 0.0), low, high)
    gradient_tol = TOL * max(largest(_smooth(F, scale, np.zeros(len(u)))[1]), np.finfo(float).tiny)
    always, fixed = low == high, low == high
    reason, n_iter = "max_iter", 0
    for _ in range(2 * int((np.isfinite(low) | np.isfinite(high)).sum()) + MORE_ROUNDS):
        free = ~fixed
        result = newton(
            _on_free(F, scale, u, free), u[free], tol=gradient_tol, max_iter=MAX_ITER - n_iter
        )
        u[free] = result.w
        n_iter += result.n_iter
        beyond = (u < low) | (u > high)
        u = np.clip(u, low, high)
        if beyond.any():
            fixed |= beyond
            continue
        gradient = _smooth(F, scale, u)[1]
        inside = np.where(u == low, gradient < -gradient_tol, gradient > gradient_tol)
        released = fixed & ~always & inside
        if not released.any():
            reason = result.reason
            break
        fixed &= ~released
    value, gradient = _smooth(F, scale, u)
    projected = largest(u - np.clip(u - gradient, low, high))
    w = np.where(usable, np.clip(scale * u, lower, upper), np.clip(0.0, lower, upper))
    return Result(w, value, projected, n_iter, reason)


def _smooth(F: LinearObjective, scale: Floats, u: Floats) -> tuple[float, Floats]:
    value, gradient = F.loss(scale * u)
    penalty = F.penalty
    return value + penalty.smooth_value(u), scale * gradient + penalty.smooth_gradient(u)


def _on_free(F: LinearObjective, scale: Floats, u: Floats, free: NDArray[np.bool_]) -> Objective:
    """F as a function of the free weights alone, the others as they are in u."""
    fixed, factor = np.where(free, 0.0, scale * u), scale[free]

    def expand(v: Floats) -> Floats:
        w = np.zeros(len(u))
        w[free] = factor * v
        return w

    def loss(v: Floats) -> tuple[float, Floats]:
        value, gradient = F.loss(fixed + expand(v))
        return value, factor * gradient[free]

    def hessian(v: Floats) -> Callable[[Floats], Floats]:
        z = F.scores(fixed + expand(v))
        return lambda d: factor * F.hessian_product(z, expand(d))[free]

    return Objective(loss, F.penalty, hessian=hessian)
