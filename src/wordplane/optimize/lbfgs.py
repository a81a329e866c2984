"""L-BFGS: a quasi-Newton method that remembers the last m steps.

    d = -H g     H from the last pairs s = w' - w, y = g' - g, by two loops (Nocedal 1980)
    w <- w + t d, t by a Wolfe line search

With an l1 penalty it is OWL-QN (Andrew and Gao 2007): g is the shortest subgradient, d keeps
only the coordinates that agree in sign with -g, and a step stays in the orthant where it starts,
so that weights become exactly zero.
"""

from collections import deque

import numpy as np

from wordplane.common.progress import notify
from wordplane.optimize.line_search import C1, Point, wolfe
from wordplane.optimize.objective import Function, Objective, as_objective
from wordplane.optimize.solution import Result, is_stalled
from wordplane.optimize.vectors import Floats, dot, largest, norm

Pairs = deque[tuple[Floats, Floats, float]]

MEMORY = 10  # pairs that the direction is made of


def lbfgs(
    objective: Function | Objective,
    w: Floats,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Result:
    """Minimize, starting from w, until the largest component of the gradient is at most tol."""
    F = as_objective(objective)
    value, smooth = F.smooth(w)
    value += F.penalty.l1_value(w)
    history = [value]
    pairs: Pairs = deque(maxlen=MEMORY)
    reason = "max_iter"
    n_iter = 0
    while True:
        gradient = F.shortest_subgradient(w, smooth)
        if largest(gradient) <= tol:
            reason = "gradient"
        elif is_stalled(history):
            reason = "step"
        if reason != "max_iter" or n_iter == max_iter:
            return Result(w, value, largest(gradient), n_iter, reason, history)
        d = _direction(gradient, pairs)
        first = 1.0 if pairs else min(1.0, 1.0 / norm(gradient))
        if F.penalty.l1:
            d = np.where(d * gradient < 0, d, 0.0)
            point = _orthant_step(F, w, value, gradient, d, first)
        else:
            point = wolfe(F.smooth, w, value, gradient, d, c2=0.9, t=first)
        if point is None:
            if not pairs:
                reason = "step"
            pairs.clear()  # the next direction is that of steepest descent
            continue
        s, y = point[0] - w, point[2] - smooth
        sy = dot(s, y)
        if sy > 1e-12 * dot(y, y):
            pairs.append((s, y, sy))
        w, value, smooth = point
        history.append(value)
        n_iter += 1
        notify("L-BFGS", n_iter, 0)


def _direction(gradient: Floats, pairs: Pairs) -> Floats:
    """-H g by the two loops."""
    d = -gradient
    factors = []
    for s, y, sy in reversed(pairs):
        a = dot(s, d) / sy
        d -= a * y
        factors.append(a)
    if pairs:
        _, y, sy = pairs[-1]
        d *= sy / dot(y, y)
    for (s, y, sy), a in zip(pairs, reversed(factors), strict=True):
        d += (a - dot(y, d) / sy) * s
    return d


def _orthant_step(
    F: Objective, w: Floats, value: float, gradient: Floats, d: Floats, t: float
) -> Point | None:
    """Backtrack along d; coordinates that would leave the orthant of w stop at zero."""
    orthant = np.where(w == 0, -np.sign(gradient), np.sign(w))
    penalized = np.arange(len(w)) < len(w) - F.penalty.free
    for _ in range(60):
        point = w + t * d
        point[(point * orthant < 0) & penalized] = 0.0
        new_value, smooth = F.smooth(point)
        new_value += F.penalty.l1_value(point)
        noise = 4 * np.finfo(float).eps * abs(value)
        descent = C1 * dot(gradient, point - w)
        if new_value <= value + descent + noise and not np.array_equal(point, w):
            return point, new_value, smooth
        t /= 2
    return None
