import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests import reference_online as reference
from tests.strategies_learners import orders, real_problems
from wordplane import LinearSVM, OnlineSVM, datasets
from wordplane.common.errors import InputError


def test_by_hand():
    # alpha = 1/2: eta = 2, 1. x = 1 of b: the guess is a (cost). w = 0, then w_b = 2, w_a = -2.
    # x = 1 of a: b is guessed. w halves to w_b = 1, then w_b = 0. The mean of 2 and 0 is 1.
    X, y = [[1.0], [1.0]], ["b", "a"]
    params = {"alpha": 0.5, "shuffle": False, "max_iter": 1, "fit_intercept": False}
    assert OnlineSVM(**params, averaged=False).fit(X, y).coef_.tolist() == [[0]]
    model = OnlineSVM(**params).fit(X, y)
    assert model.coef_.tolist() == [[2]]  # w_b - w_a
    # 1/4 (1 + 1) and hinges max(0, 1 - 2) and 1 + 2.
    assert model.objective_ == 0.5 + 1.5


@given(st.data(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2))
def test_lazy_decay_equals_dense_decay(data, averaged, fit_intercept, project, seed):
    X, y, weights, cost = data.draw(real_problems())
    alpha = data.draw(st.sampled_from([0.01, 0.3, 1.0]))
    eta0 = data.draw(st.sampled_from([None, 1.0, 0.2]))
    power_t = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    model = OnlineSVM(
        alpha=alpha, eta0=eta0, power_t=power_t, project=project, cost=cost, averaged=averaged,
        fit_intercept=fit_intercept, max_iter=3, random_state=seed,
    ).fit(X, y, weights)  # fmt: skip
    most = weights * cost.max(axis=1)[y]
    radius = np.sqrt(most.mean() / alpha) if project else np.inf
    coef, intercept = reference.pegasos(
        X, y, weights, orders(len(y), 3, seed), averaged=averaged, fit_intercept=fit_intercept,
        alpha=alpha, cost=cost, radius=radius,
        eta=lambda t: 1 / (alpha * t) if eta0 is None else eta0 * t**-power_t,
    )  # fmt: skip
    assert np.allclose(model.coef_, coef, rtol=1e-7, atol=1e-7)
    assert np.allclose(model.intercept_, intercept, rtol=1e-7, atol=1e-7)


