"""Tests of wordplane.learners.naive_bayes and wordplane.learners.support.alpha_choice."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as theirs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import check_estimator

import wordplane
from tests import reference, reference_online
from wordplane import MultinomialNB, _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.learners import naive_bayes
from wordplane.learners.support.alpha_choice import ALPHAS, alpha_scores
from wordplane.learners.support.class_counts import Prior

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
    "params",
    [
        {"fit_prior": "no"}, {"class_prior": ["a", "b"]}, {"class_prior": 3}, {"prior_alpha": -1},
        {"binary": 1}, {"alpha": "loo", "alphas": [1, 0]},
    ],
)  # fmt: skip
def test_bad_parameters(params):
    with pytest.raises(InputError, match=f"{next(iter(params))} is"):
        MultinomialNB(**params).fit(np.eye(2), ["a", "b"])


def test_score_wants_a_label_per_row():
    model = MultinomialNB().fit(np.eye(2), ["a", "b"])
    with pytest.raises(InputError, match="2 rows and 1 labels"):
        model.score(np.eye(2), ["a"])


@pytest.mark.parametrize("alpha", [-1, float("nan"), float("inf"), "1", None, "best"])
def test_alpha_must_be_a_number_or_a_way_to_choose(alpha):
    with pytest.raises(InputError, match="alpha is"):
        MultinomialNB(alpha=alpha).fit([[1]], ["a"])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1.5, 2.0], r"row 0 has the label 1\.5 \(float\)"),
        (["a", None], r"row 1 has the label None"),
        (["a", 1], r"some labels are strings and others numbers"),
        ([("a", "b"), ("b", "c")], r"expected one label per row"),
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


# Without smoothing


def test_vetoes_by_hand():
    # a: "x x y", b: "x z". Nobody has v.
    X, y = [[2, 1, 0, 0], [1, 0, 1, 0]], ["a", "b"]
    model = MultinomialNB(alpha=0).fit(X, y)
    assert np.array_equal(np.exp(model.feature_log_prob_), [[2 / 3, 1 / 3, 0, 0], [0.5, 0, 0.5, 0]])
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    x, y_, z, v = np.eye(4)
    documents = [x, y_, z, y_ + z, 2 * y_ + z, y_ + z + 3 * x, v, 0 * v]
    joint = model.predict_joint_log_proba(documents)
    assert np.allclose(np.exp(joint[:3]), [[1 / 3, 1 / 4], [1 / 6, 0], [0, 1 / 4]])
    assert np.isneginf(joint[3:7]).all() and np.allclose(joint[7], np.log(0.5))
    # One veto each: a has 1/3 for y and 1/3 in place of z, b 1/2 and 1/2. With another y, a has
    # one veto and b two. Words of nobody are vetoes for all; what is left is the totals.
    assert model.predict(documents).tolist() == ["a", "a", "b", "b", "a", "a", "b", "a"]
    p = model.predict_proba(documents)
    assert np.allclose(p[1:3], [[1, 0], [0, 1]])
    assert np.allclose(p[3], [4 / 13, 9 / 13]) and np.allclose(p[4], [1, 0], atol=1e-12)
    assert not np.isnan(model.predict_log_proba(documents)).any()


@given(problems())
def test_unsmoothed_is_the_limit_of_little_smoothing(problem):
    X, y, weights, _ = problem
    model = MultinomialNB(alpha=0).fit(X, y, weights)
    near = MultinomialNB(alpha=1e-250).fit(X, y, weights)
    p, q = model.predict_proba(X), near.predict_proba(X)
    assert not np.isnan(p).any()
    has_words = [X[y == k].any() for k in np.unique(y)]
    if all(has_words):  # a class without any word has no limit but 1 / V
        assert np.allclose(p, q, atol=1e-6)
        sure = np.abs(q - q.max(axis=1, keepdims=True)).min(axis=1) == 0
        assert sure.all()
        right = p[np.arange(len(p)), np.searchsorted(model.classes_, model.predict(X))]
        assert np.allclose(right, p.max(axis=1), atol=1e-6)


# Binary counts, priors, likelihood, samples


@given(problems())
def test_binary_counts_documents(problem):
    X, y, weights, alpha = problem
    model = MultinomialNB(alpha=alpha, binary=True).fit(X, y, weights)
    other = MultinomialNB(alpha=alpha).fit(X > 0, y, weights)
    assert np.array_equal(model.coef_, other.coef_)
    assert np.array_equal(model.decision_function(X), other.decision_function(X > 0))
    assert np.array_equal(model.predict_proba(X), other.predict_proba(X > 0))
    assert model.reads_binary and not other.reads_binary


def test_smoothed_prior():
    model = MultinomialNB(prior_alpha=0.5).fit(np.eye(3), ["a", "b", "b"])
    assert np.allclose(np.exp(model.class_log_prior_), [1.5 / 4, 2.5 / 4])


def test_joint_log_likelihood():
    X, y = [[2, 1, 0], [0, 1, 1]], ["a", "b"]
    model = MultinomialNB(alpha=0).fit(X, y)
    words_in_order = math.log(1 / 2 * (2 / 3) ** 2 * (1 / 3)) + math.log(1 / 2 * 1 / 2 * 1 / 2)
    assert math.isclose(model.joint_log_likelihood(X, y), words_in_order)
    any_order = words_in_order + math.log(3) + math.log(2)  # 3! / 2!, and 2!
    assert math.isclose(model.joint_log_likelihood(X, y, coefficient=True), any_order)
    assert model.joint_log_likelihood(X, ["b", "b"]) == -math.inf
    # Counts are the maximum: any other model of the family does worse.
    other = MultinomialNB(alpha=0.1).fit(X, y)
    assert other.joint_log_likelihood(X, y) < model.joint_log_likelihood(X, y)


def test_samples_follow_the_model():
    model = MultinomialNB(alpha=0).fit([[3, 1, 0], [0, 1, 1]], ["a", "b"], [3, 1])
    X, y = model.sample(4000, length=5, random_state=1)
    assert X.shape == (4000, 3) and (X.sum(axis=1) == 5).all()
    assert abs((y == "a").mean() - 0.75) < 0.03
    again = MultinomialNB(alpha=0).fit(X, y)
    assert np.allclose(np.exp(again.feature_log_prob_), [[0.75, 0.25, 0], [0, 0.5, 0.5]], atol=0.02)
    same, _ = model.sample(4000, length=5, random_state=1)
    assert (same != X).nnz == 0


# The choice of alpha


@given(problems(), st.data())
def test_held_out_scores_equal_refitting(problem, data):
    X, y, weights, alpha = problem
    weights = weights * data.draw(
        hnp.arrays(np.float64, len(y), elements=st.sampled_from([0, 1, 1]))
    )
    weights[0] = 1
    fold_of = data.draw(hnp.arrays(np.int64, len(y), elements=st.integers(0, 2)))
    fold_of[:2] = 0, 1
    folds = [np.flatnonzero(fold_of == f) for f in range(3) if (fold_of == f).any()]
    n_classes = int(y.max()) + 1
    rng = np.random.default_rng(0)
    scale, prior = rng.random((len(folds), n_classes)) + 0.5, rng.random((len(folds), n_classes))
    counts = _core.HeldOutCounts(as_csr(X), y.astype(np.int32), weights, n_classes, 2)
    z = counts.scores(
        np.cumsum([len(fold) for fold in folds]), np.concatenate(folds).astype(np.int32),
        np.array([alpha, 1.0]), scale, prior, 1,
    )  # fmt: skip
    expected = [
        reference_online.held_out_scores(
            X, y, weights, fold, alpha, n_classes,
            lambda n, there, f=f: scale[f], lambda n, there, f=f: prior[f],
        )
        for f, fold in enumerate(folds)
    ]  # fmt: skip
    expected = np.concatenate(expected)
    there = np.isfinite(expected)  # absent classes are left to the prior
    z = z[:, :, 0]
    if n_classes == 2:  # of which only the difference is promised
        there = there.all(axis=1)
        z, expected = np.diff(z), np.diff(np.where(there[:, None], expected, 0.0))
    assert np.allclose(z[there], expected[there], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("how", ["cv", "loo"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 3.0}])
@pytest.mark.parametrize("prior", [{}, {"fit_prior": False}, {"prior_alpha": 0.5}])
def test_choice_equals_refitting(how, class_weight, prior):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, (40, 30)).astype(float)
    y = np.array(list("abc"))[rng.integers(0, 3, 40)]
    X[np.arange(40), np.searchsorted(list("abc"), y)] += rng.poisson(0.7, 40)
    params = {"class_weight": class_weight, **prior}
    model = MultinomialNB(alpha=how, cv=4, **params).fit(X, y)
    codes = np.searchsorted(list("abc"), y)
    if how == "loo":
        folds = [[i] for i in range(40)]
    else:
        folds = wordplane.data.splits.stratified_folds(codes.tolist(), 4)
    hits, losses = np.zeros(5), np.zeros(5)
    for fold in folds:
        rest = np.setdiff1d(np.arange(40), fold)
        kept = X[rest].any(axis=0)
        for m, alpha in enumerate(ALPHAS):
            refit = MultinomialNB(alpha=alpha, **params).fit(X[rest][:, kept], y[rest])
            held = X[fold][:, kept]
            hits[m] += (refit.predict(held) == y[fold]).sum()
            p = refit.predict_log_proba(held)
            losses[m] -= p[np.arange(len(fold)), codes[fold]].sum()
    assert np.allclose(model.alpha_scores_.accuracy, hits / 40)
    assert np.allclose(model.alpha_scores_.log_loss, losses / 40)
    best = max(range(5), key=lambda m: (hits[m], -losses[m]))
    assert model.alpha_ == ALPHAS[best]
    assert np.array_equal(model.coef_, MultinomialNB(alpha=ALPHAS[best], **params).fit(X, y).coef_)


def test_choice_with_weights_is_by_weight_and_by_any_number_of_threads():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (60, 20)), rng.integers(0, 3, 60)
    weights = rng.integers(0, 3, 60).astype(float)
    folds = [np.arange(f, 60, 5) for f in range(5)]

    def scores(threads):
        return alpha_scores(
            as_csr(X), y.astype(np.int32), weights, np.arange(3), ALPHAS, folds, prior=Prior(),
            threads=threads,
        )  # fmt: skip

    one, two, three = (scores(threads) for threads in (1, 2, 3))
    assert all(
        np.array_equal(a, b) and np.array_equal(a, c)
        for a, b, c in zip(one, two, three, strict=True)
    )
    times = weights.astype(int)
    repeated_folds = [np.flatnonzero(np.repeat(np.isin(np.arange(60), f), times)) for f in folds]
    repeated = alpha_scores(
        as_csr(X.repeat(times, 0)), y.repeat(times).astype(np.int32), np.ones(times.sum()),
        np.arange(3), ALPHAS, repeated_folds, prior=Prior(), threads=1,
    )  # fmt: skip
    assert np.allclose(one.accuracy, repeated.accuracy)
    assert np.allclose(one.log_loss, repeated.log_loss)


def test_partial_fit_cannot_choose():
    with pytest.raises(InputError, match="needs all documents at once"):
        MultinomialNB(alpha="cv").partial_fit([[1]], ["a"], classes=["a", "b"])


# The lab's book reviews


def book_reviews(path):
    """Positive and negative documents in turn, in the order of the file."""
    corpus = wordplane.read(path)
    labels = np.array(corpus.labels)
    kinds = sorted(set(labels))
    assert len(kinds) == 2
    negative, positive = (np.flatnonzero(labels == kind) for kind in kinds)
    rows = np.column_stack([positive, negative]).ravel()
    texts = list(corpus.texts)
    counts = [dict(item.rsplit(":", 1) for item in texts[row].split()) for row in rows]
    words = sorted({word for document in counts for word in document})
    column = {word: j for j, word in enumerate(words)}
    entries = [(i, column[w], float(c)) for i, doc in enumerate(counts) for w, c in doc.items()]
    i, j, x = zip(*entries, strict=True)
    return sp.csr_matrix((x, (i, j)), shape=(len(rows), len(words))), labels[rows]


@pytest.mark.slow
@pytest.mark.data
def test_figures_of_the_lab(dataset):
    X, y = book_reviews(dataset("amazon_books_counts"))
    train, test = slice(0, 1600), slice(1600, None)
    kept = X[:, np.asarray(X.sum(axis=0))[0] >= 5]
    assert kept.shape == (2000, 13_989)
    model = MultinomialNB().fit(kept[train], y[train])
    assert model.score(kept[train], y[train]) == 0.974375
    assert model.score(kept[test], y[test]) == 0.84
    unsmoothed = MultinomialNB(alpha=0).fit(kept[train], y[train])
    assert unsmoothed.score(kept[train], y[train]) == 0.9875
    assert not np.isnan(unsmoothed.predict_proba(kept[test])).any()
    by_train = X[:, np.asarray(X[train].sum(axis=0))[0] >= 5]
    assert by_train.shape == (2000, 11_532)
    model = MultinomialNB().fit(by_train[train], y[train])
    assert model.score(by_train[train], y[train]) == 0.96875
    assert model.score(by_train[test], y[test]) == 0.84


def test_auto_alpha_is_chosen_where_there_is_enough_to_choose_by(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 1000)
    X = rng.poisson(0.02 + 1.5 * (np.arange(200) // 40 == y[:, None]) * rng.random(200))
    model = MultinomialNB(alpha="auto").fit(X, y)
    chosen = MultinomialNB(alpha="cv", alphas=(0.01, 0.1, 1.0)).fit(X, y)
    assert model.alpha_scores_.alphas.tolist() == [0.01, 0.1, 1.0]
    assert model.alpha_ == chosen.alpha_ and np.array_equal(model.coef_, chosen.coef_)
    assert MultinomialNB(alpha="auto").fit(X[:999], y[:999]).alpha_ == 1.0
    monkeypatch.setattr(naive_bayes, "MAX_PAIRS", 4999)
    assert model.fit(X, y).alpha_ == 1.0
    assert not hasattr(model, "alpha_scores_")  # those of the first fit
    with pytest.raises(InputError, match="Negative values"):
        MultinomialNB(alpha="auto").fit(X - 1, y)


def test_more_rows_keep_the_alpha_that_was_chosen():
    X, y = [[2, 0, 1], [0, 2, 1], [1, 0, 0], [0, 1, 0]], ["a", "b", "a", "b"]
    chosen = MultinomialNB(alpha="loo", alphas=[0.5]).fit(X, y).partial_fit(X, y)
    plain = MultinomialNB(alpha=0.5).fit(X, y).partial_fit(X, y)
    assert np.array_equal(chosen.coef_, plain.coef_)
    assert MultinomialNB(alpha="auto").partial_fit(X, y, classes=["a", "b"]).alpha_ == 1.0
    with pytest.raises(InputError, match="needs all documents at once"):
        MultinomialNB(alpha="cv").partial_fit(X, y, classes=["a", "b"])
