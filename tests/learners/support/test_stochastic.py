"""Tests of wordplane.learners.support.stochastic."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests import reference_logistic as reference
from tests.learners.logistic_problems import (
    STOCHASTIC,
    objective,
    texts,
)
from wordplane import LogisticRegression, _core
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.matrix import as_csr
from wordplane.learners.support import stochastic
from wordplane.learners.support.stochastic import _parts, shrinkage


@pytest.mark.parametrize("solver", STOCHASTIC)
@pytest.mark.parametrize(
    ("penalty", "far"),
    [({"penalty": "l1"}, 3e-3), ({"penalty": "elasticnet", "l1_ratio": 0.5}, 2e-3)],
)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_stochastic_solvers_under_sparse_penalties(solver, penalty, far, n_classes):
    X, y = texts(n_classes)
    best = LogisticRegression(tol=1e-8, max_iter=100_000, **penalty).fit(X, y)
    model = LogisticRegression(solver=solver, max_iter=50, tol=0, **penalty).fit(X, y)
    assert best.objective_ <= model.objective_ < best.objective_ * (1 + far)
    wanted, found = best.coef_ != 0, model.coef_ != 0
    assert found.sum() < 2.5 * wanted.sum()
    assert (np.abs(best.coef_[wanted & ~found]) < 0.2).all()  # what is lost is little


@pytest.mark.parametrize("solver", STOCHASTIC)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_epochs_in_parts(solver, l1_ratio, monkeypatch):
    X, y = texts(4)
    model = LogisticRegression(
        solver=solver, penalty="elasticnet", l1_ratio=l1_ratio, max_iter=3, tol=0
    )
    whole = model.fit(X, y).coef_
    parts = []
    monkeypatch.setattr(stochastic, "PART", 0)
    monkeypatch.setattr(stochastic, "_parts", lambda *a: parts.append(_parts(*a)) or parts[-1])
    assert np.allclose(model.fit(X, y).coef_, whole, rtol=1e-9, atol=1e-12)
    assert len(parts) == 3 and all(len(epoch) > 3 for epoch in parts)


@pytest.mark.parametrize("solver", STOCHASTIC)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_stochastic_solvers_come_near_in_50_epochs(solver, n_classes):
    X, y = texts(n_classes)
    best = LogisticRegression(tol=1e-8).fit(X, y).objective_
    model = LogisticRegression(solver=solver, max_iter=50, tol=0).fit(X, y)
    assert best <= model.objective_ < best * (1 + 1e-3)
    assert np.isclose(model.objective_, objective(model, X, y), rtol=1e-12)
    if n_classes > 2:
        assert abs(model.intercept_.sum()) < 1e-9


@st.composite
def stochastic_problems(draw):
    n, v = draw(st.integers(2, 12)), draw(st.integers(1, 5))
    X = draw(hnp.arrays(np.float64, (n, v), elements=st.sampled_from([0, 0, 0, 1, 2, -1.5])))
    softmax = draw(st.booleans())
    y = draw(hnp.arrays(np.int32, n, elements=st.integers(0, draw(st.integers(1, 3)))))
    y[0] = max(y.max(), 1)
    weight = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.5, 1.0, 2.0])))
    order = draw(st.permutations(range(n)))
    l1, l2 = draw(st.sampled_from([0, 0.01, 0.2])), draw(st.sampled_from([0, 0.1, 2.0]))
    return X, y, weight, np.array(order, np.int32), l1, l2, softmax


@given(stochastic_problems(), st.integers(1, 4), st.booleans(), st.booleans(), st.booleans())
def test_lazy_passes_equal_the_dense_loop(drawn, batch_size, bias, penalized, adagrad):
    X, y, weight, order, l1, l2, softmax = drawn
    n_steps = -(-len(order) // batch_size)
    eta = np.full(n_steps, 0.3) if adagrad else 0.5 * (1 + np.arange(n_steps)) ** -0.6
    penalized = penalized and bias
    W, b = reference.stochastic(
        X, y, weight, order, batch_size, eta, l1, l2,
        softmax=softmax, bias=bias, penalized=penalized, adagrad=adagrad,
    )  # fmt: skip
    lazy_W, lazy_b = np.zeros_like(W), np.zeros_like(b)
    rows = _core.LabeledRows(as_csr(X), y, weight, max(y) + 1)
    state = _core.StochasticState(
        rows, lazy_W, lazy_b, softmax=softmax, bias=bias, penalized_bias=penalized
    )
    if adagrad:
        G = np.zeros((W.shape[0] + 1, W.shape[1]))
        rule = _core.AdaGrad(state, G, eta=0.3, eps=1e-10, l1=l1, l2=l2)
        _core.adagrad_pass(state, rule, order, batch_size)
    else:
        _core.sgd_pass(state, order, batch_size, eta, *shrinkage(eta, l1, l2))
    # AdaGrad makes much of a gradient that is zero but for its rounding.
    atol = 1e-6 if adagrad else 1e-12
    assert np.allclose(lazy_W, W, rtol=0, atol=atol) and np.allclose(lazy_b, b, rtol=0, atol=atol)
    if l1 > 0:
        assert np.array_equal(lazy_W == 0, W == 0)


@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_strong_decay_is_taken_in_parts():
    parts = _parts(np.full(1000, 10.0), 1e3, 1000)
    assert len(parts) > 20 and parts[0].start == 0 and parts[-1].stop == 1000
    assert all(a.stop == b.start for a, b in itertools.pairwise(parts))
    X, y = texts(3, n=50)
    best = LogisticRegression(C=1e-6, fit_intercept=False, tol=1e-10).fit(X, y).objective_
    options = {"fit_intercept": False, "solver": "sgd", "eta0": 1.0, "max_iter": 20, "tol": 0}
    model = LogisticRegression(C=1e-6, **options).fit(X, y)
    assert np.isclose(model.objective_, best, rtol=1e-3)


@pytest.mark.parametrize("solver", ["sgd", "adagrad"])
def test_stochastic_l1_makes_exact_zeros(solver):
    X, y = texts(2)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = LogisticRegression(solver=solver, penalty="l1", max_iter=50, tol=0).fit(X, y)
    best = LogisticRegression(penalty="l1", tol=1e-6).fit(X, y)
    assert best.objective_ <= model.objective_ < best.objective_ * 1.003
    unseen = np.asarray((X != 0).sum(axis=0)).ravel() == 0
    assert (model.coef_[0, ~unseen] == 0).sum() > 20
