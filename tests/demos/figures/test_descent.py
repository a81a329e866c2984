"""Steps, tangents and residuals, worked by hand."""

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.demos.figures import (
    descent_path,
    newton_tangents,
    regression_line,
    step_sizes,
)
from wordplane.learners.least_squares import LeastSquares
from wordplane.learners.neighbors import KNeighborsRegressor

from .charts import rows


def test_newton_follows_its_tangents():
    chart = newton_tangents(lambda x: x**2 - 4, lambda x: 2 * x, 4.0, n_steps=3)
    tangents = rows(chart, "step")
    # 4 -> 4 - 12/8 = 2.5 -> 2.5 - 2.25/5 = 2.05 -> ...
    assert [(row["x"], row["y"]) for row in tangents[:2]] == [(4.0, 12.0), (2.5, 2.25)]
    assert tangents[1]["x2"] == pytest.approx(2.05)
    assert {row["y2"] for row in tangents} == {0.0}
    names = {row["name"]: row["below"] for row in rows(chart, "name")}
    assert names["x₀"] and names["x₁"]
    assert all(row["y"] == pytest.approx(row["x"] ** 2 - 4) for row in chart.layer[1].data.values)


def test_newton_labels_stay_apart_and_off_the_curve():
    chart = newton_tangents(np.sin, np.cos, 2.5, n_steps=6)
    names = rows(chart, "name")
    assert len(names) < 7  # the last ones lie on one another
    # sin is positive at 2.5, where the name goes below the axis.
    assert names[0]["below"] and not names[1]["below"]


def test_newton_needs_a_slope():
    with pytest.raises(InputError, match="slope is 0 at x = 0"):
        newton_tangents(lambda x: x**2 + 1, lambda x: 2 * x, 0.0)


def test_steps_too_small_right_and_too_large():
    steps = {"too small": 0.1, "right": 0.5, "too large": 1.5}
    chart = step_sizes(lambda w: w**2, lambda w: 2 * w, 1.0, steps, n_steps=4)
    paths = [[row["w"] for row in panel.layer[1].data.values] for panel in chart.hconcat]
    assert paths[0] == pytest.approx([1, 0.8, 0.64, 0.512, 0.4096])
    assert paths[1] == [1, 0, 0, 0, 0]
    assert paths[2] == [1, -2]  # cut where it leaves the picture
    assert [panel.title["subtitle"] for panel in chart.hconcat] == [
        "step 0.1",
        "step 0.5",
        "step 1.5",
    ]
    with pytest.raises(InputError, match="no steps"):
        step_sizes(lambda w: w, lambda w: 1, 0.0, {})


def test_residuals_by_hand():
    # Through (0, 0), (1, 3), (2, 0) the best line is y = 1.
    x, y = [0.0, 1, 2], [0.0, 3, 0]
    chart = regression_line(x, y, LeastSquares().fit(np.array(x)[:, None], y))
    assert [row["residual"] for row in rows(chart, "residual")] == pytest.approx([-1, 2, -1])
    assert [row["fitted"] for row in rows(chart, "residual")] == pytest.approx([1, 1, 1])
    assert chart.title["subtitle"] == "squared error loss 3"  # (1 + 4 + 1) / 2


def test_regression_need_not_be_a_line():
    x, y = np.array([0.0, 1, 2, 3]), np.array([1.0, 1, 5, 5])
    model = KNeighborsRegressor(n_neighbors=1, metric="euclidean").fit(x[:, None], y)
    line = regression_line(x, y, model).layer[1].data.values
    assert {row["y"] for row in line} == {1.0, 5.0}
    with pytest.raises(InputError, match="expected as many"):
        regression_line([1, 2], [1], model)


def test_contours_lie_at_their_heights():
    chart = descent_path(lambda W: (W**2).sum(axis=1), [(2.0, 1.0), (0.0, 0.0)], n_levels=4)
    for row in chart.layer[0].data.values:
        assert row["x"] ** 2 + row["y"] ** 2 == pytest.approx(float(row["of"]), rel=0.02)
