"""The regions of the plane in which a learner predicts each class.

Training points are squares and test points circles, as in the lab; the color is the true class.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.plots.class_regions import as_one_path, class_regions
from wordplane.plots.plane import (
    Classifier,
    LabeledPoints,
    accuracy,
    bounding_box,
    check_points,
    percent,
    plane_axes,
)
from wordplane.plots.style import CLASS_COLORS, QUIET, Picture, altair, finish, values

if TYPE_CHECKING:
    from altair import LayerChart

SIZE, PANEL_SIZE = 360, 260  # pixels along a side: of one picture, and of one of several
COLUMNS = 3
SHADE = 0.22  # opacity of the first eight regions; the same colors return lighter


def decision_regions(
    X: ArrayLike,
    y: LabelsLike,
    learner: Classifier | Mapping[str, Classifier],
    *,
    test: LabeledPoints | None = None,
    title: str | None = None,
) -> Picture:
    """The plane in the colors of the classes that a learner predicts, and the points.

    The legend gives the accuracies. Several learners by name stand side by side, each with its
    accuracies below its name.

    X, y     the training points (n x 2) and their labels, of any number of classes
    learner  anything with `predict`: neighbors, kernels, naive Bayes, linear learners
    test     test points and their labels

    >>> from wordplane import KNeighbors, datasets
    >>> X, y = datasets.gaussians(40)
    >>> knn = KNeighbors(n_neighbors=3, metric="euclidean").fit(X[:20], y[:20])
    >>> chart = decision_regions(X[:20], y[:20], knn, test=(X[20:], y[20:]))
    >>> chart.layer[1].data.values[-1]["set"]  # the name in the legend
    'test: accuracy 85 %'
    """
    sets = {"train": check_points(X, y)}
    if test is not None:
        sets["test"] = check_points(*test)
    if not isinstance(learner, Mapping):
        names = {
            name: f"{name}: accuracy {percent(accuracy(learner, *points))}"
            for name, points in sets.items()
        }
        return finish(_panel(sets, learner, names, SIZE), title)
    if not learner:
        raise InputError("there are no learners to draw; give at least one, by name")
    alt = altair()
    panels = []
    for name, model in learner.items():
        shares = [f"{kind} {percent(accuracy(model, *points))}" for kind, points in sets.items()]
        panel = _panel(sets, model, {kind: kind for kind in sets}, PANEL_SIZE)
        panels.append(panel.properties(title=alt.Title(name, subtitle=", ".join(shares))))
    return finish(alt.concat(*panels, columns=COLUMNS), title)


def _panel(
    sets: Mapping[str, tuple[FloatArray, LabelArray]],
    learner: Classifier,
    names: Mapping[str, str],
    size: int,
) -> "LayerChart":
    """The regions of one learner, and the points of all sets under the names of a legend."""
    alt = altair()
    points = np.concatenate([points for points, _ in sets.values()])
    labels = np.concatenate([labels for _, labels in sets.values()])
    low, high = bounding_box(points)
    x, up = plane_axes(low, high)
    found = class_regions(learner.predict, low, high)
    classes = [str(label) for label in np.union1d(labels, found.classes)]
    colors = [CLASS_COLORS[k % len(CLASS_COLORS)] for k in range(len(classes))]
    scale = alt.Scale(domain=classes, range=colors)
    regions = alt.Chart(_region_data([str(label) for label in found.classes], found.rings, classes))
    dots = alt.Chart(
        values(
            x=points[:, 0],
            y=points[:, 1],
            set=[names[kind] for kind, (_, labels) in sets.items() for _ in labels],
            **{"class": [str(label) for label in labels]},
        )
    )
    shape = alt.Scale(domain=list(names.values()), range=["square", "circle"][: len(names)])
    legend = alt.Legend(title="points", columns=1, symbolFillColor=QUIET, symbolStrokeColor=QUIET)
    fill = alt.Fill(
        "class:N",
        scale=scale,
        legend=alt.Legend(title="class", columns=4, symbolType="square", symbolStrokeWidth=0),
    )
    chart: LayerChart = alt.layer(
        regions.mark_line(stroke="transparent", strokeWidth=0, clip=True).encode(
            x,
            up,
            order="i:Q",
            fill=fill,
            opacity=alt.Opacity("shade:Q", scale=None, legend=None),
        ),
        dots.mark_point(size=40, strokeWidth=1, fillOpacity=0.75, opacity=1).encode(
            x,
            up,
            stroke=alt.Stroke("class:N", scale=scale, legend=None),
            fill=fill,
            shape=alt.Shape("set:N", scale=shape, legend=legend),
        ),
    )
    return chart.properties(width=size, height=size)


def _region_data(
    names: Sequence[str], rings: Sequence[tuple[FloatArray, ...]], classes: Sequence[str]
) -> object:
    paths = [as_one_path(of_class) for of_class in rings]
    cycle = [classes.index(name) // len(CLASS_COLORS) for name in names]
    return values(
        x=np.concatenate([path[:, 0] for path in paths]),
        y=np.concatenate([path[:, 1] for path in paths]),
        i=np.concatenate([np.arange(len(path)) for path in paths]),
        shade=[SHADE / 2.5**k for k, path in zip(cycle, paths, strict=True) for _ in path],
        **{"class": [name for name, path in zip(names, paths, strict=True) for _ in path]},
    )
