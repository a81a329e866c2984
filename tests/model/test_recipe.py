"""What the recipe makes of texts of different scripts, lengths and numbers."""

from datetime import date

import numpy as np
import pytest

import wordplane
from wordplane import TextClassifier
from wordplane.common.errors import InputError
from wordplane.model.recipe import Recipe
from wordplane.text.documents import as_documents

TEXTS = ["good film", "a fine film", "good and fun", "bad film", "a dull film", "bad and dull"] * 3
LABELS = (["yes"] * 3 + ["no"] * 3) * 3

ENGLISH, CHINESE, THAI = "the film was not good", "这部电影不好看", "หนังเรื่องนี้ไม่ดี"


def recipe(text, n_texts=10, n_classes=2):
    return Recipe.of(as_documents([text] * n_texts, {}), n_classes)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        (ENGLISH, "spaced"),
        ("фильм был плохой", "spaced"),
        ("영화가 별로였다", "spaced"),
        (CHINESE, "logographic"),
        ("この映画は良くない", "logographic"),
        ("iPhone手机不好用", "logographic"),
        (THAI, "alphabetic"),
        ("ရုပ်ရှင်က မကောင်းဘူး", "alphabetic"),
        ("see 中文 in an otherwise English text", "spaced"),
        ("123 !?", "spaced"),
        ("", "spaced"),
    ],
)
def test_the_script_is_that_of_most_words(text, script):
    assert recipe(text).script == script


def test_length_numbers_of_texts_and_classes():
    assert recipe("word " * 99).short
    assert not recipe("word " * 100).short
    assert recipe("word " * 100).few_tokens
    assert not recipe("word " * 100, n_texts=10_000).few_tokens
    assert recipe(ENGLISH, n_texts=8000).many_texts
    assert not recipe(ENGLISH, n_texts=7999).many_texts
    assert recipe(ENGLISH, n_classes=6).many_classes
    assert not recipe(ENGLISH, n_classes=5).many_classes
    assert recipe(ENGLISH, n_texts=0).short


@pytest.mark.parametrize(
    ("text", "n_classes", "ngrams", "chars"),
    [
        (ENGLISH, 2, (1, 2), (2, 6)),
        (ENGLISH, 6, (1, 2), (1, 5)),
        ("word " * 100, 2, (1, 3), (2, 5)),
        ("word " * 100, 6, (1, 2), (2, 5)),
        (CHINESE, 2, (1, 3), None),
        (CHINESE, 6, (1, 2), None),
        (THAI, 2, (1, 5), None),
    ],
)
def test_features(text, n_classes, ngrams, chars):
    analyzer = recipe(text, n_classes=n_classes).analyzer()
    assert (analyzer.ngrams, analyzer.chars) == (ngrams, chars)


def test_a_word_inside_a_chinese_sentence_is_found():
    texts = [f"{a}好吃{b}" for a in "这那它" for b in "吧啊了"] + [
        f"{a}难吃{b}" for a in "这那它" for b in "吧啊了"
    ]
    model = TextClassifier(calibration=None).fit(texts, ["good"] * 9 + ["bad"] * 9)
    assert model.predict(["我觉得很好吃呢", "我觉得很难吃呢"]).tolist() == ["good", "bad"]


def test_weights_of_groups_count():
    """A group whose weight is next to nothing hardly changes a score; it did under any weight."""
    recipe, learner = Recipe(), Recipe(short=False).learner()

    def scores(**weights):
        analyzer = recipe.analyzer().set_params(weights=weights)
        model = TextClassifier(analyzer, learner, calibration=None)
        return model.fit(TEXTS, LABELS).decision_function(["good", "dull"])

    without_chars = recipe.analyzer().set_params(chars=None)
    words = TextClassifier(without_chars, learner, calibration=None).fit(TEXTS, LABELS)
    assert scores(char=1e-6) == pytest.approx(words.decision_function(["good", "dull"]), abs=1e-2)
    assert not np.allclose(scores(char=1e-6), scores(char=1.0), atol=1e-2)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1.0, 2.0], [1, 2]),
        ([date(2024, 1, 2), date(2024, 3, 4)], ["2024-01-02", "2024-03-04"]),
    ],
)
def test_whole_numbers_and_dates_are_labels_as_in_files(labels, classes):
    y = [labels[int(label == "yes")] for label in LABELS]
    model = TextClassifier(learner="nb").fit(TEXTS, y)
    assert model.classes_.tolist() == classes


def test_nan_is_no_label():
    with pytest.raises(InputError, match="row 0 has the label NaN"):
        TextClassifier(learner="nb").fit(["a", "b"], [float("nan"), 1.0])


def test_the_rarer_of_two_uneven_classes_has_a_line():
    texts = [f"word{i % 7} text" for i in range(400)]
    labels = ["fraud" if i % 25 == 0 else "fine" for i in range(400)]
    texts = [
        text + " refund" * (label == "fraud") for text, label in zip(texts, labels, strict=True)
    ]
    lines = str(wordplane.train(texts, labels)).splitlines()
    rare = next(line for line in lines if line.startswith("rare"))
    assert rare == "rare      'fraud' (16 of 400): precision 100.0%, recall 100.0%, F1 100.0%"
    even = str(wordplane.train(TEXTS, LABELS))
    assert "rare" not in even


def test_long_labels_are_cut_and_equal_texts_are_noted():
    result = wordplane.train(["same text"] * 20, ["x" * 3000, "y"] * 10)
    assert max(map(len, str(result).splitlines())) < 300
    assert "all training texts are the same: nothing can be learned from them" in result.notes
