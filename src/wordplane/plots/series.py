"""Quantities over one other: lines beside each other, or parts of a whole on top of each other."""

from collections.abc import Mapping, Sequence

from wordplane.common.errors import InputError
from wordplane.plots.line_styles import line_styles
from wordplane.plots.style import HEIGHT, SERIES, Picture, altair, finish, row_values


def series(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    title: str | None = None,
) -> Picture:
    """One line with points per name.

    >>> chart = series([1, 10], {"a": [3, 4], "b": [5, 6]}, x_title="n", y_title="error")
    >>> [(row["name"], row["y"]) for row in chart.data.values]
    [('a', 3), ('a', 4), ('b', 5), ('b', 6)]
    """
    alt = altair()
    log, linear = alt.Scale(type="log", nice=False), alt.Scale(zero=False)
    at_x = alt.Axis(values=list(x), format="~g", labelOverlap=True)
    powers = alt.Axis(values=[10.0**k for k in range(-9, 10)], format="~g")
    chart = (
        alt.Chart(_rows(x, lines))
        .mark_line(point={"size": 40})
        .encode(
            alt.X("x:Q", title=x_title, scale=log if log_x else linear, axis=at_x),
            alt.Y(
                "y:Q",
                title=y_title,
                scale=log if log_y else linear,
                axis=powers if log_y else alt.Axis(format="~g"),
            ),
            **line_styles("name", list(lines)),
        )
    )
    return finish(chart, title)


def stacked_bars(
    x: Sequence[float | str],
    parts: Mapping[str, Sequence[float]],
    *,
    x_title: str,
    y_title: str,
    title: str | None = None,
) -> Picture:
    """One bar per value of x, its parts on top of each other, the first at the bottom.

    >>> parts = {"bias": [1, 1], "variance": [4, 2]}
    >>> chart = stacked_bars([20, 100], parts, x_title="n", y_title="error, %")
    >>> [(row["x"], row["name"], row["y"]) for row in chart.data.values]
    [('20', 'bias', 1), ('100', 'bias', 1), ('20', 'variance', 4), ('100', 'variance', 2)]
    """
    alt = altair()
    names, places = list(parts), [str(value) for value in x]
    colors = [SERIES[i % len(SERIES)] for i in range(len(names))]
    legend = alt.Legend(title=None) if len(names) > 1 else None
    chart = (
        alt.Chart(_rows(places, parts))
        .mark_bar()
        .encode(
            alt.X("x:N", title=x_title, sort=places, axis={"labelAngle": 0}),
            alt.Y("y:Q", title=y_title),
            alt.Color("name:N", scale={"domain": names, "range": colors}, legend=legend),
            alt.Order("place:Q"),
        )
    )
    return finish(chart.properties(width=alt.Step(72), height=HEIGHT), title)


def _rows(x: Sequence[float | str], columns: Mapping[str, Sequence[float]]) -> object:
    for name, column in columns.items():
        if len(column) != len(x):
            raise InputError(f"{name!r} has {len(column)} values, expected {len(x)}")
    rows = [
        (at, name, value, place)
        for place, (name, column) in enumerate(columns.items())
        for at, value in zip(x, column, strict=True)
    ]
    return row_values(("x", "name", "y", "place"), rows)
