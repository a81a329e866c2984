"""Tests of wordplane.text.forbidden: what is masked, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import Analyzer
from wordplane.text.documents import as_documents
from wordplane.text.forbidden import Mask
from wordplane.text.texts import as_texts


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("smith", "Smith's", "     's"),
        ("smith", "blacksmith smithy smith_film", "blacksmith smithy      _film"),
        ("smith", "SMITH-like (smith) smith.", "     -like (     )      ."),
        ("money back", "Money  back? moneyback", "           ? moneyback"),
        (":)", "good :) :))", "good      )"),
        ("电影", "这部电影很好", "这部  很好"),
        ("5", "5 stars, 55", "  stars, 55"),
        ("caf\u00e9", "cafe\u0301 caf\u00e9 cafe", "           cafe"),
        ("cafe", "cafe\u0301 cafe", "cafe\u0301     "),
        ("a.b", "a.b acb", "    acb"),
    ],
)
def test_masked_by_hand(word, text, expected):
    assert Mask([word]).text(text) == expected


def test_case_and_accents_matter_as_those_of_tokens_do():
    assert Mask(["Apple"], lowercase=False).text("Apple apple") == "      apple"
    assert Mask(["CAFE"], strip_accents=True).text("Cafés? Café cafe\u0301") == "Cafés?           "
    assert Mask(["smith"], tokens="counts").text("a:1 smith:3 good_smith:2 smithy:1") == (
        "a:1                      smithy:1"
    )
    assert Mask(["sm"], tokens="whitespace").text("sm, sma") == "  , sma"


@given(st.lists(st.text(min_size=1, max_size=6).filter(str.strip), min_size=1), st.text())
def test_lengths_stay_and_a_second_time_changes_nothing(words, text):
    mask = Mask([word.strip() for word in words])
    masked = mask.text(text)
    assert len(masked) == len(text)
    assert all(a in (b, " ") for a, b in zip(masked, text, strict=True))
    assert mask.text(masked).split() == masked.split() or " " in "".join(words)


def test_texts_without_the_words_are_the_same_object():
    texts = as_texts(["a film", "a plot"])
    assert Mask(["smith"]).texts(texts) is texts


def test_fields_are_masked_by_their_names():
    rows = {"title": ["smith", "plot"], "body": ["by smith", "by plot"]}
    kinds = {"title": "text", "body": "text"}
    documents = as_documents(rows, kinds)
    spec = Analyzer(fields=["title", "body"], forbid=["title:smith", "plot"]).resolve()
    masked = spec.mask(documents)
    assert list(masked.fields["title"]) == ["     ", "    "]
    assert list(masked.fields["body"]) == ["by smith", "by     "]
    assert list(masked.texts) == ["     \nby smith", "    \nby     "]
    assert Analyzer().resolve().mask(documents) is documents


def test_the_analyzer_keeps_its_words():
    analyzer = Analyzer(forbid=["Smith", " smith ", "Smith"])
    assert analyzer.resolve().tokens.forbid == ("Smith", "smith")
    again = Analyzer.from_dict(analyzer.to_dict())
    assert again.resolve() == Analyzer(forbid=["Smith", "smith"]).resolve() or again.forbid
    assert "forbid" not in Analyzer().to_dict()
    assert [token.text for token in analyzer.tokenize("a film by SMITH")] == ["a", "film", "by"]
