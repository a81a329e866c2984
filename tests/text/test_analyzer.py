"""Tests of wordplane.text.analyzer and of the checks of its parts: wordplane.text.checks,
wordplane.text.column_spec, wordplane.text.negation, wordplane.text.selection_spec,
wordplane.text.weighting_spec and wordplane.text.word_feature_spec.
"""

import re

import pytest
from hypothesis import given

import wordplane
from tests.strategies_analyzers import analyzers
from wordplane import Analyzer, CountVectorizer, MultinomialNB, TextClassifier
from wordplane.common.errors import InputError


def test_negation_by_hand():
    analyzer = Analyzer(negation=True)
    words = lambda text: " ".join(token.text for token in analyzer.tokenize(text))  # noqa: E731
    assert words("didn't like it, but") == "didn't NOT_like NOT_it , but"
    assert words("No plot. NEVER, never dull 5!") == "no NOT_plot . never , never NOT_dull NOT_5 !"
    assert words("cannot not see :) it") == "cannot NOT_not NOT_see :) NOT_it"
    assert words("not $5 bad") == "not $ NOT_5 NOT_bad"
    german = Analyzer(negation=["Kein", "*los"])
    assert [t.text for t in german.tokenize("kein Witz. Sinnlos toll")] == [
        "kein", "NOT_witz", ".", "sinnlos", "NOT_toll",
    ]  # fmt: skip
    assert analyzer.tokenize("not  Bad")[1] == ("NOT_bad", 5, 8)
    assert words("NOT_bad") == "not_bad"  # a word that looks marked is not


@given(analyzers)
def test_a_description_makes_the_same_analyzer(analyzer):
    described = Analyzer.from_dict(analyzer.to_dict())
    assert described.to_dict() == analyzer.to_dict()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ngrams": 2}, "ngrams is 2, expected a pair"),
        ({"ngrams": (True, 2)}, r"ngrams is \(True, 2\), expected a pair"),
        ({"suffixes": [True]}, "expected lengths"),
        ({"known_words": {"a": 1}}, "expected a list of words"),
        ({"chars": (3, 2)}, "shortest <= longest"),
        ({"prefixes": 3}, "prefixes is 3, expected lengths"),
        ({"suffixes": [0]}, r"suffixes is \[0\]"),
        ({"negation": "not"}, "expected a list of words"),
        ({"triggers": ["a"]}, "expected a mapping"),
        ({"triggers": {"a": [""]}}, "expected a string"),
        ({"lexica": {"a": {"b": "c"}}}, "expected a finite number"),
        ({"columns": {"a": "text"}}, "expected number, category, vector"),
        ({"weights": {"sound": 1}}, "weights has the group 'sound'"),
        ({"tf": "square"}, "tf is 'square'"),
        ({"idf": "igm"}, r"use Weighting\(idf='igm'\) after CountVectorizer in a pipeline"),
        ({"tokens": "counts", "ngrams": (1, 1), "shapes": True}, "words only"),
        ({"tokens": "counts"}, "no order"),
        ({"known_words": [3]}, "expected a string"),
        ({"max_df": 2}, "max_df is 2"),
        ({"max_features": 0}, "max_features is 0"),
    ],
)
def test_refusals(parameters, message):
    with pytest.raises(InputError, match=message):
        Analyzer(**parameters).resolve()


TRICKY = [
    "Ein Test, zwei  Tests!",
    "İstanbul\tİ ISPARTA_9 x",
    "ΣΑΣ ΤΕΛΟΣ. e\u0301t\u00e9 99",
    "",
    " \n ",
]


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("boundaries", [True, False])
@pytest.mark.parametrize("text", TRICKY)
def test_tokens_between_white_space_and_of_a_pattern(text, lowercase, boundaries):
    """As Python splits the folded text; places are those of the text as it was given."""
    folded = text.lower() if lowercase else text
    for tokens, expected in (
        ("whitespace", folded.split()),
        ("pattern", re.findall(r"(?u)\b\w\w+\b", folded)),
    ):
        analyzer = Analyzer(tokens=tokens, lowercase=lowercase, boundaries=boundaries)
        found = analyzer.tokenize(text)
        inner = found[1:-1] if boundaries else found
        assert [token.text for token in inner] == expected
        for token in inner:
            there = text[token.start : token.end]
            assert token.text in (there.lower() if lowercase else there)
            assert len(there) <= len(token.text)
        if boundaries:
            assert [(t.text, t.start, t.end) for t in (found[0], found[-1])] == [
                ("<s>", 0, 0),
                ("</s>", len(text), len(text)),
            ]


@pytest.mark.parametrize("tokens", ["whitespace", "pattern"])
def test_models_of_other_tokens(tokens, tmp_path):
    texts, y = ["Good, good film", "bad film!", "good fun", "bad, bad"], [1, 0, 1, 0]
    analyzer = Analyzer(tokens=tokens, lexica={"mood": {"good": 1.0, "bad": -1.0}}, chars=(2, 3))
    model = TextClassifier(analyzer, "svm", calibration=None).fit(texts, y)
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    assert loaded.decision_function(texts).tolist() == model.decision_function(texts).tolist()
    explained = loaded.explain("so GOOD, bad")
    assert explained.bias + explained.values.sum() == pytest.approx(explained.score)
    places = {(c.feature, c.start, c.end) for c in explained.contributions}
    assert (("bad", 9, 12) in places) and (("good,", 3, 8) in places) == (tokens == "whitespace")
    plain = Analyzer(tokens=tokens, ngrams=(1, 1))
    words = TextClassifier(plain, "nb", calibration=None).fit(texts, y)
    split = str.split if tokens == "whitespace" else None
    vectorizer = CountVectorizer(tokenizer=split, token_pattern=None if split else r"(?u)\b\w\w+\b")
    by_hand = MultinomialNB().fit(vectorizer.fit_transform(texts), y)
    z = by_hand.decision_function(vectorizer.transform(texts))
    assert words.decision_function(texts) == pytest.approx(z, abs=1e-5)


def test_what_other_tokens_cannot_have():
    for name, value in (("negation", True), ("suffixes", [2]), ("shapes", True)):
        with pytest.raises(InputError, match=f"`{name}` needs 'words'"):
            Analyzer(tokens="whitespace", **{name: value}).resolve()
    with pytest.raises(InputError, match="a function, which a model file cannot hold"):
        Analyzer(tokens=str.split).resolve()
