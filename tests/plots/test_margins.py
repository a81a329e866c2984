"""Margins: which points are support vectors, and distances worked by hand."""

import warnings

import numpy as np
import pytest
from sklearn.svm import SVC, LinearSVC

from wordplane import KernelSVM, LinearSVM, LogisticRegression, datasets
from wordplane.common.errors import InputError
from wordplane.plots import feasible_separators, margins
from wordplane.plots.support_vectors import support_vectors

from .charts import legend, rows


class FirstFeature:
    """z is the first feature: the tangents stand at -1 and 1."""

    classes_ = np.array(["a", "b"])

    def decision_function(self, X):
        return X[:, 0]


def best_margins(X, y, C, loss):
    """The margins at the optimum, by LIBLINEAR, which penalizes the bias as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = LinearSVC(C=C, loss=loss, dual=True, tol=1e-10, max_iter=2_000_000).fit(X, y)
    return np.where(y == 1, 1, -1) * reference.decision_function(X)


@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize(("seed", "C"), [(0, 1.0), (2, 1.0), (2, 10.0), (1, 0.1), (1, 100.0)])
def test_no_support_vector_is_missed_at_the_usual_tolerance(seed, C, loss):
    X, y = datasets.gaussians(100, random_state=seed)
    expected = best_margins(X, y, C, loss) <= 1 + 1e-5
    model = LinearSVM(C=C, loss=loss).fit(X, y)  # solved to 1e-3 only
    assert np.array_equal(support_vectors(X, y, model), expected)


def test_a_margin_may_be_off_at_the_usual_tolerance():
    # One of these 24 support vectors has a functional margin of 1.02 when the solver stops.
    X, y = datasets.gaussians(100, random_state=2)
    model = LinearSVM(C=10, loss="hinge").fit(X, y)
    held = support_vectors(X, y, model)
    assert held.sum() == 24
    assert (np.where(y == 1, 1, -1) * model.decision_function(X))[held].max() > 1.01
    chart = margins(X, y, model)
    assert legend(chart, "stroke") == ["24 support vectors"]


def test_support_vectors_by_hand():
    # Those at distance 1 from the line x = 0 hold it, the far ones do not.
    X = np.array([[-4, 0], [-1, 0.5], [-1, -0.5], [1, 0.5], [1, -0.5], [4, 0]])
    svm = LinearSVM(C=10, loss="hinge", tol=1e-9, fit_intercept=False).fit(X, list("aaabbb"))
    chart = margins(X, list("aaabbb"), svm)
    ringed = [row["x"] for row in rows(chart, "of") if row["of"] == "4 support vectors"]
    assert sorted(ringed) == [-1, -1, 1, 1]
    lines = rows(chart, "z")
    assert all(round(row["x"], 4) == row["z"] for row in lines)
    assert {row["z"] for row in lines} == {-1, 0, 1}


@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_forms_of_the_linear_machine(multi_class):
    X, y = datasets.gaussians(60, variances=(0.5, 0.5))
    model = LinearSVM(loss="hinge", multi_class=multi_class, intercept_scaling=3).fit(X, y)
    exact = LinearSVM(**{**model.get_params(), "tol": 1e-12, "max_iter": 10**6}).fit(X, y)
    margin = np.where(y == 1, 1, -1) * exact.decision_function(X)
    assert np.array_equal(support_vectors(X, y, model), margin <= 1 + 1e-5)


def test_kernel_machines_know_their_support_vectors():
    X, y = datasets.gaussians(40, variances=(0.3, 1.5))
    model = KernelSVM(kernel="rbf").fit(X, y)
    reference = SVC(kernel="rbf", gamma="scale").fit(X, y)
    assert np.flatnonzero(support_vectors(X, y, model)).tolist() == sorted(reference.support_)
    chart = margins(X, y, model)
    assert not any("geometric" in name for name in legend(chart, "color"))  # tangents are curves
    with pytest.raises(InputError, match="fitted on"):
        margins(X[::-1], y[::-1], model)


def test_other_models_are_taken_as_they_are():
    X, y = datasets.gaussians(60)
    model = LogisticRegression().fit(X, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert np.array_equal(support_vectors(X, y, model), margin <= 1 + 1e-6)


def test_margins_and_slacks_by_hand():
    X = [[-2.0, 0], [-1, 1], [-0.25, 2], [0.5, 3], [1, 1], [3, 0]]
    chart = margins(X, ["a", "a", "a", "a", "b", "b"], FirstFeature())
    # w = (1, 0): the third point is 0.75 beyond its tangent x = -1, the fourth 1.5.
    slacks = {row["x"]: (row["slack"], row["x2"], row["y2"]) for row in rows(chart, "slack")
              if row["slack"] is not None}  # fmt: skip
    assert slacks == {-0.25: (0.75, -1, 2), 0.5: (1.5, -1, 3)}
    assert legend(chart, "color") == [
        "z = 0: the decision line",
        "z = ±1: functional margin 1",
        "geometric margin 1 / |w| = 1",
        "slack ξ, 2.25 in total",
    ]
    (distance,) = [row for row in rows(chart, "slack") if row["slack"] is None]
    assert (round(distance["x"], 9), round(distance["x2"], 9)) == (0, 1)
    assert distance["y"] == distance["y2"]
    assert {row["text"] for row in rows(chart, "text", "angle")} == {"z = -1", "z = 0", "z = 1"}
    assert {row["text"] for row in rows(chart, "text")} >= {"1.50", "0.75"}


def test_without_slack_there_is_none_in_the_legend():
    X = [[-2.0, 0], [-1, 1], [1, 1], [3, 0]]
    names = legend(margins(X, list("aabb"), FirstFeature()), "color")
    assert len(names) == 3
    assert not any("slack" in name for name in names)


def test_margins_need_two_classes():
    with pytest.raises(InputError, match="3 classes"):
        margins(np.eye(3)[:, :2], [0, 1, 2], FirstFeature())


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
    assert chart.title.subtitle.endswith(f": {width:.3g}")
    bold = np.array(
        [[row["x"], row["y"]] for row in rows(chart, "of") if row["of"] == "widest margin"]
    )
    assert np.allclose(machine.decision_function(bold), 0, atol=1e-3)


def test_classes_that_no_line_separates():
    with pytest.raises(InputError, match="cannot be separated"):
        feasible_separators([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
