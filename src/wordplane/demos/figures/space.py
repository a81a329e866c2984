"""Three dimensions on paper: a box in parallel projection, and surfaces in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, point_values, row_values
from wordplane.plots.style import BLUE, GRID, INK, QUIET
from wordplane.plots.vega_lite import Chart, Data


@dataclass(frozen=True)
class View:
    """A box of three dimensions, seen from afar.

    low, high  two corners of the box
    azimuth    the direction of the viewer in the plane of the first two axes, in degrees
    elevation  how far above that plane the viewer stands, in degrees
    """

    low: FloatArray
    high: FloatArray
    azimuth: float = -60.0
    elevation: float = 25.0

    def project(self, points: FloatArray) -> FloatArray:
        """Points (n x 3) on paper (n x 2); the box has sides of length 1.

        >>> View(np.zeros(3), np.ones(3), 0, 0).project(np.array([[5.0, 1, 0.5]])).round(6)
        array([[1. , 0.5]])
        """
        inside = (np.asarray(points, dtype=np.float64) - self.low) / (self.high - self.low)
        turn, rise = np.radians(self.azimuth), np.radians(self.elevation)
        right = np.array([-np.sin(turn), np.cos(turn), 0])
        up = np.array([-np.sin(rise) * np.cos(turn), -np.sin(rise) * np.sin(turn), np.cos(rise)])
        return np.asarray(inside @ np.column_stack([right, up]))

    def edges(self) -> list[FloatArray]:
        """The sides of the box behind and below what is in it (each 2 x 2 points on paper)."""
        corner = self._hidden_corner()
        ends = [(corner, self._across(corner, axis)) for axis in range(3)]
        for axis in range(2):
            neighbor = self._across(corner, axis)
            ends += [(neighbor, self._across(neighbor, other)) for other in range(3)]
        top = self._across(corner, 2)
        ends += [(top, self._across(top, axis)) for axis in range(2)]
        unique = {tuple(sorted(pair)): pair for pair in ends}
        return [self.project(self._at(np.array(pair))) for pair in unique.values()]

    def axis_ends(self) -> list[FloatArray]:
        """Of each axis the side of the box to name it at (2 x 2 points on paper, low to high)."""
        hidden = self._hidden_corner()
        front = self._across(self._across(hidden, 0), 1)
        sides = [self._across(hidden, 1), self._across(hidden, 0)]
        # The vertical axis stands at the left.
        upright = min(sides, key=lambda c: float(self.project(self._at(np.array([c])))[0, 0]))
        pairs = [
            [(*start[:axis], value, *start[axis + 1 :]) for value in (0, 1)]
            for axis, start in enumerate((front, front, upright))
        ]
        return [self.project(self._at(np.array(pair))) for pair in pairs]

    def _hidden_corner(self) -> tuple[int, ...]:
        """The lower corner farthest from the viewer."""
        turn = np.radians(self.azimuth)
        return (int(np.cos(turn) < 0), int(np.sin(turn) < 0), 0)

    def _across(self, corner: tuple[int, ...], axis: int) -> tuple[int, ...]:
        return (*corner[:axis], 1 - corner[axis], *corner[axis + 1 :])

    def _at(self, corners: FloatArray) -> FloatArray:
        return np.asarray(self.low + corners * (self.high - self.low))


def paper_chart(data: Data, **encoding: vl.Encoding) -> Chart:
    """A chart of data with the columns x and y, without axes."""
    no_axis = {"axis": None, "scale": {"zero": False, "nice": False, "padding": 12}}
    return encode(data, vl.X("x:Q", **no_axis), vl.Y("y:Q", **no_axis), **encoding)


def box_layers(view: View, names: Sequence[str], *, numbered: bool = True) -> list[Chart]:
    """The sides of the box behind everything, and its axes with their names and their ends."""
    sides = [(*edge[0], *edge[1]) for edge in view.edges()]

    middle = view.project(((view.low + view.high) / 2)[None])[0]
    titles: list[tuple[object, ...]] = []
    numbers: list[tuple[object, ...]] = []
    for axis, (ends, name) in enumerate(zip(view.axis_ends(), names, strict=True)):
        outward = ends.mean(axis=0) - middle
        outward /= np.linalg.norm(outward)
        titles.append((*(ends.mean(axis=0) + 0.17 * outward), name))
        numbers += [
            (*(end + 0.07 * outward), f"{value:.3g}")
            for end, value in zip(ends, (view.low[axis], view.high[axis]), strict=True)
        ]
    lines = paper_chart(row_values(("x", "y", "x2", "y2"), sides), x2="x2:Q", y2="y2:Q")
    layers = [lines.mark_rule(color=GRID), _texts(titles).mark_text(color=INK, fontSize=12)]
    if numbered:
        layers.append(_texts(numbers).mark_text(color=QUIET, fontSize=10))
    return layers


def _texts(rows: Sequence[tuple[object, ...]]) -> Chart:
    return paper_chart(row_values(("x", "y", "text"), rows), text="text:N")


def surface_layer(view: View, patches: FloatArray, color: str = BLUE) -> Chart:
    """Patches of a surface (n x corners x 3), in the order given: the farthest first."""
    n, corners = patches.shape[:2]
    # Higher is darker.
    height = patches[:, :, 2].mean(axis=1) - view.low[2]
    shade = 0.12 + 0.4 * height / (view.high[2] - view.low[2])
    data = point_values(
        view.project(patches.reshape(-1, 3)),
        patch=np.repeat(np.arange(n), corners),
        i=np.tile(np.arange(corners), n),
        shade=np.repeat(shade, corners),
        height=patches[:, :, 2].ravel(),
    )
    opacity = vl.FillOpacity("shade:Q", scale=None, legend=None)
    chart = paper_chart(data, detail="patch:O", order="i:Q", fillOpacity=opacity)
    return chart.mark_line(
        interpolate="linear-closed", stroke=color, fill=color, strokeWidth=0.6, strokeOpacity=0.7
    )
