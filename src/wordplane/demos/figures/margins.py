"""The margins of a separating line, functional and geometric, and the slack of what crosses them.

A model scores a point z = w.x + b. The functional margin of a point of class s (1 or -1) is s z,
its geometric margin s z / |w|, which is its distance from the line z = 0. The tangents z = -1 and
z = 1 are 1 / |w| away from the line. A point on its tangent or beyond it is a support vector, and
beyond it its slack is max(0, 1 - s z).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.types import FloatArray, LabelsLike
from wordplane.demos.figures.margin_labels import Paper, free_segment, level_labels, slack_labels
from wordplane.demos.figures.plane import (
    Plane,
    Score,
    TwoClassModel,
    check_two_classes,
    labeled_points,
)
from wordplane.demos.figures.support_vectors import TOLERANCE, support_vectors
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import point_values, row_values, scale_of
from wordplane.plots.style import BLUE, GREEN, INK, ORANGE, PINK, QUIET, finish
from wordplane.plots.vega_lite import Chart

WIDTH, HEIGHT = 400, 360  # pixels
LINE, TANGENT = "z = 0: the decision line", "z = ±1: functional margin 1"


def margins(
    X: ArrayLike, y: LabelsLike, model: TwoClassModel, *, title: str | None = None
) -> Chart:
    """Points of two classes, the line z = 0 of a model and its tangents z = -1 and z = 1.

    Support vectors have a ring. A line from a point to its tangent is its slack (times 1 / |w|);
    the largest are labeled. For a kernel, whose tangents are curves, no distances are drawn.

    X, y    the points that the model was fitted on, and their labels
    model   a fitted learner with `decision_function` and two classes

    >>> from wordplane import LinearSVM
    >>> X, y = [[0.0, 0], [0, 1], [2, 0], [2, 1]], [0, 0, 1, 1]
    >>> svm = LinearSVM(C=1e4, loss="hinge", tol=1e-6).fit(X, y)
    >>> legend = margins(X, y, svm).to_dict()["layer"][0]["encoding"]["color"]["scale"]["domain"]
    >>> legend[2]
    'geometric margin 1 / |w| = 1'
    """
    points, labels = check_two_classes(X, y)
    plane = Plane(points)
    paper = Paper(plane.low, plane.high, np.array([WIDTH, HEIGHT]), points)
    side = np.where(labels == model.classes_[1], 1.0, -1.0)
    is_support = support_vectors(points, labels, model)
    slack = np.where(is_support, 1 - side * model.decision_function(points), 0.0)
    slack = np.where(slack > TOLERANCE, slack, 0.0)
    levels = dict(
        zip((-1, 0, 1), plane.level_lines(model.decision_function, (-1, 0, 1)), strict=True)
    )
    w = linear_weights(model.decision_function, plane.low, plane.high)

    colors = {LINE: INK, TANGENT: QUIET}
    total = f"slack ξ, {slack.sum():.3g} in total"
    segments: list[tuple[object, ...]] = []  # geometric margin and slacks
    if w is not None:
        distance = f"geometric margin 1 / |w| = {1 / np.linalg.norm(w):.3g}"
        colors[distance] = GREEN
        reach = free_segment(paper, levels[0], w / (w @ w))
        if reach is not None:
            segments.append((*reach[0], *reach[1], distance, None))
        ends = points + (side * slack / (w @ w))[:, None] * w
        segments += [(*points[i], *ends[i], total, slack[i]) for i in np.flatnonzero(slack)]
    if slack.any():
        colors[total] = PINK
    legend = {"title": None, "columns": 2, "symbolType": "stroke", "symbolSize": 250}
    color = vl.Color("of:N", scale=scale_of(colors), legend=legend)
    data = row_values(("x", "y", "x2", "y2", "of", "slack"), segments)
    across = plane.chart(data, x2="x2:Q", y2="y2:Q", color=color)
    slacks = across.transform_filter("datum.slack != null")
    of_class = {
        str(label): color for label, color in zip(model.classes_, (BLUE, ORANGE), strict=True)
    }
    legend = {"title": "class", "orient": "right"}
    forms = scale_of(dict(zip(of_class, ("circle", "square"), strict=True)))
    shape = vl.Shape("class:N", scale=forms, legend=legend)
    fill = vl.Fill("class:N", scale=scale_of(of_class), legend=legend)
    dots = plane.chart(labeled_points(points, labels), shape=shape, fill=fill)
    angle = vl.Angle("angle:Q", scale=None)
    named = plane.chart(level_labels(paper, levels), text="text:N", angle=angle)
    numbered = plane.chart(slack_labels(paper, levels, slack), text="text:N")
    chart = vl.layer(
        *_level_lines(plane, levels, color),
        slacks.mark_rule(strokeDash=[2, 2], strokeWidth=1.5),
        across.transform_filter("datum.slack == null").mark_rule(strokeWidth=3, clip=True),
        _rings(plane, points[is_support]),
        dots.mark_point(size=45, filled=True, opacity=0.9),
        named.mark_text(dy=-9, color=INK, fontSize=12),
        numbered.mark_text(color=PINK, fontSize=12),
    )
    return finish(chart.properties(width=WIDTH, height=HEIGHT), title)


def _level_lines(
    plane: Plane, levels: Mapping[int, Sequence[FloatArray]], color: vl.Channel
) -> list[Chart]:
    """The tangents, and the line between them."""
    rows = [
        (*place, TANGENT if z else LINE, z, piece, i)
        for z, pieces in levels.items()
        for piece, line in enumerate(pieces)
        for i, place in enumerate(line.tolist())
    ]
    data = row_values(("x", "y", "of", "z", "piece", "i"), rows)
    lines = plane.chart(data, color=color, detail=["z:O", "piece:N"], order="i:Q")
    return [
        lines.transform_filter("datum.z != 0").mark_line(strokeDash=[5, 4], clip=True),
        lines.transform_filter("datum.z == 0").mark_line(strokeWidth=3, clip=True),
    ]


def _rings(plane: Plane, vectors: FloatArray) -> Chart:
    """A ring around each support vector; the legend has their number."""
    name = f"{len(vectors)} support vectors"
    legend = {"title": None, "symbolType": "circle", "symbolSize": 140, "symbolStrokeWidth": 2}
    stroke = vl.Stroke("of:N", scale=scale_of({name: INK}), legend=legend)
    data = point_values(vectors, of=[name] * len(vectors))
    return plane.chart(data, stroke=stroke).mark_point(size=160, strokeWidth=2)


def linear_weights(score: Score, low: FloatArray, high: FloatArray) -> FloatArray | None:
    """w of a score w.x + b; None if the score is not linear.

    >>> linear_weights(lambda X: X @ [2.0, -1.0] + 5, np.zeros(2), np.ones(2)).round(6)
    array([ 2., -1.])
    """
    middle, size = (low + high) / 2, (high - low) / 2
    around = middle + size * np.array([[0, 0], [1, 0], [0, 1], [-1, -1], [1, -1], [0.3, 0.4]])
    z = np.asarray(score(around), dtype=np.float64)
    w = (z[1:3] - z[0]) / size
    linear = np.allclose(z, z[0] + (around - middle) @ w, atol=1e-5 * np.abs(z).max())
    return w if linear and w.any() else None
