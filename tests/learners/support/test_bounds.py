"""Tests of wordplane.learners.support.bounds: the optimum among the weights that obey."""

import numpy as np
import pytest
from scipy.optimize import minimize

from wordplane import NBSVM, LinearSVM, LogisticRegression, MultinomialNB
from wordplane.common.errors import InputError
from wordplane.learners.support.bounds import Bounds
from wordplane.learners.support.protocols import FitsWithinBounds

FREE = np.inf


def problem(seed: int):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.6, size=(70, 7)).astype(float)
    y = (X[:, 0] - X[:, 1] + X[:, 3] + rng.normal(size=70) > 0.5).astype(int)
    lower, upper = np.full(7, -FREE), np.full(7, FREE)
    lower[0] = upper[0] = 1.5 * rng.choice([-1, 1])  # pinned
    lower[1], upper[1] = -0.2, 0.2  # capped, and wants more
    lower[2] = upper[2] = 0.0  # forbidden
    lower[3], upper[3] = -5.0, 5.0  # capped, and does not mind
    return X, y, lower, upper, rng.uniform(0.5, 2.0, 70)


def svm_objective(X, y, C, weights, scaling=1.0):
    sign = 2 * y - 1

    def value(u):
        w, b = u[:-1], u[-1]
        loss = np.maximum(0, 1 - sign * (X @ w + b)) ** 2
        return (w @ w + (b / scaling) ** 2) / 2 + C * weights @ loss

    return value


def logistic_objective(X, y, C, weights):
    sign = 2 * y - 1

    def value(u):
        w, b = u[:-1], u[-1]
        return w @ w / 2 + C * weights @ np.logaddexp(0, -sign * (X @ w + b))

    return value


def reference(value, lower, upper):
    """An independent solver for small dense problems."""
    bounds = [*zip(lower, upper, strict=True), (-FREE, FREE)]
    start = np.append(np.clip(np.zeros(len(lower)), lower, upper), 0.0)
    options = {"ftol": 1e-15, "maxiter": 5000}
    return minimize(value, start, method="SLSQP", bounds=bounds, options=options)


@pytest.mark.parametrize("seed", range(5))
def test_svm_and_logistic_reach_the_optimum_within_bounds(seed) -> None:
    X, y, lower, upper, weights = problem(seed)
    for learner, value in (
        (LinearSVM(C=0.7, tol=1e-6), svm_objective(X, y, 0.7, weights)),
        (
            LinearSVM(C=0.7, tol=1e-6, intercept_scaling=3.0),
            svm_objective(X, y, 0.7, weights, 3.0),
        ),
        (LogisticRegression(C=2.0, tol=1e-6), logistic_objective(X, y, 2.0, weights)),
    ):
        learner.fit_within(X, y, Bounds(lower, upper), sample_weight=weights)
        expected = reference(value, lower, upper)
        w = np.append(learner.coef_[0], learner.intercept_)
        assert value(w) <= expected.fun + 1e-6 * abs(expected.fun)
        np.testing.assert_allclose(w, expected.x, atol=2e-3)
        assert learner.converged_
        assert w[0] == lower[0]
        assert w[2] == 0.0
        assert abs(w[1]) <= 0.2
        assert (w[:-1] >= lower).all() and (w[:-1] <= upper).all()


@pytest.mark.parametrize(
    "learner",
    [
        LinearSVM(tol=1e-7),
        LogisticRegression(tol=1e-7),
        NBSVM(beta=1.0, learner=LinearSVM(tol=1e-7)),
        NBSVM(
            beta=0.5,
            smoothing="mass",
            scaling="shifted",
            binary=False,
            learner=LinearSVM(C=1.5, tol=1e-7),
        ),
    ],
)
def test_without_bounds_it_is_the_usual_fit(learner) -> None:
    X, y, *_ = problem(0)
    usual = type(learner)(**learner.get_params(deep=False)).fit(X, y)
    free = np.full(7, FREE)
    bounded = type(learner)(**learner.get_params(deep=False)).fit_within(X, y, Bounds(-free, free))
    np.testing.assert_allclose(bounded.coef_, usual.coef_, atol=1e-3)
    np.testing.assert_allclose(bounded.intercept_, usual.intercept_, atol=1e-3)


@pytest.mark.parametrize("beta", [0.0, 0.25, 0.5, 1.0])
def test_nbsvm_obeys_for_every_share_of_naive_bayes(beta) -> None:
    for seed in range(5):
        X, y, lower, upper, weights = problem(seed)
        learner = NBSVM(beta=beta).fit_within(X, y, Bounds(lower, upper), sample_weight=weights)
        w = learner.coef_[0]
        assert w[0] == lower[0]
        assert w[2] == 0.0
        assert (w >= lower).all() and (w <= upper).all()


def test_nbsvm_is_the_svm_on_scaled_rows_within_scaled_bounds() -> None:
    X, y, lower, upper, weights = problem(1)
    machine = LinearSVM(C=0.5, tol=1e-7)
    learner = NBSVM(beta=1.0, binary=False, learner=machine)
    scale = learner.fit(X, y, weights).scale_[0]
    bounds = np.sort([lower / scale, upper / scale], axis=0)
    alone = LinearSVM(C=0.5, tol=1e-7).fit_within(
        X * scale, y, Bounds(*bounds), sample_weight=weights
    )
    learner.fit_within(X, y, Bounds(lower, upper), sample_weight=weights)
    np.testing.assert_allclose(learner.coef_[0], alone.coef_[0] * scale, atol=1e-3)


def test_a_feature_without_evidence_can_be_pinned() -> None:
    X = np.array([[1.0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 1]])
    learner = NBSVM(smoothing="mass", scaling="shifted")
    assert learner.fit(X, [0, 1, 0, 1]).scale_[0, 0] == 0
    bounds = np.array([[0.7, -FREE, -FREE], [0.7, FREE, FREE]])
    assert learner.fit_within(X, [0, 1, 0, 1], Bounds(*bounds)).coef_[0, 0] == 0.7


@pytest.mark.parametrize(
    "learner",
    [
        LinearSVM(loss="hinge"),
        LinearSVM(penalty="l1"),
        LogisticRegression(penalty="l1"),
        NBSVM(learner=LogisticRegression()),
    ],
)
def test_others_say_that_they_cannot(learner) -> None:
    X, y, lower, upper, _ = problem(0)
    assert not learner.can_fit_within()
    learner.fit(X, y)
    with pytest.raises(InputError, match="within bounds"):
        learner.fit_within(X, y, Bounds(lower, upper))


def test_more_classes_are_refused() -> None:
    X, _, lower, upper, _ = problem(0)
    y = np.arange(70) % 3
    for learner in (LinearSVM(), LogisticRegression(), NBSVM()):
        with pytest.raises(InputError, match="3 classes within bounds"):
            learner.fit_within(X, y, Bounds(lower, upper))


def test_learners_without_the_ability():
    assert not isinstance(MultinomialNB(), FitsWithinBounds)
    assert isinstance(LinearSVM(), FitsWithinBounds)
