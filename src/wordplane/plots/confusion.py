"""The confusion matrix as a picture."""

from typing import Any

import numpy as np

from wordplane.evaluation.confusion import Confusion
from wordplane.plots.style import BLUE, GRID, INK, altair, styled, values

CELL, MOST_NUMBERS = 44, 15
SHADES = {"range": ["#ffffff", BLUE], "domain": [0, 1], "interpolate": "rgb"}


def confusion(table: Confusion, title: str | None = None) -> Any:
    """Each row is a true class, shaded by the share of it that was called what.

    With many classes the cells are small and without numbers.
    """
    alt = altair()
    names = [str(label) for label in table.labels]
    n = len(names)
    of_row = np.maximum(table.matrix.sum(axis=1, keepdims=True), 1e-300)
    data = values(
        true=np.repeat(names, n),
        predicted=np.tile(names, n),
        n=table.matrix.ravel(),
        share=(table.matrix / of_row).ravel(),
    )
    size = CELL * n if n <= MOST_NUMBERS else max(CELL * MOST_NUMBERS, 8 * n)
    base = alt.Chart(data).encode(
        x=alt.X("predicted:N", sort=names, title="predicted", axis={"labelAngle": -40}),
        y=alt.Y("true:N", sort=names, title="true"),
    )
    cells = base.mark_rect(stroke=GRID).encode(
        color=alt.Color("share:Q", scale=SHADES, legend=None)
    )
    if n > MOST_NUMBERS:
        return styled(cells.properties(width=size, height=size), title)
    numbers = base.mark_text(fontSize=12).encode(
        text=alt.Text("n:Q", format=","),
        color=alt.condition("datum.share > 0.55", alt.value("#ffffff"), alt.value(INK)),
    )
    return styled(alt.layer(cells, numbers).properties(width=size, height=size), title)
