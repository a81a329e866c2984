"""Positive-unlabeled learning: the formula by hand, and shares that are known."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from wordplane import LinearSVM, LogisticRegression, PositiveUnlabeled
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr, take_rows
from wordplane.data.splits import stratified_folds
from wordplane.learners.positive_unlabeled import SLACK, _as_new, _best_bin


def problem(share=0.3, n_labeled=300, n_unlabeled=2000, distance=1.6, seed=0):
    """Labeled positives, unlabeled rows, and which of these are positives."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n_unlabeled) < share
    center = np.array([distance, 0, 0, 0, 0])
    unlabeled = rng.normal(size=(n_unlabeled, 5)) + np.where(positive, 1, -1)[:, None] * center
    return rng.normal(size=(n_labeled, 5)) + center, unlabeled, positive


def slow_share(z_p, z_u):
    """The best bin, threshold by threshold."""
    slack = np.sqrt(np.log(4 / SLACK) / 2) * (len(z_p) ** -0.5 + len(z_u) ** -0.5)
    bins = []
    for t in z_p:
        q_p, q_u = np.mean(z_p >= t), np.mean(z_u >= t)
        bins.append(((q_u + slack) / q_p, q_u / q_p))
    return min(min(bins)[1], 1.0)


@pytest.mark.parametrize("label", ["a", "z"])  # before and after "other"
def test_formula_by_hand(label):
    P, U, _ = problem()
    model = PositiveUnlabeled().fit(P, [label] * len(P), unlabeled=U)
    X, s = np.vstack([P, U]), np.arange(len(P) + len(U)) < len(P)
    learner = LogisticRegression(class_weight="balanced")
    z = np.empty(len(X))
    for fold in stratified_folds(s, 5, 0):
        others = np.setdiff1d(np.arange(len(X)), fold)
        z[fold] = learner.fit(X[others], s[others].astype(int)).decision_function(X[fold])
    share = slow_share(z[s], z[~s])
    assert model.share_ == pytest.approx(share, rel=1e-9)
    c = len(P) / (len(P) + share * len(U))
    assert model.label_frequency_ == pytest.approx(c, rel=1e-9)

    target = np.where(s, (len(P) + 1) / (len(P) + 2), 1 / (len(U) + 2))
    g = IsotonicRegression().fit(z, target)
    whole = learner.fit(X, s.astype(int)).decision_function(X)
    clipped = np.clip(g.y_thresholds_ / c, 0, (len(P) + 1) / (len(P) + 2))
    by_hand = np.interp(whole, g.X_thresholds_, clipped)
    p = model.predict_proba(X)[:, model.classes_.tolist().index(label)]
    np.testing.assert_allclose(p, by_hand, atol=1e-9)
    sure = np.abs(p - 0.5) > 1e-6
    assert ((model.predict(X) == label) == (p > 0.5))[sure].all()


