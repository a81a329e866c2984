"""Tests of wordplane.learners.support.block_objective, wordplane.learners.support.row_blocks,
wordplane.learners.support.packed_blocks, wordplane.learners.support.svm_blocks and
wordplane.learners.support.logistic_blocks; tests/scale trains all learners on blocks."""

import numpy as np
import pytest

from wordplane import LinearSVM, LogisticRegression
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.optimize.losses import binary_logistic, binary_squared_hinge, logistic
from wordplane.optimize.newton import newton
from wordplane.optimize.penalties import Penalty

BOUNDS = np.array([0, 25, 26, 60])


def problem(n_classes=2):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, (60, 9)).astype(float)
    return X, rng.integers(0, n_classes, 60), rng.random(60) + 0.1, rng


def blocks_of(X):
    return RowBlocks(BOUNDS, X.shape[1], lambda b: as_csr(X[BOUNDS[b] : BOUNDS[b + 1]]))


def test_sums_over_blocks_are_the_dense_ones():
    X, codes, C, rng = problem()
    d, w, v = rng.normal(size=(3, 10))
    dense = np.column_stack([X, np.ones(60)]) * d
    y = np.where(codes == 1, 1.0, -1.0)
    margin = np.maximum(0, 1 - y * (dense @ w))
    penalty = Penalty(l2=0.5)
    F = BlockObjective(
        blocks_of(X), codes, binary_squared_hinge, penalty, n_outputs=1, weight=C, factor=d
    )
    value, gradient = F(w)
    assert np.isclose(value, 0.25 * w @ w + C @ margin**2)
    assert np.allclose(gradient, 0.5 * w - 2 * dense.T @ (C * y * margin))
    H = 0.5 * np.eye(10) + 2 * (dense * (C * (margin > 0))[:, None]).T @ dense
    assert np.allclose(F.hessian(w)(v), H @ v)
    assert np.allclose(F.hessian(w + v)(v), F.hessian(v + w)(v))
    W, b = F.split(w)
    assert np.allclose(X @ W[:, 0] + b, dense @ w)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_newton_finds_the_machines_of_dual_descent(n_classes):
    X, codes, C, _ = problem(n_classes)
    n_outputs = 1 if n_classes == 2 else n_classes
    F = BlockObjective(
        blocks_of(X),
        codes,
        binary_squared_hinge,
        Penalty(l2=1.0),
        n_outputs=n_outputs,
        weight=C,
    )
    found = newton(F, F.start(), tol=0.0, gap=1e-12, exact=False)
    assert found.reason == "gap"
    svm = LinearSVM(tol=1e-12, max_iter=100_000).fit(X, codes, sample_weight=C)
    W, b = F.split(found.w)
    assert np.allclose(W.T, svm.coef_, atol=1e-5)
    assert np.allclose(b, svm.intercept_, atol=1e-5)
    assert found.loss == pytest.approx(svm.objective_, rel=1e-9)


def test_the_gap_bounds_the_distance_from_the_optimum():
    X, codes, C, _ = problem()
    F = BlockObjective(
        blocks_of(X), codes, binary_squared_hinge, Penalty(l2=1.0), n_outputs=1, weight=C
    )
    best = newton(F, F.start(), tol=1e-12, exact=False).loss
    for gap in (0.5, 0.1, 0.01):
        found = newton(F, F.start(), tol=0.0, gap=gap, exact=False)
        assert best <= found.loss * (1 + 1e-12)
        assert found.loss - best <= gap * found.loss
    free = BlockObjective(
        blocks_of(X), codes, binary_squared_hinge, Penalty(l2=1.0, free=1), n_outputs=1, weight=C
    )
    with pytest.raises(InputError, match="`gap` needs an l2 penalty on all weights"):
        newton(free, free.start(), gap=0.1)


@pytest.mark.parametrize(("n_classes", "loss"), [(2, binary_logistic), (3, logistic)])
def test_newton_finds_the_weights_of_logistic_regression(n_classes, loss):
    X, codes, C, _ = problem(n_classes)
    n_outputs = 1 if n_classes == 2 else n_classes
    F = BlockObjective(
        blocks_of(X),
        codes,
        loss,
        Penalty(l2=1.0, free=n_outputs),
        n_outputs=n_outputs,
        weight=C,
    )
    W, b = F.split(newton(F, F.start(), tol=1e-10, exact=False).w)
    model = LogisticRegression(solver="lbfgs", tol=1e-10).fit(X, codes, sample_weight=C)
    assert np.allclose(W.T, model.coef_, atol=1e-6)
    assert np.allclose(b - (b.mean() if n_outputs > 1 else 0), model.intercept_, atol=1e-6)
