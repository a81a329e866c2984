"""What the recipe makes of texts of different scripts, lengths and numbers."""

import pytest

from wordplane import TextClassifier
from wordplane.model.recipe import Recipe
from wordplane.text.documents import as_documents

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
