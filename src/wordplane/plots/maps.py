"""Points in the plane: texts in their clusters, words and their neighbours."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.plots.style import INK, SERIES, altair, styled, values

SIZE = 520


def cluster_map(
    points: NDArray[np.float64],
    clusters: NDArray[np.int64],
    names: Sequence[str],
    title: str | None = None,
) -> Any:
    """Rows of `plane` in the colours of their clusters, each cluster's name at its median.

    Four colours are repeated.
    """
    alt = altair()
    colours = [SERIES[k % len(SERIES)] for k in range(len(names))]
    colour = alt.Color("colour:N", scale=None)
    dots = (
        alt.Chart(
            values(
                x=points[:, 0],
                y=points[:, 1],
                colour=[colours[k] for k in clusters],
            )
        )
        .mark_circle(size=18, opacity=0.45)
        .encode(x=_axis("x"), y=_axis("y"), color=colour)
    )
    present = [k for k in range(len(names)) if (clusters == k).any()]
    middles = np.array([np.median(points[clusters == k], axis=0) for k in present])
    labels = values(x=middles[:, 0], y=middles[:, 1], name=[names[k] for k in present])
    base = alt.Chart(labels).encode(x=_axis("x"), y=_axis("y"), text="name:N")
    halo = base.mark_text(fontSize=12, fontWeight=600, stroke="#ffffff", strokeWidth=3)
    text = base.mark_text(fontSize=12, fontWeight=600, color=INK)
    return styled((dots + halo + text).properties(width=SIZE, height=SIZE), title)


def word_map(
    points: NDArray[np.float64],
    words: Sequence[str],
    groups: Sequence[int],
    title: str | None = None,
) -> Any:
    """Words at their places in the plane, in the colours of their groups."""
    alt = altair()
    chart = alt.Chart(
        values(
            x=points[:, 0],
            y=points[:, 1],
            word=list(words),
            colour=[SERIES[k % len(SERIES)] for k in groups],
        )
    )
    chart = chart.mark_text(fontSize=12).encode(
        x=_axis("x"), y=_axis("y"), text="word:N", color=alt.Color("colour:N", scale=None)
    )
    return styled(chart.properties(width=SIZE, height=SIZE), title)


def _axis(name: str) -> Any:
    """Directions have no unit: no numbers, only a little room at the edges."""
    return getattr(altair(), name.upper())(
        f"{name}:Q", axis=None, scale=altair().Scale(zero=False, nice=False, padding=24)
    )
