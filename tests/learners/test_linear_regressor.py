import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as theirs
from sklearn.utils.estimator_checks import check_estimator

from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.matrix import as_csr
from wordplane.learners.linear_regressor import LinearRegressor, _stretch


def problem(n=120, n_features=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.6)
    return X, X @ rng.normal(size=n_features) + rng.standard_t(2, size=n) + 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("loss", ["squared", pytest.param("quantile", marks=pytest.mark.slow)])
def test_scikit_learn_s_checks(loss):
    near = "the quantile loss is flat near its minimum, where the solver stops"
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    check_estimator(
        LinearRegressor(loss=loss, alpha=0.1, tol=1e-10),
        on_skip=None,
        expected_failed_checks=dict.fromkeys(weights, near) if loss == "quantile" else None,
    )


@pytest.mark.parametrize("alpha", [0.01, 1.0, 50.0])
def test_squared_loss_equals_scikit_learn_s_ridge(alpha):
    X, y = problem()
    weight = 1 + np.arange(len(y)) % 3
    his = theirs.Ridge(alpha=alpha, solver="svd").fit(X, y, weight)
    ours = LinearRegressor(alpha=alpha, tol=1e-12).fit(sp.csr_matrix(X), y, weight)
    np.testing.assert_allclose(ours.coef_, his.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), his.predict(X), atol=1e-5)


def test_huber_loss_equals_scikit_learn_s_at_its_scale():
    X, y = problem()
    his = theirs.HuberRegressor(alpha=1.0, epsilon=1.35, tol=1e-9, max_iter=10_000).fit(X, y)
    scale = his.scale_  # sum of H(r / s) s: with s known, the loss of ours divided by s
    ours = LinearRegressor(loss="huber", alpha=scale, delta=1.35 * scale, tol=1e-12).fit(X, y)

    def objective(w, b):
        r = np.abs(y - X @ w - b) / scale
        return (np.where(r < 1.35, r**2, 2.7 * r - 1.35**2) * scale).sum() + w @ w

    least = objective(his.coef_, his.intercept_)
    assert objective(ours.coef_, ours.intercept_) <= least * (1 + 1e-6)
    np.testing.assert_allclose(ours.coef_, his.coef_, atol=1e-2)


@pytest.mark.parametrize("quantile", [0.5, 0.9])
def test_quantile_loss_is_as_small_as_that_of_a_linear_program(quantile):
    X, y = problem()

    def loss(z):
        return np.maximum(quantile * (y - z), (quantile - 1) * (y - z)).sum()

    his = theirs.QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, y)
    ours = LinearRegressor(loss="quantile", quantile=quantile, alpha=1e-6).fit(X, y)
    assert loss(ours.predict(X)) <= 1.002 * loss(his.predict(X))
    assert abs(np.mean(y <= ours.predict(X)) - quantile) < 0.05


def test_alpha_is_that_of_the_least_error_on_folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60))
    y = 0.5 * X @ rng.normal(size=60) + 8 * rng.normal(size=300)
    noisy, clear = (LinearRegressor().fit(X, target).alpha_ for target in (y, X[:, 0]))
    assert noisy >= 30 * clear  # noise asks for a strong penalty
    test = rng.normal(size=(2000, 60))
    errors = {
        alpha: np.abs(LinearRegressor(alpha=alpha).fit(X, y).coef_).sum()
        for alpha in (noisy / 1000, noisy)
    }
    assert errors[noisy] < errors[noisy / 1000]
    assert len(LinearRegressor().fit(X, y).predict(test)) == 2000


def test_rows_held_out_are_normalized_without_what_other_folds_do_not_have():
    # The last feature of row 0 is in no other fold: without it, the row would be normalized to 1.
    X = np.array([[0.6, 0.0, 0.8], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    folds = np.array([0, 1, 2])
    stretch = _stretch(as_csr(sp.csr_matrix(X)), folds)
    assert np.allclose(stretch, [1 / 0.6, 1.0, 1.0])  # nothing is left of the last
    assert _stretch(as_csr(sp.csr_matrix(2 * np.triu(X + 1))), folds).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("loss", ["huber", "quantile"])
def test_outliers_move_robust_losses_less(loss):
    X, y = problem(200)
    spoiled = y.copy()
    spoiled[:6] += 1000.0
    moved = {
        name: np.abs(
            LinearRegressor(loss=name).fit(X, spoiled).predict(X)
            - LinearRegressor(loss=name).fit(X, y).predict(X)
        ).mean()
        for name in ("squared", loss)
    }
    assert moved[loss] < moved["squared"] / 10


@pytest.mark.parametrize(
    ("params", "problem_said"),
    [({"loss": "hinge"}, "loss is 'hinge'"), ({"alpha": 0}, "alpha is 0"),
     ({"quantile": 1.0}, "quantile is 1.0"), ({"delta": -1.0}, "delta is -1.0")],
)  # fmt: skip
def test_refuses_parameters(params, problem_said):
    with pytest.raises(InputError, match=problem_said):
        LinearRegressor(**params).fit([[1.0], [2.0]], [1.0, 2.0])


def test_refuses_targets_and_says_when_it_stops_early():
    with pytest.raises(InputError, match="2 columns, expected a number for every row"):
        LinearRegressor().fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(InputError, match="not numbers"):
        LinearRegressor().fit([[1.0], [2.0]], ["good", "bad"])
    X, y = problem()
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations"):
        LinearRegressor(alpha=0.01, max_iter=1).fit(X, y)
