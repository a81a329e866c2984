"""Errors on training and on held-out texts along a parameter: where bias ends and variance begins.

With strong regularization both errors are high: the model is too simple (high bias). With weak
regularization the training error falls, but the other rises again: the model learns the accidents
of its training texts (high variance). Between them the error on held-out texts is smallest.
"""

from collections.abc import Sequence
from typing import Protocol

from wordplane.common.errors import InputError
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.plots.style import BLUE, INK, ORANGE, QUIET, Picture, altair, finish, values

NAMES = ("training texts", "held-out texts")


class FitPath(Protocol):
    """Measures at every value of a parameter, as `diagnosis.regularization_path` finds them."""

    @property
    def parameter(self) -> str: ...

    @property
    def points(self) -> Sequence[FitMeasures]: ...


def validation_curve(path: FitPath, *, title: str | None = None) -> Picture:
    """The error on training and on held-out texts over a parameter such as C or alpha.

    The error on held-out texts has its 95 % interval; its smallest mean has a ring. The points of
    the path go from the strongest regularization to the weakest.

    >>> from types import SimpleNamespace
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
    alt = altair()
    at = [point.at for point in points]
    train = [1 - point.mean("train_accuracy") for point in points]
    dev = [1 - point.mean("dev_accuracy") for point in points]
    intervals = [point.interval("dev_accuracy") for point in points]
    x = alt.X(
        "at:Q",
        title=path.parameter,
        scale=alt.Scale(type="log", nice=False),
        axis={"values": sorted(at), "format": "~g", "labelOverlap": True},
    )
    y = alt.Y("error:Q", title="error", axis={"format": "%"})
    band = values(
        at=at,
        error=[max(1 - high, 0.0) for _, high in intervals],
        high=[min(1 - low, 1.0) for low, _ in intervals],
    )
    lines = values(at=at * 2, error=train + dev, on=[name for name in NAMES for _ in points])
    color = alt.Color(
        "on:N", title=None, scale={"domain": list(NAMES), "range": [ORANGE, BLUE]}, sort=None
    )
    best = min(range(len(points)), key=dev.__getitem__)
    ends = {"high bias": at[0], "high variance": at[-1]}
    left = min(ends, key=ends.__getitem__)
    words = [
        alt.Chart(values(at=[value], text=[_arrow(name, name == left)]))
        .mark_text(color=QUIET, fontSize=12, align="left" if name == left else "right", dy=-8)
        .encode(x=x, y=alt.value(0), text="text:N")
        for name, value in ends.items()
    ]
    chart = alt.layer(
        alt.Chart(band).mark_area(color=BLUE, opacity=0.18).encode(x, y, y2="high:Q"),
        alt.Chart(lines).mark_line(point={"size": 40}).encode(x, y, color=color),
        alt.Chart(values(at=[at[best]], error=[dev[best]]))
        .mark_point(size=200, color=INK, strokeWidth=2)
        .encode(x, y),
        *(words if len(points) > 1 else []),
    )
    return finish(chart.properties(width=380, height=260), title)


def _arrow(name: str, left: bool) -> str:
    return f"← {name}" if left else f"{name} →"
