"""Conjugate gradients, for any smooth function and for linear equations.

    d <- -g + max(0, g'(g - g_old) / g_old'g_old) d           (Polak and Ribiere, restarted)
    w <- w + t d, t by a Wolfe line search

`solve` is the linear method: H x = r with H positive definite, given by its products.

Reference: Nocedal and Wright (2006), Numerical Optimization, chapter 5.
"""

from collections.abc import Callable

import numpy as np

from wordplane.common.progress import notify
from wordplane.optimize.line_search import wolfe
from wordplane.optimize.objective import Function, Objective, as_objective, require_smooth
from wordplane.optimize.solution import Result, is_stalled
from wordplane.optimize.vectors import Floats, dot, largest, norm

POWER_STEPS = 30


def conjugate_gradient(
    objective: Function | Objective, w: Floats, *, tol: float = 1e-6, max_iter: int = 1000
) -> Result:
    """Minimize, starting from w, until the largest component of the gradient is at most tol."""
    F = as_objective(objective)
    require_smooth(F, "conjugate gradients")
    value, gradient = F(w)
    history = [value]
    d = -gradient
    step = min(1.0, 1.0 / max(norm(gradient), 1e-300))
    reason = "max_iter"
    n_iter = 0
    while True:
        if largest(gradient) <= tol:
            reason = "gradient"
        elif is_stalled(history):
            reason = "step"
        if reason != "max_iter" or n_iter == max_iter:
            return Result(w, value, largest(gradient), n_iter, reason, history)
        slope = dot(gradient, d)
        if slope >= 0:
            d, slope = -gradient, -dot(gradient, gradient)
        point = wolfe(F, w, value, gradient, d, c2=0.2, t=step)
        if point is None:
            if slope == -dot(gradient, gradient) or np.isnan(slope):
                reason = "step"
            d = -gradient
            continue
        # The next initial step is chosen for the same first-order change as this step made.
        moved = norm(point[0] - w) / max(norm(d), 1e-300)
        old = gradient
        w, value, gradient = point
        turn = dot(gradient, gradient - old) / dot(old, old)
        d = -gradient + max(0.0, turn) * d
        step = min(1e10, moved * slope / min(dot(gradient, d), -1e-300))
        history.append(value)
        n_iter += 1
        notify("conjugate gradients", n_iter, 0)


def solve(
    product: Callable[[Floats], Floats],
    r: Floats,
    *,
    tol: float,
    max_iter: int,
) -> tuple[Floats, float, int]:
    """Solve H x = r, starting from 0, until ||r - H x|| <= tol.

    Returns x, that norm, and the number of steps. Where H is flat (d'Hd = 0) it stops with the
    x of least norm so far.
    """
    x = np.zeros_like(r)
    r = r.copy()
    d = r.copy()
    rr = dot(r, r)
    for n_iter in range(max_iter):
        if rr <= tol**2:
            return x, rr**0.5, n_iter
        Hd = product(d)
        curvature = dot(d, Hd)
        if curvature <= np.finfo(float).eps * dot(d, d) * 1e-4:
            return (x if x.any() else d), rr**0.5, n_iter
        a = rr / curvature
        x += a * d
        r -= a * Hd
        rr, old = dot(r, r), rr
        d *= rr / old
        d += r
    return x, rr**0.5, max_iter


def largest_eigenvalue(product: Callable[[Floats], Floats], n: int) -> float:
    """The largest eigenvalue of a positive semi-definite matrix, given by its products.

    A lower bound from power iteration.

    >>> round(largest_eigenvalue(lambda v: np.array([3.0, 1.0]) * v, 2), 6)
    3.0
    """
    v = np.random.default_rng(0).standard_normal(n)
    size = norm(v)
    for _ in range(POWER_STEPS):
        v = product(v / size)
        size = norm(v)
        if size == 0:
            return 0.0
    return size
