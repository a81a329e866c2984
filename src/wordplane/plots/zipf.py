"""Zipf's law: the frequency of a word is roughly inverse to its rank."""

import numpy as np
from numpy.typing import ArrayLike

from wordplane.plots.style import BLUE, QUIET, Picture, altair, finish, values

MOST_RANKS = 300  # spaced evenly on the logarithmic scale, they look the same as all


def zipf(counts: ArrayLike, *, title: str | None = None) -> Picture:
    """How often the words of a corpus occur, by rank, on logarithmic scales.

    counts   one number for every word, in any order

    >>> chart = zipf([8, 4, 3, 2, 1, 1])
    >>> chart.data.values[1]
    {'rank': 2, 'count': 4, 'law': 4.0}
    """
    alt = altair()
    ordered = np.sort(np.asarray(counts))[::-1]
    ranks = np.unique(np.geomspace(1, len(ordered), MOST_RANKS).astype(np.int64))
    data = values(rank=ranks, count=ordered[ranks - 1], law=ordered[0] / ranks)
    x = alt.X("rank:Q", title="rank", scale=alt.Scale(type="log"))
    log = alt.Scale(type="log", domainMin=1, clamp=True)
    law = alt.Chart(data).mark_line(color=QUIET, strokeDash=[5, 4])
    seen = alt.Chart(data).mark_line(color=BLUE)
    chart = alt.layer(
        law.encode(x, alt.Y("law:Q", scale=log)),
        seen.encode(x, alt.Y("count:Q", title="occurrences", scale=log)),
    )
    return finish(chart, title)
