import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as theirs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import check_estimator

from tests import reference
from wordplane import MultinomialNB
from wordplane.errors import InputError

NEGATIVE = "feeds negative values, and counts are never negative"


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks():
    check_estimator(
        MultinomialNB(),
        expected_failed_checks={
            "check_class_weight_classifiers": NEGATIVE,
            "check_decision_proba_consistency": NEGATIVE,
        },
        on_skip=None,
    )


def test_worked_by_hand():
    # Sport: "win win goal", "goal". Law: "court win".
    X = [[2, 1, 0], [0, 1, 0], [1, 0, 1]]
    model = MultinomialNB(alpha=1).fit(X, ["sport", "sport", "law"])
    assert np.allclose(np.exp(model.class_log_prior_), [1 / 3, 2 / 3])
    assert np.allclose(
        np.exp(model.feature_log_prob_), [[2 / 5, 1 / 5, 2 / 5], [3 / 7, 3 / 7, 1 / 7]]
    )
    law, sport = 1 / 3 * 2 / 5, 2 / 3 * 1 / 7
    assert np.allclose(
        model.predict_proba([[0, 0, 1]]), [[law / (law + sport), sport / (law + sport)]]
    )
    assert np.allclose(model.decision_function([[0, 0, 1]]), np.log(sport / law))
    assert model.predict([[0, 0, 1]]) == ["law"]


@st.composite
def problems(draw):
    n, v = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    X = draw(hnp.arrays(np.float64, (n, v), elements=st.integers(0, 5).map(float)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)))
    y[:2] = 0, 1  # there are two classes at least
    weights = draw(hnp.arrays(np.float64, n, elements=st.floats(0.125, 8, width=16)))
    alpha = draw(st.floats(0.01, 10))
    return X, y, weights, alpha


@given(problems())
def test_equals_reference(problem):
    X, y, weights, alpha = problem
    log_mu, log_phi = reference.multinomial_nb(X, y, alpha, weights)
    model = MultinomialNB(alpha=alpha).fit(X, y, weights)
    assert np.allclose(model.class_log_prior_, log_mu, rtol=0, atol=1e-12)
    assert np.allclose(model.feature_log_prob_, log_phi, rtol=0, atol=1e-12)
    joint = X @ log_phi.T + log_mu
    assert np.allclose(model.predict_joint_log_proba(X), joint, rtol=1e-12, atol=1e-12)
    z = model.decision_function(X)
    if z.ndim == 1:
        assert np.allclose(z, joint[:, 1] - joint[:, 0], atol=1e-9)
    else:
        assert np.allclose(z, joint - joint.mean(axis=1, keepdims=True), atol=1e-9)


@given(problems(), st.booleans())
def test_equals_scikit_learn(problem, fit_prior):
    X, y, weights, alpha = problem
    ours = MultinomialNB(alpha=alpha, fit_prior=fit_prior).fit(sp.csr_matrix(X), y, weights)
    his = theirs.MultinomialNB(alpha=alpha, fit_prior=fit_prior).fit(X, y, weights)
    assert np.allclose(ours.feature_log_prob_, his.feature_log_prob_, rtol=0, atol=1e-12)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), rtol=0, atol=1e-9)


@given(problems())
def test_weights_are_repeated_rows(problem):
    X, y, _, alpha = problem
    times = 1 + np.arange(len(y)) % 3
    times[-1] = y[-1] not in y[:-1]  # 0, if that leaves no class without a row
    weighted = MultinomialNB(alpha=alpha).fit(X, y, times)
    repeated = MultinomialNB(alpha=alpha).fit(X.repeat(times, 0), y.repeat(times))
    assert np.allclose(weighted.feature_log_prob_, repeated.feature_log_prob_)
    assert np.allclose(weighted.class_log_prior_, repeated.class_log_prior_)


@given(problems(), st.integers(1, 11))
def test_partial_fit_adds_up(problem, cut):
    X, y, weights, alpha = problem
    whole = MultinomialNB(alpha=alpha).fit(X, y, weights)
    parts = MultinomialNB(alpha=alpha)
    for rows in (slice(0, cut), slice(cut, None)):
        if len(y[rows]):
            parts.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=weights[rows])
    assert np.allclose(whole.coef_, parts.coef_)
    assert np.allclose(whole.intercept_, parts.intercept_)


