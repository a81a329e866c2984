"""The look that all charts share.

Every chart ends in `finish`. Colors are the ones below and no others: the report, the documentation
and `save(..., dark=True)` swap them for `DARK`.
"""

from wordplane.plots.vega_lite import Chart

INK = "#1f2933"  # titles and text inside a chart
QUIET = "#66717d"  # axes, and baselines such as chance
GRID = "#e3e7eb"
BLUE, ORANGE, GREEN, PINK = "#2f6fde", "#d9730d", "#1a8754", "#c2408f"
SERIES = (BLUE, ORANGE, GREEN, PINK)
TEAL, VIOLET, OLIVE, RED = "#0b7f8c", "#7353c9", "#7d7a12", "#c8372d"
CLASS_COLORS = (*SERIES, TEAL, VIOLET, OLIVE, RED)  # where each class needs its own
PAPER = "#ffffff"
DARK = {
    INK: "#e6e9ec",
    QUIET: "#9aa5b1",
    GRID: "#323b44",
    BLUE: "#7aa7f7",
    ORANGE: "#f2a65a",
    GREEN: "#5cc596",
    PINK: "#ea86c2",
    TEAL: "#4fc3d0",
    VIOLET: "#b09cf2",
    OLIVE: "#c9c455",
    RED: "#f0847c",
    PAPER: "#14181d",
}
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
_LEGEND = {
    "labelColor": INK,
    "titleColor": INK,
    "labelFontSize": 12,
    "labelLimit": 0,  # never cut
    "orient": "bottom",
}
_TITLE = {
    "color": INK,
    "fontSize": 14,
    "fontWeight": 600,
    "anchor": "start",
    "offset": 12,
    "subtitleColor": QUIET,
    "subtitleFontSize": 12,
    "subtitlePadding": 4,
}
_CONFIG = {
    "background": PAPER,
    "font": FONT,
    "view": {"continuousWidth": WIDTH, "continuousHeight": HEIGHT, "stroke": None},
    "axis": _AXIS,
    "legend": _LEGEND,
    "header": {"labelColor": INK, "titleColor": INK},
    "title": _TITLE,
    "line": {"strokeWidth": 2},
    "range": {"category": list(SERIES)},
}


def finish(chart: Chart, title: str | None = None) -> Chart:
    """The chart in the look of all; then it can be shown and saved, but not joined to others."""
    if title is not None:
        chart = chart.properties(title=title)
    return chart.properties(config=_CONFIG)
