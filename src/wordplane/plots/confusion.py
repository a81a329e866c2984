"""The confusion matrix as a picture."""

import numpy as np

from wordplane.evaluation.confusion import Confusion
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import values
from wordplane.plots.style import BLUE, GRID, INK, PAPER, finish
from wordplane.plots.vega_lite import Chart

CELL = 44  # pixels along a side
MOST_NUMBERED = 15  # classes; with more, the cells are too small for numbers
SHADES = {"range": [PAPER, BLUE], "domain": [0, 1], "interpolate": "rgb"}


def confusion(table: Confusion, title: str | None = None) -> Chart:
    """Each row is a true class, shaded by the share of its texts that was predicted as each class.

    With many classes the cells are small and without numbers.

    >>> from wordplane.evaluation.confusion import confusion as count
    >>> chart = confusion(count(["a", "b", "b"], ["a", "b", "a"]))
    >>> [(row["true"], row["predicted"], row["n"]) for row in chart.data.values][2:]
    [('b', 'a', 1.0), ('b', 'b', 1.0)]
    """
    names = [str(label) for label in table.labels]
    n = len(names)
    of_row = np.maximum(table.matrix.sum(axis=1, keepdims=True), 1e-300)
    data = values(
        true=np.repeat(names, n),
        predicted=np.tile(names, n),
        n=table.matrix.ravel(),
        share=(table.matrix / of_row).ravel(),
    )
    size = CELL * n if n <= MOST_NUMBERED else max(CELL * MOST_NUMBERED, 8 * n)
    base = vl.Chart(data).encode(
        x=vl.X("predicted:N", sort=names, title="predicted", axis={"labelAngle": -40}),
        y=vl.Y("true:N", sort=names, title="true"),
    )
    cells = base.mark_rect(stroke=GRID).encode(color=vl.Color("share:Q", scale=SHADES, legend=None))
    if n > MOST_NUMBERED:
        return finish(cells.properties(width=size, height=size), title)
    numbers = base.mark_text(fontSize=12).encode(
        text=vl.Text("n:Q", format=","),
        color={
            "condition": {"test": "datum.share > 0.55", "value": PAPER},
            "value": INK,
        },
    )
    return finish(vl.layer(cells, numbers).properties(width=size, height=size), title)
