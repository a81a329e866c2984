"""Losses by margin, the sigmoid, and functions of two scores as surfaces."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.demos.figures.space import View, box_layers, surface_layer
from wordplane.optimize.losses import hinge, logistic, perceptron, squared_hinge, zero_one
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import scale_of, values
from wordplane.plots.style import BLUE, INK, QUIET, SERIES, finish
from wordplane.plots.vega_lite import Chart

Function: TypeAlias = Callable[[FloatArray], FloatArray]  # of rows (x, y)

CELLS = 16  # along each side of a surface
SIZE = {"width": 300, "height": 260}  # pixels
AZIMUTH = 150.0  # degrees: where x is small and y large, in front, all surfaces are low
NUDGE = 1e-9  # towards the middle of a patch, for the height on its side of a step
LOSSES = {
    "zero-one": zero_one,
    "perceptron": perceptron,
    "hinge": hinge,
    "squared hinge": squared_hinge,
    "logistic": logistic,
}


def loss_functions(low: float = -2.0, high: float = 3.0, *, title: str | None = None) -> Chart:
    """The loss of an example by its margin: the score of its true class less the best other score.

    >>> chart = loss_functions()
    >>> chart.mark["type"]
    'line'
    """
    margins = np.sort(np.append(np.linspace(low, high, 201), NUDGE))  # a step is upright
    z = np.column_stack([np.zeros_like(margins), margins])
    y = np.ones(len(margins), dtype=np.int64)
    losses = {name: loss(z, y)[0] for name, loss in LOSSES.items()}
    data = values(
        margin=np.tile(margins, len(losses)),
        loss=np.concatenate(list(losses.values())),
        name=np.repeat(list(losses), len(margins)),
    )
    colors = scale_of(dict(zip(losses, (INK, *SERIES), strict=True)))
    chart = vl.Chart(data).encode(
        x=vl.X("margin:Q", title="margin: score of the true class less the best other"),
        y=vl.Y("loss:Q", title="loss", scale={"domain": [0, 4]}),
        color=vl.Color("name:N", scale=colors, legend={"title": None, "columns": 3}),
    )
    return finish(chart.mark_line(clip=True), title)


def sigmoid(low: float = -6.0, high: float = 6.0, *, title: str | None = None) -> Chart:
    """How a score becomes a probability: 1 / (1 + exp(-z)).

    >>> len(sigmoid().layer[1].data.values)
    121
    """
    z = np.linspace(low, high, 121)
    half = vl.Chart(values(p=[0.5])).mark_rule(color=QUIET, strokeDash=[4, 4]).encode(y="p:Q")
    curve = vl.Chart(values(z=z, p=1 / (1 + np.exp(-z)))).encode(
        x=vl.X("z:Q", title="score z"),
        y=vl.Y("p:Q", title="probability", scale={"domain": [0, 1]}),
    )
    return finish(vl.layer(half, curve.mark_line(color=BLUE)), title)


def softmax_surfaces(reach: float = 4.0, *, title: str | None = None) -> Chart:
    """Softmax next to argmax, of two scores x and y: the one is a soft version of the other.

        softmax([x y]) = exp(x) / (exp(x) + exp(y))      argmax([x y]) = 1 if x > y else 0

    >>> chart = softmax_surfaces()
    >>> heights = [row["height"] for row in chart.hconcat[0].layer[1].data.values]
    >>> round(min(heights), 4), round(max(heights), 4)
    (0.0003, 0.9997)
    """
    panels: dict[str, Function] = {
        "softmax([x y])": lambda z: 1 / (1 + np.exp(z[:, 1] - z[:, 0])),
        "argmax([x y])": lambda z: (z[:, 0] > z[:, 1]).astype(np.float64),
    }
    return _surfaces(panels, reach, title)


def hinge_surfaces(reach: float = 2.0, *, title: str | None = None) -> Chart:
    """The hinge and the zero-one loss, of two scores: y of the true class and x of the other.

        hinge([x y]) = max(0, 1 - (y - x))      zero-one loss: argmax([x y]) = 1 if x > y else 0

    >>> chart = hinge_surfaces()
    >>> round(max(row["height"] for row in chart.hconcat[0].layer[1].data.values))  # (2, -2)
    5
    """
    panels: dict[str, Function] = {
        "hinge([x y]), y true": lambda z: hinge(z, np.ones(len(z), np.int64))[0],
        "zero-one loss, argmax([x y])": lambda z: zero_one(z, np.ones(len(z), np.int64))[0],
    }
    return _surfaces(panels, reach, title)


def bowl_surface(loss: Function, reach: float, *, title: str | None = None) -> Chart:
    """A loss of two weights, x and y, as far as `reach` from the origin.

    >>> chart = bowl_surface(lambda W: (W**2).sum(axis=1), 1.0)
    >>> round(max(row["height"] for row in chart.hconcat[0].layer[1].data.values))
    2
    """
    return _surfaces({"the loss of weights (x, y)": loss}, reach, title)


def _surfaces(panels: Mapping[str, Function], reach: float, title: str | None) -> Chart:
    charts = []
    for name, function in panels.items():
        corners = np.array([[x, y] for x in (-reach, reach) for y in (-reach, reach)])
        top = float(function(corners).max())
        low, high = np.array([-reach, -reach, 0.0]), np.array([reach, reach, round(top, 2)])
        view = View(low, high, AZIMUTH)
        edges, *texts = box_layers(view, ("x", "y", ""))
        layers = (edges, surface_layer(view, _patches(function, view, reach)), *texts)
        charts.append(vl.layer(*layers).properties(title=name, **SIZE))
    return finish(vl.hconcat(*charts, spacing=40), title)


def _patches(function: Function, view: View, reach: float) -> FloatArray:
    """The surface in squares, along the diagonal in triangles, and where it has a step there in
    upright walls."""
    ticks = np.linspace(-reach, reach, CELLS + 1)
    low, high = np.meshgrid(ticks[:-1], ticks[:-1]), np.meshgrid(ticks[1:], ticks[1:])
    (x, y), (x2, y2) = ([part.ravel() for part in pair] for pair in (low, high))
    squares = np.stack([(x, y), (x2, y), (x2, y2), (x, y2)]).transpose(2, 0, 1)
    cut = squares[x == y]
    below, above = (_lift(function, cut[:, corners]) for corners in ([0, 1, 2, 2], [0, 2, 3, 3]))
    wall = np.concatenate([below[:, [0, 2]], above[:, [1, 0]]], axis=1)
    steps = np.abs(wall[:, 0, 2] - wall[:, 3, 2]) > 1e-6
    patches = np.concatenate([_lift(function, squares[x != y]), below, above, wall[steps]])
    turn = np.radians(view.azimuth)
    near = patches[:, :, :2].mean(axis=1) @ [np.cos(turn), np.sin(turn)]
    return np.asarray(patches[np.argsort(near, kind="stable")])


def _lift(function: Function, flat: FloatArray) -> FloatArray:
    """Corners (n x 4 x 2) with their heights."""
    inside = flat + NUDGE * (flat.mean(axis=1, keepdims=True) - flat)
    heights = function(inside.reshape(-1, 2)).reshape(flat.shape[:2])
    return np.concatenate([flat, heights[:, :, None]], axis=2)
