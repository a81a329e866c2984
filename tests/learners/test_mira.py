import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier

from tests import reference_online as reference
from tests.strategies_learners import orders, real_problems
from wordplane import MIRA
from wordplane.common.errors import InputError

BY_HAND = {"averaged": False, "shuffle": False, "max_iter": 1, "fit_intercept": False}


def test_pa_1_by_hand():
    # x = (2, 1) of b: scores are 0, the first class is guessed. loss 1, ||x||^2 = 5, tau = 1/10.
    # w_b = (0.2, 0.1), so that w_b . x - w_a . x = 1: the margin asked for.
    X, y = [[2, 1], [0, 0]], ["b", "a"]
    model = MIRA(**BY_HAND).fit(X, y)
    assert np.allclose(model.coef_, [[0.4, 0.2]], rtol=1e-15)
    assert np.allclose(model.decision_function([[2, 1]]), 1)
    assert model.mistakes_ == [1]
    short = MIRA(C=0.05, **BY_HAND).fit(X, y)
    assert np.allclose(short.coef_, [[0.2, 0.1]], rtol=1e-15)
    squared = MIRA(C=0.05, loss="squared_hinge", **BY_HAND).fit(X, y)  # 1 / (10 + 10)
    assert np.allclose(squared.coef_, [[0.2, 0.1]], rtol=1e-15)


def test_the_bias_is_part_of_the_norm():
    model = MIRA(**{**BY_HAND, "fit_intercept": True}).fit([[2, 1], [0, 0]], ["b", "a"])
    # First tau = 1 / 12; then the empty row of a scores b: loss = 1/12 + 1/12 + 1, tau = loss / 2.
    tau = (2 / 12 + 1) / 2
    assert np.allclose(model.intercept_, 2 * (1 / 12 - tau))
    assert np.allclose(model.coef_, [[4 / 12, 2 / 12]])


def test_costs_augment_the_guess_only_if_asked():
    X, y = [[1.0], [1.0]], ["b", "a"]
    plain = MIRA(**BY_HAND, C=np.inf).fit([[1.0], [1.0], [1.0]], ["b", "b", "a"])
    augmented = MIRA(**BY_HAND, C=np.inf, cost_augmented=True).fit(X, y)
    assert plain.mistakes_ == [2]  # the second b is right, and left alone
    assert augmented.mistakes_ == [2]
    cost = [[0, 3], [1, 0]]  # to take a for b costs 3
    model = MIRA(**BY_HAND, C=np.inf, cost=cost).fit(X, y)
    assert np.allclose(model.decision_function([[1.0]]), -3)  # a's margin is 3


@given(st.data(), st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 3))
def test_equals_reference(data, averaged, fit_intercept, squared, augmented, seed):
    X, y, weights, cost = data.draw(real_problems())
    C = data.draw(st.sampled_from([0.01, 0.25, 1.0, 100.0]))
    model = MIRA(
        C=C, loss="squared_hinge" if squared else "hinge", cost=cost, cost_augmented=augmented,
        averaged=averaged, fit_intercept=fit_intercept, max_iter=2, random_state=seed,
    ).fit(X, y, weights)  # fmt: skip
    coef, intercept = reference.mira(
        X, y, weights, orders(len(y), 2, seed), averaged=averaged, fit_intercept=fit_intercept,
        C=C, squared=squared, cost=cost, cost_augmented=augmented,
    )  # fmt: skip
    near = np.allclose(model.coef_, coef, rtol=1e-9, atol=1e-9)
    assert near and np.allclose(model.intercept_, intercept, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("loss", "theirs"), [("hinge", "pa1"), ("squared_hinge", "pa2")])
def test_equals_scikit_learn_with_two_classes(loss, theirs):
    # One vector with the margin 1 steps by loss / ||x||^2; two vectors by half of it each, so
    # their difference by the same. What C bounds is half as long here, and PA-II's slack likewise.
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 6)), rng.integers(0, 2, 50)
    C = 0.03
    ours = MIRA(
        C=C, loss=loss, cost_augmented=True, averaged=False, shuffle=False, max_iter=3,
        fit_intercept=False,
    ).fit(X, y)  # fmt: skip
    eta0 = 2 * C
    his = SGDClassifier(
        loss="hinge", penalty=None, learning_rate=theirs,
        eta0=eta0, shuffle=False, max_iter=3, tol=None, fit_intercept=False,
    ).fit(X, y)  # fmt: skip
    assert np.allclose(ours.coef_, his.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0}, "C is 0"),
        ({"C": "big"}, "C is 'big'"),
        ({"loss": "log"}, "loss is 'log'"),
        ({"cost_augmented": 1}, "cost_augmented is 1"),
        ({"cost": [[0, 1]]}, "expected a table of 2 x 2"),
        ({"cost": [[0, -1], [1, 0]]}, "not negative"),
        ({"cost": [[1, 1], [1, 0]]}, "0 on the diagonal"),
        ({"cost": "high"}, "expected a table"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        MIRA(**params).fit([[0], [1]], [0, 1])
