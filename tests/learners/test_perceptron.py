"""Tests of wordplane.learners.perceptron; support/test_online.py has what online learners share."""

import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests import reference_online as reference
from tests.strategies_learners import orders, problems
from wordplane import Perceptron


def test_two_steps_by_hand():
    # x = (1, 0) of b, then (1, 1) of a. Both scores are 0: a mistake. w_b = (1, 0), bias 1.
    # Then a scores -2, b scores 2: a mistake. w_b = (0, -1), bias 0.
    X, y = [[1, 0], [1, 1]], ["b", "a"]
    last = Perceptron(averaged=False, shuffle=False, max_iter=1).fit(X, y)
    assert last.mistakes_ == [2]
    assert last.coef_.tolist() == [[0, -2]] and last.intercept_.tolist() == [0]  # w_b - w_a
    mean = Perceptron(shuffle=False, max_iter=1).fit(X, y)  # of (1, 0), 1 and (0, -1), 0; doubled
    assert mean.coef_.tolist() == [[1, -1]] and mean.intercept_.tolist() == [1]


@given(problems(), st.booleans(), st.booleans(), st.integers(0, 3))
def test_equals_reference(problem, averaged, fit_intercept, seed):
    X, y, weights = problem
    model = Perceptron(
        averaged=averaged, fit_intercept=fit_intercept, max_iter=4, random_state=seed
    ).fit(X, y, weights)
    (coef, intercept), mistakes = reference.perceptron(
        X, y, weights, orders(len(y), 4, seed), averaged=averaged, fit_intercept=fit_intercept
    )
    assert model.mistakes_ == mistakes
    assert np.allclose(model.coef_, coef, rtol=0, atol=1e-12)
    assert np.allclose(model.intercept_, intercept, rtol=0, atol=1e-12)


def test_a_tie_is_a_mistake_but_an_update_by_nothing_is_none():
    model = Perceptron(max_iter=3).fit([[0], [0]], ["a", "b"])  # the bias can never please both
    assert model.mistakes_ == [2, 2, 2]
    model = Perceptron(max_iter=3, fit_intercept=False).fit([[0], [0]], ["a", "b"])
    assert model.mistakes_ == [0] and model.converged_


def test_averaging_helps_on_noise():
    rng = np.random.default_rng(0)
    w = rng.standard_normal(20)
    X = rng.standard_normal((600, 20))
    y = X @ w + 2 * rng.standard_normal(600) > 0
    scores = {
        averaged: Perceptron(averaged=averaged).fit(X[:300], y[:300]).score(X[300:], y[300:])
        for averaged in (True, False)
    }
    assert scores[True] > scores[False]


def test_no_warning_without_a_tolerance():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron(max_iter=1).fit([[0], [0]], [0, 1])