def test_a_long_decay_loses_nothing():
    # eta0 = 1, alpha = 0.5: w halves 3,000 times without an update, s passes 1e-9 many times.
    X = np.vstack([[[1.0, 0.0]], np.tile([[0.0, 1.0]], (3000, 1))])
    y = np.array([1] + [0] * 3000)
    params = {"alpha": 0.5, "eta0": 1.0, "power_t": 0.0, "shuffle": False, "max_iter": 1}
    last = OnlineSVM(**params, averaged=False, fit_intercept=False).fit(X, y)
    coef, _ = reference.pegasos(
        X, y, np.ones(3001), [range(3001)], averaged=False, fit_intercept=False, alpha=0.5,
        cost=1 - np.eye(2), radius=np.inf, eta=lambda t: 1.0,
    )  # fmt: skip
    assert np.allclose(last.coef_, coef, rtol=1e-12, atol=1e-300)
    mean = OnlineSVM(**params, fit_intercept=False).fit(X, y)
    assert np.isclose(mean.coef_[0, 0], 2 * 2 / 3001)  # 1 + 1/2 + 1/4 ... = 2, in both vectors


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.slow
def test_nears_the_exact_minimum(n_classes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = (X @ rng.standard_normal((3, n_classes)) + rng.standard_normal((60, n_classes))).argmax(1)
    alpha = 0.1
    cost = 2 * (1 - np.eye(n_classes))

    # The exact problem as a quadratic program: slack xi_i >= z_k + cost - z_y.
    def parts(v):
        W = v[: n_classes * 4].reshape(n_classes, 4)
        return W, v[n_classes * 4 :]

    Xb = np.hstack([X, np.ones((60, 1))])

    def objective(v):
        W, xi = parts(v)
        return alpha / 2 * (W**2).sum() + xi.mean(), np.r_[alpha * W.ravel(), np.full(60, 1 / 60)]

    rows, bounds = [], []
    for i in range(60):
        for k in range(n_classes):
            if k != y[i]:
                row = np.zeros(n_classes * 4 + 60)
                row[y[i] * 4 : y[i] * 4 + 4] = Xb[i]
                row[k * 4 : k * 4 + 4] = -Xb[i]
                row[n_classes * 4 + i] = 1
                rows.append(row)
                bounds.append(cost[y[i], k])
    A, c = np.array(rows), np.array(bounds)
    start = np.r_[np.zeros(n_classes * 4), np.full(60, 2.0)]
    exact = minimize(
        objective, start, jac=True, method="SLSQP",
        bounds=[(None, None)] * (n_classes * 4) + [(0, None)] * 60,
        constraints={"type": "ineq", "fun": lambda v: A @ v - c, "jac": lambda v: A},
        options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    assert exact.success
    gaps = []
    for max_iter in (10, 100, 1000):
        model = OnlineSVM(alpha=alpha, cost=cost, max_iter=max_iter).fit(X, y)
        gaps.append(model.objective_ - exact.fun)
        W, b = model.coef_, model.intercept_
        if n_classes == 2:
            W, b = np.vstack([-W, W]) / 2, np.r_[-b, b] / 2
        assert np.isclose(model.objective_, reference.svm_objective(W, b, X, y, alpha, cost))
    assert gaps[0] > gaps[1] > gaps[2] > -1e-9
    assert gaps[2] < 2e-3 * exact.fun


def test_projection_keeps_the_norm():
    rng = np.random.default_rng(0)
    X, y = 5 * rng.standard_normal((20, 3)), np.arange(20) % 3
    params = {"alpha": 0.01, "averaged": False, "max_iter": 1}
    free = OnlineSVM(**params).fit(X, y)
    held = OnlineSVM(**params, project=True).fit(X, y)
    norms = [np.sqrt((m.coef_**2).sum() + (m.intercept_**2).sum()) for m in (free, held)]
    assert norms[0] > 10 and norms[1] <= 10 * (1 + 1e-9)  # 1 / sqrt(alpha)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0}, "alpha is 0, expected a number above 0"),
        ({"eta0": -1}, "eta0 is -1"),
        ({"power_t": -1}, "power_t is -1, expected a number from 0 up"),
        ({"alpha": 2, "eta0": 1}, r"alpha \* eta0 is 2, expected no more than 1"),
        ({"project": "yes"}, "project is 'yes'"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        OnlineSVM(**params).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_of_two_classes_it_is_the_hinge_svm_at_two_by_n_alpha(alpha):
    """Two vectors of w / 2 each have half the penalty of one w."""
    X, y = datasets.gaussians(80, variances=(1.0, 1.0))
    online = OnlineSVM(alpha=alpha, max_iter=3000).fit(X, y)
    svm = LinearSVM(C=2 / (80 * alpha), loss="hinge", tol=1e-8, max_iter=10**5).fit(X, y)
    assert online.coef_ == pytest.approx(svm.coef_, rel=5e-3)
    assert online.objective_ == pytest.approx(svm.objective_ / (80 * svm.C), rel=1e-3)
    other = LinearSVM(C=1 / (80 * alpha), loss="hinge", tol=1e-8, max_iter=10**5).fit(X, y)
    assert np.abs(online.coef_ - other.coef_).max() > 0.05


def test_alpha_by_the_number_of_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), np.arange(50) % 2
    own = OnlineSVM(alpha="auto").fit(X, y)
    assert np.array_equal(own.coef_, OnlineSVM(alpha=1 / 50).fit(X, y).coef_)
    further = OnlineSVM(alpha="auto").partial_fit(X, y, classes=[0, 1]).partial_fit(X[:7], y[:7])
    expected = OnlineSVM(alpha=1 / 50).partial_fit(X, y, classes=[0, 1]).partial_fit(X[:7], y[:7])
    assert np.array_equal(further.coef_, expected.coef_)
    with pytest.raises(InputError, match="alpha is 'often', expected a number above 0"):
        OnlineSVM(alpha="often").fit(X, y)
