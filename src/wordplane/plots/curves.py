"""Curves of decisions and probabilities: precision-recall, ROC, risk by coverage, reliability."""

import numpy as np

from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.curves import PrecisionRecall, Roc
from wordplane.evaluation.decisions import RiskCoverage
from wordplane.evaluation.reliability import Reliability
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, point_values, row_values, share_axis, values
from wordplane.plots.style import BLUE, INK, QUIET, finish
from wordplane.plots.vega_lite import Chart

MAX_POINTS = 300  # of a line: more than a screen can show
_SHARES = {"domain": [0, 1]}


def pr_curve(curve: PrecisionRecall, title: str | None = None, *, at: float | None = None) -> Chart:
    """Precision over recall with its 95 % band; dashed, what chance would give.

    `at` marks the point of a threshold.

    >>> from wordplane.evaluation.curves import precision_recall
    >>> curve = precision_recall([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], n_resamples=10)
    >>> (point,) = pr_curve(curve, at=0.75).layer[-1].data.values
    >>> print(f"recall {point['x']:.2f}, precision {point['y']:.2f}")  # of the first two
    recall 0.67, precision 1.00
    """
    points = np.column_stack([curve.recall, curve.precision])
    chance = np.array([[0.0, curve.positive_share], [1.0, curve.positive_share]])
    layers = _layers(curve, points, _thin(curve.recall), chance, ("recall", "precision"), at)
    return finish(vl.layer(*layers), title)


def roc_curve(curve: Roc, title: str | None = None, *, at: float | None = None) -> Chart:
    """True over false positive rate with its 95 % band; dashed, what chance would give.

    `at` marks the point of a threshold.

    >>> from wordplane.evaluation.curves import roc
    >>> curve = roc([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], n_resamples=10)
    >>> (point,) = roc_curve(curve, at=0.65).layer[-1].data.values
    >>> print(f"{point['x']:.2f} of the negatives, {point['y']:.2f} of the positives")
    1.00 of the negatives, 0.67 of the positives
    """
    points = np.column_stack([curve.false_positive_rate, curve.true_positive_rate])
    chance = np.array([[0.0, 0.0], [1.0, 1.0]])
    titles = ("false positive rate", "true positive rate")
    layers = _layers(curve, points, _thin(curve.true_positive_rate), chance, titles, at)
    return finish(vl.layer(*layers), title)


def risk_coverage(curve: RiskCoverage, title: str | None = None) -> Chart:
    """The share of mistakes among the texts that are labeled, over the share labeled.

    The most confident texts are labeled first.

    >>> from wordplane.evaluation.decisions import risk_coverage as measure
    >>> curve = measure(np.array([0, 1]), np.array([[0.9, 0.1], [0.6, 0.4]]))
    >>> [row["y"] for row in risk_coverage(curve).data.values]
    [0.0, 0.5]
    """
    kept = _thin(curve.coverage)
    x = vl.X("x:Q", axis=share_axis("labeled (most confident first)"), scale=_SHARES)
    y = vl.Y("y:Q", axis={"title": "wrong among them", "format": "%", "tickCount": 6})
    line = encode(values(x=curve.coverage[kept], y=curve.risk[kept]), x, y)
    return finish(line.mark_line(color=BLUE), title)


def reliability(measured: Reliability, title: str | None = None) -> Chart:
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
    x = vl.X("x:Q", axis=share_axis("mean confidence"), scale=scale)
    y, low = (vl.Y(f"{name}:Q", axis=share_axis("right"), scale=scale) for name in ("y", "low"))
    diagonal = encode(values(x=scale["domain"], y=scale["domain"]), x, y)
    data = row_values(
        ("x", "y", "low", "high"), [(b.confidence, b.right, *b.interval) for b in bins]
    )
    chart = vl.layer(
        diagonal.mark_line(color=QUIET, strokeDash=[4, 4], strokeWidth=1),
        encode(data, x, low, y2="high:Q").mark_rule(color=BLUE, opacity=0.45, strokeWidth=2),
        encode(data, x, y).mark_point(filled=True, color=BLUE, size=60, opacity=1),
    )
    return finish(chart, title)


def _layers(
    curve: PrecisionRecall | Roc,
    points: FloatArray,
    shown: IntArray,
    chance: FloatArray,
    titles: tuple[str, str],
    at: float | None,
) -> list[Chart]:
    """The band of a curve, what chance would give, those of its points that are shown, and the
    point of a threshold."""
    x = vl.X("x:Q", axis=share_axis(titles[0]), scale=_SHARES)
    y = vl.Y("y:Q", axis=share_axis(titles[1]), scale=_SHARES)

    def ordered(points: FloatArray) -> Chart:
        return encode(point_values(points, order=range(len(points))), x, y, order="order:Q")

    band = encode(values(x=curve.band.x, y=curve.band.low, high=curve.band.high), x, y, y2="high:Q")
    layers = [
        band.mark_area(color=BLUE, opacity=0.18),
        ordered(chance).mark_line(color=QUIET, strokeDash=[4, 4], strokeWidth=1),
        ordered(points[shown]).mark_line(color=BLUE, strokeJoin="round"),
    ]
    if at is not None:
        point = ordered(points[[_index_at(curve.thresholds, at)]])
        layers.append(point.mark_point(filled=True, size=90, color=INK, opacity=1))
    return layers


def _thin(rising: FloatArray) -> IntArray:
    """Points to draw: half of them at equal steps of the line, half at equal rises."""
    n, half = len(rising), MAX_POINTS // 2
    steps = np.linspace(0, n - 1, min(n, half)).astype(np.int64)
    rises = np.searchsorted(rising, np.linspace(rising[0], rising[-1], half))
    return np.unique(np.concatenate([steps, np.minimum(rises, n - 1)]))


def _index_at(thresholds: FloatArray, wanted: float) -> int:
    """The last point whose threshold is not below the wanted one."""
    return max(int(np.searchsorted(-thresholds, -wanted, side="right")) - 1, 0)
