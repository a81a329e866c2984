"""Newton's method.

    solve H d = -g      by conjugate gradients on products with H, to ||H d + g|| <= eta ||g||,
                        or exactly, by factorizing H, if there are few weights
    w <- w + t d        t = 1, 1/2, 1/4, ... until the descent of F is sufficient

eta falls with the gradient, so that the last steps converge faster than linearly.

If all weights have the penalty l2 / 2 ||w||^2, F bends everywhere at least as much as that, so that
the gradient says how far above the optimum F can be at most:  F(w) - F* <= ||g||^2 / (2 l2).

References: Nocedal and Wright (2006), Numerical Optimization, chapter 7; Boyd and Vandenberghe
(2004), Convex Optimization, section 9.1.2, for the bound.
"""

import math

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.progress import notify
from wordplane.optimize.conjugate_gradient import solve
from wordplane.optimize.line_search import armijo
from wordplane.optimize.objective import Function, Objective, as_objective, require_smooth
from wordplane.optimize.solution import Result, is_stalled
from wordplane.optimize.vectors import Floats, dot, largest, norm

MAX_EXACT_WEIGHTS = 100
ENOUGH = 0.8


def newton(
    objective: Function | Objective,
    w: Floats,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    exact: bool | None = None,
    gap: float = 0.0,
    eta: float = 0.1,
) -> Result:
    """Minimize, starting from w, until the largest component of the gradient is at most tol.

    `exact` factorizes the Hessian; None does so for up to 100 weights. With `gap`, also stop where
    F is within this share of itself from the optimum, which needs an l2 penalty on all weights.
    `eta` is the largest there is: more of it makes for more steps, and fewer products in all if the
    tolerance is loose.
    """
    F = as_objective(objective)
    require_smooth(F, "Newton's method")
    is_bounded = F.penalty.l2 > 0 and F.penalty.free == 0
    if gap and not is_bounded:
        raise InputError("`gap` needs an l2 penalty on all weights")
    value, gradient = F(w)
    history = [value]
    start = norm(gradient)
    reason = "max_iter"
    n_iter = 0
    while True:
        bound = dot(gradient, gradient) / (2 * F.penalty.l2) if is_bounded else math.inf
        if largest(gradient) <= tol:
            reason = "gradient"
        elif bound <= gap * value:
            reason = "gap"
        elif is_stalled(history):
            reason = "step"
        if reason != "max_iter" or n_iter == max_iter:
            return Result(w, value, largest(gradient), n_iter, reason, history, bound)
        product = F.hessian(w)
        if exact or (exact is None and len(w) <= MAX_EXACT_WEIGHTS):
            H = np.array([product(unit) for unit in np.eye(len(w))])
            d = -np.linalg.lstsq(H, gradient, rcond=None)[0]  # the shortest, if H is singular
        else:
            now = norm(gradient)
            share = min(eta, (now / start) ** 0.5)
            # What is left is about the next gradient, which need not be less than `gap` asks for.
            enough = ENOUGH * math.sqrt(2 * F.penalty.l2 * gap * value)
            d, _, _ = solve(product, -gradient, tol=max(share * now, enough), max_iter=200)
        point = armijo(F, w, value, dot(gradient, d), d)
        if point is None:
            reason = "step"
            continue
        w, value, gradient = point
        history.append(value)
        n_iter += 1
        notify("Newton's method", n_iter, 0)
