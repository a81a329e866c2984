"""The layers of a picture in three dimensions: its box, the names of its axes, and surfaces."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.plots.projection import View
from wordplane.plots.style import BLUE, GRID, INK, QUIET, altair, values

if TYPE_CHECKING:
    from altair import Chart

NO_AXIS = {"axis": None, "scale": {"zero": False, "nice": False, "padding": 12}}


def box_layers(view: View, names: Sequence[str], *, numbered: bool = True) -> list["Chart"]:
    """The sides of the box behind everything, and its axes with their names and their ends."""
    alt = altair()
    edges = view.edges()
    lines = values(
        x=[edge[0, 0] for edge in edges],
        y=[edge[0, 1] for edge in edges],
        x2=[edge[1, 0] for edge in edges],
        y2=[edge[1, 1] for edge in edges],
    )
    middle = view.project(((view.low + view.high) / 2)[None])[0]
    texts: list[tuple[float, float, str]] = []
    numbers: list[tuple[float, float, str]] = []
    for axis, (ends, name) in enumerate(zip(view.axis_ends(), names, strict=True)):
        outward = ends.mean(axis=0) - middle
        outward /= np.linalg.norm(outward)
        texts.append((*(ends.mean(axis=0) + 0.17 * outward), name))
        numbers += [
            (*(end + 0.07 * outward), f"{value:.3g}")
            for end, value in zip(ends, (view.low[axis], view.high[axis]), strict=True)
        ]
    x, y = alt.X("x:Q", **NO_AXIS), alt.Y("y:Q", **NO_AXIS)
    layers = [
        alt.Chart(lines).mark_rule(color=GRID).encode(x, y, x2="x2:Q", y2="y2:Q"),
        _texts(texts).mark_text(color=INK, fontSize=12).encode(x, y, text="text:N"),
    ]
    if numbered:
        ends = _texts(numbers).mark_text(color=QUIET, fontSize=10)
        layers.append(ends.encode(x, y, text="text:N"))
    return layers


def surface_layer(view: View, patches: FloatArray, color: str = BLUE) -> "Chart":
    """Patches of a surface (n x corners x 3), in the order given: the farthest first."""
    alt = altair()
    n, corners = patches.shape[:2]
    flat = view.project(patches.reshape(-1, 3))
    # Higher is darker.
    height = patches[:, :, 2].mean(axis=1) - view.low[2]
    shade = 0.12 + 0.4 * height / (view.high[2] - view.low[2])
    data = values(
        x=flat[:, 0],
        y=flat[:, 1],
        patch=np.repeat(np.arange(n), corners),
        i=np.tile(np.arange(corners), n),
        shade=np.repeat(shade, corners),
        height=patches[:, :, 2].ravel(),
    )
    chart: Chart = (
        alt.Chart(data)
        .mark_line(
            interpolate="linear-closed",
            stroke=color,
            fill=color,
            strokeWidth=0.6,
            strokeOpacity=0.7,
        )
        .encode(
            alt.X("x:Q", **NO_AXIS),
            alt.Y("y:Q", **NO_AXIS),
            detail="patch:O",
            order="i:Q",
            fillOpacity=alt.FillOpacity("shade:Q", scale=None, legend=None),
        )
    )
    return chart


def _texts(rows: list[tuple[float, float, str]]) -> "Chart":
    xs, ys, texts = zip(*rows, strict=True)
    chart: Chart = altair().Chart(values(x=xs, y=ys, text=texts))
    return chart
