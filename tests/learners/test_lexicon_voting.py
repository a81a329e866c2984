"""Tests of wordplane.learners.lexicon_voting, and of wordplane.learners.support.untrained."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from wordplane.common.errors import InputError
from wordplane.learners import LexiconVoting

SCORES = {"good": 1.0, "fun": 3.0, "dull": -2.0, "not bad": 0.5, "bad": -1.0, ":)": 1.0}


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks():
    check_estimator(LexiconVoting({"good": 1}))


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
