"""Tests of wordplane.learners.support.one_vs_rest and wordplane.learners.support.chain, worked by
hand; tests/model/test_multilabel.py and tests/model/test_label_chain.py have texts."""

import numpy as np
import pytest
from sklearn.base import clone

from wordplane import NBSVM, LinearSVM, LogisticRegression, MultinomialNB, Perceptron
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.progress import listen
from wordplane.learners.support.chain import ClassifierChain
from wordplane.learners.support.one_vs_rest import AT_ONCE, OneVsRest

X = np.array([[2.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
SETS = [["a"], ["a", "b"], ["b"], ["b", "c"]]


TIGHT = LinearSVM(tol=1e-10)
NB_SVMS = [
    NBSVM(learner=TIGHT),
    NBSVM(learner=TIGHT, beta=1.0, smoothing="mass", scaling="shifted", blocks=[1]),
    NBSVM(learner=TIGHT, binary=False, scaling="shifted", n_unscaled=1),
    NBSVM(learner=LogisticRegression(tol=1e-8)),
    NBSVM(learner=TIGHT, class_weight="balanced"),
]


@pytest.mark.parametrize("learner", [TIGHT, MultinomialNB(), Perceptron(), *NB_SVMS], ids=repr)
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 1.0]])
def test_each_label_has_the_machine_of_its_own_problem(learner, weights):
    model = OneVsRest(learner).fit(X, SETS, weights)
    for k, label in enumerate("abc"):
        has_it = [label in labels for labels in SETS]
        alone = clone(learner).fit(X, has_it, sample_weight=weights)
        assert np.allclose(model.coef_[k], alone.coef_[0], rtol=1e-4, atol=1e-4)
        assert np.isclose(model.intercept_[k], alone.intercept_[0], rtol=1e-4, atol=1e-4)


def test_more_labels_than_are_learned_at_once():
    rng = np.random.default_rng(0)
    rows, member = rng.random((60, 5)), rng.random((60, AT_ONCE + 5)) < 0.3
    member[:, 2], member[:, 3] = True, False
    sets = LabelSets.of_member(np.arange(member.shape[1]), member)
    model = OneVsRest(TIGHT).fit(rows, sets)
    for k in (0, AT_ONCE, AT_ONCE + 4):
        alone = clone(TIGHT).fit(rows, member[:, k])
        assert np.allclose(model.coef_[k], alone.coef_[0], atol=1e-4)
    assert not model.coef_[2:4].any() and model.intercept_[2:4].tolist() == [1, -1]


def test_a_label_that_all_rows_have_needs_no_machine():
    model = OneVsRest(LinearSVM()).fit(X, [["a", "b"], ["a"], ["a", "b"], ["a"]])
    assert (model.coef_[0] == 0).all() and model.intercept_[0] == 1


def test_counts_of_parts_are_those_of_all_rows():
    whole = OneVsRest(MultinomialNB()).fit(X, SETS)
    parts = OneVsRest(MultinomialNB()).fit(X[:2], SETS[:2])
    parts.resize(np.arange(3), 3, whole.classes_)  # no row so far had c
    parts.partial_fit(X[2:], SETS[2:])
    assert np.array_equal(whole.coef_, parts.coef_)
    parts.remove(X[2:], SETS[2:])
    assert parts.occurring()[1].tolist() == [True, True, False]


def test_what_cannot_be_trained_further_says_so():
    model = OneVsRest(LinearSVM()).fit(X, SETS)
    assert not model.state and not model.grows
    with pytest.raises(InputError, match=r"LinearSVM\(\) cannot be trained further"):
        model.partial_fit(X, SETS)
    with pytest.raises(InputError, match="`classes` are those of `fit`"):
        OneVsRest(Perceptron()).fit(X, SETS).partial_fit(X, SETS, classes=["a"])


def test_the_first_label_of_a_chain_is_a_feature_of_the_second():
    model = ClassifierChain(LinearSVM(tol=1e-8), order=["c", "b", "a"]).fit(X, SETS)
    has_c = [[0], [0], [0], [1]]
    second = LinearSVM(tol=1e-8).fit(np.hstack([X, has_c]), ["b" in labels for labels in SETS])
    assert np.allclose(model.coef_[1], second.coef_[0, :3])
    assert np.isclose(model.chain_.links[2, 1], second.coef_[0, 3])
    with pytest.raises(InputError, match="expected each of 'a', 'b', 'c' once"):
        ClassifierChain(LinearSVM(), order=["a", "b"]).fit(X, SETS)


def test_weights_that_are_no_whole_numbers_leave_no_rest_of_rounding():
    """Rows without the label have no features: what is left of their counts is 0, not 1e-16."""
    learner = NBSVM(smoothing="mass", scaling="shifted", learner=TIGHT)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        member = rng.random((40, 3)) < 0.5
        member[::4] = False
        rows = (rng.random((40, 6)) < 0.4) * member.any(axis=1, keepdims=True)
        member[:, 0] = rows.any(axis=1)
        weights = rng.random(40)
        model = OneVsRest(learner).fit(
            rows.astype(float), LabelSets.of_member(np.arange(3), member), weights
        )
        for k in range(3):
            alone = clone(learner).fit(rows.astype(float), member[:, k], sample_weight=weights)
            assert np.allclose(model.coef_[k], alone.coef_[0], rtol=1e-4, atol=1e-4)


def test_more_label_sets_than_rows():
    for learner in (LinearSVM(), NBSVM(), MultinomialNB()):
        with pytest.raises(InputError, match="4 rows and y has 5"):
            OneVsRest(learner).fit(X, [*SETS, ["a"]])


def test_labels_learned_at_once_are_in_the_estimate_of_memory():
    several = OneVsRest(LinearSVM()).fit_bytes(200_000, 2000, 64)
    assert several >= LinearSVM().fit_bytes(200_000, 2000, 64) > 64 * 200_000 * 8


@pytest.mark.parametrize("learner", [LinearSVM(), NBSVM(), MultinomialNB()])
@pytest.mark.parametrize("several", [OneVsRest, ClassifierChain])
def test_weights_of_rows_are_numbers_or_one_number(several, learner):
    each, one = (several(learner).fit(X, SETS, w) for w in (np.full(len(SETS), 2.0), 2.0))
    assert np.array_equal(each.coef_, one.coef_)
    assert np.array_equal(each.intercept_, one.intercept_)
    for wrong, message in (([1.0, 2.0], "one per row"), ("x", "must be numbers")):
        with pytest.raises(InputError, match=message):
            several(learner).fit(X, SETS, wrong)


def test_progress_over_all_labels():
    heard = []
    with listen(lambda job, done, total: heard.append((job, done, total))):
        rows = np.eye(140)
        OneVsRest(LinearSVM()).fit(rows, [[str(i // 2)] for i in range(140)])
    assert {total for _, _, total in heard} == {70}
    assert [done for _, done, _ in heard] == sorted(done for _, done, _ in heard)
    assert heard[-1] == ("learning labels", 70, 70)
