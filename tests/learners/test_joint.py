"""Tests of wordplane.learners.joint."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.learners.joint_problems import blobs, margins, times_class
from tests.strategies_learners import problems
from wordplane import MIRA, LinearSVM, LogisticRegression, Perceptron
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.learners.joint import JointLinearClassifier


@pytest.mark.parametrize("learner", ["perceptron", "mira"])
@given(problems(), st.integers(1, 4))
def test_online_learners_equal_the_ordinary_ones(learner, problem, max_iter):
    X, y, _ = problem
    if learner == "mira":  # its steps are rounded, so whether two equal scores tie would be chance
        X = X + np.random.default_rng(0).normal(size=X.shape)
    joint = JointLinearClassifier(times_class, learner=learner, max_iter=max_iter).fit(X, y)
    ordinary = {"perceptron": Perceptron, "mira": MIRA}[learner](max_iter=max_iter).fit(X, y)
    assert np.allclose(
        margins(joint.decision_function(X)), margins(ordinary.decision_function(X)), atol=1e-9
    )
    assert joint.n_iter_ == ordinary.n_iter_ and joint.converged_ == ordinary.converged_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_svm_equals_crammer_singer(n_classes, C):
    X, y = blobs(n_classes)
    joint = JointLinearClassifier(times_class, learner="svm", C=C, tol=1e-7, max_iter=20000)
    joint.fit(X, y)
    ordinary = LinearSVM(multi_class="crammer_singer", C=C, tol=1e-7, max_iter=20000).fit(X, y)
    assert joint.converged_ and 0 <= joint.gap_ <= 1e-7 * joint.objective_
    assert np.isclose(joint.objective_, ordinary.objective_, rtol=1e-5)
    z = margins(joint.decision_function(X))
    assert np.allclose(z, margins(ordinary.decision_function(X)), atol=2e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_maxent_equals_logistic_regression(n_classes):
    X, y = blobs(n_classes)
    joint = JointLinearClassifier(times_class, C=2.0, tol=1e-8).fit(X, y)
    # The bias is a feature as the others; two vectors with lambda are one with lambda / 2.
    ordinary = LogisticRegression(
        C=2.0 * (2 if n_classes == 2 else 1), fit_intercept=False, tol=1e-9, max_iter=10**4
    )
    ordinary.fit(np.column_stack([X, np.ones(len(X))]), y)
    expected = ordinary.predict_proba(np.column_stack([X, np.ones(len(X))]))
    assert np.allclose(joint.predict_proba(X), expected, atol=1e-5)


@pytest.mark.parametrize("learner", ["perceptron", "mira", "svm", "maxent"])
def test_features_that_classes_share(learner):
    # Which of two words is in the text: one weight decides for all classes, also for one that is
    # seldom seen.
    def f(x, y):
        return {"named": float(y in x.split()), f"bias {y}": 0.1}

    texts = ["a cat", "the dog", "one dog", "my cow", "cat", "dog", "cow"]
    labels = ["cat", "dog", "dog", "cow", "cat", "dog", "cow"]
    model = JointLinearClassifier(f, learner=learner).fit(texts, labels)
    assert model.score(texts, labels) == 1
    assert dict(zip(model.feature_names_, model.coef_, strict=True))["named"] > 0
    assert model.predict(["this cow", "nobody saw the dog"]).tolist() == ["cow", "dog"]


def test_worked_by_hand():
    # Both classes score 0 for either row, and a tie is a mistake: two steps of f(x, y) - f(x, y').
    def f(x, y):
        return {f"{x}{y}": 2.0, "never in d": 1.0}

    model = JointLinearClassifier(f, learner="perceptron", max_iter=1)
    model.fit(["p", "q"], ["a", "b"])
    weights = dict(zip(model.feature_names_, model.coef_, strict=True))
    # Each row is a mistake when it comes; the first counts in both means, the second in one.
    assert sorted(weights.values()) == [-2, -1, 0, 1, 2]
    assert weights["pa"] == -weights["pb"] and weights["qb"] == -weights["qa"] > 0


def test_bad_input():
    with pytest.raises(InputError, match="'n' of row 1 and class 'a' is nan"):
        JointLinearClassifier(lambda x, y: {"n": x}).fit([1.0, np.nan], ["a", "b"])
    with pytest.raises(InputError, match="expected a mapping"):
        JointLinearClassifier(lambda x, y: [x]).fit([1.0, 2.0], ["a", "b"])
    with pytest.raises(InputError, match="1 class"):
        JointLinearClassifier(times_class).fit([[1.0]], ["a"])
    with pytest.raises(InputError, match="1 rows and 2 labels"):
        JointLinearClassifier(times_class).fit([[1.0]], ["a", "b"])
    for params in ({"learner": "knn"}, {"C": 0}, {"tol": -1}, {"max_iter": 0}):
        with pytest.raises(InputError, match=f"{next(iter(params))} is"):
            JointLinearClassifier(times_class, **params).fit([[1.0], [2.0]], ["a", "b"])
    X, y = blobs(3)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        JointLinearClassifier(times_class, learner="svm", max_iter=1).fit(X, y)