def test_class_weights():
    X, y = np.eye(4), np.array(["a", "a", "a", "b"])
    balanced = MultinomialNB(class_weight="balanced").fit(X, y)
    assert np.allclose(balanced.class_count_, [2, 2])
    given_weights = MultinomialNB(class_weight={"a": 1, "b": 3}).fit(X, y)
    sampled = MultinomialNB().fit(X, y, [1, 1, 1, 3])
    assert np.allclose(given_weights.coef_, sampled.coef_)
    for bad in ({"c": 1.0}, "even"):
        with pytest.raises(InputError, match="class_weight"):
            MultinomialNB(class_weight=bad).fit(X, y)


def test_class_prior():
    X, y = np.eye(3), [0, 1, 1]
    model = MultinomialNB(class_prior=[0.9, 0.1]).fit(X, y)
    assert np.allclose(np.exp(model.class_log_prior_), [0.9, 0.1])
    with pytest.raises(InputError, match="2 shares above 0"):
        MultinomialNB(class_prior=[1.0]).fit(X, y)


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X = sp.random(3000, 500, 0.15, "csr", rng=rng)  # enough values to be shared out
    y = rng.integers(0, 5, 3000)
    one, *others = (MultinomialNB(n_jobs=n).fit(X, y, rng_weights()) for n in (1, 2, 3, 8))
    for other in others:
        assert np.array_equal(one.feature_count_, other.feature_count_)
        assert np.array_equal(one.decision_function(X), other.decision_function(X))


def rng_weights():
    return np.random.default_rng(1).random(3000)


def test_a_class_without_rows_yet():
    model = MultinomialNB().partial_fit([[1, 0]], ["a"], classes=["a", "b", "c"])
    assert model.predict([[1, 1]]) == ["a"]
    assert np.allclose(model.predict_proba([[1, 1]]), [[1, 0, 0]])


def test_numpy_numbers_are_numbers():
    X, y = np.eye(2), ["a", "b"]
    model = MultinomialNB(alpha=np.int64(2), n_jobs=np.int64(1), fit_prior=np.True_)
    assert np.array_equal(model.fit(X, y).coef_, MultinomialNB(alpha=2).fit(X, y).coef_)


@pytest.mark.parametrize(
    "params", [{"fit_prior": "no"}, {"class_prior": ["a", "b"]}, {"class_prior": 3}]
)
def test_bad_parameters(params):
    with pytest.raises(InputError, match=f"{next(iter(params))} is"):
        MultinomialNB(**params).fit(np.eye(2), ["a", "b"])


def test_score_wants_a_label_per_row():
    model = MultinomialNB().fit(np.eye(2), ["a", "b"])
    with pytest.raises(InputError, match="2 rows and 1 labels"):
        model.score(np.eye(2), ["a"])


@pytest.mark.parametrize("alpha", [0, -1, float("nan"), float("inf"), "1", None])
def test_alpha_must_be_above_zero(alpha):
    with pytest.raises(InputError, match="alpha is"):
        MultinomialNB(alpha=alpha).fit([[1]], ["a"])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1.5, 2.0], r"row 0 has the label 1\.5 \(float\)"),
        (["a", None], r"row 1 has the label None"),
        (["a", 1], r"some labels are strings and others numbers"),
        ([("a", "b"), ("b", "c")], r"1d array"),
        ([b"a", b"b"], r"row 0 has the label b'a'"),
        ([2**63, 1], r"at most 64 bits"),
        (np.array([2**63, 1], dtype=np.uint64), r"at most 64 bits"),
        ([1e300, 1.0], r"row 0 has the label 1e\+300"),
        (["a\ud800", "b"], r"lone surrogate"),
    ],
)
def test_labels_that_are_none(labels, message):
    with pytest.raises(InputError, match=message):
        MultinomialNB().fit([[1], [2]], labels)


@pytest.mark.parametrize(
    "labels", [["b", "a"], [7, -3], [True, False], np.array(["b", "a"], object), ["a\0", "a"],
               [2**62 + 1, 2**62], np.array([np.int64(3), np.int64(1)], object)],
)  # fmt: skip
def test_labels_come_back_as_they_were(labels):
    model = MultinomialNB().fit([[1, 0], [0, 1]], labels)
    assert model.predict([[1, 0], [0, 1]]).tolist() == list(labels)
