"""A `partial_fit`, or a first fit, that fails leaves nothing behind."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from wordplane import (
    MIRA,
    BernoulliNB,
    ComplementNB,
    GaussianNB,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    OnlineSVM,
    Perceptron,
    RidgeClassifier,
)
from wordplane.common.errors import InputError
from wordplane.learners.baselines import MajorityBaseline

GO_ON = [
    BernoulliNB, ComplementNB, GaussianNB, MajorityBaseline, MIRA, MultinomialNB, OnlineSVM,
    Perceptron,
]  # fmt: skip
X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
Y = ["a", "b", "c"]


@pytest.mark.parametrize("learner", GO_ON)
@pytest.mark.parametrize(
    "wrong",
    [
        {"y": ["a", "b", "d"]},
        {"y": ["a"]},
        {"X": [[1.0, float("nan")], [0, 1], [1, 1]]},
        {"sample_weight": [1, -1, 1]},
    ],
)
def test_a_first_call_that_fails_is_no_first_call(learner, wrong):
    model, fresh = learner(), learner()
    with pytest.raises((InputError, ValueError)):
        model.partial_fit(**{"X": X, "y": Y, "classes": ["a", "b", "c"]} | wrong)
    with pytest.raises(NotFittedError):
        model.predict(X)
    four = {"X": X, "y": Y, "classes": ["a", "b", "c", "d"]}
    one, other = (m.partial_fit(**four).decision_function(X) for m in (model, fresh))
    assert np.array_equal(one, other, equal_nan=True)


def test_bad_parameters_leave_nothing_either():
    model = MIRA(C=-1)
    with pytest.raises(InputError, match="C is -1"):
        model.partial_fit(X, Y, classes=Y)
    model.set_params(C=1.0).partial_fit(X, Y, classes=Y)
    assert np.array_equal(model.coef_, MIRA().partial_fit(X, Y, classes=Y).coef_)


@pytest.mark.parametrize("learner", [*GO_ON, LinearSVM, LogisticRegression, RidgeClassifier])
def test_after_a_first_fit_that_fails_nothing_is_fitted(learner):
    model = learner()
    with pytest.raises(InputError, match="y has 2"):
        model.fit(X, Y[:2])
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("learner", [*GO_ON, LinearSVM, LogisticRegression, RidgeClassifier])
@pytest.mark.parametrize("weights", [{"a": -1.0}, {"a": float("nan")}, dict.fromkeys("abc", 0)])
def test_odd_class_weights_are_refused(learner, weights):
    with pytest.raises(InputError, match=r"class_weight is .*expected finite numbers from 0 up"):
        learner(class_weight=weights).fit(X, Y)


@pytest.mark.parametrize("learner", GO_ON)
def test_balance_needs_all_rows(learner):
    with pytest.raises(InputError, match="class_weight='balanced' needs all rows at once"):
        learner(class_weight="balanced").partial_fit(X, Y, classes=Y)
