"""Accents, names for kinds of words, stop words and stems: tests of wordplane.text.token_spec,
wordplane.text.accents, wordplane.text.stop_words and wordplane.text.stemming.
"""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import Analyzer, _core
from wordplane.common.errors import InputError
from wordplane.text.accents import strip_accents_unicode
from wordplane.text.stop_words import ENGLISH

EVERYTHING = [chr(c) for c in [*range(0x20, 0xD800), *range(0xE000, 0x110000)]]


def words(text, **parameters):
    analyzer = Analyzer(ngrams=(1, 1), **parameters)
    tokens = analyzer.tokenize(text)
    for token in tokens:
        assert 0 <= token.start <= token.end <= len(text)
    return [token.text for token in tokens]


@pytest.mark.slow
def test_every_character_loses_its_accents_as_in_unicodedata():
    analysis = _core.Analysis(tokens="chars", folding=_core.Folding(lowercase=False, accents=True))
    joined = "".join(char for char in EVERYTHING if not char.isspace())
    stripped = "".join(word for word, _, _ in _core.tokenize(analysis, joined))
    expected = strip_accents_unicode(joined)
    # runs of blanks, which some characters become, are one
    assert stripped == " ".join(expected.split(" ")) or stripped.split() == expected.split()


@given(st.text(st.sampled_from("aÉéñ\u0301 İßﬁ한½\u00b4x."), max_size=12))
def test_stripped_tokens_stand_on_the_letters_they_come_from(text):
    for tokens in ("words", "whitespace", r"regex:\S+"):
        analyzer = Analyzer(tokens=tokens, ngrams=(1, 1), strip_accents=True, lowercase=False)
        for token in analyzer.tokenize(text):
            assert token.text
            if tokens != "whitespace" or " " not in strip_accents_unicode(text.replace(" ", "")):
                assert token.text in strip_accents_unicode(text[token.start : token.end])


def test_accents_by_hand():
    assert words("Crème BRÛLÉE ﬁn", strip_accents=True) == ["creme", "brulee", "fin"]
    assert words("Crème", strip_accents=True, lowercase=False) == ["Creme"]
    assert words("\u0301 a", strip_accents=True) == ["a"]  # a mark alone leaves nothing
    tokens = Analyzer(strip_accents=True).tokenize("où ça")
    assert [(t.text, t.start, t.end) for t in tokens] == [("ou", 0, 2), ("ca", 3, 5)]
    assert unicodedata.normalize("NFKD", "한") == "".join(words("한", strip_accents=True))


NAMED = [
    ("see https://x.org/a?b=1, ok", ["see", "<url>", ",", "ok"]),
    ("(www.site.com/x/)", ["(", "<url>", ")"]),
    ("HTTP://X.ORG!", ["<url>", "!"]),
    ("http:// alone", ["http", ":", "/", "/", "alone"]),
    ("thanks @anna_k and a@b.de", ["thanks", "<mention>", "and", "a", "@", "b", ".", "de"]),
    ("@ home", ["@", "home"]),
    ("5 of 1,000.5 for $9.99", ["<number>", "of", "<number>", "for", "$", "<number>"]),
    ("at 10:30 on 2020-01-31", ["at", "<number>", "on", "<number>"]),
    ("covid-19 4x4 5th b2b v1.5 3D", ["covid-19", "4x4", "5th", "b2b", "v1.5", "3d"]),
    ("٣٤ und ५", ["<number>", "und", "<number>"]),
    ("5-year 19-", ["5-year", "<number>", "-"]),
]


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_names_by_hand(text, expected):
    assert words(text, normalize=["urls", "mentions", "numbers"]) == expected


def test_names_stand_where_they_came_from():
    text = "Go to http://x.de/é now, @bob: 12 é"
    for tokens in ("words", "whitespace", r"regex:\S+"):
        analyzer = Analyzer(tokens=tokens, ngrams=(1, 1), normalize=["urls", "mentions", "numbers"])
        placed = {t.text: text[t.start : t.end] for t in analyzer.tokenize(text)}
        assert placed["<url>"] == "http://x.de/é"
        assert placed["<mention>"] == "@bob"
        assert placed["<number>"] == "12"
        assert placed["é"] == "é"


def test_each_kind_can_be_asked_for_alone():
    text = "@a 5 www.b.de"
    assert words(text, tokens="whitespace", normalize=["numbers"]) == ["@a", "<number>", "www.b.de"]
    assert words(text, tokens="whitespace", normalize=["urls"]) == ["@a", "5", "<url>"]
    assert words(text, tokens="whitespace", normalize=["mentions"]) == [
        "<mention>",
        "5",
        "www.b.de",
    ]


