"""A metric on parts of the rows, each with its interval."""

from collections.abc import Mapping

from wordplane.common.errors import InputError
from wordplane.evaluation.measures import Score
from wordplane.plots.charts import alt, values
from wordplane.plots.style import BLUE, QUIET, Picture, finish

LABEL_WIDTH = 200  # pixels


def slices(
    scores: Mapping[str, Score], whole: float | None = None, title: str | None = None
) -> Picture:
    """A point and a 95 % interval for each part, in order; dashed, the metric of all rows.

    >>> chart = slices({"mail": Score("accuracy", 0.9, (0.8, 0.95))}, whole=0.85)
    >>> chart.layer[-1].data.values[0]["value"]
    0.9
    """
    if not scores:
        raise InputError("there are no parts to show")
    (metric,) = {score.metric for score in scores.values()}
    is_share = metric != "log_loss"
    axis = alt.Axis(title=metric, format="%" if is_share else "g")
    x = alt.X("value:Q", axis=axis, scale={"zero": False})
    y = alt.Y("part:N", sort=None, title=None, axis={"labelLimit": LABEL_WIDTH})
    found = list(scores.values())
    data = values(
        part=list(scores),
        value=[score.value for score in found],
        low=[score.interval[0] for score in found],
        high=[score.interval[1] for score in found],
    )
    points = alt.Chart(data)
    layers = [
        points.mark_rule(color=BLUE, opacity=0.45, strokeWidth=2).encode(
            x=alt.X("low:Q", axis=axis, scale={"zero": False}), x2="high:Q", y=y
        ),
        points.mark_point(filled=True, color=BLUE, size=60, opacity=1).encode(x=x, y=y),
    ]
    if whole is not None:
        line = alt.Chart(values(value=[whole]))
        rule = line.mark_rule(color=QUIET, strokeDash=[4, 4], strokeWidth=1)
        layers.insert(0, rule.encode(x=x))
    chart = alt.layer(*layers).properties(width=360, height={"step": 26})
    return finish(chart, title)
