"""Tests of wordplane.plots.confusion, wordplane.plots.curves, wordplane.plots.maps,
wordplane.plots.charts, wordplane.plots.saving, wordplane.plots.slices, wordplane.plots.style
and wordplane.plots.top_features.

What is drawn is what was measured, in colors that a dark page can swap, and saved in every way.
"""

import re
import sys
from pathlib import Path

import altair
import numpy as np
import pytest

from wordplane import plots
from wordplane.common.errors import InputError, WordplaneError
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.evaluation.confusion import confusion
from wordplane.evaluation.curves import precision_recall, roc
from wordplane.evaluation.decisions import risk_coverage
from wordplane.evaluation.measures import Score
from wordplane.evaluation.reliability import reliability
from wordplane.plots import style

Y = np.array([1, 1, 0, 1, 0, 0, 1, 0])
P = np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])


def learned():
    points = [
        FitMeasures(n, (1.0, 1.0), (0.6 + n / 1000, 0.62 + n / 1000), (0.1, 0.1), (0.5, 0.5))
        for n in (10, 100)
    ]
    return LearningCurve(tuple(points), 150, 0.5)


def charts():
    probabilities = np.column_stack([1 - P, P])
    return {
        "pr": plots.pr_curve(precision_recall(Y, P, n_resamples=20), "title", at=0.5),
        "roc": plots.roc_curve(roc(Y, P, n_resamples=20), at=0.5),
        "reliability": plots.reliability(reliability(Y, np.maximum(P, 1 - P), n_bins=3)),
        "risk": plots.risk_coverage(risk_coverage(Y, probabilities)),
        "confusion": plots.confusion(confusion(["a", "b", "b"], ["a", "b", "<a>"])),
        "top": plots.top_features({"x": [("good", 2.0), ("fine", 1.0)], "y": [("bad", 1.0)]}),
        "learning": plots.learning_curve(learned()),
        "learning side by side": plots.learning_curves({"one": learned()}, desired=0.3),
        "training": plots.training_curves({"L-BFGS": [3.0, 2.0, 1.5]}),
        "slices": plots.slices(
            {
                "mail": Score("accuracy", 0.9, (0.8, 1.0)),
                "phone": Score("accuracy", 0.6, (0.5, 0.7)),
            },
            whole=0.8,
        ),
        "clusters": plots.cluster_map(np.eye(3)[:, :2], np.array([0, 1, 1]), ["one", "two"]),
        "words": plots.word_map(np.eye(2), ["good", "bad"], [0, 1]),
    }


@pytest.fixture(scope="module")
def made():
    return charts()


def data_of(chart):
    return list(_values(chart.to_dict()))


def _values(spec):
    if isinstance(spec, dict):
        if isinstance(spec.get("data"), dict):
            yield from spec["data"].get("values", [])
        for value in spec.values():
            yield from _values(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _values(value)


SHADED = {"confusion", "clusters"}  # and painted on white
NAMES = [
    *("pr", "roc", "reliability", "risk", "confusion", "top", "learning", "learning side by side"),
    *("training", "slices", "clusters", "words"),
]


@pytest.mark.parametrize("name", NAMES)
def test_charts_hold_to_the_schema_and_are_drawn(made, name):
    altair.Chart.from_dict(made[name].to_dict())  # checks it
    svg = plots.to_svg(made[name])
    assert svg.startswith("<svg")
    assert "style=" not in svg
    assert "NaN" not in svg


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SHADED])
def test_only_colors_that_the_report_can_change(made, name):
    colors = set(re.findall(r'(?:fill|stroke)="(#[^"]+)"', plots.to_svg(made[name])))
    assert colors <= {style.INK, style.QUIET, style.GRID, *style.SERIES}


def test_curve_is_the_one_found(made):
    curve = precision_recall(Y, P, n_resamples=20)
    drawn = [(row["x"], row["y"]) for row in data_of(made["pr"])]
    assert set(zip(curve.recall.tolist(), curve.precision.tolist(), strict=True)) <= set(drawn)
    # From 0.5 up, four rows are called positive and three of them are: P = R = 3/4.
    assert (0.75, 0.75) in drawn
    assert drawn.count((0.75, 0.75)) == 2  # on the line and as the point


def test_long_curves_are_thinned_to_what_a_screen_shows():
    rng = np.random.default_rng(0)
    y, p = rng.random(20_000) < 0.01, rng.random(20_000)
    for chart in (
        plots.pr_curve(precision_recall(y, p, n_resamples=2)),
        plots.roc_curve(roc(y, p, n_resamples=2)),
    ):
        assert len(data_of(chart)) < 500


def test_text_of_strangers_stays_text(made):
    svg = plots.to_svg(made["confusion"])
    assert "<a>" not in svg
    assert "&lt;a&gt;" in svg


@pytest.mark.parametrize(
    ("name", "begin"), [("c.png", b"\x89PNG"), ("c.svg", b"<svg"), ("c.html", b"<!DOCTYPE html>")]
)
def test_saving(made, tmp_path, name, begin):
    plots.save(made["risk"], tmp_path / name)
    content = (tmp_path / name).read_bytes()
    assert content.lstrip().startswith(begin)
    if name == "c.html":
        assert not re.search(rb'(src|href)="http', content)


def test_saving_for_a_dark_page(made, tmp_path):
    plots.save(made["confusion"], tmp_path / "light.svg")
    plots.save(made["confusion"], tmp_path / "dark.svg", dark=True)
    light, dark = ((tmp_path / name).read_text() for name in ("light.svg", "dark.svg"))
    for color in (style.INK, style.QUIET, style.GRID, style.PAPER):
        assert color in light and color not in dark
        assert style.DARK[color] in dark and style.DARK[color] not in light


def test_every_color_has_a_dark_counterpart():
    named = {value for value in vars(style).values() if re.fullmatch("#[0-9a-f]{6}", str(value))}
    assert named == set(style.DARK)
    assert not named & set(style.DARK.values())


def test_pages_have_the_same_colors():
    css = (Path(__file__).parents[2] / "docs" / "_static" / "wordplane.css").read_text()
    for name, color in vars(style).items():
        if isinstance(color, str) and color in style.DARK and color != style.PAPER:
            defined = re.findall(rf"--chart-{name.lower()}: (#\w+);", css)
            assert defined == [color, style.DARK[color], style.DARK[color]]


def test_saving_refuses(made, tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.svg, \.html"):
        plots.save(made["risk"], tmp_path / "c.pdf")
    with pytest.raises(InputError, match="no features"):
        plots.top_features({"x": []})


def test_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(WordplaneError, match=r"pip install '\.\[report\]'"):
        plots.to_svg(plots.risk_coverage(risk_coverage(Y, np.column_stack([1 - P, P]))))
