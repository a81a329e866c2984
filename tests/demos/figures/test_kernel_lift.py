"""What a kernel lifts: the plane of the space is the border in the plane."""

import numpy as np
import pytest

from wordplane import KernelSVM
from wordplane.common.errors import InputError
from wordplane.demos.figures import kernel_lift
from wordplane.demos.figures.kernel_lift import lift, lifted_plane

from .charts import rows, specs


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


@pytest.mark.slow
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
