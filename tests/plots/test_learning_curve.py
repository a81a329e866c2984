"""Learning curves of models side by side."""

import pytest

from wordplane.common.errors import InputError
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.plots import (
    learning_curves,
)


def curve(train, dev):
    points = [
        FitMeasures(n, (1.0, 1.0), (0.8, 0.8), (t, t), (d - 0.01, d + 0.01))
        for n, t, d in zip((10, 20, 40), train, dev, strict=True)
    ]
    return LearningCurve(tuple(points), 50, 0.5)


def test_overfitting_next_to_underfitting():
    over, under = curve([0.0, 0.1, 0.2], [0.9, 0.7, 0.5]), curve([0.6] * 3, [0.7, 0.65, 0.65])
    chart = learning_curves({"overfitting": over, "underfitting": under}, desired=0.4)
    panels = [panel.layer[2].data.values for panel in chart.hconcat]
    assert [row["loss"] for row in panels[0]] == pytest.approx([0, 0.1, 0.2, 0.9, 0.7, 0.5])
    assert [row["loss"] for row in panels[1]] == pytest.approx([0.6] * 3 + [0.7, 0.65, 0.65])
    assert [panel.layer[1].data.values for panel in chart.hconcat] == [[{"loss": 0.4}]] * 2
    assert chart.to_dict()["resolve"] == {"scale": {"y": "shared"}}
    assert learning_curves({"one": over}).hconcat[0].layer[1].data.values == []
    with pytest.raises(InputError, match="no curves"):
        learning_curves({})
