"""The path of an optimizer down a surface over the plane, seen from above."""

from collections.abc import Sequence

import numpy as np

from wordplane.plots.plane import Score, above, bounding_box, plane_axes, zero_line_data
from wordplane.plots.style import ORANGE, QUIET, Picture, altair, finish, values


def descent_path(
    surface: Score,
    path: Sequence[Sequence[float]],
    *,
    n_levels: int = 12,
    title: str | None = None,
) -> Picture:
    """Lines of equal height, and the points that were visited one after another.

    surface   the height of every row of an array (n x 2)
    path      the points, from the start on

    >>> chart = descent_path(lambda W: (W**2).sum(axis=1), [(2, 1), (1, 0.5), (0, 0)])
    >>> [layer.mark.type for layer in chart.layer]
    ['line', 'line']
    """
    alt = altair()
    points = np.asarray(path, dtype=np.float64)
    low, high = bounding_box(points, 0.3)
    x, up = plane_axes(low, high, "weight")
    grid = np.stack(np.meshgrid(*np.linspace(low, high, 40).T), axis=-1).reshape(-1, 2)
    heights = np.asarray(surface(grid))
    # As many levels near the bottom as higher up, where the surface is steep.
    levels = heights.min() + np.ptp(heights) * (np.arange(1, n_levels + 1) / (n_levels + 1)) ** 2
    lines = {f"{level:.3g}": above(surface, level) for level in levels}
    contours = alt.Chart(zero_line_data(lines, low, high))
    steps = alt.Chart(values(x=points[:, 0], y=points[:, 1], i=range(len(points))))
    chart = alt.layer(
        contours.mark_line(strokeWidth=1, color=QUIET, opacity=0.6, clip=True).encode(
            x, up, detail=["of:N", "piece:N"], order="i:Q"
        ),
        steps.mark_line(color=ORANGE, point={"color": ORANGE, "size": 30}).encode(
            x, up, order="i:Q"
        ),
    )
    return finish(chart.properties(width=380, height=320), title)
