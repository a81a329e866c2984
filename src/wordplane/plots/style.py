"""The look that all charts share.

A chart is made of `values` by Altair, and ends in `finish`. Colors are the ones below and no
others: the report, the documentation and `save(..., dark=True)` swap them for `DARK`.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from wordplane.common.errors import MissingExtraError
from wordplane.common.types import FloatArray

if TYPE_CHECKING:
    from altair import Chart, ConcatChart, Data, HConcatChart, LayerChart

# What the pictures return; after `finish` it can be shown and saved, but not joined to others.
Picture: TypeAlias = "Chart | LayerChart | ConcatChart | HConcatChart"

INK = "#1f2933"  # titles and text inside a chart
QUIET = "#66717d"  # axes, and baselines such as chance
GRID = "#e3e7eb"
BLUE, ORANGE, GREEN, PINK = "#2f6fde", "#d9730d", "#1a8754", "#c2408f"
SERIES = (BLUE, ORANGE, GREEN, PINK)
TEAL, VIOLET, OLIVE, RED = "#0b7f8c", "#7353c9", "#7d7a12", "#c8372d"
CLASS_COLORS = (*SERIES, TEAL, VIOLET, OLIVE, RED)  # where each class needs its own
DASHES = ([1, 0], [6, 3], [2, 2])  # one more line of a color that is taken
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


def altair() -> ModuleType:
    """The library; where it is missing, the error says how to get it."""
    try:
        import altair
    except ImportError as error:
        raise MissingExtraError("pictures need Altair", "report") from error
    return altair


def values(**columns: Iterable[object]) -> "Data":
    """Columns of equal length as the data of a chart.

    >>> values(x=[1, 2], y=[3, 4]).values
    [{'x': 1, 'y': 3}, {'x': 2, 'y': 4}]
    """
    lists = [_to_list(column) for column in columns.values()]
    return row_values(list(columns), list(zip(*lists, strict=True)))


def row_values(names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> "Data":
    """Rows of equal length, which may be none, as the data of a chart.

    >>> row_values(("x", "y"), [(1, 3), (2, 4)]).values
    [{'x': 1, 'y': 3}, {'x': 2, 'y': 4}]
    """
    data: Data = altair().Data(values=[])
    # Set afterwards: Altair would check every row twice, which takes longer than all the rest.
    data["values"] = [dict(zip(names, row, strict=True)) for row in rows]
    return data


def point_values(points: FloatArray, **columns: Iterable[object]) -> "Data":
    """Points (n x 2) as the columns x and y of the data of a chart, with further columns.

    >>> point_values(np.array([[1.0, 3.0]]), name=["a"]).values
    [{'x': 1.0, 'y': 3.0, 'name': 'a'}]
    """
    return values(x=points[:, 0], y=points[:, 1], **columns)


def finish(chart: Picture, title: str | None = None) -> Picture:
    """The chart in the look of all; then it can be shown and saved, but not joined to others."""
    if title is not None:
        chart = chart.properties(title=title)
    finished: Picture = chart.configure(
        background=PAPER,
        font=FONT,
        view={"continuousWidth": WIDTH, "continuousHeight": HEIGHT, "stroke": None},
        axis=_AXIS,
        legend=_LEGEND,
        header={"labelColor": INK, "titleColor": INK},
        title=_TITLE,
        line={"strokeWidth": 2},
        range={"category": list(SERIES)},
    )
    return finished


def line_styles(
    field: str, names: Sequence[str], *, reference: str | None = None, columns: int = 3
) -> dict[str, object]:
    """The encoding of a field with these values, in this order, and a legend in columns.

    There are more lines than colors: each has its own color and dash. `reference` is one more
    value, in gray.

    >>> dash = line_styles("learner", ["a", "b", "c", "d", "e"])["strokeDash"]
    >>> dash.to_dict()["scale"]["range"]
    [[1, 0], [1, 0], [1, 0], [1, 0], [6, 3]]
    """
    alt = altair()
    places = range(len(names))
    colors = [SERIES[i % len(SERIES)] for i in places]
    dashes = [list(DASHES[i // len(SERIES) % len(DASHES)]) for i in places]
    domain = list(names)
    if reference is not None:
        domain, colors, dashes = [*domain, reference], [*colors, QUIET], [*dashes, [1, 0]]
    legend = alt.Legend(title=None, columns=columns, symbolType="stroke", symbolSize=300)
    return {
        channel: encode(f"{field}:N", scale=alt.Scale(domain=domain, range=styles), legend=legend)
        for channel, encode, styles in (
            ("color", alt.Color, colors),
            ("strokeDash", alt.StrokeDash, dashes),
        )
    }


def scale_of(styles: Mapping[str, object]) -> object:
    """The scale that gives every name its color, dash or shape, in this order."""
    return altair().Scale(domain=list(styles), range=list(styles.values()))


def share_axis(title: str) -> object:
    """An axis of shares, from 0 to 100 %."""
    return altair().Axis(title=title, format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])


def _to_list(column: Iterable[object]) -> list[object]:
    if isinstance(column, Mapping | str):
        raise TypeError(f"a column is a sequence of values, not a {type(column).__name__}")
    return list(column.tolist() if isinstance(column, np.ndarray) else column)
