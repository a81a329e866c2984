"""Which points are support vectors, compared with LIBLINEAR and LIBSVM."""

import warnings

import numpy as np
import pytest
from sklearn.svm import SVC, LinearSVC

from wordplane import KernelSVM, LinearSVM, LogisticRegression, datasets
from wordplane.common.errors import InputError
from wordplane.demos.figures import margins
from wordplane.demos.figures.support_vectors import support_vectors

from .charts import legend, rows


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
