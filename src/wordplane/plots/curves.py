"""Curves over all thresholds: precision-recall, ROC, risk against coverage."""

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.curves import Band, PrecisionRecall, Roc
from wordplane.evaluation.decisions import RiskCoverage
from wordplane.plots.charts import alt, share_axis, values
from wordplane.plots.style import BLUE, INK, QUIET, Picture, finish

MAX_POINTS = 300  # of a line: more than a screen can show


def pr_curve(
    curve: PrecisionRecall, title: str | None = None, *, at: float | None = None
) -> Picture:
    """Precision over recall with its 95 % band; dashed, what chance would give.

    `at` marks the point of a threshold.

    >>> from wordplane.evaluation.curves import precision_recall
    >>> curve = precision_recall([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], n_resamples=10)
    >>> (point,) = pr_curve(curve, at=0.75).layer[-1].data.values
    >>> print(f"recall {point['x']:.2f}, precision {point['y']:.2f}")  # of the first two
    recall 0.67, precision 1.00
    """
    kept = _thin(curve.recall)
    layers = [
        _band(curve.band, "recall", "precision"),
        _line([0.0, 1.0], [curve.positive_share] * 2, "recall", "precision", dashed=True),
        _line(curve.recall[kept], curve.precision[kept], "recall", "precision"),
    ]
    if at is not None:
        point = _index_at(curve.thresholds, at)
        layers.append(_point(curve.recall[point], curve.precision[point], "recall", "precision"))
    return finish(alt.layer(*layers), title)


def roc_curve(curve: Roc, title: str | None = None, *, at: float | None = None) -> Picture:
    """True over false positive rate with its 95 % band; dashed, what chance would give.

    `at` marks the point of a threshold.

    >>> from wordplane.evaluation.curves import roc
    >>> curve = roc([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], n_resamples=10)
    >>> (point,) = roc_curve(curve, at=0.65).layer[-1].data.values
    >>> print(f"{point['x']:.2f} of the negatives, {point['y']:.2f} of the positives")
    1.00 of the negatives, 0.67 of the positives
    """
    x, y = "false positive rate", "true positive rate"
    fpr, tpr = curve.false_positive_rate, curve.true_positive_rate
    kept = _thin(tpr)
    layers = [
        _band(curve.band, x, y),
        _line([0.0, 1.0], [0.0, 1.0], x, y, dashed=True),
        _line(fpr[kept], tpr[kept], x, y),
    ]
    if at is not None:
        point = _index_at(curve.thresholds, at)
        layers.append(_point(fpr[point], tpr[point], x, y))
    return finish(alt.layer(*layers), title)


def risk_coverage(curve: RiskCoverage, title: str | None = None) -> Picture:
    """The share of mistakes among the texts that are labeled, over the share labeled.

    The most confident texts are labeled first.

    >>> from wordplane.evaluation.decisions import risk_coverage as measure
    >>> found = measure(np.array([0, 1]), np.array([[0.9, 0.1], [0.6, 0.4]]))
    >>> [row["y"] for row in risk_coverage(found).data.values]
    [0.0, 0.5]
    """
    kept = _thin(curve.coverage)
    line = (
        alt.Chart(values(x=curve.coverage[kept], y=curve.risk[kept]))
        .mark_line(color=BLUE)
        .encode(
            x=alt.X("x:Q", axis=share_axis("labeled (most confident first)"), scale=_SHARES),
            y=alt.Y("y:Q", axis=alt.Axis(title="wrong among them", format="%", tickCount=6)),
        )
    )
    return finish(line, title)


_SHARES = {"domain": [0, 1]}


def _axes(x_title: str, y_title: str) -> dict[str, object]:
    return {
        "x": alt.X("x:Q", axis=share_axis(x_title), scale=_SHARES),
        "y": alt.Y("y:Q", axis=share_axis(y_title), scale=_SHARES),
        "order": alt.Order("order:Q"),
    }


def _line(x: ArrayLike, y: ArrayLike, x_title: str, y_title: str, dashed: bool = False) -> object:
    mark: dict[str, object] = {"color": BLUE, "strokeJoin": "round"}
    if dashed:
        mark = {"color": QUIET, "strokeDash": [4, 4], "strokeWidth": 1}
    x, y = np.asarray(x), np.asarray(y)
    chart = alt.Chart(values(x=x, y=y, order=range(len(x))))
    return chart.mark_line(**mark).encode(**_axes(x_title, y_title))


def _band(band: Band, x_title: str, y_title: str) -> object:
    chart = alt.Chart(values(x=band.x, y=band.low, high=band.high))
    axes = {name: axis for name, axis in _axes(x_title, y_title).items() if name != "order"}
    return chart.mark_area(color=BLUE, opacity=0.18).encode(**axes, y2="high:Q")


def _point(x: float, y: float, x_title: str, y_title: str) -> object:
    chart = alt.Chart(values(x=[x], y=[y], order=[0]))
    mark = chart.mark_point(filled=True, size=90, color=INK, opacity=1)
    return mark.encode(**_axes(x_title, y_title))


def _thin(rising: FloatArray) -> IntArray:
    """Points to draw: half of them at equal steps of the line, half at equal rises."""
    n, half = len(rising), MAX_POINTS // 2
    steps = np.linspace(0, n - 1, min(n, half)).astype(np.int64)
    rises = np.searchsorted(rising, np.linspace(rising[0], rising[-1], half))
    return np.unique(np.concatenate([steps, np.minimum(rises, n - 1)]))


def _index_at(thresholds: FloatArray, wanted: float) -> int:
    """The last point whose threshold is not below the wanted one."""
    return max(int(np.searchsorted(-thresholds, -wanted, side="right")) - 1, 0)
