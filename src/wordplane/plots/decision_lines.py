"""Points in the plane, the lines at which learners change their mind, and the best line there is.

Two Gaussian classes with means m_0, m_1, variances v_0, v_1 (times the identity) and the part mu of
class 0 have the log-odds

    log p(1, x) - log p(0, x)
        = log((1 - mu) / mu) + log(v_0 / v_1) + |x - m_0|^2 / (2 v_0) - |x - m_1|^2 / (2 v_1)

and nobody errs less than who follows their sign. They are zero on a line if v_0 = v_1, else on a
circle.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.plots.many_lines import many_lines
from wordplane.plots.style import INK, altair, styled, values
from wordplane.plots.zero_lines import zero_lines

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]

TRUTH = "best possible"


def decision_lines(
    X: Any,
    y: Any,
    learners: Mapping[str, Any],
    *,
    truth: Score | None = None,
    title: str | None = None,
) -> Any:
    """The points X (n x 2) of two classes, and where each learner's score is zero.

    X, y      points and their labels
    learners  by name: a fitted learner of two classes, or a pair (W, b) such as `path_` holds
    truth     scores that are zero on the best line, as of `gaussian_truth`; drawn as a broad band

    >>> from wordplane import Perceptron, datasets
    >>> X, y = datasets.gaussians(40)
    >>> chart = decision_lines(X, y, {"perceptron": Perceptron().fit(X, y)})
    >>> [layer.mark.type for layer in chart.layer]
    ['point', 'line']
    """
    points, labels = checked_points(X, y)
    alt = altair()
    low, high = surroundings(points)
    x, up = plane(low, high)
    dots = values(x=points[:, 0], y=points[:, 1], **{"class": [str(label) for label in labels]})
    layers = [
        alt.Chart(dots)
        .mark_point(size=36, filled=True, opacity=0.55, color=INK)
        .encode(x, up, shape=alt.Shape("class:N", title="class"))
    ]
    if learners:
        lines = drawn_lines(
            {name: _score(learner) for name, learner in learners.items()}, low, high
        )
        layers.append(
            alt.Chart(lines)
            .mark_line(clip=True)
            .encode(x, up, detail="piece:N", order="i:Q", **many_lines("of", list(learners)))
        )
    if truth is not None:
        layers.append(
            alt.Chart(drawn_lines({TRUTH: truth}, low, high))
            .mark_line(clip=True, color=INK, strokeWidth=4, opacity=0.3)
            .encode(x, up, detail="piece:N", order="i:Q")
        )
    return styled(alt.layer(*layers).properties(width=380, height=360), title)


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

    def log_odds(X: Floats) -> Floats:
        distance = ((X[:, None, :] - m) ** 2).sum(axis=2) / (2 * v)
        return np.asarray(prior + distance[:, 0] - distance[:, 1])

    return log_odds


def checked_points(X: Any, y: Any) -> tuple[Floats, NDArray[Any]]:
    """Points in the plane with labels of two classes, or an error."""
    points = np.asarray(X, dtype=np.float64)
    labels = np.asarray(y)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) != len(labels):
        raise InputError(f"X has shape {points.shape}, expected a row of two numbers for each y")
    if len(np.unique(labels)) != 2:
        raise InputError(f"y has {len(np.unique(labels))} classes, expected two")
    return points, labels


def surroundings(points: Floats, more: float = 0.1) -> tuple[Floats, Floats]:
    """The corners of a box that holds the points and some more on each side."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = more * np.maximum(high - low, 1e-9)
    return low - room, high + room


def plane(low: Floats, high: Floats, of: str = "feature") -> tuple[Any, Any]:
    """The axes of a chart of the box between two corners."""
    alt = altair()
    scales = [alt.Scale(domain=[low[i], high[i]], nice=False) for i in range(2)]
    return (
        alt.X("x:Q", title=f"first {of}", scale=scales[0]),
        alt.Y("y:Q", title=f"second {of}", scale=scales[1]),
    )


def _score(learner: Any) -> Score:
    if not isinstance(learner, tuple):
        return lambda X: np.asarray(learner.decision_function(X), dtype=np.float64)
    W, b = np.asarray(learner[0]), np.asarray(learner[1])
    if W.shape != (2, 1) or b.shape != (1,):
        raise InputError(f"W has shape {W.shape} and b {b.shape}, expected (2, 1) and (1,)")
    return lambda X: np.asarray(X @ W[:, 0] + b[0])


def drawn_lines(scores: Mapping[str, Score], low: Floats, high: Floats) -> Any:
    """Where the scores are zero, in pieces of two points or more."""
    rows: list[tuple[float, float, str, int, int]] = []
    for name, score in scores.items():
        for piece, line in enumerate(zero_lines(score, low, high)):
            rows += [(x, y, name, piece, i) for i, (x, y) in enumerate(line.tolist())]
    columns = zip(*rows, strict=True) if rows else [[]] * 5
    return values(**dict(zip(("x", "y", "of", "piece", "i"), columns, strict=True)))
