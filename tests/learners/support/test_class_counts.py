"""Tests of wordplane.learners.support.class_counts and wordplane.learners.support.incremental."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from tests.strategies_learners import problems
from wordplane import BernoulliNB, ComplementNB, MultinomialNB
from wordplane.common.errors import InputError

COUNTING = [BernoulliNB, ComplementNB]


NEGATIVE = "feeds negative values, and counts are never negative"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (BernoulliNB(), {}),
        (
            ComplementNB(),
            {
                "check_class_weight_classifiers": NEGATIVE,
                "check_decision_proba_consistency": NEGATIVE,
            },
        ),
    ],
)
def test_scikit_learn_s_checks(learner, expected):
    check_estimator(learner, expected_failed_checks=expected, on_skip=None)


@pytest.mark.parametrize("learner", COUNTING)
@given(problem=problems(low=0), cut=st.integers(1, 9))
def test_weights_parts_and_class_weights(learner, problem, cut):
    X, y, _ = problem
    times = 1 + np.arange(len(y)) % 3
    weighted = learner().fit(X, y, times)
    repeated = learner().fit(X.repeat(times, 0), y.repeat(times))
    assert np.allclose(weighted.coef_, repeated.coef_)
    assert np.allclose(weighted.intercept_, repeated.intercept_)
    parts = learner()
    for rows in (slice(0, cut), slice(cut, None)):
        if len(y[rows]):
            parts.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=times[rows])
    assert np.allclose(weighted.coef_, parts.coef_)
    assert np.allclose(weighted.intercept_, parts.intercept_)
    doubled = learner(class_weight={0: 2.0}).fit(X, y)
    assert np.allclose(doubled.coef_, learner().fit(X, y, np.where(y == 0, 2.0, 1.0)).coef_)


@pytest.mark.parametrize("learner", COUNTING)
def test_threads_change_no_bit(learner):
    rng = np.random.default_rng(0)
    X = sp.random(3000, 500, 0.15, "csr", rng=rng)
    y, weights = rng.integers(0, 5, 3000), rng.random(3000)
    one, two, three = (learner(n_jobs=n).fit(X, y, weights) for n in (1, 2, 3))
    assert np.array_equal(one.coef_, two.coef_) and np.array_equal(one.coef_, three.coef_)
    assert np.array_equal(one.decision_function(X), three.decision_function(X))


@pytest.mark.parametrize(
    ("learner", "params"),
    [
        (BernoulliNB, {"alpha": 0}), (BernoulliNB, {"alpha": "1"}), (BernoulliNB, {"binarize": -1}),
        (BernoulliNB, {"binarize": None}), (BernoulliNB, {"fit_prior": 1}),
        (ComplementNB, {"alpha": 0}), (ComplementNB, {"norm": "l1"}),
    ],
)  # fmt: skip
def test_bad_parameters(learner, params):
    with pytest.raises(InputError, match=f"{next(iter(params))} is"):
        learner(**params).fit(np.eye(2), ["a", "b"])


@pytest.mark.parametrize("learner", [MultinomialNB, BernoulliNB, ComplementNB])
def test_not_all_rows_can_be_removed(learner):
    """The shares of no rows would be 0 / 0, of which NumPy warns."""
    X, y = np.eye(3), ["a", "b", "b"]
    model = learner().fit(X, y)
    with pytest.raises(InputError, match="no text with a label would be left"):
        model.remove(X, y)
    assert model.class_count_.tolist() == [1, 2]
    assert model.remove(X[:1], y[:1]).class_count_.tolist() == [0, 2]
