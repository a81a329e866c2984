"""The look that all charts share.

A chart is made of `values` by Altair, and ends in `styled`. Colours are the ones below and no
others: the report swaps them for those of a dark page.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wordplane.common.errors import MissingExtraError

INK = "#1f2933"  # titles and what is written in a chart
QUIET = "#66717d"  # axes, and what would come by chance
GRID = "#e3e7eb"
BLUE, ORANGE, GREEN, PINK = "#2f6fde", "#d9730d", "#1a8754", "#c2408f"
SERIES = (BLUE, ORANGE, GREEN, PINK)
WIDTH, HEIGHT = 340, 260
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"

_AXIS = {
    "domainColor": QUIET,
    "gridColor": GRID,
    "labelColor": QUIET,
    "tickColor": GRID,
    "titleColor": INK,
    "titleFontWeight": "normal",
    "titlePadding": 8,
    "labelFontSize": 11,
    "titleFontSize": 12,
}
_LEGEND = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "orient": "bottom"}


def altair() -> Any:
    """The library; where it is missing, the error says how to get it."""
    try:
        import altair
    except ImportError as error:
        raise MissingExtraError("pictures need Altair", "report") from error
    return altair


def values(**columns: Iterable[Any]) -> Any:
    """Columns of equal length as the data of a chart.

    >>> values(x=[1, 2], y=[3, 4]).values
    [{'x': 1, 'y': 3}, {'x': 2, 'y': 4}]
    """
    lists = [_plain(column) for column in columns.values()]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
    return altair().Data(values=rows)


def styled(chart: Any, title: str | None = None, *, colours: Sequence[str] = SERIES) -> Any:
    """The finished chart: after this it can be shown and saved, but not be joined to others."""
    if title is not None:
        chart = chart.properties(title=title)
    return chart.configure(
        background="#ffffff",
        font=FONT,
        view={"continuousWidth": WIDTH, "continuousHeight": HEIGHT, "stroke": None},
        axis=_AXIS,
        legend=_LEGEND,
        header={"labelColor": INK, "titleColor": INK},
        title={"color": INK, "fontSize": 14, "fontWeight": 600, "anchor": "start", "offset": 12},
        line={"strokeWidth": 2},
        range={"category": list(colours)},
    )


def share_axis(title: str) -> Any:
    """An axis of shares, from 0 to 100 %."""
    return altair().Axis(title=title, format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])


def _plain(column: Any) -> list[Any]:
    if isinstance(column, Mapping | str):
        raise TypeError(f"a column is a sequence of values, not a {type(column).__name__}")
    return column.tolist() if hasattr(column, "tolist") else list(column)
