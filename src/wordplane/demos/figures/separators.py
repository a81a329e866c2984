"""All lines that separate two classes, and the one with the largest geometric margin.

A direction w of length 1 separates the classes if g(w) = min over the second class of w.x - max
over the first class of w.x is positive: then w.x = c separates them for every c between. The widest
margin is the largest g(w) / 2, on each side of the line halfway; on the feasible directions g
rises to it and falls again, so that halving intervals finds it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelsLike
from wordplane.demos.figures.plane import Plane, check_two_classes, labeled_points
from wordplane.plots import vega_lite as vl
from wordplane.plots.style import BLUE, INK, QUIET, finish
from wordplane.plots.vega_lite import Chart

N_DIRECTIONS = 3600  # tried in search of one that separates
N_ANGLES, N_OFFSETS = 13, 3  # lines drawn: of so many directions so many
CELLS = 8  # of the grid on which a straight line is traced


def feasible_separators(X: ArrayLike, y: LabelsLike, *, title: str | None = None) -> Chart:
    """Points of two classes, lines that separate them, and in bold the one with the widest margin.

    Evenly chosen lines stand for all that have every point on its side.

    >>> chart = feasible_separators([[0.0, 0], [0, 1], [2, 0], [2, 1]], [0, 0, 1, 1])
    >>> chart.title["subtitle"]
    'The bold line has the largest geometric margin: 1'
    """
    points, labels = check_two_classes(X, y)
    second = labels == np.unique(labels)[1]

    def ends(angle: float) -> tuple[float, float]:
        """Between which offsets a line of this direction separates, if the first is smaller."""
        along = points @ _direction(angle)
        return float(along[~second].max()), float(along[second].min())

    def gap(angle: float) -> float:
        last, first = ends(angle)
        return first - last

    angles = np.linspace(0, 2 * np.pi, N_DIRECTIONS, endpoint=False)
    gaps = np.array([gap(angle) for angle in angles])
    if gaps.max() <= 0:
        raise InputError("the classes cannot be separated by a line; see `margins` for slack")
    step = angles[1]
    best = _argmax(gap, angles[gaps.argmax()] - step, angles[gaps.argmax()] + step)
    low_angle, high_angle = (_last_positive(gap, best, sign * np.pi) for sign in (-1, 1))
    plane = Plane(points)
    lines = {
        f"{i}.{j}": _line(plane, angle, offset)
        for i, angle in enumerate(np.linspace(low_angle, high_angle, N_ANGLES + 2)[1:-1])
        for j, offset in enumerate(np.linspace(*ends(angle), N_OFFSETS + 2)[1:-1])
    }
    widest = {"widest margin": _line(plane, best, sum(ends(best)) / 2)}
    every, bold = (plane.lines(drawn, detail=["of:N", "piece:N"]) for drawn in (lines, widest))
    dots = plane.chart(labeled_points(points, labels), shape=vl.Shape("class:N", title="class"))
    chart = vl.layer(
        every.mark_line(color=QUIET, strokeWidth=1, opacity=0.5, clip=True),
        bold.mark_line(color=INK, strokeWidth=4, clip=True),
        dots.mark_point(size=60, filled=True, color=BLUE, opacity=1),
    )
    subtitle = f"The bold line has the largest geometric margin: {gap(best) / 2:.3g}"
    heading = {"text": title or "Separators", "subtitle": subtitle}
    return finish(chart.properties(width=380, height=320, title=heading))


def _direction(angle: float) -> FloatArray:
    return np.array([np.cos(angle), np.sin(angle)])


def _line(plane: Plane, angle: float, offset: float) -> list[FloatArray]:
    return plane.zero_lines(lambda X: X @ _direction(angle) - offset, CELLS)


def _argmax(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f, which rises and then falls, is largest, by golden sections."""
    golden = (5**0.5 - 1) / 2
    for _ in range(80):
        first, second = high - golden * (high - low), low + golden * (high - low)
        if f(first) < f(second):
            low = first
        else:
            high = second
    return (low + high) / 2


def _last_positive(f: Callable[[float], float], start: float, reach: float) -> float:
    """The last place on the way from start, where f is positive, at which it still is."""
    inside, outside = start, start + reach
    for _ in range(50):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if f(middle) > 0 else (inside, middle)
    return inside
