"""What charts are made of: data, scales and axes."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.plots import vega_lite as vl
from wordplane.plots.style import QUIET, SERIES
from wordplane.plots.vega_lite import Chart, Data

DASHES = ([1, 0], [6, 3], [2, 2])  # one more line of a color that is taken


def values(**columns: Iterable[object]) -> Data:
    """Columns of equal length as the data of a chart.

    >>> values(x=[1, 2], y=[3, 4]).values
    [{'x': 1, 'y': 3}, {'x': 2, 'y': 4}]
    """
    lists = [_to_list(column) for column in columns.values()]
    return row_values(list(columns), list(zip(*lists, strict=True)))


def row_values(names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> Data:
    """Rows of equal length, which may be none, as the data of a chart.

    >>> row_values(("x", "y"), [(1, 3), (2, 4)]).values
    [{'x': 1, 'y': 3}, {'x': 2, 'y': 4}]
    """
    return vl.Data([dict(zip(names, row, strict=True)) for row in rows])


def point_values(points: FloatArray, **columns: Iterable[object]) -> Data:
    """Points (n x 2) as the columns x and y of the data of a chart, with further columns.

    >>> point_values(np.array([[1.0, 3.0]]), name=["a"]).values
    [{'x': 1.0, 'y': 3.0, 'name': 'a'}]
    """
    return values(x=points[:, 0], y=points[:, 1], **columns)


def encode(data: Data, *axes: vl.Channel, **encoding: vl.Encoding) -> Chart:
    """A chart of data with these axes and further encodings; its mark is still to be chosen."""
    return vl.Chart(data).encode(*axes, **encoding)


def line_styles(
    field: str, names: Sequence[str], *, reference: str | None = None, columns: int = 3
) -> dict[str, vl.Encoding]:
    """The encoding of a field with these values, in this order, and a legend in columns.

    There are more lines than colors: each has its own color and dash. `reference` is one more
    value, in gray.

    >>> dash = line_styles("learner", ["a", "b", "c", "d", "e"])["strokeDash"]
    >>> dash.options["scale"]["range"]
    [[1, 0], [1, 0], [1, 0], [1, 0], [6, 3]]
    """
    places = range(len(names))
    colors = [SERIES[i % len(SERIES)] for i in places]
    dashes = [list(DASHES[i // len(SERIES) % len(DASHES)]) for i in places]
    domain = list(names)
    if reference is not None:
        domain, colors, dashes = [*domain, reference], [*colors, QUIET], [*dashes, [1, 0]]
    legend = {"title": None, "columns": columns, "symbolType": "stroke", "symbolSize": 300}
    color, dash = ({"domain": domain, "range": styles} for styles in (colors, dashes))
    return {
        "color": vl.Color(f"{field}:N", scale=color, legend=legend),
        "strokeDash": vl.StrokeDash(f"{field}:N", scale=dash, legend=legend),
    }


def scale_of(styles: Mapping[str, object]) -> dict[str, object]:
    """The scale that gives every name its color, dash or shape, in this order."""
    return {"domain": list(styles), "range": list(styles.values())}


def share_axis(title: str) -> dict[str, object]:
    """An axis of shares, from 0 to 100 %."""
    return {"title": title, "format": "%", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}


def _to_list(column: Iterable[object]) -> list[object]:
    if isinstance(column, Mapping | str):
        raise TypeError(f"a column is a sequence of values, not a {type(column).__name__}")
    return list(column.tolist() if isinstance(column, np.ndarray) else column)
