"""Charts as Vega-Lite specifications, built as Altair builds them.

Importing Altair and its checks of every part took longer than drawing a chart; these few classes
take no time. `altair.Chart.from_dict(chart.to_dict())` is the same chart in Altair.

>>> rows = Data([{"x": 1, "y": 3}, {"x": 2, "y": 4}])
>>> chart = Chart(rows).mark_line(color="red").encode(X("x:Q", title="n"), y="y:Q")
>>> chart.mark
{'type': 'line', 'color': 'red'}
>>> chart.to_dict()["encoding"]["x"]
{'field': 'x', 'type': 'quantitative', 'title': 'n'}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from wordplane.plots.svg import to_svg

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_SECOND_ENDS = ("x2", "y2")  # their type is that of x and y


@dataclass(frozen=True)
class Data:
    """Rows of a chart; layers that share them hold the same object."""

    values: list[dict[str, object]]


class Channel:
    """What a field of the data is drawn as: x, y, color and so on.

    channel    its name in Vega-Lite
    shorthand  the field and the first letter of its type, as in "share:Q"
    options    as in Vega-Lite
    """

    def __init__(self, channel: str, shorthand: str, **options: object) -> None:
        field, _, kind = shorthand.rpartition(":")
        self.channel = channel
        self.options: dict[str, object] = {"field": field, "type": _TYPES[kind], **options}
        if channel in _SECOND_ENDS:
            del self.options["type"]


Encoding: TypeAlias = Channel | Mapping[str, object] | str | list[str]  # strings: shorthands

Angle = partial(Channel, "angle")
Color = partial(Channel, "color")
Fill = partial(Channel, "fill")
FillOpacity = partial(Channel, "fillOpacity")
Opacity = partial(Channel, "opacity")
Order = partial(Channel, "order")
Shape = partial(Channel, "shape")
Stroke = partial(Channel, "stroke")
StrokeDash = partial(Channel, "strokeDash")
Text = partial(Channel, "text")
X = partial(Channel, "x")
Y = partial(Channel, "y")


class Chart:
    """A chart of one mark, or of several charts; every method returns a new one.

    The entries of its specification are attributes: `chart.mark`, `chart.layer`, `chart.data`.
    """

    def __init__(self, data: Data | None = None, **entries: object) -> None:
        self.entries: dict[str, object] = entries if data is None else {"data": data, **entries}

    def __getattr__(self, name: str) -> Any:
        entries = self.__dict__.get("entries", {})
        if name not in entries:
            raise AttributeError(f"this chart has no {name!r}")
        return entries[name]

    def mark_area(self, **options: object) -> Chart:
        return self._mark("area", options)

    def mark_bar(self, **options: object) -> Chart:
        return self._mark("bar", options)

    def mark_circle(self, **options: object) -> Chart:
        return self._mark("circle", options)

    def mark_line(self, **options: object) -> Chart:
        return self._mark("line", options)

    def mark_point(self, **options: object) -> Chart:
        return self._mark("point", options)

    def mark_rect(self, **options: object) -> Chart:
        return self._mark("rect", options)

    def mark_rule(self, **options: object) -> Chart:
        return self._mark("rule", options)

    def mark_text(self, **options: object) -> Chart:
        return self._mark("text", options)

    def encode(self, *channels: Channel, **named: Encoding) -> Chart:
        """Add channels: as objects, or by name, where strings are shorthands such as "x:Q"."""
        added: dict[str, object] = {one.channel: one for one in channels}
        for name, one in named.items():
            if isinstance(one, list):
                added[name] = [Channel(name, each) for each in one]
            else:
                added[name] = Channel(name, one) if isinstance(one, str) else one
        return self.properties(encoding={**getattr(self, "encoding", {}), **added})

    def transform_filter(self, condition: str) -> Chart:
        """Draw only the rows for which an expression holds."""
        return self._transform({"filter": condition})

    def transform_calculate(self, **fields: str) -> Chart:
        """Add fields to the data by expressions."""
        return self._transform(*({"calculate": rule, "as": name} for name, rule in fields.items()))

    def resolve_scale(self, **channels: str) -> Chart:
        """Say of channels whether panels share their scale: "shared" or "independent"."""
        return self.properties(resolve={"scale": channels})

    def properties(self, **entries: object) -> Chart:
        """Set entries of the specification, such as title, width and height."""
        return _chart({**self.entries, **entries})

    def to_dict(self) -> dict[str, object]:
        """The specification as plain values."""
        return {"$schema": SCHEMA, **_plain_entries(self.entries)}

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, str]:
        """In notebooks, an SVG: nothing is loaded, nothing is run."""
        return {"image/svg+xml": to_svg(self), "text/plain": "<Chart>"}

    def _mark(self, kind: str, options: Mapping[str, object]) -> Chart:
        return self.properties(mark={"type": kind, **options})

    def _transform(self, *steps: Mapping[str, str]) -> Chart:
        return self.properties(transform=[*getattr(self, "transform", ()), *steps])


def layer(*charts: Chart) -> Chart:
    """Charts on top of each other, the first at the bottom. Data that all share are stored once."""
    data = [getattr(chart, "data", None) for chart in charts]
    if data[0] is None or any(other is not data[0] for other in data):
        return Chart(layer=list(charts))
    bare = [{k: v for k, v in chart.entries.items() if k != "data"} for chart in charts]
    return Chart(data[0], layer=[_chart(entries) for entries in bare])


def concat(*charts: Chart, columns: int) -> Chart:
    """Charts in rows of `columns`."""
    return Chart(concat=list(charts), columns=columns)


def hconcat(*charts: Chart, spacing: int = 20) -> Chart:
    """Charts side by side."""
    return Chart(hconcat=list(charts), spacing=spacing)


def _chart(entries: Mapping[str, object]) -> Chart:
    chart = Chart()
    chart.entries = dict(entries)
    return chart


def _plain_entries(entries: Mapping[str, object]) -> dict[str, object]:
    return {key: _plain(item) for key, item in entries.items()}


def _scalar(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: object) -> object:
    """A value without objects of ours or of NumPy."""
    if isinstance(value, Chart):
        return _plain_entries(value.entries)
    if isinstance(value, Channel):
        return _plain(value.options)
    if isinstance(value, Data):
        rows = [{key: _scalar(item) for key, item in row.items()} for row in value.values]
        return {"values": rows}
    if isinstance(value, Mapping):
        return _plain_entries(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
