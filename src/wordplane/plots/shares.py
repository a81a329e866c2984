"""The shares of labels over time, or by another column."""

from collections.abc import Sequence

from wordplane.common.errors import InputError
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, row_values
from wordplane.plots.style import CLASS_COLORS, finish
from wordplane.plots.vega_lite import Chart

MAX_LABELS = len(CLASS_COLORS)

ShareRow = tuple[str, str, float, float, float]  # part, label, share, and its interval


def shares(rows: Sequence[ShareRow], labels: Sequence[str], by: str | None = None) -> Chart:
    """A line with its 95 % interval for each of the first labels, over the parts in order.

    >>> rows = [("May", "spam", 0.1, 0.05, 0.2), ("June", "spam", 0.2, 0.1, 0.3)]
    >>> chart = shares(rows, ["spam"])
    >>> len(chart.layer)
    3
    """
    if not rows:
        raise InputError("there are no parts to show")
    shown = list(labels)[:MAX_LABELS]
    kept = [row for row in rows if row[1] in shown]
    data = row_values(("part", "label", "share", "low", "high"), kept)
    x = vl.X("part:N", sort=None, title=by, axis={"labelAngle": -40})
    axis = {"title": "share of texts", "format": "%"}
    y, low = (vl.Y(f"{name}:Q", axis=axis) for name in ("share", "low"))
    scale = {"domain": shown, "range": list(CLASS_COLORS[: len(shown)])}
    color = vl.Color("label:N", scale=scale, title=None, sort=None)
    layers = [
        encode(data, x, low, y2="high:Q", color=color).mark_area(opacity=0.15),
        encode(data, x, y, color=color).mark_line(),
        encode(data, x, y, color=color).mark_point(filled=True, size=40, opacity=1),
    ]
    n_parts = len(dict.fromkeys(row[0] for row in kept))
    width = min(max(40 * n_parts, 200), 900)
    return finish(vl.layer(*layers).properties(width=width, height=260))
