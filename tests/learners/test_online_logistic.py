"""Online logistic regression equals the dense loop, goes on where it was, and is an estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_logistic as reference
from tests.learners.online_checks import EXPECTED, HEAVY
from wordplane import OnlineLogistic
from wordplane.common.errors import InputError


def test_two_steps_by_hand():
    # p = 1/2, so g = -x / 2 for a row of class 1; AdaGrad's first step is eta0 for any size of g.
    model = OnlineLogistic(eta0=0.5, max_iter=1, shuffle=False, fit_intercept=False)
    model.partial_fit([[4.0, 0.0]], [1], classes=[0, 1])
    assert np.allclose(model.coef_, [[0.5, 0.0]])
    assert np.allclose(model.losses_, np.log(2))
    # z = 0.5; g = sigmoid(0.5) for class 0, at both weights
    model.partial_fit([[1.0, 1.0]], [0])
    g = 1 / (1 + np.exp(-0.5))
    expected = [0.5 - 0.5 * g / np.sqrt(4.0 + g**2), -0.5]
    assert np.allclose(model.coef_, [expected])


def test_equals_river():
    """River 0.26: LogisticRegression(optim.AdaGrad(lr=0.5, eps=1e-20), intercept_lr=0)."""
    X = [[1, 2, 0], [0, 1, 0], [3, 0, 1], [0, 1, 2], [1, 1, 1], [0, 0, 1]]
    model = OnlineLogistic(eta0=0.5, max_iter=1, shuffle=False, fit_intercept=False)
    model.fit(X, [1, 0, 0, 1, 1, 0])
    assert np.allclose(model.coef_, [[0.088056790085, 0.625801629098, -0.099706540267]], atol=1e-9)


@st.composite
def streams(draw):
    n_classes, n_docs = draw(st.integers(2, 4)), draw(st.integers(4, 12))
    X = np.array(
        draw(st.lists(st.lists(st.sampled_from([0, 0, 1, 2.5]), min_size=3, max_size=3),
                      min_size=n_docs, max_size=n_docs))
    )  # fmt: skip
    more = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_docs, max_size=n_docs))
    y = np.array([*range(n_classes), *more][:n_docs], np.int32)
    weights = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n_docs, max_size=n_docs)
    weight = np.array(draw(weights))
    return X, y, weight, draw(st.integers(1, n_docs - 1))


@settings(max_examples=50)
@given(streams(), st.sampled_from([0, 0.05]), st.sampled_from([0, 0.5, 1]), st.booleans())
def test_parts_of_a_stream_equal_the_dense_loop(stream, alpha, l1_ratio, bias):
    X, y, weight, cut = stream
    n_classes = max(int(y.max()) + 1, 2)
    model = OnlineLogistic(eta0=0.3, alpha=alpha, l1_ratio=l1_ratio, fit_intercept=bias)
    for part in (slice(0, cut), slice(cut, None)):
        model.partial_fit(X[part], y[part], np.arange(n_classes), weight[part])
    W, b = reference.stochastic(
        X, y, weight, np.arange(len(y), dtype=np.int32), 1, np.full(len(y), 0.3),
        alpha * l1_ratio, alpha * (1 - l1_ratio),
        softmax=n_classes > 2, bias=bias, penalized=False, adagrad=True,
    )  # fmt: skip
    assert np.allclose(model.coef_.T, W, atol=1e-6)
    assert np.allclose(model.intercept_, b, atol=1e-6)


def test_losses_are_those_before_each_step():
    rng = np.random.default_rng(0)
    X, y = rng.random((50, 4)), rng.integers(0, 3, 50)
    model = OnlineLogistic(max_iter=1, shuffle=False).fit(X, y)
    by_hand, losses = OnlineLogistic(), []
    for i in range(50):
        p = np.full(3, 1 / 3) if i == 0 else by_hand.predict_proba(X[i : i + 1])[0]
        losses.append(-np.log(p[y[i]]))
        by_hand.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2])
    assert np.isclose(model.losses_[0], np.mean(losses))
    assert model.rounds() == [{"progressive_log_loss": model.losses_[0]}]


def test_l1_makes_weights_zero():
    rng = np.random.default_rng(1)
    X = rng.random((300, 20)) - 0.5
    y = (X[:, 0] > 0).astype(int)
    model = OnlineLogistic(alpha=0.02, l1_ratio=1.0, max_iter=20).fit(X, y)
    assert model.coef_[0, 0] > 1
    assert (model.coef_[0, 1:] == 0).mean() > 0.4
    assert (OnlineLogistic(max_iter=20).fit(X, y).coef_ != 0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"eta0": 0}, "eta0 is 0"),
        ({"alpha": -1}, "alpha is -1"),
        ({"l1_ratio": 2}, "l1_ratio is 2"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(InputError, match=message):
        OnlineLogistic(**parameters).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.filterwarnings("ignore")
def test_is_an_estimator_of_scikit_learn():
    check_estimator(OnlineLogistic(), expected_failed_checks=EXPECTED | HEAVY, on_skip=None)
