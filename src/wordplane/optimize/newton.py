"""Newton's method.

    solve H d = -g      by conjugate gradients on products with H, to ||H d + g|| <= eta ||g||,
                        or exactly, by factorizing H, if there are few weights
    w <- w + t d        t = 1, 1/2, 1/4, ... until the descent of F is sufficient

eta falls with the gradient, so that the last steps converge faster than linearly.

Reference: Nocedal and Wright (2006), Numerical Optimization, chapter 7.
"""

import numpy as np

from wordplane.common.progress import notify
from wordplane.optimize.conjugate_gradient import solve
from wordplane.optimize.line_search import armijo
from wordplane.optimize.objective import Function, Objective, as_objective, require_smooth
from wordplane.optimize.result import Result, is_stalled
from wordplane.optimize.vectors import Floats, dot, largest, norm

MAX_EXACT_WEIGHTS = 100


def newton(
    objective: Function | Objective,
    w: Floats,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    exact: bool | None = None,
) -> Result:
    """Minimize, starting from w, until the largest component of the gradient is at most tol.

    `exact` factorizes the Hessian; None does so for up to 100 weights.
    """
    F = as_objective(objective)
    require_smooth(F, "Newton's method")
    value, gradient = F(w)
    history = [value]
    start = norm(gradient)
    reason = "max_iter"
    n_iter = 0
    while True:
        if largest(gradient) <= tol:
            reason = "gradient"
        elif is_stalled(history):
            reason = "step"
        if reason != "max_iter" or n_iter == max_iter:
            return Result(w, value, largest(gradient), n_iter, reason, history)
        product = F.hessian(w)
        if exact or (exact is None and len(w) <= MAX_EXACT_WEIGHTS):
            H = np.array([product(unit) for unit in np.eye(len(w))])
            d = -np.linalg.lstsq(H, gradient, rcond=None)[0]  # the shortest, if H is singular
        else:
            now = norm(gradient)
            eta = min(0.1, (now / start) ** 0.5)
            d, _, _ = solve(product, -gradient, tol=eta * now, max_iter=200)
        point = armijo(F, w, value, dot(gradient, d), d)
        if point is None:
            reason = "step"
            continue
        w, value, gradient = point
        history.append(value)
        n_iter += 1
        notify("newton", n_iter, max_iter)
