"""The reliability of probabilities: how sure, and how often right."""

from wordplane.evaluation.reliability import Reliability
from wordplane.plots.charts import alt, share_axis, values
from wordplane.plots.style import BLUE, QUIET, Picture, finish


def reliability(measured: Reliability, title: str | None = None) -> Picture:
    """The share right over the confidence, a point per bin with its 95 % interval.

    On the dashed line, probabilities can be taken at their word.

    >>> from wordplane.evaluation.reliability import reliability as measure
    >>> chart = reliability(measure([1, 1, 0, 1], [0.6, 0.7, 0.8, 0.9], n_bins=2))
    >>> [round(row["x"], 2) for row in chart.layer[2].data.values]
    [0.65, 0.85]
    """
    bins = measured.bins
    least = min(0.5, *(min(b.confidence, b.interval[0]) for b in bins))
    scale = {"domain": [int(least * 10) / 10, 1]}
    x = alt.X("x:Q", axis=share_axis("mean confidence"), scale=scale)
    y = alt.Y("y:Q", axis=share_axis("right"), scale=scale)
    diagonal = alt.Chart(values(x=scale["domain"], y=scale["domain"]))
    data = values(
        x=[b.confidence for b in bins],
        y=[b.right for b in bins],
        low=[b.interval[0] for b in bins],
        high=[b.interval[1] for b in bins],
    )
    points = alt.Chart(data)
    chart = alt.layer(
        diagonal.mark_line(color=QUIET, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y),
        points.mark_rule(color=BLUE, opacity=0.45, strokeWidth=2).encode(
            x=x, y=alt.Y("low:Q", axis=share_axis("right"), scale=scale), y2="high:Q"
        ),
        points.mark_point(filled=True, color=BLUE, size=60, opacity=1).encode(x=x, y=y),
    )
    return finish(chart, title)
