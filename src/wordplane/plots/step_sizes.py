"""Gradient descent with steps that are too small, right, and too large."""

from collections.abc import Callable, Mapping

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.plots.style import BLUE, ORANGE, Picture, altair, finish, values

SIZE = {"width": 210, "height": 200}  # pixels
N_POINTS = 161  # of the curve


def step_sizes(
    loss: Callable[[FloatArray], FloatArray],
    slope: Callable[[float], float],
    start: float,
    steps: Mapping[str, float],
    *,
    n_steps: int = 8,
    title: str | None = None,
) -> Picture:
    """The same descent, w <- w - step * slope(w), with several steps side by side.

    loss   of an array of weights
    steps  by name

    >>> steps = {"too small": 0.05, "right": 0.4, "too large": 1.05}
    >>> chart = step_sizes(lambda w: w**2, lambda w: 2 * w, 2.0, steps, n_steps=3)
    >>> [round(row["w"], 3) for row in chart.hconcat[1].layer[1].data.values]
    [2.0, 0.4, 0.08, 0.016]
    """
    if not steps:
        raise InputError("there are no steps to draw; give at least one, by name")
    alt = altair()
    paths = {name: _descend(slope, start, step, n_steps) for name, step in steps.items()}
    every = np.concatenate(list(paths.values()))
    bottom = float(every[np.nanargmin(loss(every))])
    reach = 1.4 * max(abs(start - bottom), 1e-9)
    ws = np.linspace(bottom - reach, bottom + reach, N_POINTS)
    curve, top = values(w=ws, loss=loss(ws)), float(loss(ws).max())
    x = alt.X("w:Q", title="weight w", scale=alt.Scale(nice=False, domain=[ws[0], ws[-1]]))
    y = alt.Y("loss:Q", title="loss", scale=alt.Scale(domain=[min(0, float(loss(ws).min())), top]))
    panels = []
    for name, path in paths.items():
        shown = path[: _outside(path, ws[0], ws[-1]) + 1]
        visited = values(w=shown, loss=loss(shown), i=range(len(shown)))
        panels.append(
            alt.layer(
                alt.Chart(curve).mark_line(color=BLUE, clip=True).encode(x, y),
                alt.Chart(visited)
                .mark_line(
                    color=ORANGE, strokeWidth=1.5, clip=True, point={"color": ORANGE, "size": 40}
                )
                .encode(x, y, order="i:Q"),
            ).properties(title=alt.Title(name, subtitle=f"step {steps[name]:g}"), **SIZE)
        )
    return finish(alt.hconcat(*panels), title)


def _descend(slope: Callable[[float], float], w: float, step: float, n_steps: int) -> FloatArray:
    path = [float(w)]
    for _ in range(n_steps):
        path.append(path[-1] - step * slope(path[-1]))
    return np.array(path)


def _outside(path: FloatArray, low: float, high: float) -> int:
    """The first step that leaves the picture, or the last."""
    left = np.flatnonzero((path < low) | (path > high))
    return int(left[0]) if len(left) else len(path) - 1
