"""Losses and surfaces of two scores, worked by hand."""

import numpy as np
import pytest

from wordplane.demos.figures import (
    hinge_surfaces,
    loss_functions,
    softmax_surfaces,
)


def test_losses_at_margins_by_hand():
    found = {
        (row["name"], round(row["margin"], 6)): row["loss"]
        for row in loss_functions(-2, 2).data.values
    }
    assert found["zero-one", -1.0] == 1 and found["zero-one", 1.0] == 0
    assert found["perceptron", -1.0] == 1 and found["perceptron", 1.0] == 0
    assert found["hinge", 0.5] == pytest.approx(0.5) and found["hinge", 1.0] == 0
    assert found["squared hinge", -1.0] == pytest.approx(4)
    assert found["logistic", 0.0] == pytest.approx(np.log(2))


def heights(chart, panel):
    data = chart.hconcat[panel].layer[1].data.values
    return np.array([row["height"] for row in data])


def test_softmax_is_a_sigmoid_of_the_difference():
    chart = softmax_surfaces(reach=2.0)
    expected = 1 / (1 + np.exp(-np.linspace(-4, 4, 33)))  # of every difference on the grid
    found = heights(chart, 0)
    assert np.abs(found[:, None] - expected).min(axis=1).max() < 1e-8
    assert found.min() == pytest.approx(expected[0]) and found.max() == pytest.approx(expected[-1])


def test_argmax_is_a_step_with_a_wall():
    data = softmax_surfaces().hconcat[1].layer[1].data.values
    assert {row["height"] for row in data} == {0.0, 1.0}
    patches = {}
    for row in data:
        patches.setdefault(row["patch"], set()).add(row["height"])
    assert sum(len(levels) == 2 for levels in patches.values()) == 16  # one wall per diagonal cell


@pytest.mark.slow
def test_hinge_by_hand():
    found = heights(hinge_surfaces(reach=1.0), 0)
    # y is true: at (1, -1) the loss is 1 - (-1 - 1) = 3, at (-1, 1) it is 0.
    assert found.max() == pytest.approx(3) and found.min() == 0
    assert set(heights(hinge_surfaces(reach=1.0), 1)) == {0.0, 1.0}
