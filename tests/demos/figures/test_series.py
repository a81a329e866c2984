"""Lines, bars, and errors along a parameter."""

from types import SimpleNamespace

import pytest

from wordplane.common.errors import InputError
from wordplane.demos.figures import (
    validation_curve,
)
from wordplane.diagnosis.fit_measures import FitMeasures

from .charts import rows


@pytest.mark.parametrize(
    ("parameter", "strongest_first"), [("C", [0.01, 1.0, 100.0]), ("alpha", [10.0, 1.0, 0.1])]
)
def test_errors_along_a_parameter(parameter, strongest_first):
    accuracies = [((0.7, 0.7), (0.6, 0.7)), ((0.9, 0.9), (0.8, 0.85)), ((1.0, 1.0), (0.7, 0.75))]
    points = [
        FitMeasures(at, train, dev, (0.0, 0.0), (0.0, 0.0))
        for at, (train, dev) in zip(strongest_first, accuracies, strict=True)
    ]
    chart = validation_curve(SimpleNamespace(parameter=parameter, points=points))
    lines = rows(chart, "on")
    assert [row["error"] for row in lines] == pytest.approx([0.3, 0.1, 0, 0.35, 0.175, 0.275])
    (best,) = chart.layer[2].data.values
    assert best["at"] == 1.0 and best["error"] == pytest.approx(0.175)
    words = {row["text"].strip("←→ "): (row["at"], row["text"]) for row in rows(chart, "text")}
    assert words["high bias"][0] == strongest_first[0]
    assert words["high variance"][0] == strongest_first[-1]
    # Arrows point outwards, whichever way the parameter runs.
    assert words["high bias"][1].startswith("←") == (parameter == "C")
    assert lines[0]["on"] == "training texts"


def test_a_path_needs_points():
    with pytest.raises(InputError, match="no points"):
        validation_curve(SimpleNamespace(parameter="C", points=[]))
