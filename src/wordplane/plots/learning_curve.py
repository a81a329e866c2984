"""Accuracy by the number of training texts."""

from typing import Any

from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.plots.style import BLUE, ORANGE, QUIET, altair, styled, values


def learning_curve(curve: LearningCurve, title: str | None = None) -> Any:
    """Accuracy on texts trained on and on others, these with their 95 % interval.

    Dashed, what always saying the commonest label would give.
    """
    alt = altair()
    sizes = [point.at for point in curve.points]
    names = ("texts trained on", "other texts")
    of_name = dict(zip(names, ("train_accuracy", "dev_accuracy"), strict=True))
    intervals = [point.interval("dev_accuracy") for point in curve.points]
    x = alt.X(
        "texts:Q",
        scale={"type": "log", "domain": [sizes[0], sizes[-1]], "nice": False},
        axis={"title": "texts trained on", "values": sizes, "format": ",d", "labelOverlap": True},
    )
    axis = {"title": "accuracy", "format": "%"}
    y = alt.Y("accuracy:Q", scale={"zero": False}, axis=axis)
    band = alt.Chart(
        values(
            texts=sizes,
            accuracy=[low for low, _ in intervals],
            high=[min(high, 1.0) for _, high in intervals],
        )
    ).mark_area(color=BLUE, opacity=0.18)
    lines = alt.Chart(
        values(
            texts=sizes * 2,
            accuracy=[p.mean(of_name[name]) for name in names for p in curve.points],
            on=[name for name in names for _ in sizes],
        )
    )
    colour = alt.Color(
        "on:N", title=None, scale={"domain": list(names), "range": [ORANGE, BLUE]}, sort=None
    )
    chance = alt.Chart(values(accuracy=[curve.majority]))
    chart = alt.layer(
        band.encode(x=x, y=y, y2="high:Q"),
        chance.mark_rule(color=QUIET, strokeDash=[4, 4]).encode(y=y),
        lines.mark_line(point={"size": 40}).encode(x=x, y=y, color=colour),
    )
    return styled(chart, title)
