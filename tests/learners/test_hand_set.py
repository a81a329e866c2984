"""Tests of wordplane.learners.hand_set."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from wordplane import Analyzer
from wordplane.common.errors import InputError
from wordplane.learners.hand_set import HandSetWeights

WORDS = {"good": ["great", "fun", "not bad"], "bad": ["dull", "bad"]}


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks():
    check_estimator(HandSetWeights(WORDS), on_skip=None)


def test_weights_by_word_and_class():
    model = HandSetWeights(
        {
            ("whale", "novel"): 2.0,
            ("court", "law"): 1.5,
            ("whale", "law"): -1.0,
            ("sea", "trip"): 1,
        },
        bias={"trip": 0.25},
    )
    assert model.classes_.tolist() == ["law", "novel", "trip"]
    assert model.feature_names_ == ["court", "sea", "whale"]
    assert model.coef_.tolist() == [[1.5, 0, -1], [0, 0, 2], [0, 1, 0]]
    assert model.decision_function(["Whale! Whale; court"]).tolist() == [[-0.5, 4, 0.25]]
    assert model.predict(["court", "no word of it"]).tolist() == ["law", "trip"]
    assert model.score(["court", "the sea"], ["law", "novel"]) == 0.5


def test_lists_of_words_with_two_classes():
    model = HandSetWeights(WORDS)
    assert model.classes_.tolist() == ["bad", "good"]
    # "not bad" counts 1 for good, and the "bad" in it 1 for bad.
    assert model.decision_function(["Great fun", "not bad", "dull dull fun", ""]).tolist() == [
        2,
        0,
        -1,
        0,
    ]
    assert model.predict(["Great fun", "not bad"]).tolist() == ["good", "bad"]  # a tie: the first
    once = HandSetWeights(WORDS, analyzer=Analyzer(tf="binary"))
    assert once.decision_function(["dull dull fun"]).tolist() == [0]
    assert clone(model).fit(["great"]).predict(["great"]) == ["good"]
    assert HandSetWeights({1: ["one"], 0: ["zero"]}).predict(["one", "zero"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({}, "expected"),
        ("great", "expected"),
        ({"good": "great"}, "expected a list of words"),
        ({"good": ["great"]}, "1 class, expected at least two"),
        ({("great", "a", "b"): 1.0}, "is not a .word, class."),
        ({(" great", "a"): 1.0, ("b", "b"): 1}, "single blanks"),
        ({("great", "a"): "much", ("b", "b"): 1}, "expected a number"),
        ({("great", "a"): float("nan"), ("b", "b"): 1}, "not finite"),
        ({("great", 1.5): 1.0, ("b", "b"): 1}, "label"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(InputError, match=message):
        HandSetWeights(weights).predict(["great"])
