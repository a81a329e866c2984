import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as theirs
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from tests.strategies_learners import problems
from wordplane import BernoulliNB, ComplementNB
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


def test_bernoulli_s_priors():
    X, y = np.eye(3), ["a", "b", "b"]
    model = BernoulliNB(class_prior=[0.9, 0.1]).fit(X, y)
    assert np.allclose(np.exp(model.class_log_prior_), [0.9, 0.1])
    model = BernoulliNB(prior_alpha=1).fit(X, y)
    assert np.allclose(np.exp(model.class_log_prior_), [2 / 5, 3 / 5])


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


def test_counts_are_not_negative():
    with pytest.raises(InputError, match="Negative values in data passed to ComplementNB"):
        ComplementNB().fit([[-1], [1]], ["a", "b"])
