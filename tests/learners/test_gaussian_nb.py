import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as theirs
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.utils.estimator_checks import check_estimator

from tests.strategies_learners import problems
from wordplane import GaussianNB
from wordplane.common.errors import InputError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("variance", ["per_class", "pooled", 400.0])
def test_scikit_learn_s_checks(variance):
    check_estimator(GaussianNB(variance=variance), on_skip=None)


def test_by_hand():
    X, y = [[0.0], [2.0], [5.0], [5.0]], ["a", "a", "b", "b"]
    model = GaussianNB(variance=2.0).fit(X, y)
    # Means 1 and 5: W = m / 2, b = log 1/2 - m^2 / 4. The boundary is at 3.
    assert model.kind == "linear"
    assert np.allclose(model.coef_, [[2]]) and np.allclose(model.intercept_, [-6])
    assert model.predict([[2.9], [3.1]]).tolist() == ["a", "b"]
    pooled = GaussianNB(variance="pooled", var_smoothing=0).fit(X, y)
    assert np.allclose(pooled.var_, [[0.5], [0.5]])  # (1 + 1 + 0 + 0) / 4
    own = GaussianNB(var_smoothing=0.1).fit(X, y)
    assert own.kind == "quadratic" and not hasattr(own, "coef_")
    assert np.allclose(own.epsilon_, 0.1 * np.var([0, 2, 5, 5]))
    assert np.allclose(own.var_[:, 0], [1 + own.epsilon_, own.epsilon_])


@given(problems(), st.sampled_from([1e-3, 0.1]))
@pytest.mark.slow
def test_per_class_equals_scikit_learn(problem, smoothing):
    X, y, weights = problem
    X = np.hstack([X, np.arange(len(X))[:, None]])  # something varies
    ours = GaussianNB(var_smoothing=smoothing).fit(sp.csr_matrix(X), y, weights)
    his = theirs.GaussianNB(var_smoothing=smoothing).fit(X, y, weights)
    # Theirs takes the floor from unweighted rows; with weights ours weighs them too.
    unweighted = GaussianNB(var_smoothing=smoothing).fit(X, y)
    his_unweighted = theirs.GaussianNB(var_smoothing=smoothing).fit(X, y)
    assert np.allclose(ours.theta_, his.theta_)
    assert np.allclose(ours.var_ - ours.epsilon_, his.var_ - his.epsilon_)
    assert np.allclose(unweighted.var_, his_unweighted.var_)
    assert np.allclose(
        unweighted.predict_log_proba(X), his_unweighted.predict_log_proba(X), rtol=1e-6, atol=1e-6
    )


@given(problems(), st.sampled_from(["per_class", "pooled", 0.5]))
def test_scores_are_densities(problem, variance):
    X, y, weights = problem
    X = np.hstack([X, np.arange(len(X))[:, None]])
    model = GaussianNB(variance=variance, var_smoothing=0.01).fit(X, y, weights)
    joint = np.array(
        [
            np.log(model.class_prior_[k])
            + norm.logpdf(X, model.theta_[k], np.sqrt(model.var_[k])).sum(axis=1)
            for k in range(len(model.classes_))
        ]
    ).T
    assert np.allclose(model.predict_joint_log_proba(X), joint, rtol=1e-8, atol=1e-8)
    z = model.decision_function(X)
    if len(model.classes_) == 2:
        assert np.allclose(z, joint[:, 1] - joint[:, 0], rtol=1e-7, atol=1e-7)
    else:  # what a linear model leaves out is the same for all classes
        assert np.allclose(z - z[:, :1], joint - joint[:, :1], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("variance", ["per_class", "pooled", 0.5])
@given(problem=problems(), cut=st.integers(1, 9))
def test_weights_and_parts(variance, problem, cut):
    X, y, _ = problem
    X = np.hstack([X, np.arange(len(X))[:, None] + 100.0])
    times = 1 + np.arange(len(y)) % 3
    weighted = GaussianNB(variance=variance).fit(X, y, times)
    repeated = GaussianNB(variance=variance).fit(X.repeat(times, 0), y.repeat(times))
    parts = GaussianNB(variance=variance)
    for rows in (slice(0, cut), slice(cut, None)):
        if len(y[rows]):
            parts.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=times[rows])
    for other in (repeated, parts):
        assert np.allclose(weighted.theta_, other.theta_)
        assert np.allclose(weighted.var_, other.var_)
        assert np.allclose(weighted.class_prior_, other.class_prior_)


def test_large_means_lose_no_variance():
    rng = np.random.default_rng(0)
    X = 1e6 + rng.standard_normal((200, 2))
    y = np.arange(200) % 2
    model = GaussianNB(var_smoothing=0).fit(X, y)
    expected = [X[y == k].var(axis=0) for k in (0, 1)]
    assert np.allclose(model.var_, expected, rtol=1e-9)


def test_a_feature_that_never_varies_is_no_error():
    model = GaussianNB(var_smoothing=0).fit([[1.0, 0.0], [1.0, 1.0]], ["a", "b"])
    assert np.isfinite(model.var_).all() and (model.var_ > 0).all()


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X = sp.random(2000, 300, 0.2, "csr", rng=rng)
    y = rng.integers(0, 3, 2000)
    one, two, three = (GaussianNB(n_jobs=n, variance="pooled").fit(X, y) for n in (1, 2, 3))
    assert np.array_equal(one.coef_, two.coef_) and np.array_equal(one.coef_, three.coef_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"variance": "shared"}, "variance is 'shared'"),
        ({"variance": 0}, "variance is 0"),
        ({"variance": [1.0, 2.0, 3.0]}, "or 2 of them"),
        ({"var_smoothing": -1}, "var_smoothing is -1"),
        ({"priors": [0.5, 0.6]}, "sum of the priors"),
        ({"priors": [1.0]}, "Number of priors"),
        ({"priors": [0.0, 1.0]}, "shares above 0"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        GaussianNB(**params).fit(np.eye(2), ["a", "b"])
