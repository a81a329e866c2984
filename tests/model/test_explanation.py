"""Tests of wordplane.model.explanation: what features add, summed onto the words they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import Analyzer, TextClassifier
from wordplane.model.explanation import top_features

WORDS = [
    "good",
    "bad",
    "film",
    "not",
    "GOOD",
    "it's",
    "x-ray",
    "电影",
    "Café",
    ":)",
    "5",
    ",",
    "\n",
]
TEXTS = ["good film", "not good, bad", "it's a bad film :)", "x-ray 5", "电影 Café", "GOOD!"] * 4
LABELS = ["a", "b", "b", "c", "a", "a"] * 4
MODELS = {
    "the recipe": TextClassifier().fit(TEXTS, LABELS),
    "characters across words": TextClassifier(
        Analyzer(chars=(1, 4), chars_across=True, negation=True, boundaries=True), "svm"
    ).fit(TEXTS, LABELS),
    "two classes": TextClassifier(
        Analyzer(chars=(2, 5), suffixes=[2], shapes=True, norm="l2"), "logistic"
    ).fit(TEXTS, [label == "a" for label in LABELS]),
    "several labels": TextClassifier(Analyzer(chars=(2, 3)), "svm").fit(
        TEXTS, [["x"] if label == "a" else ["x", label] for label in LABELS]
    ),
    "white space": TextClassifier(Analyzer(tokens="whitespace", chars=(2, 4)), "nb").fit(
        TEXTS, LABELS
    ),
    "stop words": TextClassifier(Analyzer(stop_words=["good"], chars=(2, 4)), "svm").fit(
        TEXTS, LABELS
    ),
}


@pytest.mark.parametrize("name", MODELS)
@given(words=st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=12), between=st.text())
def test_words_and_bias_sum_to_the_score(name, words, between):
    model, text = MODELS[name], between.join(words)
    explanation = model.explain(text.encode("utf-8", "ignore").decode())
    added = sum(value for _, value in explanation.by_word())
    size = sum(abs(value) for _, value in explanation.by_feature()) + abs(explanation.bias)
    assert added + explanation.bias == pytest.approx(explanation.score, abs=1e-11 * (1 + size))


def test_runs_of_characters_are_summed_onto_their_words():
    model = MODELS["the recipe"]
    explanation = model.explain("A good film, GOOD.")
    assert any(name.startswith("char:") for name, _ in explanation.by_feature())
    edges = {"(start of the text)", "(end of the text)"}
    assert {word for word, _ in explanation.by_word()} - edges == {"a", "good", "film", ",", "."}


def test_words_worked_by_hand():
    model = TextClassifier(Analyzer(ngrams=(1, 2)), "nb", calibration=None)
    model.fit(["good film", "bad film", "film"], ["+", "-", "-"])
    explanation = model.explain("good film")
    by_feature = dict(explanation.by_feature())
    # "good film" has four letters of either word, and a space, which counts for none.
    half = by_feature["good film"] / 2
    expected = {"good": by_feature["good"] + half, "film": by_feature["film"] + half}
    assert dict(explanation.by_word()) == pytest.approx(expected)


def test_words_after_a_negation_are_told_apart():
    model = TextClassifier(Analyzer(negation=True), "nb").fit(TEXTS, LABELS)
    words = dict(model.explain("good, not good").by_word())
    assert {"good", "NOT_good", "not", ","} == set(words)


def test_what_stands_nowhere_in_the_text_keeps_its_name():
    rows = {"text": TEXTS, "n": list(range(24))}
    model = TextClassifier(Analyzer(columns={"n": "number"}, boundaries=True), "svm")
    explanation = model.fit(rows, LABELS).explain({"text": ["good"], "n": [7]})
    words = dict(explanation.by_word())
    assert set(words) == {"good", "n", "(start of the text)", "(end of the text)"}
    assert sum(words.values()) + explanation.bias == pytest.approx(explanation.score)


def test_shown_in_ten_lines_at_most():
    explanation = MODELS["the recipe"].explain("a film that is not so good at all, but " * 20)
    assert repr(explanation) == str(explanation)
    assert len(repr(explanation).splitlines()) <= 10
    assert max(map(len, repr(explanation).splitlines())) <= 120
    assert str(explanation).splitlines()[-1].endswith("(bias)")


def test_readable_features_are_words():
    found = top_features(MODELS["characters across words"].model_, 5, readable=True)
    names = [name for strongest in found.values() for name, _ in strongest]
    assert names
    assert not any(name.startswith("char:") or "<s>" in name or "</s>" in name for name in names)
    only_runs = TextClassifier(Analyzer(ngrams=None, chars=(2, 3)), "svm").fit(TEXTS, LABELS)
    assert all(top_features(only_runs.model_, 3, readable=True).values())


def test_words_of_fields_are_told_apart():
    rows = {"title": ["buy", "note", "hi", "buy"] * 5, "body": ["now\nbuy", "a film", "b", "c"] * 5}
    model = TextClassifier(Analyzer(chars=(2, 3)), "svm", fields=["title", "body"])
    model.fit(rows, ["+", "-", "-", "+"] * 5)
    explanation = model.explain({"title": ["buy it"], "body": ["now\nbuy"]})
    words = dict(explanation.by_word())
    assert set(words) == {"title:buy", "title:it", "body:now", "body:buy"}
    assert sum(words.values()) + explanation.bias == pytest.approx(explanation.score)


def test_notebooks_show_what_is_printed():
    """The score by its name, and in tooltips what words add, not their share of the strongest."""
    model = TextClassifier(Analyzer(), "svm").fit(["good film", "bad film"] * 9, ["+", "-"] * 9)
    explanation = model.explain("good film")
    added = dict(explanation.by_word())
    html = explanation._repr_html_()
    assert f"<b>+</b>, score {explanation.score:.3f}</p>" in html
    assert f'title="{added["good"]:+.3f}">good<' in html
    assert f"{added['good']:+.3f}  good" in str(explanation)
