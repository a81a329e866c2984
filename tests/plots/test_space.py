"""Pictures in three dimensions: surfaces of two scores, and what a kernel lifts."""

import numpy as np
import pytest

from wordplane import KernelSVM
from wordplane.common.errors import InputError
from wordplane.plots import hinge_surfaces, kernel_lift, softmax_surfaces
from wordplane.plots.kernel_lift import lift, lifted_plane
from wordplane.plots.projection import View

from .charts import rows, specs


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


def test_hinge_by_hand():
    found = heights(hinge_surfaces(reach=1.0), 0)
    # y is true: at (1, -1) the loss is 1 - (-1 - 1) = 3, at (-1, 1) it is 0.
    assert found.max() == pytest.approx(3) and found.min() == 0
    assert set(heights(hinge_surfaces(reach=1.0), 1)) == {0.0, 1.0}


@pytest.mark.parametrize("azimuth", [-60.0, 30.0, 150.0, 250.0])
def test_projection_keeps_lengths_across_the_view(azimuth):
    view = View(np.zeros(3), np.ones(3), azimuth, 0.0)
    turn = np.radians(azimuth)
    across = np.array([-np.sin(turn), np.cos(turn), 0])
    towards = np.array([np.cos(turn), np.sin(turn), 0])
    at, right, near, up = view.project(np.array([0 * across, across, towards, [0, 0, 1.0]]))
    assert np.allclose(right - at, [1, 0])
    assert np.allclose(near, at)
    assert np.allclose(up - at, [0, 1])
    assert len(view.edges()) == 9
    assert len(view.axis_ends()) == 3


def circle():
    X = np.random.default_rng(1).uniform(-1.5, 1.5, (60, 2))
    r = (X**2).sum(axis=1)
    X = X[np.abs(r - 1) > 0.2]
    return X, np.where((X**2).sum(axis=1) < 1, "in", "out")


def test_the_plane_of_the_lift_is_the_decision_function():
    X, y = circle()
    model = KernelSVM(kernel="polynomial", degree=2, coef0=0, C=100).fit(X, y)
    w, b = lifted_plane(model)
    assert np.allclose(lift(X) @ w + b, model.decision_function(X), atol=1e-5)
    assert np.allclose(lift(X) @ lift(X).T, (X @ X.T) ** 2)


def test_lift_draws_both_spaces():
    X, y = circle()
    model = KernelSVM(kernel="polynomial", degree=2, coef0=0, C=100).fit(X, y)
    chart = kernel_lift(X, y, model)
    border = np.array([[row["x"], row["y"]] for row in rows(chart, "piece")])
    assert np.abs(model.decision_function(border)).max() < 0.1
    dots = [spec for spec in specs(chart) if "shape" in spec.get("encoding", {})]
    assert len(dots) == 2
    assert len(rows(chart, "class")) == 2 * len(X)
    (plane,) = {row["patch"] for row in rows(chart, "patch")}
    assert plane == 0


@pytest.mark.parametrize("other", [{"kernel": "rbf"}, {"degree": 3}, {"coef0": 1.0}])
def test_lift_has_three_dimensions(other):
    X, y = circle()
    parameters = {"kernel": "polynomial", "degree": 2, "coef0": 0.0, **other}
    with pytest.raises(InputError, match="three dimensions"):
        kernel_lift(X, y, KernelSVM(**parameters).fit(X, y))
