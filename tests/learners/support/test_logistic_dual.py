"""Tests of wordplane.learners.support.logistic_dual."""

import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import sklearn.linear_model as theirs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.learners.logistic_problems import exact_problems, his_as_ours, objective, texts
from wordplane import LogisticRegression, _core
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.matrix import as_csr


def test_dual_with_a_penalized_bias_equals_liblinear():
    X, y = texts(2)
    his = theirs.LogisticRegression(solver="liblinear", dual=True, tol=1e-10, max_iter=10**5)
    his.fit(X, y)
    ours = LogisticRegression(solver="dual", penalize_intercept=True, tol=1e-10).fit(X, y)
    assert np.allclose(ours.coef_, his.coef_, atol=1e-4)
    assert np.isclose(ours.objective_, objective(his_as_ours(his, ours), X, y), rtol=1e-7)


@pytest.mark.slow
@given(exact_problems(), st.sampled_from(["auto", "ovr"]))
@settings(max_examples=60)
def test_dual_and_newton_agree(drawn, multi_class):
    X, y, C = drawn
    y[:3] = 0, 1, 2
    options = {"C": C, "multi_class": multi_class, "penalize_intercept": True}
    exact = LogisticRegression(solver="newton", tol=1e-9, **options).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dual = LogisticRegression(solver="dual", tol=1e-7, max_iter=3000, **options).fit(X, y)
    assert exact.objective_ <= dual.objective_ * (1 + 1e-9)
    assert not dual.converged_ or np.isclose(dual.objective_, exact.objective_, rtol=1e-6)


def test_long_passes_are_cut_without_a_trace(monkeypatch):
    X, y = texts(3)
    whole = LogisticRegression(solver="dual").fit(X, y)
    monkeypatch.setattr("wordplane.learners.support.logistic_dual.VALUES_PER_CALL", 1000)
    assert np.array_equal(whole.coef_, LogisticRegression(solver="dual").fit(X, y).coef_)


@pytest.mark.parametrize("multi_class", ["softmax", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalized", [False, True])
def test_warm_dual_ends_where_a_cold_one_does(penalized, n_classes, multi_class):
    X, y = texts(n_classes)
    params = {"solver": "dual", "tol": 1e-9, "multi_class": multi_class}
    params["penalize_intercept"] = penalized
    warm = LogisticRegression(C=10.0, warm_start=True, **params).fit(X, y)
    for C, labels in [(30.0, y), (3.0, y), (30.0, np.roll(y, 7))]:  # up, down, other rows
        cold = LogisticRegression(C=C, **params).fit(X, labels)
        warm.set_params(C=C).fit(X, labels)
        assert warm.converged_
        assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-8)
        np.testing.assert_allclose(warm.coef_, cold.coef_, atol=2e-3)
    other = "ovr" if multi_class == "softmax" else "softmax"  # its dual variables are no start
    warm.set_params(multi_class=other).fit(X, y)
    cold.set_params(multi_class=other).fit(X, y)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-8)


@given(st.floats(-30, 30), st.floats(0, 1), st.floats(-3, 5).map(lambda e: 10.0**e), st.booleans())
@example(-2.9, 5e-14, 299.0, True)  # Newton's method alone would go to and fro
def test_a_step_of_the_dual_solves_its_equation(m, before, q, own):
    W, A = np.array([[m if own else -m]]), np.array([[before]])
    rows = _core.LabeledRows(as_csr([[1.0]]), np.array([own], np.int32), np.array([q]), 2)
    dual = _core.LogisticDual(rows, A, W, np.zeros(1), bias=0.0, threads=1)
    dual.binary_pass(np.zeros(1, np.int32), np.zeros((2, 1)), 1)
    root = scipy.optimize.brentq(
        lambda u: m + q * (scipy.special.expit(u) - before) + u,
        -m - q * (1 - before) - 1,
        -m + q * before + 1,
        xtol=1e-13,
    )
    assert A[0, 0] == pytest.approx(scipy.special.expit(root), rel=1e-6, abs=1e-12)
    assert W[0, 0] == pytest.approx(
        (m if own else -m) + (1 if own else -1) * q * (A[0, 0] - before)
    )


def test_warm_dual_takes_fewer_passes_along_a_path():
    X, y = texts(2)
    warm = LogisticRegression(solver="dual", warm_start=True)
    passes = np.zeros(2, dtype=int)
    for C in [1.0, 3.0, 10.0, 30.0, 100.0]:
        cold = LogisticRegression(solver="dual", C=C).fit(X, y)
        warm.set_params(C=C).fit(X, y)
        passes += [warm.n_iter_, cold.n_iter_]
    assert passes[0] <= 72 and passes[0] < passes[1] / 1.25
