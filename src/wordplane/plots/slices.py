"""A metric on parts of the rows, each with its interval."""

from collections.abc import Mapping

from wordplane.common.errors import InputError
from wordplane.evaluation.measures import Score
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, row_values, values
from wordplane.plots.style import BLUE, QUIET, finish
from wordplane.plots.vega_lite import Chart

LABEL_WIDTH = 200  # pixels


def slices(
    scores: Mapping[str, Score], whole: float | None = None, title: str | None = None
) -> Chart:
    """A point and a 95 % interval for each part, in order; dashed, the metric of all rows.

    >>> chart = slices({"mail": Score("accuracy", 0.9, (0.8, 0.95))}, whole=0.85)
    >>> chart.layer[-1].data.values[0]["value"]
    0.9
    """
    if not scores:
        raise InputError("there are no parts to show")
    (metric,) = {score.metric for score in scores.values()}
    is_share = metric != "log_loss"
    axis = {"title": metric, "format": "%" if is_share else "g"}
    x, low = (vl.X(f"{name}:Q", axis=axis, scale={"zero": False}) for name in ("value", "low"))
    y = vl.Y("part:N", sort=None, title=None, axis={"labelLimit": LABEL_WIDTH})
    rows = [
        (part, score.value, *(score.interval or (score.value,) * 2))
        for part, score in scores.items()
    ]
    data = row_values(("part", "value", "low", "high"), rows)
    layers = [
        encode(data, low, y, x2="high:Q").mark_rule(color=BLUE, opacity=0.45, strokeWidth=2),
        encode(data, x, y).mark_point(filled=True, color=BLUE, size=60, opacity=1),
    ]
    if whole is not None:
        line = encode(values(value=[whole]), x)
        layers.insert(0, line.mark_rule(color=QUIET, strokeDash=[4, 4], strokeWidth=1))
    chart = vl.layer(*layers).properties(width=360, height={"step": 26})
    return finish(chart, title)
