"""Quantities over one other: lines, parts of a whole in bars, and errors along a parameter.

With strong regularization the errors on training and on held-out texts are high: the model is too
simple (high bias). With weak regularization the training error falls, but the other rises again:
the model learns the accidents of its training texts (high variance). Between them the error on
held-out texts is smallest.
"""

from collections.abc import Mapping, Sequence

from wordplane.common.errors import InputError
from wordplane.diagnosis.regularization_path import RegularizationPath
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import line_styles, row_values, scale_of, values
from wordplane.plots.learning_curve import fit_layers
from wordplane.plots.style import HEIGHT, INK, QUIET, SERIES, finish
from wordplane.plots.vega_lite import Chart, Data


def series(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    title: str | None = None,
) -> Chart:
    """One line with points per name.

    >>> chart = series([1, 10], {"a": [3, 4], "b": [5, 6]}, x_title="n", y_title="error")
    >>> [(row["name"], row["y"]) for row in chart.data.values]
    [('a', 3), ('a', 4), ('b', 5), ('b', 6)]
    """
    log, linear = {"type": "log", "nice": False}, {"zero": False}
    at_x = {"values": list(x), "format": "~g", "labelOverlap": True}
    powers = {"values": [10.0**k for k in range(-9, 10)], "format": "~g"}
    scale, axis = (log, powers) if log_y else (linear, {"format": "~g"})
    chart = vl.Chart(_rows(x, lines)).encode(
        vl.X("x:Q", title=x_title, scale=log if log_x else linear, axis=at_x),
        vl.Y("y:Q", title=y_title, scale=scale, axis=axis),
        **line_styles("name", list(lines)),
    )
    return finish(chart.mark_line(point={"size": 40}), title)


def stacked_bars(
    x: Sequence[float | str],
    parts: Mapping[str, Sequence[float]],
    *,
    x_title: str,
    y_title: str,
    title: str | None = None,
) -> Chart:
    """One bar per value of x, its parts on top of each other, the first at the bottom.

    >>> parts = {"bias": [1, 1], "variance": [4, 2]}
    >>> chart = stacked_bars([20, 100], parts, x_title="n", y_title="error, %")
    >>> [(row["x"], row["name"], row["y"]) for row in chart.data.values]
    [('20', 'bias', 1), ('100', 'bias', 1), ('20', 'variance', 4), ('100', 'variance', 2)]
    """
    places = [str(value) for value in x]
    colors = scale_of({name: SERIES[i % len(SERIES)] for i, name in enumerate(parts)})
    legend = {"title": None} if len(parts) > 1 else None
    chart = vl.Chart(_rows(places, parts)).encode(
        vl.X("x:N", title=x_title, sort=places, axis={"labelAngle": 0}),
        vl.Y("y:Q", title=y_title),
        vl.Color("name:N", scale=colors, legend=legend),
        vl.Order("place:Q"),
    )
    return finish(chart.mark_bar().properties(width={"step": 72}, height=HEIGHT), title)


def validation_curve(path: RegularizationPath, *, title: str | None = None) -> Chart:
    """The error on training and on held-out texts over a parameter such as C or alpha.

    The error on held-out texts has its 95 % interval; its smallest mean has a ring. The points of
    the path go from the strongest regularization to the weakest.

    >>> from types import SimpleNamespace
    >>> from wordplane.diagnosis.fit_measures import FitMeasures
    >>> points = [
    ...     FitMeasures(0.1, (0.75, 0.75), (0.5, 0.75), (0.5, 0.5), (0.6, 0.6)),
    ...     FitMeasures(10, (1.0, 1.0), (0.5, 0.625), (0.1, 0.1), (0.9, 0.9)),
    ... ]
    >>> chart = validation_curve(SimpleNamespace(parameter="C", points=points))
    >>> [row["error"] for row in chart.layer[1].data.values]
    [0.25, 0.0, 0.375, 0.4375]
    """
    points = path.points
    if not points:
        raise InputError("the path has no points; measure at least one value of the parameter")
    at = [point.at for point in points]
    axis = {"values": sorted(at), "format": "~g", "labelOverlap": True}
    log = {"type": "log", "nice": False}
    x = vl.X("at:Q", title=path.parameter, scale=log, axis=axis)
    y = vl.Y("error:Q", title="error", axis={"format": "%"})
    train, dev = (
        [1 - point.mean(f"{rows}_accuracy") for point in points] for rows in ("train", "dev")
    )
    intervals = [point.interval("dev_accuracy") for point in points]
    bounds = [(max(1 - high, 0.0), min(1 - low, 1.0)) for low, high in intervals]
    band, lines = fit_layers({"at": x, "error": y}, at, train, dev, bounds)
    best = min(range(len(points)), key=dev.__getitem__)
    ring = vl.Chart(values(at=[at[best]], error=[dev[best]])).encode(x, y)
    layers = [band, lines, ring.mark_point(size=200, color=INK, strokeWidth=2)]
    for name, value, other in (("high bias", at[0], at[-1]), ("high variance", at[-1], at[0])):
        is_left = value < other
        text = f"← {name}" if is_left else f"{name} →"
        word = vl.Chart(values(at=[value], text=[text])).encode(x, y={"value": 0}, text="text:N")
        align = "left" if is_left else "right"
        layers.append(word.mark_text(color=QUIET, fontSize=12, align=align, dy=-8))
    chart = vl.layer(*(layers if len(points) > 1 else layers[:3]))
    return finish(chart.properties(width=380, height=260), title)


def _rows(x: Sequence[float | str], columns: Mapping[str, Sequence[float]]) -> Data:
    for name, column in columns.items():
        if len(column) != len(x):
            raise InputError(f"{name!r} has {len(column)} values, expected {len(x)}")
    rows = [
        (at, name, value, place)
        for place, (name, column) in enumerate(columns.items())
        for at, value in zip(x, column, strict=True)
    ]
    return row_values(("x", "name", "y", "place"), rows)
