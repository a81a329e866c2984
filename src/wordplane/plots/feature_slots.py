"""From a bag of words x to the features f(x, y): x in the slot of class y, zeros in the others.

Each slot has a place for every word and one for the offset, which is always 1: (V + 1) K in all.
"""

from collections.abc import Mapping, Sequence

from wordplane.common.errors import InputError
from wordplane.plots.style import BLUE, GRID, INK, QUIET, Picture, altair, finish, values

OFFSET = "<OFFSET>"
CELL = 17  # pixels of height
WIDTH = 520
X_LEFT, X_RIGHT, F_LEFT, F_RIGHT = 130, 170, 310, 350  # pixels


def feature_slots(
    counts: Mapping[str, float],
    classes: Sequence[str],
    label: str,
    *,
    title: str | None = None,
) -> Picture:
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
    alt = altair()
    words, x = [*counts, OFFSET], [*counts.values(), 1]
    n = len(x)
    height = n * len(classes)
    slot = list(classes).index(label)
    begin = (height - n) / 2  # x stands beside the middle of f(x, y)
    cells = [(begin + i, X_LEFT, X_RIGHT, count, True) for i, count in enumerate(x)]
    for k in range(len(classes)):
        for i, count in enumerate(x):
            cells.append((k * n + i, F_LEFT, F_RIGHT, count if k == slot else 0, k == slot))
    boxes = alt.Chart(
        values(
            y=[cell[0] for cell in cells],
            y2=[cell[0] + 1 for cell in cells],
            x=[cell[1] for cell in cells],
            x2=[cell[2] for cell in cells],
            value=[cell[3] for cell in cells],
            opacity=[0.18 if cell[4] else 0.0 for cell in cells],
        )
    )
    texts = [
        *((X_LEFT - 8, begin + i + 0.5, word, "right", QUIET) for i, word in enumerate(words)),
        *(
            (F_RIGHT + 16, (k + 0.5) * n, f"y = {name}", "left", INK if k == slot else QUIET)
            for k, name in enumerate(classes)
        ),
        ((X_LEFT + X_RIGHT) / 2, begin - 0.8, "x", "center", INK),
        ((F_LEFT + F_RIGHT) / 2, -0.8, f"f(x, y = {label})", "center", INK),
    ]
    links = values(
        x=[X_RIGHT, X_RIGHT],
        x2=[F_LEFT, F_LEFT],
        y=[begin, begin + n],
        y2=[slot * n, (slot + 1) * n],
    )
    edges = values(
        x=[F_LEFT - 6] * (len(classes) + 1),
        x2=[F_RIGHT + 6] * (len(classes) + 1),
        y=[k * n for k in range(len(classes) + 1)],
    )
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, WIDTH]))
    down = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, -1.6], nice=False))
    ends = {"x2": "x2:Q", "y2": "y2:Q"}
    chart = alt.layer(
        boxes.mark_rect(fill=BLUE, stroke=GRID).encode(
            across, down, **ends, fillOpacity=alt.FillOpacity("opacity:Q", scale=None)
        ),
        boxes.transform_calculate(x="(datum.x + datum.x2) / 2", y="datum.y + 0.5")
        .mark_text(fontSize=11, color=INK)
        .encode(across, down, text="value:N"),
        alt.Chart(links).mark_rule(color=BLUE, strokeDash=[3, 3]).encode(across, down, **ends),
        alt.Chart(edges).mark_rule(color=QUIET).encode(across, down, x2="x2:Q"),
        *(
            alt.Chart(values(x=[at], y=[y], text=[text]))
            .mark_text(align=align, color=color, fontSize=12)
            .encode(across, down, text="text:N")
            for at, y, text, align, color in texts
        ),
    )
    return finish(chart.properties(width=WIDTH, height=CELL * (height + 2)), title)
