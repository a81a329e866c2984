"""A separating line, the two lines at distance 1 / |w| beside it, and the points that hold them."""

from typing import Any

import numpy as np

from wordplane.plots.decision_lines import checked_points, drawn_lines, plane, surroundings
from wordplane.plots.style import BLUE, INK, ORANGE, QUIET, altair, styled, values

SLACK = 1e-3  # of the margin, for what a solver leaves


def margins(X: Any, y: Any, model: Any, *, title: str | None = None) -> Any:
    """Points of two classes, the line z = 0 of a linear model and its tangents z = -1 and z = 1.

    A point on a tangent or beyond it has a ring: it is a support vector. The functional margin of
    a point is z times its class (-1 or 1), its distance from the line is that over |w|.

    >>> from wordplane import LinearSVM
    >>> X, y = [[0.0, 0], [0, 1], [2, 0], [2, 1]], [0, 0, 1, 1]
    >>> svm = LinearSVM(C=1e4, loss="hinge", tol=1e-6).fit(X, y)
    >>> chart = margins(X, y, svm)
    >>> len(chart.layer[2].data.values)  # all four hold the line
    4
    """
    points, labels = checked_points(X, y)
    alt = altair()
    low, high = surroundings(points)
    x, up = plane(low, high)
    score = model.decision_function
    side = np.where(labels == model.classes_[1], 1, -1)
    held = side * score(points) <= 1 + SLACK
    classes = {"class": [str(label) for label in labels]}
    dots = alt.Chart(values(x=points[:, 0], y=points[:, 1], **classes)).encode(x, up)
    rings = alt.Chart(values(x=points[held, 0], y=points[held, 1])).encode(x, up)
    tangents = {"z = -1": lambda X: score(X) + 1, "z = 1": lambda X: score(X) - 1}
    line = alt.Chart(drawn_lines({"z = 0": score}, low, high))
    beside = alt.Chart(drawn_lines(tangents, low, high))
    chart = alt.layer(
        beside.mark_line(color=QUIET, strokeDash=[5, 4], clip=True).encode(
            x, up, detail=["of:N", "piece:N"], order="i:Q"
        ),
        line.mark_line(color=INK, strokeWidth=3, clip=True).encode(
            x, up, detail="piece:N", order="i:Q"
        ),
        rings.mark_point(size=160, color=ORANGE, strokeWidth=2),
        dots.mark_point(size=45, filled=True, color=BLUE, opacity=0.9).encode(
            shape=alt.Shape("class:N", title="class")
        ),
    )
    return styled(chart.properties(width=380, height=320), title)
