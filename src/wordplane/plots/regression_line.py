"""A regression line, and how far each point is from it."""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.plots.style import BLUE, INK, ORANGE, Picture, altair, finish, values

N_POINTS = 121  # of the line, which need not be straight


class Regressor(Protocol):
    """A fitted learner of numbers from rows of features."""

    def predict(self, X: FloatArray, /) -> FloatArray: ...


def regression_line(
    x: ArrayLike, y: ArrayLike, model: Regressor, *, title: str | None = None
) -> Picture:
    """Points, the line y = f(x) of a fitted model of one feature, and the residuals y - f(x).

    The subtitle gives the squared error loss, half the sum of the squared residuals.

    >>> from wordplane.learners import LeastSquares
    >>> x, y = [0.0, 1, 2], [1.0, 2, 6]
    >>> line = LeastSquares().fit([[value] for value in x], y)
    >>> chart = regression_line(x, y, line)
    >>> [round(row["residual"], 6) for row in chart.layer[0].data.values]
    [0.5, -1.0, 0.5]
    >>> chart.title.subtitle
    'squared error loss 0.75'
    """
    at, targets = np.ravel(np.asarray(x, dtype=np.float64)), np.asarray(y, dtype=np.float64)
    if targets.shape != at.shape or not len(at):
        raise InputError(
            f"x has {at.size} values and y has shape {targets.shape}, expected as many"
        )
    alt = altair()
    fitted = np.asarray(model.predict(at[:, None]), dtype=np.float64)
    residuals = targets - fitted
    room = 0.08 * (np.ptp(at) or 1.0)
    grid = np.linspace(at.min() - room, at.max() + room, N_POINTS)
    domain = alt.Scale(nice=False, domain=[grid[0], grid[-1]])
    horizontal = alt.X("x:Q", title="x", axis=alt.Axis(tickCount=6), scale=domain)
    vertical = alt.Y("y:Q", title="y", scale=alt.Scale(zero=False))
    points = alt.Chart(values(x=at, y=targets, fitted=fitted, residual=residuals))
    line = alt.Chart(values(x=grid, y=model.predict(grid[:, None])))
    chart = alt.layer(
        points.mark_rule(color=ORANGE, strokeWidth=1.5).encode(horizontal, vertical, y2="fitted:Q"),
        line.mark_line(color=INK).encode(horizontal, vertical),
        points.mark_point(filled=True, color=BLUE, size=45, opacity=0.9).encode(
            horizontal, vertical
        ),
    )
    subtitle = f"squared error loss {(residuals**2).sum() / 2:.4g}"
    heading = alt.Title(title or "y = f(x) and residuals", subtitle=subtitle)
    return finish(chart.properties(width=400, height=280, title=heading))
