"""Points in the plane: checks, axes, and what a picture asks of a learner."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.demos.figures.borders import CELLS, ClassRegions, Rule, class_regions, level_lines
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, point_values, row_values
from wordplane.plots.vega_lite import Chart, Data

Score: TypeAlias = Callable[[FloatArray], FloatArray]


class TwoClassModel(Protocol):
    """A fitted learner of two classes; its score is positive where it predicts the second."""

    classes_: LabelArray

    def decision_function(self, X: FloatArray, /) -> FloatArray: ...


class Plane:
    """A box around points, with some room on each side, and charts of what is in it.

    low, high  two corners of the box
    """

    def __init__(self, points: FloatArray, room: float = 0.1, of: str | None = "feature") -> None:
        """`of` is what the axes are the first and the second of; untitled if None."""
        self.low, self.high = bounding_box(points, room)
        axis = {"tickCount": 6, "labelOverlap": True}
        first, second = (
            {
                "title": None if of is None else f"{which} {of}",
                "scale": {"domain": [self.low[i], self.high[i]], "nice": False},
                "axis": axis,
            }
            for i, which in enumerate(("first", "second"))
        )
        self._axes = vl.X("x:Q", **first), vl.Y("y:Q", **second)

    def chart(self, data: Data, **encoding: vl.Encoding) -> Chart:
        """A chart of data with the columns x and y, and further encodings."""
        return encode(data, *self._axes, **encoding)

    def level_lines(
        self, score: Score, levels: Iterable[float], cells: int = CELLS
    ) -> list[list[FloatArray]]:
        """For each level, the lines on which a score has it."""
        return level_lines(score, levels, self.low, self.high, cells)

    def zero_lines(self, score: Score, cells: int = CELLS) -> list[FloatArray]:
        """The lines on which a score is zero."""
        return self.level_lines(score, [0.0], cells)[0]

    def regions(self, predict: Rule) -> ClassRegions:
        """Where each class is predicted."""
        return class_regions(predict, self.low, self.high)

    def lines(self, lines: Mapping[str, Sequence[FloatArray]], **encoding: vl.Encoding) -> Chart:
        """A chart of lines, each of several pieces; the column `of` has their names."""
        rows = [
            (x, y, name, piece, i)
            for name, pieces in lines.items()
            for piece, line in enumerate(pieces)
            for i, (x, y) in enumerate(line.tolist())
        ]
        data = row_values(("x", "y", "of", "piece", "i"), rows)
        return self.chart(data, **{"detail": "piece:N", "order": "i:Q", **encoding})


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


def labeled_points(points: FloatArray, labels: LabelArray, **columns: Sequence[str]) -> Data:
    """Points and the names of their classes, as the data of a chart."""
    return point_values(points, **columns, **{"class": [str(label) for label in labels]})
