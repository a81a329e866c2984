"""Learning curves: how well models fit by the number of training texts.

Overfitting: the loss on training texts is far below that on held-out texts, and both still move.
Underfitting: the two are close to each other, flat, and above what is desired.
"""

from collections.abc import Mapping, Sequence

from wordplane.common.errors import InputError
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import scale_of, values
from wordplane.plots.style import BLUE, ORANGE, QUIET, finish
from wordplane.plots.vega_lite import Chart

NAMES = ("training texts", "held-out texts")
PANEL_SIZE = {"width": 270, "height": 220}  # pixels


def learning_curve(curve: LearningCurve, title: str | None = None) -> Chart:
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
) -> Chart:
    """The log-loss by the number of training texts, of several models side by side.

    Side by side, a model that overfits and one that underfits can be distinguished at a glance.

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
    panels = [
        _curves(curve, "loss", desired).properties(title=name, **PANEL_SIZE)
        for name, curve in curves.items()
    ]
    return finish(vl.hconcat(*panels).resolve_scale(y="shared"), title)


def fit_layers(
    axes: Mapping[str, vl.Channel],
    at: Sequence[float],
    train: Sequence[float],
    dev: Sequence[float],
    bounds: Sequence[tuple[float, float]],
) -> tuple[Chart, Chart]:
    """The interval of a measure on held-out texts as a band, its mean on both kinds as lines.

    axes    those of the setting and of the measure, by the names of their fields
    at      the settings
    bounds  of the intervals, the lower first
    """
    (setting, x), (measure, y) = axes.items()
    low, high = zip(*bounds, strict=True)
    band = vl.Chart(values(high=high, **{setting: at, measure: low}))
    on = [name for name in NAMES for _ in at]
    lines = vl.Chart(values(on=on, **{setting: [*at, *at], measure: [*train, *dev]}))
    scale = scale_of(dict(zip(NAMES, (ORANGE, BLUE), strict=True)))
    color = vl.Color("on:N", title=None, scale=scale, sort=None)
    return (
        band.mark_area(color=BLUE, opacity=0.18).encode(x, y, y2="high:Q"),
        lines.mark_line(point={"size": 40}).encode(x, y, color=color),
    )


def _curves(curve: LearningCurve, measure: str, level: float | None) -> Chart:
    """The mean of a measure on both kinds of texts, its interval on held-out ones, and a level."""
    share = measure == "accuracy"
    sizes = [point.at for point in curve.points]
    ticks = {"values": sizes, "format": ",d", "labelOverlap": True}
    x = vl.X(
        "texts:Q",
        scale={"type": "log", "domain": [sizes[0], sizes[-1]], "nice": False},
        axis={"title": "number of training texts", **ticks},
    )
    axis = {"title": measure, "format": "%"} if share else {"title": "log-loss"}
    y = vl.Y(f"{measure}:Q", scale={"zero": not share}, axis=axis)
    train, dev = (
        [point.mean(f"{rows}_{measure}") for point in curve.points] for rows in ("train", "dev")
    )
    intervals = [point.interval(f"dev_{measure}") for point in curve.points]
    bounds = [(max(low, 0.0), min(high, 1.0) if share else high) for low, high in intervals]
    band, lines = fit_layers({"texts": x, measure: y}, sizes, train, dev, bounds)
    dashed = vl.Chart(values(**{measure: [] if level is None else [level]})).encode(y=y)
    layers = [band, dashed.mark_rule(color=QUIET, strokeDash=[4, 4]), lines]
    if not share:
        named = dashed.mark_text(text="desired", align="left", dx=5, color=QUIET)
        layers.append(named.encode(x={"value": PANEL_SIZE["width"]}))
    return vl.layer(*layers)
