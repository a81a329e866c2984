"""Tests of wordplane.learners.support.logistic_solvers."""

import itertools

import numpy as np
import pytest

from tests.learners.logistic_problems import (
    problem,
    texts,
)
from wordplane import LogisticRegression
from wordplane.common.errors import ConvergenceWarning


@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
def test_gradient_descent_gets_there_too(multi_class):
    X, y = problem(3)
    exact = LogisticRegression(multi_class=multi_class, tol=1e-8).fit(X, y)
    slow = LogisticRegression(multi_class=multi_class, solver="gd", tol=1e-6).fit(X, y)
    assert np.isclose(slow.objective_, exact.objective_, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("multi_class", ["softmax", "ovr"])
@pytest.mark.parametrize(("step", "far"), [("fixed", 1e-6), ("decay", 0.02)])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_steps_of_gradient_descent(step, far, penalty, multi_class):
    X, y = problem()
    options = {"penalty": penalty, "multi_class": multi_class}
    best = LogisticRegression(tol=1e-9, max_iter=100_000, **options).fit(X, y).objective_
    model = LogisticRegression(
        solver="gd", step=step, power_t=0.6, tol=1e-9, max_iter=20_000, **options
    ).fit(X, y)
    assert best * (1 - 1e-9) <= model.objective_ <= best * (1 + far)
    assert all(new <= old * (1 + 1e-12) for old, new in itertools.pairwise(model.history_))
    short = LogisticRegression(solver="gd", step=step, eta0=1e-9, max_iter=1, **options).fit(X, y)
    assert 0 < np.abs(short.coef_).max() < 1e-6  # eta0 is what is stepped by


def test_auto_takes_what_suits_and_goes_on_with_newton():
    X, y = texts(3)
    assert LogisticRegression().fit(X, y).solver_ == "dual"
    assert LogisticRegression().fit(*problem(3)).solver_ == "newton"
    assert LogisticRegression(penalty="l1").fit(X, y).solver_ == "lbfgs"
    hard = LogisticRegression(C=1e5, tol=1e-6).fit(X, y)
    assert hard.solver_ == "newton" and hard.converged_


def test_not_converging_is_said():
    X, y = problem(3)
    for solver in ("dual", "lbfgs", "newton", "gd"):
        with pytest.warns(ConvergenceWarning, match=r"max_iter.*after 1 iterations.*tol=1e-10"):
            model = LogisticRegression(solver=solver, tol=1e-10, max_iter=1).fit(X, y)
        assert not model.converged_ and model.n_iter_ == 1


def test_warm_start_goes_on_from_the_last_weights():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (200, 30)), rng.integers(0, 3, 200)
    cold = LogisticRegression(C=0.5, penalty="l1", tol=1e-7).fit(X, y)
    warm = LogisticRegression(C=0.4, penalty="l1", tol=1e-7, warm_start=True).fit(X, y)
    warm.set_params(C=0.5).fit(X, y)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-6)
    assert warm.n_iter_ < cold.n_iter_
    warm.fit(X[:, :20], y)  # other columns: from the start
    fresh = LogisticRegression(C=0.5, penalty="l1", tol=1e-7).fit(X[:, :20], y)
    assert np.array_equal(warm.coef_, fresh.coef_)


def test_nothing_to_learn_is_no_failure():
    """With balanced classes and a strong l1 penalty the start is the optimum."""
    X, y = [[1, 0], [0, 1], [1, 0], [0, 1]], [0, 0, 1, 1]
    model = LogisticRegression(C=1e-3, penalty="l1").fit(X, y)
    assert model.converged_
    assert not model.coef_.any()
