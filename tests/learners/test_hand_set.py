import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from wordplane import Analyzer
from wordplane.common.errors import InputError
from wordplane.learners.hand_set import HandSetWeights
from wordplane.learners.lexicon_voting import LexiconVoting

WORDS = {"good": ["great", "fun", "not bad"], "bad": ["dull", "bad"]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [HandSetWeights(WORDS), LexiconVoting({"good": 1})])
def test_scikit_learn_s_checks(model):
    check_estimator(model, on_skip=None)


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


# Lexicon voting


SCORES = {"good": 1.0, "fun": 3.0, "dull": -2.0, "not bad": 0.5, "bad": -1.0, ":)": 1.0}


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("good fun", 2),
        ("Good, but dull and bad", -1),
        ("not good", -1),
        ("not good and not fun , good", -1),
        ("didn't find it good, fun", 0),
        ("didn\u2019t find it good", -1),
        ("never dull!", 1),
        ("not bad", 1),  # an entry of its own
        ("not bad good", 2),  # which reverses nothing
        ("not a bad film", 1),
        ("not so good :)", -2),  # an emoticon is no punctuation
        ("no. good", 1),
        ("nothing", 0),
    ],
)
def test_votes(text, votes):
    assert LexiconVoting(SCORES).decision_function([text]).tolist() == [votes]


def test_scores_classes_and_other_negations():
    by_score = LexiconVoting(SCORES, by_score=True)
    assert by_score.decision_function(["good fun, not dull"]).tolist() == [6]
    model = LexiconVoting(SCORES, classes=("neg", "a-pos"))
    assert model.classes_.tolist() == ["a-pos", "neg"]
    assert model.predict(["fun", "dull", "table"]).tolist() == ["a-pos", "neg", "neg"]
    assert model.decision_function(["fun"]).tolist() == [-1]
    assert model.score(["fun", "dull"], ["a-pos", "a-pos"]) == 0.5
    kein = LexiconVoting(SCORES, negations=["kein"])
    assert kein.decision_function(["kein fun", "not fun"]).tolist() == [-1, 1]
    for bad, message in (
        ({"classes": ("a", "a")}, "two labels"),
        ({"negations": "not"}, "list of words"),
    ):
        with pytest.raises(InputError, match=message):
            LexiconVoting(SCORES, **bad).fit(["x"])
    with pytest.raises(InputError, match="lexicon is"):
        LexiconVoting("words.txt").fit(["x"])


def test_nothing_is_random_or_learned():
    model = LexiconVoting(SCORES)
    before = model.decision_function(["not fun"])
    assert np.array_equal(
        model.fit(["fun"] * 5, ["negative"] * 5).decision_function(["not fun"]), before
    )
