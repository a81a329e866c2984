"""Tests of wordplane.features.scores."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.feature_selection import chi2 as their_chi2
from sklearn.metrics import mutual_info_score

from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.features.scores import chi2, corpus_tfidf, information_gain


@st.composite
def problems(draw):
    n, v = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    X = draw(hnp.arrays(np.int64, (n, v), elements=st.integers(0, 3)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)))
    return X, y


def entropy(shares):
    return -sum(p * math.log2(p) for p in shares if p > 0)


def gain_by_definition(x, y, alpha):
    """H(C) - sum_x P(x) H(C | X = x), one feature, one number at a time."""
    classes = sorted(set(y))
    total = 2 * len(classes) * alpha + len(y)
    joint = {
        (c, v): (alpha + sum(1 for xi, yi in zip(x, y, strict=True) if yi == c and xi == v)) / total
        for c in classes
        for v in (False, True)
    }
    gain = entropy([joint[c, False] + joint[c, True] for c in classes])
    for v in (False, True):
        p = sum(joint[c, v] for c in classes)
        if p > 0:
            gain -= p * entropy([joint[c, v] / p for c in classes])
    return gain


def test_information_gain_by_hand():
    # 4 texts, 2 of each class; the feature is in both of one class and in one of the other.
    X, y = [[1], [5], [1], [0]], ["a", "a", "b", "b"]
    expected = 1 - (3 / 4 * entropy([2 / 3, 1 / 3]) + 0)
    assert information_gain(X, y, alpha=0) == pytest.approx([expected])
    # alpha = 1: the table 2 0 / 1 1 becomes 3 1 / 2 2 over 8.
    smoothed = 1 - (5 / 8 * entropy([3 / 5, 2 / 5]) + 3 / 8 * entropy([1 / 3, 2 / 3]))
    assert information_gain(X, y) == pytest.approx([smoothed])


@given(problems(), st.one_of(st.just(0.0), st.floats(0.001, 100)))
def test_information_gain_equals_definition(problem, alpha):
    X, y = problem
    gain = information_gain(X, y, alpha=alpha)
    expected = [gain_by_definition(X[:, j] > 0, y, alpha) for j in range(X.shape[1])]
    assert np.allclose(gain, expected, rtol=0, atol=1e-12)
    assert (gain >= 0).all()


@given(problems())
def test_information_gain_is_mutual_information(problem):
    X, y = problem
    expected = [mutual_info_score(y, column > 0) / math.log(2) for column in X.T]
    assert np.allclose(information_gain(X, y, alpha=0), expected, rtol=0, atol=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.booleans())), st.floats(0, 10))
def test_information_gain_is_symmetric(rows, alpha):
    x, c = np.array([*rows, (True, False), (False, True)]).T  # both of both occur
    there = information_gain(x[:, None], c, alpha=alpha)
    back = information_gain(c[:, None], x, alpha=alpha)
    assert np.allclose(there, back, rtol=0, atol=1e-12)


@given(problems(), st.randoms(use_true_random=False))
def test_order_of_rows_and_names_of_classes_do_not_matter(problem, random):
    X, y = problem
    rows = list(range(len(y)))
    random.shuffle(rows)
    for score in (information_gain, chi2):
        shuffled = score(X[rows], -y[rows])
        assert np.allclose(score(X, y), shuffled, rtol=1e-12, atol=1e-12, equal_nan=True)
    assert np.array_equal(corpus_tfidf(X), corpus_tfidf(X[rows]))


def test_chi2_by_hand():
    # Class a has two thirds of the texts, and 1 of the 6 occurrences where 4 are expected.
    X, y = [[1], [0], [5]], ["a", "a", "b"]
    assert chi2(X, y) == pytest.approx([(1 - 4) ** 2 / 4 + (5 - 2) ** 2 / 2])


@given(problems())
def test_chi2_is_scikit_learn_s(problem):
    X, y = problem
    y[0], y[-1] = 0, 1
    assume(len(y) > 1)  # with one class it is 0 here and nan there
    expected, _ = their_chi2(X, y)
    assert np.allclose(chi2(X, y), expected, rtol=1e-10, atol=1e-12, equal_nan=True)


def test_corpus_tfidf_by_hand():
    X = [[2, 1, 0, 0.5], [1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
    assert corpus_tfidf(X) == pytest.approx([3 * math.log(2), 0, 0, 0.5 * math.log(4)])


@given(problems())
def test_corpus_tfidf_equals_formula(problem):
    X, _ = problem
    expected = [
        sum(column) * math.log(len(column) / sum(column > 0)) if column.any() else 0.0
        for column in X.T
    ]
    assert np.allclose(corpus_tfidf(X), expected, rtol=1e-12)


@given(problems())
def test_any_kind_of_matrix(problem):
    X, y = problem
    kinds = [sp.csr_matrix(X), sp.csc_array(X), sp.coo_array(X), as_csr(X), X.astype(np.float32)]
    for score in (lambda X: information_gain(X, y), lambda X: chi2(X, y), corpus_tfidf):
        for kind in kinds:
            assert np.array_equal(score(X), score(kind), equal_nan=True)


def test_a_stored_zero_is_no_presence():
    X = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 0]), np.array([0, 1, 2])), shape=(2, 1))
    assert information_gain(X, ["a", "b"], alpha=0) == pytest.approx([1.0])
    assert corpus_tfidf(X) == pytest.approx([math.log(2)])


def test_rare_classes_and_features_stay_finite():
    X = sp.eye(1000, 3, format="csr")
    gain = information_gain(X, ["rare"] + ["common"] * 999, alpha=0)
    assert gain[0] == pytest.approx(entropy([0.001, 0.999]))
    assert gain[1] == pytest.approx(gain_by_definition(np.arange(1000) == 1, [1] + [0] * 999, 0))


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X = sp.random(3000, 500, 0.15, "csr", rng=rng)  # enough values to be shared out
    y = rng.integers(0, 5, 3000)
    for score in (
        lambda n: information_gain(X, y, n_jobs=n),
        lambda n: chi2(X, y, n_jobs=n),
        lambda n: corpus_tfidf(X, n_jobs=n),
    ):
        one, *others = (score(n) for n in (1, 2, 3, 8))
        assert all(np.array_equal(one, other) for other in others)


def test_errors():
    for alpha in (-1, float("nan"), float("inf"), "1", None):
        with pytest.raises(InputError, match="alpha is"):
            information_gain([[1]], ["a"], alpha=alpha)
    for score in (lambda X: chi2(X, ["a"]), corpus_tfidf):
        with pytest.raises(InputError, match="Negative values"):
            score([[-1]])
    for score in (information_gain, chi2):
        with pytest.raises(InputError, match="X has 1 rows and y has 2"):
            score([[1]], ["a", "b"])
        with pytest.raises(InputError, match="y is None"):
            score([[1]], None)
