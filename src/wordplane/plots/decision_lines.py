"""Points in the plane, the lines at which learners change their mind, and the best line there is.

Two Gaussian classes with means m_0, m_1, variances v_0, v_1 (times the identity) and the part mu of
class 0 have the log-odds

    log p(1, x) - log p(0, x)
        = log((1 - mu) / mu) + log(v_0 / v_1) + |x - m_0|^2 / (2 v_0) - |x - m_1|^2 / (2 v_1)

and no rule errs less than their sign. They are zero on a line if v_0 = v_1, else on a circle.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.plots.class_regions import class_regions
from wordplane.plots.line_styles import line_styles
from wordplane.plots.plane import (
    Classifier,
    LabeledPoints,
    Score,
    bounding_box,
    check_points,
    check_two_classes,
    line_data,
    percent,
    plane_axes,
    zero_line_data,
)
from wordplane.plots.style import INK, Picture, altair, finish, values

if TYPE_CHECKING:
    from altair import Chart

TRUTH = "best possible"

Rule: TypeAlias = Callable[[FloatArray], LabelArray]
Sets: TypeAlias = Mapping[str, tuple[FloatArray, LabelArray]]


def decision_lines(
    X: ArrayLike,
    y: LabelsLike,
    learners: Mapping[str, Classifier | tuple[ArrayLike, ArrayLike]],
    *,
    test: LabeledPoints | None = None,
    truth: Score | None = None,
    title: str | None = None,
) -> Picture:
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
    points, labels = check_points(X, y)
    sets = {"train": (points, labels)}
    if test is not None:
        sets["test"] = check_points(*test)
    alt = altair()
    low, high = bounding_box(np.concatenate([points for points, _ in sets.values()]))
    x, up = plane_axes(low, high)
    layers = [_dots(sets).encode(x, up)]
    rules = {name: _rule(learner, labels) for name, learner in learners.items()}
    lines = {
        f"{name}: {_accuracies(rule, sets)}": class_regions(rule, low, high).borders
        for name, rule in rules.items()
    }
    best = None
    if truth is not None:
        best = f"{TRUTH}: {_accuracies(_sign_rule(truth, check_two_classes(X, y)[1]), sets)}"
    style = line_styles("of", list(lines), reference=best, columns=2)
    if lines:
        layers.append(
            alt.Chart(line_data(lines))
            .mark_line(clip=True)
            .encode(x, up, detail="piece:N", order="i:Q", **style)
        )
    if truth is not None and best is not None:
        layers.append(
            alt.Chart(zero_line_data({best: truth}, low, high))
            .mark_line(clip=True, strokeWidth=5, opacity=0.4)
            .encode(x, up, detail="piece:N", order="i:Q", **style)
        )
    return finish(alt.layer(*layers).properties(width=380, height=360), title)


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


def _accuracies(rule: Rule, sets: Sets) -> str:
    shares = [percent(float(np.mean(rule(X) == y))) for X, y in sets.values()]
    if len(sets) == 1:
        return shares[0]
    return ", ".join(f"{name} {share}" for name, share in zip(sets, shares, strict=True))


def _dots(sets: Sets) -> "Chart":
    """The points, a shape for each class; filled for training, hollow for testing."""
    alt = altair()
    dots = values(
        x=np.concatenate([X[:, 0] for X, _ in sets.values()]),
        y=np.concatenate([X[:, 1] for X, _ in sets.values()]),
        set=[name for name, (_, y) in sets.items() for _ in y],
        **{"class": [str(label) for _, y in sets.values() for label in y]},
    )
    fill = alt.Fill(
        "set:N",
        scale=alt.Scale(domain=list(sets), range=[INK, "transparent"][: len(sets)]),
        legend=alt.Legend(title="points", symbolType="circle", orient="right")
        if len(sets) > 1
        else None,
    )
    legend = alt.Legend(title="class", orient="right", symbolFillColor="transparent")
    shape = alt.Shape("class:N", legend=legend)
    chart: Chart = (
        alt.Chart(dots)
        .mark_point(size=36, stroke=INK, strokeWidth=1, opacity=0.6)
        .encode(shape=shape, fill=fill)
    )
    return chart
