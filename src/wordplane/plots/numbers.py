"""Predicted numbers against the true ones."""

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, values
from wordplane.plots.style import BLUE, HEIGHT, QUIET, WIDTH, finish
from wordplane.plots.vega_lite import Chart

MAX_POINTS = 2000


def predicted_numbers(truth: FloatArray, predicted: FloatArray, name: str = "number") -> Chart:
    """A point per text; on the dashed line, the prediction is right. Of more than 2,000 texts,
    2,000 are drawn at random.

    >>> chart = predicted_numbers(np.array([1.0, 3.0]), np.array([1.5, 2.0]))
    >>> chart.layer[1].data.values
    [{'true': 1.0, 'predicted': 1.5}, {'true': 3.0, 'predicted': 2.0}]
    """
    rows = np.arange(len(truth))
    if len(rows) > MAX_POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MAX_POINTS, replace=False))
    data = values(true=truth[rows], predicted=predicted[rows])
    ends = [float(f(both)) for f in (np.min, np.max) for both in [np.append(truth, predicted)]]
    scale = {"domain": ends, "nice": True, "zero": False}
    x = vl.X("true:Q", title=f"true {name}", scale=scale)
    y = vl.Y("predicted:Q", title=f"predicted {name}", scale=scale)
    line = encode(values(true=ends, predicted=ends), x, y)
    layers = [
        line.mark_line(color=QUIET, strokeDash=[4, 4]),
        encode(data, x, y).mark_point(filled=True, size=18, opacity=0.35, color=BLUE),
    ]
    return finish(vl.layer(*layers).properties(width=WIDTH, height=HEIGHT))
