"""Line search: a step along a direction that satisfies the strong Wolfe conditions.

    F(w + t d) <= F(w) + c1 t g'd          (sufficient descent)
    |g(w + t d)'d| <= c2 |g'd|             (a flatter slope)

An interval that contains such a t is bisected until one is found.

Reference: Nocedal and Wright (2006), Numerical Optimization, chapter 3.
"""

import numpy as np

from wordplane.optimize.objective import Function
from wordplane.optimize.vectors import Floats, dot

Point = tuple[Floats, float, Floats]

C1 = 1e-4


def wolfe(
    function: Function,
    w: Floats,
    value: float,
    gradient: Floats,
    d: Floats,
    *,
    c2: float,
    t: float = 1.0,
) -> Point | None:
    """The point w + t d with its value and gradient; None if there is no descent along d."""
    slope = dot(gradient, d)
    if not slope < 0:
        return None
    noise = 4 * np.finfo(float).eps * abs(value)
    low, high = 0.0, np.inf
    for _ in range(60):
        point = w + t * d
        new_value, new_gradient = function(point)
        new_slope = dot(new_gradient, d)
        if not new_value <= value + C1 * t * slope + noise or new_slope > -c2 * slope:
            high = t
        elif new_slope < c2 * slope:
            low = t
        else:
            return point, new_value, new_gradient
        t = (low + high) / 2 if high < np.inf else 2 * t
    return None


def armijo(objective: Function, w: Floats, value: float, slope: float, d: Floats) -> Point | None:
    """The first of w + d, w + d/2, w + d/4, ... with sufficient descent."""
    noise = 4 * np.finfo(float).eps * abs(value)
    t = 1.0
    for _ in range(60):
        point = w + t * d
        new_value, new_gradient = objective(point)
        if new_value <= value + C1 * t * slope + noise:
            return point, new_value, new_gradient
        t /= 2
    return None
