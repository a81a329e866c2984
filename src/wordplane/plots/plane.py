"""Points in the plane: checks, axes, and what a picture asks of a learner."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.plots.style import altair, row_values
from wordplane.plots.zero_lines import zero_lines

if TYPE_CHECKING:
    from altair import Data

Score: TypeAlias = Callable[[FloatArray], FloatArray]
LabeledPoints: TypeAlias = tuple[ArrayLike, LabelsLike]


class Classifier(Protocol):
    """A fitted learner that gives each point a label."""

    def predict(self, X: FloatArray, /) -> LabelArray: ...


class TwoClassModel(Protocol):
    """A fitted learner of two classes; its score is positive where it predicts the second."""

    classes_: LabelArray

    def decision_function(self, X: FloatArray, /) -> FloatArray: ...


def check_points(X: ArrayLike, y: LabelsLike) -> tuple[FloatArray, LabelArray]:
    """Points in the plane and their labels as arrays, or an error."""
    points = np.asarray(X, dtype=np.float64)
    labels = np.asarray(y)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) != len(labels) or not len(points):
        raise InputError(f"X has shape {points.shape}, expected a row of two numbers for each y")
    return points, labels


def check_two_classes(X: ArrayLike, y: LabelsLike) -> tuple[FloatArray, LabelArray]:
    """Points in the plane with labels of two classes, or an error."""
    points, labels = check_points(X, y)
    if len(np.unique(labels)) != 2:
        raise InputError(f"y has {len(np.unique(labels))} classes, expected two")
    return points, labels


def bounding_box(points: FloatArray, room: float = 0.1) -> tuple[FloatArray, FloatArray]:
    """Two corners of a box around the points, with this share of room on each side."""
    low, high = points.min(axis=0), points.max(axis=0)
    border = room * np.maximum(high - low, 1e-9)
    return low - border, high + border


def plane_axes(
    low: FloatArray, high: FloatArray, of: str | None = "feature"
) -> tuple[object, object]:
    """The axes of a chart of the box between two corners; untitled if `of` is None."""
    alt = altair()
    scales = [alt.Scale(domain=[low[i], high[i]], nice=False) for i in range(2)]
    first, second = (None, None) if of is None else (f"first {of}", f"second {of}")
    axis = alt.Axis(tickCount=6, labelOverlap=True)
    return (
        alt.X("x:Q", title=first, scale=scales[0], axis=axis),
        alt.Y("y:Q", title=second, scale=scales[1], axis=axis),
    )


def above(score: Score, level: float) -> Score:
    """The score less a level: zero on the line of that level."""
    return lambda X: np.asarray(score(X)) - level


def line_data(lines: Mapping[str, Sequence[FloatArray]]) -> "Data":
    """Lines by name, each of several pieces: a row for each point, in order."""
    rows = [
        (x, y, name, piece, i)
        for name, pieces in lines.items()
        for piece, line in enumerate(pieces)
        for i, (x, y) in enumerate(line.tolist())
    ]
    return row_values(("x", "y", "of", "piece", "i"), rows)


def zero_line_data(scores: Mapping[str, Score], low: FloatArray, high: FloatArray) -> "Data":
    """Where the scores are zero, as `line_data`."""
    return line_data({name: zero_lines(score, low, high) for name, score in scores.items()})


def percent(share: float) -> str:
    """A share as it stands in a legend.

    >>> percent(0.9), percent(0.996), percent(1.0)
    ('90 %', '99.6 %', '100 %')
    """
    return f"{100 * share:.3g} %"


def accuracy(model: Classifier, points: FloatArray, labels: LabelArray) -> float:
    """The share of the points whose label the model predicts."""
    return float(np.mean(np.asarray(model.predict(points)) == labels))
