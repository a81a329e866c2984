"""Maps: texts in their clusters, words and their neighbors."""

from collections.abc import Sequence

import numpy as np

from wordplane.common.types import FloatArray, IntArray
from wordplane.plots.style import INK, PAPER, SERIES, Picture, altair, finish, values

SIZE = 520  # pixels along a side


def cluster_map(
    points: FloatArray,
    clusters: IntArray,
    names: Sequence[str],
    title: str | None = None,
) -> Picture:
    """Points in the colors of their clusters, the name of each cluster at its median.

    Four colors are repeated.

    >>> points = np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    >>> chart = cluster_map(points, np.array([0, 0, 1]), ["sport", "law"])
    >>> chart.layer[2].data.values
    [{'x': 0.0, 'y': 1.0, 'name': 'sport'}, {'x': 5.0, 'y': 5.0, 'name': 'law'}]
    """
    alt = altair()
    colors = [SERIES[k % len(SERIES)] for k in range(len(names))]
    color = alt.Color("color:N", scale=None)
    dots = (
        alt.Chart(
            values(
                x=points[:, 0],
                y=points[:, 1],
                color=[colors[k] for k in clusters],
            )
        )
        .mark_circle(size=18, opacity=0.45)
        .encode(x=_axis("x"), y=_axis("y"), color=color)
    )
    present = [k for k in range(len(names)) if (clusters == k).any()]
    middles = np.array([np.median(points[clusters == k], axis=0) for k in present])
    labels = values(x=middles[:, 0], y=middles[:, 1], name=[names[k] for k in present])
    base = alt.Chart(labels).encode(x=_axis("x"), y=_axis("y"), text="name:N")
    halo = base.mark_text(fontSize=12, fontWeight=600, stroke=PAPER, strokeWidth=3)
    text = base.mark_text(fontSize=12, fontWeight=600, color=INK)
    return finish((dots + halo + text).properties(width=SIZE, height=SIZE), title)


def word_map(
    points: FloatArray,
    words: Sequence[str],
    groups: Sequence[int],
    title: str | None = None,
) -> Picture:
    """Words at their places in the plane, in the colors of their groups.

    >>> chart = word_map(np.array([[0.0, 1.0], [2.0, 3.0]]), ["good", "bad"], [0, 1])
    >>> chart.data.values[1]
    {'x': 2.0, 'y': 3.0, 'word': 'bad', 'color': '#d9730d'}
    """
    alt = altair()
    chart = alt.Chart(
        values(
            x=points[:, 0],
            y=points[:, 1],
            word=list(words),
            color=[SERIES[k % len(SERIES)] for k in groups],
        )
    )
    chart = chart.mark_text(fontSize=12).encode(
        x=_axis("x"), y=_axis("y"), text="word:N", color=alt.Color("color:N", scale=None)
    )
    return finish(chart.properties(width=SIZE, height=SIZE), title)


def _axis(name: str) -> object:
    """Directions have no unit: no numbers, only a little room at the edges."""
    alt = altair()
    channel = alt.X if name == "x" else alt.Y
    return channel(f"{name}:Q", axis=None, scale=alt.Scale(zero=False, nice=False, padding=24))
