"""Curves over all thresholds: precision-recall, ROC, risk against coverage."""

from typing import Any

import numpy as np

from wordplane.evaluation.arrays import Floats, Ints
from wordplane.evaluation.curves import Band, PrecisionRecall, Roc
from wordplane.evaluation.decisions import RiskCoverage
from wordplane.plots.style import BLUE, INK, QUIET, altair, share_axis, styled, values

MAX_POINTS = 300  # of a line: more than a screen can show


def pr_curve(curve: PrecisionRecall, title: str | None = None, *, at: float | None = None) -> Any:
    """Precision over recall with its 95 % band; dashed, what chance would give.

    `at` marks the point of a threshold.
    """
    kept = _thinned(len(curve.recall))
    layers = [
        _band(curve.band, "recall", "precision"),
        _line([0.0, 1.0], [curve.positive_share] * 2, "recall", "precision", dashed=True),
        _line(curve.recall[kept], curve.precision[kept], "recall", "precision"),
    ]
    if at is not None:
        point = _at(curve.thresholds, at)
        layers.append(_point(curve.recall[point], curve.precision[point], "recall", "precision"))
    return styled(altair().layer(*layers), title)


def roc_curve(curve: Roc, title: str | None = None, *, at: float | None = None) -> Any:
    """True over false positive rate with its 95 % band; dashed, what chance would give.

    `at` marks the point of a threshold.
    """
    x, y = "false positive rate", "true positive rate"
    fpr, tpr = curve.false_positive_rate, curve.true_positive_rate
    kept = _thinned(len(fpr))
    layers = [
        _band(curve.band, x, y),
        _line([0.0, 1.0], [0.0, 1.0], x, y, dashed=True),
        _line(fpr[kept], tpr[kept], x, y),
    ]
    if at is not None:
        point = _at(curve.thresholds, at)
        layers.append(_point(fpr[point], tpr[point], x, y))
    return styled(altair().layer(*layers), title)


def risk_coverage(curve: RiskCoverage, title: str | None = None) -> Any:
    """The share wrong of the rows labelled, over how many are labelled, the surest first."""
    alt = altair()
    kept = _thinned(len(curve.coverage))
    line = (
        alt.Chart(values(x=curve.coverage[kept], y=curve.risk[kept]))
        .mark_line(color=BLUE)
        .encode(
            x=alt.X("x:Q", axis=share_axis("labelled (the surest first)"), scale=_SHARES),
            y=alt.Y("y:Q", axis=alt.Axis(title="of these, wrong", format="%", tickCount=6)),
        )
    )
    return styled(line, title)


_SHARES = {"domain": [0, 1]}


def _axes(x_title: str, y_title: str) -> dict[str, Any]:
    alt = altair()
    return {
        "x": alt.X("x:Q", axis=share_axis(x_title), scale=_SHARES),
        "y": alt.Y("y:Q", axis=share_axis(y_title), scale=_SHARES),
        "order": alt.Order("order:Q"),
    }


def _line(x: Any, y: Any, x_title: str, y_title: str, dashed: bool = False) -> Any:
    mark: dict[str, Any] = {"color": BLUE, "strokeJoin": "round"}
    if dashed:
        mark = {"color": QUIET, "strokeDash": [4, 4], "strokeWidth": 1}
    chart = altair().Chart(values(x=x, y=y, order=range(len(x))))
    return chart.mark_line(**mark).encode(**_axes(x_title, y_title))


def _band(band: Band, x_title: str, y_title: str) -> Any:
    alt = altair()
    chart = alt.Chart(values(x=band.x, y=band.low, high=band.high))
    axes = {name: axis for name, axis in _axes(x_title, y_title).items() if name != "order"}
    return chart.mark_area(color=BLUE, opacity=0.18).encode(**axes, y2="high:Q")


def _point(x: float, y: float, x_title: str, y_title: str) -> Any:
    chart = altair().Chart(values(x=[x], y=[y], order=[0]))
    mark = chart.mark_point(filled=True, size=90, color=INK, opacity=1)
    return mark.encode(**_axes(x_title, y_title))


def _thinned(n: int) -> Ints:
    return np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).astype(np.int64))


def _at(thresholds: Floats, wanted: float) -> int:
    """The last point whose threshold is not below the wanted one."""
    return max(int(np.searchsorted(-thresholds, -wanted, side="right")) - 1, 0)
