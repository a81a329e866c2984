"""Ways to a minimum or a root: steps down a surface or a curve, Newton's tangents, and a best line.

Gradient descent goes from w to w - step * slope(w); Newton's method goes from x down the tangent to
the axis, to x - g(x) / slope(x).
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.demos.figures.plane import Plane, Score
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import point_values, values
from wordplane.plots.style import BLUE, INK, ORANGE, QUIET, finish
from wordplane.plots.vega_lite import Chart

N_POINTS = 161  # of a curve
PANEL_SIZE = {"width": 210, "height": 200}  # pixels
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
APART = 0.05  # of the width between labels; points that lie closer stay without


class Regressor(Protocol):
    """A fitted learner of numbers from rows of features."""

    def predict(self, X: FloatArray, /) -> FloatArray: ...


def descent_path(
    surface: Score,
    path: ArrayLike,
    *,
    n_levels: int = 12,
    title: str | None = None,
) -> Chart:
    """Lines of equal height, and the points that were visited one after another.

    surface   the height of every row of an array (n x 2)
    path      the points, from the start on

    >>> chart = descent_path(lambda W: (W**2).sum(axis=1), [(2, 1), (1, 0.5), (0, 0)])
    >>> [layer.mark["type"] for layer in chart.layer]
    ['line', 'line']
    """
    points = np.asarray(path, dtype=np.float64)
    plane = Plane(points, 0.3, "weight")
    ticks = np.linspace(plane.low, plane.high, 40)
    heights = np.asarray(surface(np.stack(np.meshgrid(*ticks.T), axis=-1).reshape(-1, 2)))
    # As many levels near the bottom as higher up, where the surface is steep.
    levels = heights.min() + np.ptp(heights) * (np.arange(1, n_levels + 1) / (n_levels + 1)) ** 2
    names = [f"{level:.3g}" for level in levels]
    lines = dict(zip(names, plane.level_lines(surface, levels), strict=True))
    contours = plane.lines(lines, detail=["of:N", "piece:N"])
    steps = plane.chart(point_values(points, i=range(len(points))), order="i:Q")
    chart = vl.layer(
        contours.mark_line(strokeWidth=1, color=QUIET, opacity=0.6, clip=True),
        steps.mark_line(color=ORANGE, point={"color": ORANGE, "size": 30}),
    )
    return finish(chart.properties(width=380, height=320), title)


def step_sizes(
    loss: Callable[[FloatArray], FloatArray],
    slope: Callable[[float], float],
    start: float,
    steps: Mapping[str, float],
    *,
    n_steps: int = 8,
    title: str | None = None,
) -> Chart:
    """The same descent with steps that are too small, right, and too large, side by side.

    loss   of an array of weights
    steps  by name

    >>> steps = {"too small": 0.05, "right": 0.4, "too large": 1.05}
    >>> chart = step_sizes(lambda w: w**2, lambda w: 2 * w, 2.0, steps, n_steps=3)
    >>> [round(row["w"], 3) for row in chart.hconcat[1].layer[1].data.values]
    [2.0, 0.4, 0.08, 0.016]
    """
    if not steps:
        raise InputError("there are no steps to draw; give at least one, by name")
    paths = {name: _descend(slope, start, step, n_steps) for name, step in steps.items()}
    every = np.concatenate(list(paths.values()))
    bottom = float(every[np.nanargmin(loss(every))])
    reach = 1.4 * max(abs(start - bottom), 1e-9)
    ws = np.linspace(bottom - reach, bottom + reach, N_POINTS)
    heights = loss(ws)
    x = vl.X("w:Q", title="weight w", scale=_between(ws))
    top, low = float(heights.max()), min(0, float(heights.min()))
    y = vl.Y("loss:Q", title="loss", scale={"domain": [low, top]})
    curve = vl.Chart(values(w=ws, loss=heights)).mark_line(color=BLUE, clip=True).encode(x, y)
    line = {"color": ORANGE, "strokeWidth": 1.5, "clip": True}
    panels = []
    for name, path in paths.items():
        left = np.flatnonzero((path < ws[0]) | (path > ws[-1]))
        shown = path[: left[0] + 1] if len(left) else path  # to the first step out of the picture
        visited = vl.Chart(values(w=shown, loss=loss(shown), i=range(len(shown))))
        descent = visited.mark_line(**line, point={"color": ORANGE, "size": 40})
        heading = {"text": name, "subtitle": f"step {steps[name]:g}"}
        panel = vl.layer(curve, descent.encode(x, y, order="i:Q"))
        panels.append(panel.properties(title=heading, **PANEL_SIZE))
    return finish(vl.hconcat(*panels), title)


def newton_tangents(
    g: Callable[[float], float],
    slope: Callable[[float], float],
    start: float,
    *,
    n_steps: int = 4,
    title: str | None = None,
) -> Chart:
    """The curve of g, and the tangents that lead from each x to the next.

    >>> chart = newton_tangents(lambda x: x * x - 2, lambda x: 2 * x, 2.0, n_steps=2)
    >>> [round(row["x2"], 4) for row in chart.layer[2].data.values]  # towards sqrt(2) = 1.4142
    [1.5, 1.4167]
    """

    def root_of_tangent(x: float) -> float:
        if slope(x) == 0:
            raise InputError(f"the slope is 0 at x = {x:g}: a tangent has no root there")
        return x - g(x) / slope(x)

    at = np.array(_visited(start, n_steps, root_of_tangent))
    heights = np.array([g(x) for x in at.tolist()])
    room = 0.15 * (np.ptp(at) or 1.0)
    xs = np.linspace(at.min() - room, at.max() + room, N_POINTS)
    x, y = vl.X("x:Q", title="x", scale=_between(xs)), vl.Y("y:Q", title="g(x)")
    labeled = [0]
    for i in range(1, len(at)):
        if np.abs(at[i] - at[labeled]).min() > APART * np.ptp(xs):
            labeled.append(i)
    names = values(
        x=at[labeled],
        y=np.zeros(len(labeled)),
        name=[f"x{i}".translate(SUBSCRIPTS) for i in labeled],
        below=[bool(heights[i] >= 0) for i in labeled],
    )
    named = vl.Chart(names).encode(x, y, text="name:N")
    axis = np.zeros(n_steps + 1)
    tangents = vl.Chart(
        values(x=at[:-1], y=heights[:-1], x2=at[1:], y2=axis[1:], step=range(n_steps))
    )
    drops = vl.Chart(values(x=at, y=heights, y2=axis)).encode(x, y)
    curve = vl.Chart(values(x=xs, y=[g(x) for x in xs])).encode(x, y)
    chart = vl.layer(
        vl.Chart(values(y=[0.0])).mark_rule(color=QUIET).encode(y=y),
        curve.mark_line(color=BLUE, clip=True),
        tangents.mark_rule(color=ORANGE, strokeWidth=2).encode(x, y, x2="x2:Q", y2="y2:Q"),
        drops.mark_rule(color=QUIET, strokeDash=[3, 3]).encode(y2="y2:Q"),
        drops.mark_point(filled=True, color=ORANGE, size=45, opacity=1),
        named.transform_filter("datum.below").mark_text(color=INK, fontSize=13, dy=14),
        named.transform_filter("!datum.below").mark_text(color=INK, fontSize=13, dy=-14),
    )
    return finish(chart.properties(width=400, height=280), title)


def regression_line(
    x: ArrayLike, y: ArrayLike, model: Regressor, *, title: str | None = None
) -> Chart:
    """Points, the line y = f(x) of a fitted model of one feature, and the residuals y - f(x).

    The subtitle gives the squared error loss, half the sum of the squared residuals.

    >>> from wordplane.learners import LeastSquares
    >>> x, y = [0.0, 1, 2], [1.0, 2, 6]
    >>> line = LeastSquares().fit([[value] for value in x], y)
    >>> chart = regression_line(x, y, line)
    >>> [round(row["residual"], 6) for row in chart.layer[0].data.values]
    [0.5, -1.0, 0.5]
    >>> chart.title["subtitle"]
    'squared error loss 0.75'
    """
    at, targets = np.ravel(np.asarray(x, dtype=np.float64)), np.asarray(y, dtype=np.float64)
    if targets.shape != at.shape or not len(at):
        raise InputError(
            f"x has {at.size} values and y has shape {targets.shape}, expected as many"
        )
    fitted = np.asarray(model.predict(at[:, None]), dtype=np.float64)
    residuals = targets - fitted
    room = 0.08 * (np.ptp(at) or 1.0)
    grid = np.linspace(at.min() - room, at.max() + room, 121)  # the line need not be straight
    axes = (
        vl.X("x:Q", title="x", axis={"tickCount": 6}, scale=_between(grid)),
        vl.Y("y:Q", title="y", scale={"zero": False}),
    )
    points = vl.Chart(values(x=at, y=targets, fitted=fitted, residual=residuals)).encode(*axes)
    line = vl.Chart(values(x=grid, y=model.predict(grid[:, None]))).encode(*axes)
    chart = vl.layer(
        points.mark_rule(color=ORANGE, strokeWidth=1.5).encode(y2="fitted:Q"),
        line.mark_line(color=INK),
        points.mark_point(filled=True, color=BLUE, size=45, opacity=0.9),
    )
    subtitle = f"squared error loss {(residuals**2).sum() / 2:.4g}"
    heading = {"text": title or "y = f(x) and residuals", "subtitle": subtitle}
    return finish(chart.properties(width=400, height=280, title=heading))


def _visited(start: float, n_steps: int, step: Callable[[float], float]) -> list[float]:
    """The start, and where every step leads to."""
    places = [float(start)]
    for _ in range(n_steps):
        places.append(step(places[-1]))
    return places


def _descend(slope: Callable[[float], float], w: float, step: float, n_steps: int) -> FloatArray:
    return np.array(_visited(w, n_steps, lambda w: w - step * slope(w)))


def _between(xs: FloatArray) -> dict[str, object]:
    """The scale of an axis from the first to the last of these."""
    return {"nice": False, "domain": [xs[0], xs[-1]]}
