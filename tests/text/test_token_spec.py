"""Tests of wordplane.text.token_spec: tokens by hand, and against the slow reference."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.strategies import texts
from wordplane import Analyzer, _core


def words(text, **kwargs):
    return [token.text for token in Analyzer(**kwargs).tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Didn't like non-linguistic stuff.", ["didn't", "like", "non-linguistic", "stuff", "."]),
        ("WIN $1,000.50 now!!", ["win", "$", "1,000.50", "now", "!", "!"]),
        (
            "great:) see http://x.org/a",
            "great :) see http : / / x . org / a".split(),
        ),
        (":-( note:(see below) <3", [":-(", "note", ":", "(", "see", "below", ")", "<3"]),
        ("snake_case __init__", ["snake_case", "_", "_", "init", "_", "_"]),
        ("well--known 'tis dogs'", ["well", "-", "-", "known", "'", "tis", "dogs", "'"]),
        ("👩‍👩‍👧 👍🏽 🇩🇪🇫🇷 ❤️ 1️⃣", ["👩‍👩‍👧", "👍🏽", "🇩🇪", "🇫🇷", "❤️", "1️⃣"]),
        ("हिन्दी עברית 中文", ["हिन्दी", "עברית", "中", "文"]),
        ("2019年买iPhone手机。", ["2019", "年", "买", "iphone", "手", "机", "。"]),
        ("タワー 3.5分 a-高", ["タ", "ワ", "ー", "3.5", "分", "a", "-", "高"]),
        ("น้ำดื่ม မြန်မာ", ["น้", "ำ", "ดื่", "ม", "မြ", "န်", "မာ"]),
        ("한국어 ភាសា", ["한국어", "ភា", "សា"]),
        ("a\x00b\u200bc", ["a", "b", "c"]),
        ("ΟΔΟΣ İx", ["οδος", "i̇x"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_tokens_by_hand(text, expected):
    assert words(text) == expected


def test_case_is_kept_if_asked():
    assert words("Great FILM :D", lowercase=False) == ["Great", "FILM", ":D"]


def test_boundaries_stand_at_the_ends():
    tokens = Analyzer(boundaries=True).tokenize("aé b")
    assert tokens == [("<s>", 0, 0), ("aé", 0, 2), ("b", 3, 4), ("</s>", 4, 4)]


def test_counts():
    analyzer = Analyzer(tokens="counts", ngrams=(1, 1))
    assert analyzer.tokenize("a_b:2  c:d:1 none:0") == [("a_b", 0, 5), ("c:d", 7, 12)]


@pytest.mark.parametrize("item", ["a", "a:", ":3", "a:-1", "a:1.5", "a:99999999999"])
def test_malformed_counts_are_refused(item):
    with pytest.raises(ValueError, match=re.escape(f"'{item}' is not word:count")):
        Analyzer(tokens="counts", ngrams=(1, 1)).tokenize(f"x:1 {item}")


def test_scripts_without_spaces_stay_whole_if_asked():
    assert words("买iPhone手机。 น้ำดื่ม", tokens="spaced") == ["买iphone手机", "。", "น้ำดื่ม"]


def check_against_reference(text):
    for tokens in ("words", "spaced"):
        spans = reference.tokenize(text, spaced=tokens == "spaced")
        expected = [(text[a:b].lower(), a, b) for a, b in spans]
        assert Analyzer(tokens=tokens).tokenize(text) == expected


@given(texts)
@settings(max_examples=500)
def test_equals_reference(text):
    check_against_reference(text)


@given(texts)
@settings(max_examples=500)
def test_lower_is_python_s(text):
    assert _core.lower(text) == text.lower()


def test_lower_of_every_character():
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    assert _core.lower(everything) == everything.lower()


def test_pattern_words_of_every_character():
    everything = "".join(f"a{chr(c)}b " for c in [*range(0xD800), *range(0xE000, 0x110000)])
    analysis = _core.Analysis(
        tokens="pattern", folding=_core.Folding(lowercase=False), ngrams=(1, 1)
    )
    found = [word for word, _, _ in _core.tokenize(analysis, everything)]
    assert found == re.findall(r"(?u)\b\w\w+\b", everything)


def test_a_pattern_word_that_ends_inside_a_letter_stands_on_all_of_it():
    # in lower case, U+0130 is an i and a dot, which is no part of the word
    tokens = Analyzer(tokens="pattern", ngrams=(1, 1)).tokenize("x\u0130 y\u0130z")
    assert tokens == [("xi", 0, 2), ("yi", 3, 5)]


@given(texts, st.booleans())
@settings(max_examples=500)
def test_pattern_words_equal_the_regular_expression(text, lowercase):
    analysis = _core.Analysis(
        tokens="pattern", folding=_core.Folding(lowercase=lowercase), ngrams=(1, 1)
    )
    folded = text.lower() if lowercase else text
    found = [word for word, _, _ in _core.tokenize(analysis, text)]
    assert found == re.findall(r"(?u)\b\w\w+\b", folded)


@pytest.mark.soak
@given(st.lists(texts, min_size=20, max_size=20))
@settings(max_examples=50_000)
def test_soak_equals_reference(many):
    for text in many:
        check_against_reference(text)


@pytest.mark.parametrize(
    "text",
    [
        "don't 3.5 a-b",
        "手a机-b3.5年é買",
        ":D-x <3.5 :)",
        "l'été a-é 3,٣ é-a",
        "é :D\u0301 e\u0301x-é",
        "x" * 70,
    ],
)
def test_tokens_do_not_depend_on_where_they_stand(text):
    for before in range(70):
        check_against_reference("a" * before + " " + text)
        check_against_reference("." * before + text)
