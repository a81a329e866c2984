"""Tests of wordplane.learners.complement_nb."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as theirs
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies_learners import problems
from wordplane import ComplementNB
from wordplane.common.errors import InputError


@given(problems(low=0), st.sampled_from([0.01, 1.0, 5.0]), st.booleans())
def test_complement_equals_scikit_learn(problem, alpha, norm):
    X, y, weights = problem
    X = np.hstack([X, 1 + X[:, :1]])  # two words at least: with one, theirs divides by 0
    ours = ComplementNB(alpha=alpha, norm=norm).fit(sp.csr_matrix(X), y, weights)
    his = theirs.ComplementNB(alpha=alpha, norm=norm).fit(X, y, weights)
    assert np.allclose(ours.feature_log_prob_, his.feature_log_prob_, rtol=0, atol=1e-12)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), rtol=0, atol=1e-9)
    z, joint = ours.decision_function(X), his.predict_joint_log_proba(X)
    assert np.allclose(z, joint[:, 1] - joint[:, 0] if z.ndim == 1 else joint, atol=1e-9)


def test_complement_by_hand():
    X, y = [[2, 0, 0], [0, 1, 0], [0, 0, 3]], ["a", "b", "c"]
    model = ComplementNB().fit(X, y)
    # Against a: the words of b and c, with one added to each: 1, 2, 4 of 7.
    assert np.allclose(model.feature_log_prob_[0], -np.log([1 / 7, 2 / 7, 4 / 7]))
    one_word = ComplementNB(norm=True).fit([[1], [2]], ["a", "b"])
    assert one_word.feature_log_prob_.tolist() == [[0], [0]]


def test_counts_are_not_negative():
    with pytest.raises(InputError, match="Negative values in data passed to ComplementNB"):
        ComplementNB().fit([[-1], [1]], ["a", "b"])
