"""Tests of wordplane.learners.bernoulli_nb."""

import numpy as np
import scipy.sparse as sp
import sklearn.naive_bayes as theirs
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies_learners import problems
from wordplane import BernoulliNB


def test_absent_words_count():
    # One document of a has x, none of b's two has; y is in one of each.
    X, y = [[3, 1], [0, 1], [0, 0]], ["a", "b", "b"]
    model = BernoulliNB().fit(X, y)
    assert np.allclose(np.exp(model.feature_log_prob_), [[2 / 3, 2 / 3], [1 / 4, 1 / 2]])
    a, b = 1 / 3 * 1 / 3 * 1 / 3, 2 / 3 * 3 / 4 * 1 / 2  # an empty document
    assert np.allclose(np.exp(model.predict_joint_log_proba([[0, 0]])), [[a, b]])
    assert np.allclose(model.predict_proba([[0, 0]]), [[a / (a + b), b / (a + b)]])
    assert np.allclose(model.decision_function([[0, 0]]), np.log(b / a))
    assert np.array_equal(model.decision_function([[1, 0]]), model.decision_function([[9, 0]]))


@given(problems(), st.sampled_from([0.01, 1.0, 5.0]), st.sampled_from([0.0, 0.5]), st.booleans())
def test_bernoulli_equals_scikit_learn(problem, alpha, binarize, fit_prior):
    X, y, weights = problem
    params = {"alpha": alpha, "binarize": binarize, "fit_prior": fit_prior}
    ours = BernoulliNB(**params).fit(sp.csr_matrix(X), y, weights)
    his = theirs.BernoulliNB(**params).fit(X, y, weights)
    assert np.allclose(ours.feature_log_prob_, his.feature_log_prob_, rtol=0, atol=1e-12)
    joint = his.predict_joint_log_proba(X)
    assert np.allclose(ours.predict_joint_log_proba(X), joint, rtol=1e-9, atol=1e-9)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), rtol=0, atol=1e-9)
    z = ours.decision_function(X)
    if len(ours.classes_) == 2:
        assert np.allclose(z, joint[:, 1] - joint[:, 0], atol=1e-9)
    else:
        assert np.allclose(z, joint - joint.mean(axis=1, keepdims=True), atol=1e-9)


def test_bernoulli_s_priors():
    X, y = np.eye(3), ["a", "b", "b"]
    model = BernoulliNB(class_prior=[0.9, 0.1]).fit(X, y)
    assert np.allclose(np.exp(model.class_log_prior_), [0.9, 0.1])
    model = BernoulliNB(prior_alpha=1).fit(X, y)
    assert np.allclose(np.exp(model.class_log_prior_), [2 / 5, 3 / 5])
