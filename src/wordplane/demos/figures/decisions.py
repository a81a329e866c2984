"""What learners decide in the plane: as lines, as regions, and the best line there is.

Two Gaussian classes with means m_0, m_1, variances v_0, v_1 (times the identity) and the part mu of
class 0 have the log-odds

    log p(1, x) - log p(0, x)
        = log((1 - mu) / mu) + log(v_0 / v_1) + |x - m_0|^2 / (2 v_0) - |x - m_1|^2 / (2 v_1)

and no rule errs less than their sign. They are zero on a line if v_0 = v_1, else on a circle.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.demos.figures.borders import (
    ClassRegions,
    Rule,
    as_one_path,
)
from wordplane.demos.figures.plane import (
    Plane,
    Score,
    check_points,
    check_two_classes,
    labeled_points,
)
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import line_styles, point_values, scale_of
from wordplane.plots.style import CLASS_COLORS, INK, QUIET, finish
from wordplane.plots.vega_lite import Chart, Data

TRUTH = "best possible"
SIZE, PANEL_SIZE = 360, 260  # pixels along a side: of one picture of regions, and of one of several
COLUMNS = 3
SHADE = 0.22  # opacity of the first eight regions; the same colors return lighter

LabeledPoints: TypeAlias = tuple[ArrayLike, LabelsLike]
Sets: TypeAlias = Mapping[str, tuple[FloatArray, LabelArray]]  # points and labels: train, test


class Classifier(Protocol):
    """A fitted learner that gives each point a label."""

    def predict(self, X: FloatArray, /) -> LabelArray: ...


def decision_lines(
    X: ArrayLike,
    y: LabelsLike,
    learners: Mapping[str, Classifier | tuple[ArrayLike, ArrayLike]],
    *,
    test: LabeledPoints | None = None,
    truth: Score | None = None,
    title: str | None = None,
) -> Chart:
    """The points X (n x 2), and the lines at which each learner changes from class to class.

    The legend gives the accuracy of every learner on the points.

    X, y      points and their labels
    learners  by name: any fitted learner, or for two classes a pair (W, b) such as `path_` holds
    test      further points and their labels; they are hollow, and have accuracies of their own
    truth     scores that are zero on the best line, as of `gaussian_truth`; drawn as a broad band

    >>> from wordplane import Perceptron, datasets
    >>> X, y = datasets.gaussians(40)
    >>> chart = decision_lines(X, y, {"perceptron": Perceptron().fit(X, y)})
    >>> chart.layer[1].data.values[0]["of"]  # the name in the legend
    'perceptron: 90 %'
    """
    sets = _point_sets(X, y, test)
    plane = Plane(_joined(sets)[0])
    rules = {name: _rule(learner, sets["train"][1]) for name, learner in learners.items()}
    lines = {
        f"{name}: {_accuracies(rule, sets)}": plane.regions(rule).borders
        for name, rule in rules.items()
    }
    best = {}
    if truth is not None:
        right = _accuracies(_sign_rule(truth, check_two_classes(X, y)[1]), sets)
        best = {f"{TRUTH}: {right}": plane.zero_lines(truth)}
    style = line_styles("of", list(lines), reference=next(iter(best), None), columns=2)
    layers = [_dots(plane, sets)]
    if lines:
        layers.append(plane.lines(lines, **style).mark_line(clip=True))
    if best:
        layers.append(plane.lines(best, **style).mark_line(clip=True, strokeWidth=5, opacity=0.4))
    return finish(vl.layer(*layers).properties(width=380, height=360), title)


def decision_regions(
    X: ArrayLike,
    y: LabelsLike,
    learner: Classifier | Mapping[str, Classifier],
    *,
    test: LabeledPoints | None = None,
    title: str | None = None,
) -> Chart:
    """The plane in the colors of the classes that a learner predicts, and the points.

    Training points are squares and test points circles, as in the lab; the color is the true
    class. The legend gives the accuracies. Several learners by name stand side by side, each with
    its accuracies below its name.

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
    sets = _point_sets(X, y, test)
    if not isinstance(learner, Mapping):
        named = {
            f"{name}: accuracy {_accuracies(learner.predict, {'': points})}": points
            for name, points in sets.items()
        }
        return finish(_panel(named, learner, SIZE), title)
    if not learner:
        raise InputError("there are no learners to draw; give at least one, by name")
    panels = []
    for name, model in learner.items():
        right = _accuracies(model.predict, sets, named=True)
        panel = _panel(sets, model, PANEL_SIZE)
        panels.append(panel.properties(title={"text": name, "subtitle": right}))
    return finish(vl.concat(*panels, columns=COLUMNS), title)


def gaussian_truth(
    *,
    variances: Sequence[float] = (1.0, 1.0),
    means: Sequence[Sequence[float]] = ((-1.0, -1.0), (1.0, 1.0)),
    balance: float = 0.5,
) -> Score:
    """The log-odds of class 1 under the parameters of `datasets.gaussians`.

    >>> truth = gaussian_truth()
    >>> truth(np.array([[0.0, 0.0], [1.0, 1.0]])).tolist()  # a line through the origin
    [0.0, 4.0]
    """
    v = np.asarray(variances, dtype=np.float64)
    m = np.asarray(means, dtype=np.float64)
    if v.shape != (2,) or not (v > 0).all() or m.shape != (2, 2) or not 0 < balance < 1:
        raise InputError(
            f"variances={variances!r}, means={means!r} and balance={balance!r}, expected two "
            "variances above 0, two points, and a balance between 0 and 1"
        )
    prior = np.log((1 - balance) / balance) + np.log(v[0] / v[1])

    def log_odds(X: FloatArray) -> FloatArray:
        distance = ((X[:, None, :] - m) ** 2).sum(axis=2) / (2 * v)
        return np.asarray(prior + distance[:, 0] - distance[:, 1])

    return log_odds


