"""Tests of wordplane.learners.support.one_vs_rest and wordplane.learners.support.chain, worked by
hand; tests/model/test_multilabel.py and tests/model/test_label_chain.py have texts."""

import numpy as np
import pytest

from wordplane import LinearSVM, MultinomialNB, Perceptron
from wordplane.common.errors import InputError
from wordplane.learners.support.chain import ClassifierChain
from wordplane.learners.support.one_vs_rest import OneVsRest

X = np.array([[2.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
SETS = [["a"], ["a", "b"], ["b"], ["b", "c"]]


@pytest.mark.parametrize("learner", [LinearSVM(), MultinomialNB(), Perceptron()], ids=repr)
def test_each_label_has_the_machine_of_its_own_problem(learner):
    model = OneVsRest(learner).fit(X, SETS)
    for k, label in enumerate("abc"):
        alone = type(learner)().fit(X, [label in labels for labels in SETS])
        assert np.array_equal(model.coef_[k], alone.coef_[0])
        assert model.intercept_[k] == alone.intercept_[0]


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