def test_best_bin_by_hand():
    # thresholds 1, 2, 3 with a labeled row each; unlabeled rows: 5 below, then 3, 1 and 1
    p, u = np.ones(3), np.array([5, 3, 1, 1])
    q_p, q_u = _best_bin(p, u, 0.0)
    assert q_u / q_p == pytest.approx(0.3)  # (1/10) / (1/3), the least of the three
    assert _best_bin(p, u, 10.0) == pytest.approx((1.0, 0.5))  # with a large slack, the largest bin
    assert _best_bin(p, np.array([0, 0, 0, 9]), 0.0) == (1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_known_shares_are_found(share):
    n_right = 0
    for seed in range(10):
        P, U, positive = problem(share, distance=2.0, seed=seed)
        model = PositiveUnlabeled(random_state=seed).fit(P, ["+"] * len(P), unlabeled=U)
        assert model.share_ == pytest.approx(positive.mean(), rel=0.2, abs=0.03)
        assert model.predicted_share_ == pytest.approx(positive.mean(), rel=0.2, abs=0.03)
        assert model.share_ <= model.share_bound_ <= 1.3 * model.share_ + 0.05
        n_right += positive.mean() <= model.share_bound_
    assert n_right >= 8


@pytest.mark.parametrize(("share", "distance"), [(0.3, 0.5), (0.7, 3.0), (0.1, 1.0)])
def test_the_bound_holds_where_classes_overlap_and_where_they_do_not(share, distance):
    """Scores of positives N(distance, 1), of the others N(-distance, 1)."""
    rng, n_right = np.random.default_rng(6), 0
    for _ in range(100):
        positive = rng.random(1000) < share
        z_u = rng.normal(size=1000) + np.where(positive, distance, -distance)
        model = PositiveUnlabeled()
        model._estimate_share(rng.normal(size=100) + distance, np.ones(100), z_u)
        n_right += share <= model.share_bound_
    assert n_right >= 93


def test_finds_positives_that_unlabeled_as_negative_does_not():
    P, U, positive = problem(n_labeled=100)
    X, s = np.vstack([P, U]), np.arange(len(P) + len(U)) < len(P)
    naive = LogisticRegression().fit(X, s.astype(int)).predict(U) == 1
    model = PositiveUnlabeled(other="-").fit(P, ["+"] * len(P), unlabeled=U)
    found = model.predict(U) == "+"
    assert np.mean(naive[positive]) < 0.3
    assert np.mean(found[positive]) > 0.85
    assert np.mean(found == positive) > 0.9


def test_other_learners_and_weights():
    P, U, positive = problem()
    model = PositiveUnlabeled(LinearSVM(C=0.1)).fit(P, ["+"] * len(P), unlabeled=U)
    assert np.mean((model.predict(U) == "+") == positive) > 0.9
    heavy = PositiveUnlabeled().fit(P, ["+"] * len(P), np.full(len(P), 2.0), unlabeled=U)
    plain = PositiveUnlabeled().fit(P, ["+"] * len(P), unlabeled=U)
    assert heavy.share_ == pytest.approx(plain.share_, abs=0.02)
    assert heavy.label_frequency_ > plain.label_frequency_
    without = np.where(np.arange(len(P)) < 150, 1.0, 0.0)
    some = PositiveUnlabeled().fit(P, ["+"] * len(P), without, unlabeled=U)
    assert some.share_ == pytest.approx(plain.share_, abs=0.06)


def test_rows_that_all_have_the_label():
    P, U, _ = problem(share=1.0)
    model = PositiveUnlabeled().fit(P, ["+"] * len(P), unlabeled=U)
    assert model.share_ > 0.9
    assert np.mean(model.predict(U) == "+") > 0.9


def test_held_out_rows_are_read_as_new_ones():
    half = 0.5**0.5
    known = as_csr([[1.0, 0.0, 0.0], [half, half, 0.0]])
    rows = as_csr([[half, 0.0, half], [0.0, 0.0, 1.0], [0.6, 0.8, 0.0]])
    dense = [np.zeros(3) for _ in range(3)]
    indptr, indices, values = _as_new(rows, known).arrays()
    for row, (a, b) in enumerate(pairwise(indptr)):
        dense[row][indices[a:b]] = values[a:b]
    np.testing.assert_allclose(dense, [[1, 0, 0], [0, 0, 0], [0.6, 0.8, 0]])
    counts = as_csr([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])  # not of one length: as they are
    assert _as_new(counts, known).arrays()[2].tolist() == [2.0, 3.0]
    assert take_rows(_as_new(counts, known), np.array([0])).arrays()[1].tolist() == [0]


def test_same_for_any_number_of_threads():
    P, U, _ = problem()
    one, two = (PositiveUnlabeled(n_jobs=n).fit(P, [1] * len(P), unlabeled=U) for n in (1, 2))
    assert (one.coef_ == two.coef_).all()
    assert one.share_bound_ == two.share_bound_


def test_bad_input():
    P, U, _ = problem()
    y = ["+"] * len(P)
    with pytest.raises(InputError, match="needs texts without labels too"):
        PositiveUnlabeled().fit(P, y)
    with pytest.raises(InputError, match="learns one label, and there are 2"):
        PositiveUnlabeled().fit(P, ["+", "-"] * (len(P) // 2), unlabeled=U)
    with pytest.raises(InputError, match="1 rows with the label and 2000 without"):
        PositiveUnlabeled().fit(P[:1], ["+"], unlabeled=U)
    with pytest.raises(InputError, match="features"):
        PositiveUnlabeled().fit(P, y, unlabeled=U[:, :2])
    with pytest.raises(InputError, match="`learner` is 'svm', expected one of our linear"):
        PositiveUnlabeled("svm").fit(P, y, unlabeled=U)
    with pytest.raises(InputError, match="all zero"):
        PositiveUnlabeled().fit(P, y, np.zeros(len(P)), unlabeled=U)