def _point_sets(X: ArrayLike, y: LabelsLike, test: LabeledPoints | None) -> Sets:
    sets = {"train": check_points(X, y)}
    if test is not None:
        sets["test"] = check_points(*test)
    return sets


def _joined(sets: Sets) -> tuple[FloatArray, LabelArray]:
    points, labels = (np.concatenate(part) for part in zip(*sets.values(), strict=True))
    return points, labels


def _rule(learner: Classifier | tuple[ArrayLike, ArrayLike], labels: LabelArray) -> Rule:
    if not isinstance(learner, tuple):
        return learner.predict
    W, b = np.asarray(learner[0]), np.asarray(learner[1])
    if W.shape != (2, 1) or b.shape != (1,):
        raise InputError(f"W has shape {W.shape} and b {b.shape}, expected (2, 1) and (1,)")
    return _sign_rule(lambda X: np.asarray(X @ W[:, 0] + b[0]), labels)


def _sign_rule(score: Score, labels: LabelArray) -> Rule:
    """The second of two classes where the score is positive, else the first."""
    classes = np.unique(labels)
    return lambda X: np.asarray(classes[(score(X) > 0).astype(np.int64)])


def _accuracies(rule: Rule, sets: Sets, named: bool = False) -> str:
    """The share of each set that is right, such as 'train 99.6 %, test 90 %'; of one set, '90 %'
    unless it is to be named."""
    shares = [f"{100 * float(np.mean(np.asarray(rule(X)) == y)):.3g} %" for X, y in sets.values()]
    if len(sets) == 1 and not named:
        return shares[0]
    return ", ".join(f"{name} {share}" for name, share in zip(sets, shares, strict=True))


def _dots(plane: Plane, sets: Sets) -> Chart:
    """The points, a shape for each class; filled for training, hollow for testing."""
    legend = {"title": "points", "symbolType": "circle", "orient": "right"}
    colors = dict(zip(sets, (INK, "transparent"), strict=False))
    fill = vl.Fill("set:N", scale=scale_of(colors), legend=legend if len(sets) > 1 else None)
    legend = {"title": "class", "orient": "right", "symbolFillColor": "transparent"}
    shape = vl.Shape("class:N", legend=legend)
    chart = plane.chart(_set_data(sets), shape=shape, fill=fill)
    return chart.mark_point(size=36, stroke=INK, strokeWidth=1, opacity=0.6)


def _set_data(sets: Sets) -> Data:
    return labeled_points(*_joined(sets), set=[name for name, (_, y) in sets.items() for _ in y])


def _panel(sets: Sets, learner: Classifier, size: int) -> Chart:
    """The regions of one learner, and the points of all sets under their names."""
    points, labels = _joined(sets)
    plane = Plane(points)
    regions = plane.regions(learner.predict)
    classes = [str(label) for label in np.union1d(labels, regions.classes)]
    scale = scale_of({c: CLASS_COLORS[k % len(CLASS_COLORS)] for k, c in enumerate(classes)})
    legend = {"title": "class", "columns": 4, "symbolType": "square", "symbolStrokeWidth": 0}
    fill = vl.Fill("class:N", scale=scale, legend=legend)
    legend = {"title": "points", "columns": 1, "symbolFillColor": QUIET, "symbolStrokeColor": QUIET}
    shapes = scale_of(dict(zip(sets, ("square", "circle"), strict=False)))
    areas = plane.chart(
        _region_data(regions, classes),
        order="i:Q",
        fill=fill,
        opacity=vl.Opacity("shade:Q", scale=None, legend=None),
    )
    dots = plane.chart(
        _set_data(sets),
        stroke=vl.Stroke("class:N", scale=scale, legend=None),
        fill=fill,
        shape=vl.Shape("set:N", scale=shapes, legend=legend),
    )
    chart = vl.layer(
        areas.mark_line(stroke="transparent", strokeWidth=0, clip=True),
        dots.mark_point(size=40, strokeWidth=1, fillOpacity=0.75, opacity=1),
    )
    return chart.properties(width=size, height=size)


def _region_data(regions: ClassRegions, classes: Sequence[str]) -> Data:
    """A closed path around each class; the first classes in full colors."""
    paths = [as_one_path(rings) for rings in regions.rings]
    lengths = [len(path) for path in paths]
    names = [str(label) for label in regions.classes]
    shades = [SHADE / 2.5 ** (classes.index(name) // len(CLASS_COLORS)) for name in names]
    return point_values(
        np.concatenate(paths),
        i=np.concatenate([np.arange(n) for n in lengths]),
        shade=np.repeat(shades, lengths),
        **{"class": np.repeat(names, lengths)},
    )
