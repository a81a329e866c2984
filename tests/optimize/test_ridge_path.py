"""Tests of wordplane.optimize.ridge_path, and of the losses of regression in
wordplane.optimize.losses."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from wordplane.common.matrix import as_csr
from wordplane.optimize.losses import Huber, Pinball
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.ridge_path import RidgePath

ALPHAS = (0.1, 1.0, 30.0)


def problem(n=60, n_features=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_features)) * (rng.random((n, n_features)) < 0.2)
    return X, X @ rng.normal(size=n_features) + rng.normal(size=n) + 5


def objective(X, y, w, b, alpha, weight=1.0):
    return (weight * (y - X @ w - b) ** 2).sum() + alpha * w @ w


@pytest.mark.slow
def test_one_run_has_the_fits_of_all_strengths_and_folds():
    X, y = problem()
    weight = np.tile(1.0 + np.arange(len(y))[:, None] % 3, (1, 3))
    for fold in range(2):  # the last problem has all rows
        weight[fold::2, fold] = 0.0
    path = RidgePath(as_csr(sp.csr_matrix(X)), y, weight, threads=1)
    for _ in range(45):
        path.step()
    for alpha in ALPHAS:
        W, b = path.weights(alpha)
        np.testing.assert_allclose(path.biases(alpha), b)
        for k in range(3):
            his = Ridge(alpha=alpha, tol=1e-12, solver="svd").fit(X, y, weight[:, k])
            np.testing.assert_allclose(W[:, k], his.coef_, atol=1e-6)
            np.testing.assert_allclose(b[k], his.intercept_, atol=1e-6)
            np.testing.assert_allclose(path.predictions(alpha)[:, k], his.predict(X), atol=1e-6)


def test_the_gap_bounds_what_is_left_to_gain():
    X, y = problem()
    path = RidgePath(as_csr(sp.csr_matrix(X)), y, np.ones((len(y), 1)), threads=1)
    fits = {alpha: Ridge(alpha=alpha, solver="svd").fit(X, y) for alpha in ALPHAS}
    for _ in range(8):
        path.step()
        for alpha, his in fits.items():
            W, b = path.weights(alpha)
            least = objective(X, y, his.coef_, his.intercept_, alpha)
            share = objective(X, y, W[:, 0], b[0], alpha) / least - 1
            assert -1e-9 <= share <= path.gap(alpha)[0] * (1 + 1e-6)


def test_steps_after_nothing_is_left():
    # Two different rows span one direction; equal targets none.
    X = as_csr(sp.csr_matrix([[1.0, 0.0], [0.0, 1.0]]))
    for y, expected in (([1.0, 3.0], [1.5, 2.5]), ([2.0, 2.0], [2.0, 2.0])):
        path = RidgePath(X, np.array(y), np.ones((2, 1)), threads=1)
        for _ in range(4):
            path.step()
        assert np.allclose(path.predictions(1.0)[:, 0], expected)
        assert path.gap(1.0)[0] == 0


def test_threads_change_no_bit():
    X, y = problem(200, 300)
    found = []
    for threads in (1, 2, 3):
        path = RidgePath(as_csr(sp.csr_matrix(X)), y, np.ones((len(y), 2)), threads)
        for _ in range(5):
            path.step()
        found.append(path.weights(0.5)[0].tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("loss", [Huber(0.8), Pinball(0.9, 0.5), Pinball(0.25, 2.0)])
def test_gradients_and_curvatures_are_those_of_finite_differences(loss):
    X, y = problem(30, 4, seed=1)
    F = LinearObjective(
        as_csr(X), y[:, None], loss, Penalty(l2=0.3, free=1), n_outputs=1, weight=1 + y % 2
    )
    rng = np.random.default_rng(2)
    w = np.append(rng.normal(size=4), 5.0)
    direction, step = rng.normal(size=5), 1e-6
    gradient = F(w)[1]
    ahead, there = F(w + step * direction)
    back, here = F(w - step * direction)
    assert np.isclose((ahead - back) / (2 * step), gradient @ direction, rtol=1e-5)
    product = F.hessian(w)(direction)
    np.testing.assert_allclose((there - here) / (2 * step), product, rtol=1e-4, atol=1e-5)


def test_losses_by_hand():
    z, y = np.array([[0.0], [0.0], [0.0]]), np.array([0.5, 3.0, -3.0])
    assert Huber(1.0)(z, y)[0].tolist() == [0.25, 5.0, 5.0]  # 2 * 3 - 1
    assert np.allclose(Pinball(0.9, 1e-9)(z, y)[0], [0.45, 2.7, 0.3])
    assert np.allclose(Pinball(0.5, 1.0)(z, np.zeros(3))[0], 0.25)  # width / 4 above the corner
