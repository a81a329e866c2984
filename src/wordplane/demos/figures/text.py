"""How texts become features, and how often words occur.

From a bag of words x to the features f(x, y): x in the slot of class y, zeros in the others. Each
slot has a place for every word and one for the offset, which is always 1: (V + 1) K in all.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import row_values, values
from wordplane.plots.style import BLUE, GRID, INK, QUIET, finish
from wordplane.plots.vega_lite import Chart

OFFSET = "<OFFSET>"
CELL = 17  # pixels of height
WIDTH = 520
X_LEFT, X_RIGHT, F_LEFT, F_RIGHT = 130, 170, 310, 350  # pixels
MOST_RANKS = 300  # spaced evenly on the logarithmic scale, they look the same as all


def feature_slots(
    counts: Mapping[str, float],
    classes: Sequence[str],
    label: str,
    *,
    title: str | None = None,
) -> Chart:
    """The bag of words of a text, and its feature vector for one label.

    counts   the words of the vocabulary and how often the text has each, zeros included
    classes  all labels, in the order of their slots
    label    the y of f(x, y)

    >>> chart = feature_slots({"best": 1, "was": 2}, ["fiction", "news"], "news")
    >>> [row["value"] for row in chart.layer[0].data.values]  # x, then f(x, y)
    [1, 2, 1, 0, 0, 0, 1, 2, 1]
    """
    if label not in classes or not counts:
        raise InputError(
            f"label is {label!r} and there are {len(counts)} words, expected one of "
            f"{', '.join(map(repr, classes))} and at least one word"
        )
    x = [*counts.values(), 1]
    n, slot = len(x), list(classes).index(label)
    height = n * len(classes)
    begin = (height - n) / 2  # x stands next to the middle of f(x, y)
    # Boxes: from, to, left, right, the count, how strong the color is.
    cells = [(begin + i, begin + i + 1, X_LEFT, X_RIGHT, count, 0.18) for i, count in enumerate(x)]
    for y in range(height):
        filled = y // n == slot
        count, opacity = (x[y % n], 0.18) if filled else (0, 0.0)
        cells.append((y, y + 1, F_LEFT, F_RIGHT, count, opacity))
    links = [(X_RIGHT, F_LEFT, begin + i, slot * n + i) for i in (0, n)]
    edges = [(F_LEFT - 6, F_RIGHT + 6, k * n) for k in range(len(classes) + 1)]
    across = vl.X("x:Q", axis=None, scale={"domain": [0, WIDTH]})
    down = vl.Y("y:Q", axis=None, scale={"domain": [height, -1.6], "nice": False})
    ends = {"x2": "x2:Q", "y2": "y2:Q"}
    boxes = vl.Chart(row_values(("y", "y2", "x", "x2", "value", "opacity"), cells))
    middles = boxes.transform_calculate(x="(datum.x + datum.x2) / 2", y="datum.y + 0.5")
    strength = vl.FillOpacity("opacity:Q", scale=None)
    dashed = vl.Chart(row_values(("x", "x2", "y", "y2"), links))
    rules = vl.Chart(row_values(("x", "x2", "y"), edges))
    layers = [
        boxes.mark_rect(fill=BLUE, stroke=GRID).encode(**ends, fillOpacity=strength),
        middles.mark_text(fontSize=11, color=INK).encode(text="value:N"),
        dashed.mark_rule(color=BLUE, strokeDash=[3, 3]).encode(**ends),
        rules.mark_rule(color=QUIET).encode(x2="x2:Q"),
    ]
    layers += _slot_texts([*counts, OFFSET], classes, slot, begin)
    chart = vl.layer(*(layer.encode(across, down) for layer in layers))
    return finish(chart.properties(width=WIDTH, height=CELL * (height + 2)), title)


def _slot_texts(
    words: Sequence[str], classes: Sequence[str], slot: int, begin: float
) -> Iterator[Chart]:
    """The words at the left of x, the classes at the right of f(x, y), and the names of both."""
    n = len(words)
    texts = [
        *((X_LEFT - 8, begin + i + 0.5, word, "right", QUIET) for i, word in enumerate(words)),
        *(
            (F_RIGHT + 16, (k + 0.5) * n, f"y = {name}", "left", INK if k == slot else QUIET)
            for k, name in enumerate(classes)
        ),
        ((X_LEFT + X_RIGHT) / 2, begin - 0.8, "x", "center", INK),
        ((F_LEFT + F_RIGHT) / 2, -0.8, f"f(x, y = {classes[slot]})", "center", INK),
    ]
    for left, top, text, align, color in texts:
        chart = vl.Chart(values(x=[left], y=[top], text=[text])).encode(text="text:N")
        yield chart.mark_text(align=align, color=color, fontSize=12)


def zipf(counts: ArrayLike, *, title: str | None = None) -> Chart:
    """How often the words of a corpus occur, by rank, on logarithmic scales.

    Zipf's law, dashed: the frequency of a word is roughly inverse to its rank.

    counts   one number for every word, in any order

    >>> chart = zipf([8, 4, 3, 2, 1, 1])
    >>> chart.data.values[1]
    {'rank': 2, 'count': 4, 'law': 4.0}
    """
    ordered = np.sort(np.asarray(counts))[::-1]
    ranks = np.unique(np.geomspace(1, len(ordered), MOST_RANKS).astype(np.int64))
    data = values(rank=ranks, count=ordered[ranks - 1], law=ordered[0] / ranks)
    ranked = vl.Chart(data).encode(vl.X("rank:Q", title="rank", scale={"type": "log"}))
    log = {"type": "log", "domainMin": 1, "clamp": True}
    law = ranked.mark_line(color=QUIET, strokeDash=[5, 4]).encode(vl.Y("law:Q", scale=log))
    seen = ranked.mark_line(color=BLUE)
    return finish(
        vl.layer(law, seen.encode(vl.Y("count:Q", title="occurrences", scale=log))), title
    )
