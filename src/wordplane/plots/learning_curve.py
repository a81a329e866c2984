"""Learning curves: how well models fit by the number of training texts.

Overfitting: the loss on training texts is far below that on held-out texts, and both still move.
Underfitting: the two are close to each other, flat, and above what is desired.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wordplane.common.errors import InputError
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.plots.style import BLUE, ORANGE, QUIET, Picture, altair, finish, values

if TYPE_CHECKING:
    from altair import LayerChart

NAMES = ("training texts", "held-out texts")
PANEL_SIZE = {"width": 270, "height": 220}  # pixels


def learning_curve(curve: LearningCurve, title: str | None = None) -> Picture:
    """Accuracy on training texts and on held-out texts, these with their 95 % interval.

    Dashed: the accuracy of always predicting the most frequent label.

    >>> from wordplane.diagnosis.fit_measures import FitMeasures
    >>> points = [FitMeasures(n, (1.0, 1.0), (0.7, 0.8), (0.1, 0.1), (0.6, 0.5)) for n in (10, 20)]
    >>> chart = learning_curve(LearningCurve(tuple(points), 25, 0.5))
    >>> chart.layer[1].data.values
    [{'accuracy': 0.5}]
    """
    return finish(_curves(curve, "accuracy", curve.majority), title)


def learning_curves(
    curves: Mapping[str, LearningCurve],
    *,
    desired: float | None = None,
    title: str | None = None,
) -> Picture:
    """The log-loss by the number of training texts, of several models side by side.

    Side by side, a model that overfits and one that underfits are told apart at a glance.

    curves   by name
    desired  the loss that one would be content with, as a dashed line

    >>> from wordplane.diagnosis.fit_measures import FitMeasures
    >>> points = [FitMeasures(n, (1.0, 1.0), (0.7, 0.8), (0.1, 0.1), (0.6, 0.5)) for n in (10, 20)]
    >>> curve = LearningCurve(tuple(points), 25, 0.5)
    >>> chart = learning_curves({"words": curve, "bigrams": curve}, desired=0.3)
    >>> [panel.title for panel in chart.hconcat]
    ['words', 'bigrams']
    """
    if not curves:
        raise InputError("there are no curves to draw; give at least one, by name")
    alt = altair()
    panels = [
        _curves(curve, "loss", desired).properties(title=name, **PANEL_SIZE)
        for name, curve in curves.items()
    ]
    return finish(alt.hconcat(*panels).resolve_scale(y="shared"), title)


def _curves(curve: LearningCurve, measure: str, level: float | None) -> "LayerChart":
    """The mean of a measure on both kinds of texts, its interval on held-out ones, and a level."""
    alt = altair()
    share = measure == "accuracy"
    sizes = [point.at for point in curve.points]
    of_name = dict(zip(NAMES, (f"train_{measure}", f"dev_{measure}"), strict=True))
    intervals = [point.interval(of_name[NAMES[1]]) for point in curve.points]
    x = alt.X(
        "texts:Q",
        scale={"type": "log", "domain": [sizes[0], sizes[-1]], "nice": False},
        axis={
            "title": "number of training texts",
            "values": sizes,
            "format": ",d",
            "labelOverlap": True,
        },
    )
    axis = {"title": measure, "format": "%"} if share else {"title": "log-loss"}
    y = alt.Y(f"{measure}:Q", scale={"zero": not share}, axis=axis)
    band = alt.Chart(
        values(
            texts=sizes,
            high=[min(high, 1.0) if share else high for _, high in intervals],
            **{measure: [max(low, 0.0) for low, _ in intervals]},
        )
    ).mark_area(color=BLUE, opacity=0.18)
    lines = alt.Chart(
        values(
            texts=sizes * 2,
            on=[name for name in NAMES for _ in sizes],
            **{measure: [p.mean(of_name[name]) for name in NAMES for p in curve.points]},
        )
    )
    color = alt.Color(
        "on:N", title=None, scale={"domain": list(NAMES), "range": [ORANGE, BLUE]}, sort=None
    )
    dashed = alt.Chart(values(**{measure: [] if level is None else [level]})).encode(y=y)
    named = dashed.mark_text(text="desired", align="left", dx=5, color=QUIET)
    chart: LayerChart = alt.layer(
        band.encode(x=x, y=y, y2="high:Q"),
        dashed.mark_rule(color=QUIET, strokeDash=[4, 4]),
        lines.mark_line(point={"size": 40}).encode(x=x, y=y, color=color),
        *([] if share else [named.encode(x=alt.value(PANEL_SIZE["width"]))]),
    )
    return chart