def test_named_text_has_no_features_of_characters():
    analyzer = Analyzer(ngrams=None, chars=(2, 2), normalize=["urls"])
    block = _core.TokenFeatureCounter(analyzer.resolve().analyses()["tokens"])
    block.add(_core.Texts(["ab http://qq.zz cd"]), 0, 1, 1)
    block.finish()
    block.select(np.ones(block.n_features, bool), 1)
    assert sorted(block.vocabulary().names()) == [
        *("char: a", "char: c", "char:ab", "char:b ", "char:cd", "char:d "),
    ]


def test_stop_words():
    text = "It was not THE best of them"
    assert words(text, stop_words="english") == ["not", "best"]
    assert words(text, stop_words=["Best"]) == ["it", "was", "not", "the", "of", "them"]
    assert words("où ça où", stop_words=["où"], strip_accents=True) == ["ca"]
    # a stop word neither hides a negation nor is marked by one
    assert words(text, stop_words="english", negation=True) == ["not", "NOT_best"]
    assert words("not the best", stop_words=["not"], negation=True) == ["NOT_the", "NOT_best"]
    assert not {"not", "no", "never", "nor"} & set(ENGLISH)
    assert len(set(ENGLISH)) == len(ENGLISH)


def test_stop_words_leave_before_ngrams_and_places_stay():
    for tokens in ("words", "whitespace", "pattern", r"regex:\w+"):
        analyzer = Analyzer(tokens=tokens, boundaries=True, stop_words=["of"])
        placed = [(t.text, t.start, t.end) for t in analyzer.tokenize("cup of tea")]
        assert placed == [("<s>", 0, 0), ("cup", 0, 3), ("tea", 7, 10), ("</s>", 10, 10)]


def test_stems():
    assert words("Films acting", stem={"films": "film", "acting": "act"}) == ["film", "act"]
    marked = words("not acting, acting", stem={"acting": "act"}, negation=True)
    assert marked == ["not", "NOT_act", ",", "act"]
    assert words("hardly acting", stem={"hardly": "hard", "acting": "act"}, negation=True) == [
        *("hard", "NOT_act"),
    ]
    tokens = Analyzer(tokens="whitespace", stem={"films": "film"}).tokenize("the FILMS")
    assert tokens[1] == ("film", 4, 9)


def test_a_language():
    pytest.importorskip("Stemmer")
    assert words("Running films and houses", stem="english") == ["run", "film", "and", "hous"]
    assert words("laufende Häuser", stem="german") == ["laufend", "haus"]
    with pytest.raises(InputError, match=r"one of arabic"):
        words("a", stem="klingon")


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"stop_words": "german"}, "'english' or a list"),
        ({"stop_words": [1]}, "stop_words"),
        ({"normalize": "urls"}, "a list"),
        ({"normalize": ["links"]}, "urls, mentions, numbers"),
        ({"strip_accents": "yes"}, "True or False"),
        ({"stem": 3}, "language"),
        ({"stem": {"a": ""}}, "stem of 'a'"),
        ({"tokens": "counts", "ngrams": (1, 1), "normalize": ["urls"]}, "words only"),
        ({"hash_bits": 40}, "from 1 to 28"),
        ({"hash_bits": 10, "select": "ig:5"}, "`select`"),
        ({"hash_bits": 10, "min_df": 2}, "`min_df`"),
        ({"hash_bits": 10, "suffixes": [3]}, "`suffixes`"),
        ({"tokens": "white"}, "whitespace"),
        ({"tokens": "whitespace", "negation": True}, "'words'"),
    ],
)
def test_what_is_refused(parameters, why):
    with pytest.raises(InputError, match=why):
        Analyzer(**parameters).resolve()


def test_round_trip_through_json():
    analyzer = Analyzer(
        tokens=r"regex:\w+", strip_accents=True, normalize=["urls"], stop_words="english",
        stem={"films": "film"}, hash_bits=12,
    )  # fmt: skip
    spec = analyzer.to_dict()
    assert len(spec["stop_words"]) == len(ENGLISH)  # a later list does not change an old model
    again = Analyzer.from_dict(spec)
    assert again.stop_words == "english"
    assert again.to_dict() == spec
    plain = Analyzer().to_dict()
    assert not {"stem", "normalize", "stop_words", "strip_accents", "hash_bits"} & set(plain)
    assert "1 words" in repr(again)
