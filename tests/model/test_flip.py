"""The fewest words without which a text gets another label, and texts that are alike.

Tests of wordplane.model.flip and wordplane.model.nearest_texts.
"""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordplane
from wordplane import Analyzer, TextClassifier
from wordplane.cli import main

WORDS = list("abcdefg")
TEXTS = ["a b", "a c", "b c a", "d e", "d f", "e f d", "g a", "g d"]


def fitted(n_classes, **parameters):
    labels = ["x", "x", "x", "y", "y", "y", "x", "y"]
    if n_classes == 3:
        labels[2], labels[5] = "z", "z"
    return TextClassifier(Analyzer(**parameters), "svm", calibration=None).fit(TEXTS, labels)


MODELS = [
    fitted(2, ngrams=(1, 1)),
    fitted(2, ngrams=(1, 2), norm="l2", idf="smooth"),
    fitted(3, ngrams=(1, 1)),
    fitted(3, ngrams=(1, 2), chars=(2, 3), norm="l2"),
]


def smallest_by_trying_all(model, words):
    label = model.predict([" ".join(words)])[0]
    for size in range(1, len(set(words)) + 1):
        for chosen in combinations(sorted(set(words)), size):
            left = " ".join(word if word not in chosen else "" for word in words)
            if model.predict([left])[0] != label:
                return size
    return None


@pytest.mark.parametrize("model", MODELS)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
@settings(max_examples=40)
def test_equals_trying_all_sets(model, words):
    text = " ".join(words)
    expected, found = smallest_by_trying_all(model, words), model.flip(text)
    if found is None:
        assert expected is None or expected > 3  # greedy: nothing is promised of larger sets
        return
    assert model.predict([found.text])[0] == found.label != model.predict([text])[0]
    assert set(found.text.split()) == set(words) - set(found.words)
    assert expected is not None
    assert len(found.words) >= expected
    if found.is_smallest:
        assert len(found.words) == expected
    if len(found.words) <= 3:
        assert found.is_smallest


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), st.integers(0, 3))
def test_a_sum_is_always_certain(words, seed):
    model = MODELS[0]
    found = model.flip(" ".join(words))
    assert (found is None) == (smallest_by_trying_all(model, words) is None)
    assert found is None or found.is_smallest


def test_by_hand():
    texts, y = ["great", "dull", "fine", "poor"], ["+", "-", "+", "-"]
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(texts, y)
    found = model.flip("Great, great but dull: fine!")
    assert found.words == ("great", "fine")  # without "great" alone there is a tie, which is +
    assert found.text == ",  but dull: !"
    assert found.label == "-"
    assert model.flip("") is None
    assert model.flip("unknown words") is None


def test_long_texts_are_cut_short():
    model = MODELS[1]
    text = " ".join(f"w{i}" for i in range(5000)) + " a a b"
    found = model.flip(text)
    assert found is None or not found.is_smallest


def test_columns_beside_the_text_stay():
    mails = {"text": ["buy now", "hello", "buy this", "hi there"], "links": [9, 0, 8, 1]}
    analyzer = Analyzer(ngrams=(1, 1), columns={"links": "number"})
    model = TextClassifier(analyzer, "svm", calibration=None).fit(mails, ["s", "h", "s", "h"])
    found = model.flip({"text": ["buy hi hello"], "links": [5]})
    assert model.predict({"text": ["buy hi hello"], "links": [5]})[0] != found.label
    assert model.predict({"text": [found.text], "links": [5]})[0] == found.label


def test_nearest_is_the_cosine_of_features():
    model = fitted(2, ngrams=(1, 1))
    found = model.nearest("a b b", ["c d", "a b", "b", "unknown", "a a b b b b"], n=4)
    expected = {1: 3 / np.sqrt(5 * 2), 2: 2 / np.sqrt(5), 4: 1.0}
    assert [one.row for one in found] == [4, 1, 2]
    for row, cosine in found:
        assert cosine == pytest.approx(expected[row])
    assert model.nearest("unknown", ["a"]) == []


def test_explain_shows_both(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fitted(2, ngrams=(1, 1)).save("m.wordplane")
    (tmp_path / "d.csv").write_text("text,label\na b,x\nd e,y\n")
    assert main(["explain", "m.wordplane", "a b d", "--data", "d.csv"]) == 0
    out = capsys.readouterr().out
    assert "flip      without " in out
    assert "row 1 (x): a b" in out
    assert main(["explain", "m.wordplane", "unknown", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["flip"] is None
    assert found["similar"] == []
    assert main(["explain", "m.wordplane", "a", "--data", "absent.csv"]) == 2


def test_words_after_a_negation_are_shown_as_they_stand_in_the_text():
    texts = ["never good", "never good", "never", "never"]
    model = TextClassifier(Analyzer(ngrams=(1, 1), negation=True), "nb", calibration=None)
    model.fit(texts, ["neg", "neg", "pos", "pos"])
    assert model.flip("never GOOD").words == ("good",)
    found = model.flip("never GOOD, never Good")
    assert (found.words, found.text) == (("good",), "never , never ")


def test_how_to_explain_with_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "great,1.5,de,a\nfun,2,at,a\ndull,1,de,b\nlong,0,at,b\n" * 3
    (tmp_path / "d.csv").write_text("text,n,land,label\n" + rows)
    extra = ["--extra", "n", "--extra", "land", "-o", "m"]
    assert main(["train", "d.csv", *extra]) == 0
    assert main(["explain", "m", "great fun"]) == 2
    err = capsys.readouterr().err
    assert "the model also needs the columns n, land: explain it from Python" in err
    line = err.rpartition("as in ")[2]
    assert line == "wordplane.load('m').explain({'text': ['great fun'], 'n': [0], 'land': ['']})\n"
    row = {"text": ["great fun"], "n": [2], "land": ["at"]}
    assert wordplane.load("m").explain(row).label == "a"


def test_labels_that_tie_are_not_flipped():
    """Two labels have the same texts: without `a`, the first of them still has as high a score."""
    texts, labels = ["left", "left", "right", "up"], ["d", "e", "f", "a"]
    model = wordplane.TextClassifier(wordplane.Analyzer(ngrams=(1, 1)), "nb", calibration=None)
    model = model.fit(texts, labels)
    text = "some left"
    assert model.predict([text])[0] == "d"
    flip = model.flip(text)
    assert flip.words == ("left",) and flip.label == model.predict([flip.text])[0] != "d"
