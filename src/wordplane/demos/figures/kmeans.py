"""k-means, round by round: points join their nearest center, centers move to their points.

repeat until no point changes:
    every point joins the nearest center
    every center moves to the mean of its points    (a center without points stays)
"""

from itertools import cycle
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray
from wordplane.demos.figures.plane import Plane, check_points
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import point_values, scale_of
from wordplane.plots.style import INK, SERIES, finish
from wordplane.plots.vega_lite import Chart

SIZE = {"width": 210, "height": 200}  # pixels
COLUMNS = 3
SHAPES = ("circle", "square", "triangle-up", "diamond")


class Round(NamedTuple):
    """The centers at its beginning, the cluster each point joins, and how many points moved."""

    centers: FloatArray
    clusters: IntArray
    n_moved: int
    inertia: float


def kmeans_rounds(
    X: ArrayLike, centers: ArrayLike, *, most: int = 6, title: str | None = None
) -> Chart:
    """One panel for every round: the centers as crosses, the points in the color of the nearest.

    A line shows where each center came from. The last panel is the result, or round `most`.

    X        points (n x 2)
    centers  where to start (k x 2), for example some of the points

    >>> chart = kmeans_rounds([[0.0, 0], [0, 1], [4, 0], [4, 1]], [[0.0, 0], [0, 1]])
    >>> [panel.title["text"] for panel in chart.concat]
    ['round 1', 'round 2']
    """
    points, _ = check_points(X, np.zeros(len(np.asarray(X))))
    start = np.asarray(centers, dtype=np.float64)
    if start.ndim != 2 or start.shape[1] != 2 or not len(start):
        raise InputError(f"centers has shape {start.shape}, expected rows of two numbers")
    plane = Plane(np.concatenate([points, start]), of=None)
    names = [str(k + 1) for k in range(len(start))]
    style = {
        channel: encode("cluster:N", scale=scale_of(dict(zip(names, cycle(styles), strict=False))))
        for channel, encode, styles in (("color", vl.Color, SERIES), ("shape", vl.Shape, SHAPES))
    }
    panels, before = [], start
    for number, step in enumerate(lloyd_rounds(points, start, most), start=1):
        dots = plane.chart(point_values(points, cluster=[names[k] for k in step.clusters]), **style)
        crosses = point_values(step.centers, x0=before[:, 0], y0=before[:, 1])
        panel = vl.layer(
            dots.mark_point(size=28, filled=True, opacity=0.7),
            plane.chart(crosses, x2="x0:Q", y2="y0:Q").mark_rule(color=INK, strokeWidth=1.5),
            plane.chart(crosses).mark_point(
                shape="cross", size=170, filled=True, color=INK, opacity=1
            ),
        )
        changed = "start" if number == 1 else f"{step.n_moved} changed cluster"
        heading = {"text": f"round {number}", "subtitle": f"{changed}, inertia {step.inertia:.4g}"}
        panels.append(panel.properties(title=heading, **SIZE))
        before = step.centers
    return finish(vl.concat(*panels, columns=COLUMNS), title)


def lloyd_rounds(points: FloatArray, centers: FloatArray, most: int) -> list[Round]:
    """The rounds of k-means from these centers, until no point changes; at most so many.

    >>> rounds = lloyd_rounds(np.array([[0.0, 0], [1, 0], [9, 0]]), np.array([[0.0, 0], [1, 0]]), 5)
    >>> [(step.clusters.tolist(), step.n_moved) for step in rounds]
    [([0, 1, 1], 3), ([0, 0, 1], 1), ([0, 0, 1], 0)]
    """
    rounds: list[Round] = []
    clusters = np.full(len(points), -1)
    while len(rounds) < most:
        squared = ((points[:, None] - centers) ** 2).sum(axis=2)
        nearest = squared.argmin(axis=1)
        n_moved = int((nearest != clusters).sum())
        rounds.append(Round(centers, nearest, n_moved, float(squared.min(axis=1).sum())))
        if n_moved == 0:
            break
        clusters = nearest
        centers = centers.copy()
        for k in np.unique(clusters):
            centers[k] = points[clusters == k].mean(axis=0)
    return rounds
