"""Every separator has every point on its side; the bold one is the hard-margin machine."""

import numpy as np
import pytest
from sklearn.svm import SVC

from wordplane import datasets
from wordplane.common.errors import InputError
from wordplane.demos.figures import feasible_separators

from .charts import rows


def test_feasible_separators_have_every_point_on_its_side():
    X, y = datasets.gaussians(30, variances=(0.2, 0.2), random_state=3)
    chart = feasible_separators(X, y)
    lines = {}
    for row in rows(chart, "of", "piece"):
        lines.setdefault(row["of"], []).append((row["x"], row["y"]))
    assert len(lines) > 20
    for ends in lines.values():
        (x, up), (x2, up2) = ends[0], ends[-1]
        z = (X[:, 0] - x) * (up2 - up) - (X[:, 1] - up) * (x2 - x)
        assert len(set(np.sign(z[y == 0]))) == len(set(np.sign(z[y == 1]))) == 1
        assert np.sign(z[y == 0][0]) != np.sign(z[y == 1][0])


def test_the_bold_separator_is_the_hard_margin_machine():
    X, y = datasets.gaussians(30, variances=(0.2, 0.2), random_state=3)
    machine = SVC(kernel="linear", C=1e6, tol=1e-8).fit(X, y)
    chart = feasible_separators(X, y, title="Separators")
    width = 1 / np.linalg.norm(machine.coef_)
    assert chart.title["subtitle"].endswith(f": {width:.3g}")
    bold = np.array(
        [[row["x"], row["y"]] for row in rows(chart, "of") if row["of"] == "widest margin"]
    )
    assert np.allclose(machine.decision_function(bold), 0, atol=1e-3)


def test_classes_that_no_line_separates():
    with pytest.raises(InputError, match="cannot be separated"):
        feasible_separators([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
