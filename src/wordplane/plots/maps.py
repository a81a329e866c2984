"""Maps: texts in their clusters, words and their neighbors."""

from collections.abc import Iterable, Sequence

import numpy as np

from wordplane.common.types import FloatArray, IntArray
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, point_values
from wordplane.plots.style import CLASS_COLORS, INK, PAPER, finish
from wordplane.plots.vega_lite import Chart, Data

SIZE = 520  # pixels along a side


def cluster_map(
    points: FloatArray, clusters: IntArray, names: Sequence[str], title: str | None = None
) -> Chart:
    """Points in the colors of their clusters, the name of each cluster at its median.

    Eight colors are repeated.

    >>> points = np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    >>> chart = cluster_map(points, np.array([0, 0, 1]), ["sport", "law"])
    >>> chart.layer[2].data.values
    [{'x': 0.0, 'y': 1.0, 'name': 'sport'}, {'x': 5.0, 'y': 5.0, 'name': 'law'}]
    """
    dots = _chart(point_values(points, color=_colors(clusters)), color=_own_color())
    present = [k for k in range(len(names)) if (clusters == k).any()]
    middles = np.array([np.median(points[clusters == k], axis=0) for k in present])
    named = _chart(point_values(middles, name=[names[k] for k in present]), text="name:N")
    halo = named.mark_text(fontSize=12, fontWeight=600, stroke=PAPER, strokeWidth=3)
    text = named.mark_text(fontSize=12, fontWeight=600, color=INK)
    chart = vl.layer(dots.mark_circle(size=18, opacity=0.45), halo, text)
    return finish(chart.properties(width=SIZE, height=SIZE), title)


def word_map(
    points: FloatArray, words: Sequence[str], groups: Sequence[int], title: str | None = None
) -> Chart:
    """Words at their places in the plane, in the colors of their groups.

    >>> chart = word_map(np.array([[0.0, 1.0], [2.0, 3.0]]), ["good", "bad"], [0, 1])
    >>> chart.data.values[1]
    {'x': 2.0, 'y': 3.0, 'word': 'bad', 'color': '#d9730d'}
    """
    data = point_values(points, word=words, color=_colors(groups))
    chart = _chart(data, text="word:N", color=_own_color()).mark_text(fontSize=12)
    return finish(chart.properties(width=SIZE, height=SIZE), title)


def _chart(data: Data, **encoding: vl.Encoding) -> Chart:
    """Directions have no unit: no numbers, only a little room at the edges."""
    scale = {"zero": False, "nice": False, "padding": 24}
    axes = vl.X("x:Q", axis=None, scale=scale), vl.Y("y:Q", axis=None, scale=scale)
    return encode(data, *axes, **encoding)


def _colors(groups: Iterable[int]) -> list[str]:
    return [CLASS_COLORS[k % len(CLASS_COLORS)] for k in groups]


def _own_color() -> vl.Channel:
    return vl.Color("color:N", scale=None)
