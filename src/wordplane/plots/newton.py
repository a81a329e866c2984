"""Newton's method for a root: down the tangent to the axis, again and again."""

from collections.abc import Callable

import numpy as np

from wordplane.common.errors import InputError
from wordplane.plots.style import BLUE, INK, ORANGE, QUIET, Picture, altair, finish, values

N_POINTS = 161  # of the curve
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
APART = 0.05  # of the width between labels; points that lie closer stay without


def newton_tangents(
    g: Callable[[float], float],
    slope: Callable[[float], float],
    start: float,
    *,
    n_steps: int = 4,
    title: str | None = None,
) -> Picture:
    """The curve of g, and the tangents that lead from each x to the next.

        x <- x - g(x) / slope(x)

    >>> chart = newton_tangents(lambda x: x * x - 2, lambda x: 2 * x, 2.0, n_steps=2)
    >>> [round(row["x2"], 4) for row in chart.layer[2].data.values]  # towards sqrt(2) = 1.4142
    [1.5, 1.4167]
    """
    alt = altair()
    visited = [float(start)]
    for _ in range(n_steps):
        x = visited[-1]
        if slope(x) == 0:
            raise InputError(f"the slope is 0 at x = {x:g}: a tangent has no root there")
        visited.append(x - g(x) / slope(x))
    at = np.array(visited)
    heights = np.array([g(x) for x in visited])
    room = 0.15 * (np.ptp(at) or 1.0)
    xs = np.linspace(at.min() - room, at.max() + room, N_POINTS)
    curve = values(x=xs, y=[g(x) for x in xs])
    tangents = values(
        x=at[:-1], y=heights[:-1], x2=at[1:], y2=np.zeros(n_steps), step=range(n_steps)
    )
    drops = values(x=at, y=heights, y2=np.zeros(n_steps + 1))
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
    x = alt.X("x:Q", title="x", scale=alt.Scale(nice=False, domain=[xs[0], xs[-1]]))
    y = alt.Y("y:Q", title="g(x)")
    below, above = (
        alt.Chart(names)
        .transform_filter(condition)
        .mark_text(color=INK, fontSize=13, dy=dy)
        .encode(x, y, text="name:N")
        for condition, dy in (("datum.below", 14), ("!datum.below", -14))
    )
    chart = alt.layer(
        alt.Chart(values(y=[0.0])).mark_rule(color=QUIET).encode(y=y),
        alt.Chart(curve).mark_line(color=BLUE, clip=True).encode(x, y),
        alt.Chart(tangents)
        .mark_rule(color=ORANGE, strokeWidth=2)
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        alt.Chart(drops).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x, y, y2="y2:Q"),
        alt.Chart(drops).mark_point(filled=True, color=ORANGE, size=45, opacity=1).encode(x, y),
        below,
        above,
    )
    return finish(chart.properties(width=400, height=280), title)
