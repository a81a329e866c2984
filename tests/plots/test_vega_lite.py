"""Tests of wordplane.plots.vega_lite: the specification is the one that Altair builds."""

import altair as alt
import numpy as np
import pytest

from wordplane.plots import vega_lite as vl

ROWS = [{"x": 1.0, "y": 2.0, "name": "a"}, {"x": 3.0, "y": 4.0, "name": "b"}]


def build(lib, data):
    x = lib.X("x:Q", title=None, scale={"zero": False})
    points = lib.Chart(data).encode(x, lib.Y("y:Q"), color="name:N")
    area = points.mark_area(opacity=0.5).encode(y2="x:Q", order=lib.Order("x:Q"))
    line = points.mark_line(clip=True).transform_filter("datum.x > 1")
    sums = points.mark_text().transform_calculate(sum="datum.x + datum.y")
    both = lib.layer(area, line).properties(width=200, title="two")
    return lib.hconcat(both, sums, spacing=10).resolve_scale(y="shared")


def without_data(spec):
    if isinstance(spec, dict):
        hidden = ("data", "datasets", "$schema", "config")
        return {key: without_data(part) for key, part in spec.items() if key not in hidden}
    return [without_data(part) for part in spec] if isinstance(spec, list) else spec


def test_specification_is_that_of_altair():
    ours = build(vl, vl.Data(ROWS)).to_dict()
    theirs = build(alt, alt.Data(values=ROWS)).to_dict()
    assert without_data(ours) == without_data(theirs)


def test_methods_leave_their_chart_as_it_is():
    chart = vl.Chart(vl.Data(ROWS)).mark_line()
    before = chart.to_dict()
    chart.encode(x="x:Q").properties(title="t").transform_filter("true").mark_bar()
    assert chart.to_dict() == before


def test_layers_share_their_data():
    one, other = vl.Data(ROWS), vl.Data(ROWS)
    shared = vl.layer(vl.Chart(one).mark_line(), vl.Chart(one).mark_point()).to_dict()
    assert shared["data"] == {"values": ROWS}
    assert not any("data" in layer for layer in shared["layer"])
    apart = vl.layer(vl.Chart(one).mark_line(), vl.Chart(other).mark_point()).to_dict()
    assert all(layer["data"] == {"values": ROWS} for layer in apart["layer"])


def test_values_of_numpy_are_plain():
    data = vl.Data([{"x": np.float64(0.5), "n": np.int64(2), "name": np.str_("a")}])
    chart = vl.Chart(data, width=np.int32(3)).encode(x=vl.X("x:Q", scale={"domain": np.arange(2)}))
    spec = chart.to_dict()
    assert spec["encoding"]["x"]["scale"]["domain"] == [0, 1]
    (row,) = spec["data"]["values"]
    assert {type(value) for value in [*row.values(), spec["width"]]} == {float, int, str}


def test_wrong_names_are_refused():
    with pytest.raises(KeyError):
        vl.X("x:W")
    with pytest.raises(AttributeError, match="no 'layer'"):
        _ = vl.Chart().layer
