"""Tests of wordplane.text.analyzer_spec: what is checked once, and does not change afterwards."""

import dataclasses
import json
import pickle

import pytest
from hypothesis import given

from tests.strategies_analyzers import analyzers
from wordplane import Analyzer, TextClassifier
from wordplane.common.errors import InputError
from wordplane.text.stop_words import ENGLISH

PARTS = ("tokens", "word_features", "columns", "selection", "weighting")


def test_every_parameter_is_in_one_part_in_the_order_of_the_analyzer():
    spec = Analyzer().resolve()
    names = [field.name for part in PARTS for field in dataclasses.fields(getattr(spec, part))]
    assert names == list(Analyzer().get_params())


def test_a_specification_does_not_change():
    analyzer = Analyzer(ngrams=(1, 1))
    spec = analyzer.resolve()
    analyzer.set_params(ngrams=(1, 3), min_df=5)
    assert spec.tokens.ngrams == (1, 1)
    assert spec.given["ngrams"] == (1, 1)
    assert spec.selection.min_df == 1
    assert analyzer.resolve().tokens.ngrams == (1, 3)
    for part in (spec, spec.tokens):
        with pytest.raises(dataclasses.FrozenInstanceError):
            part.tokens = None


def test_a_fitted_model_keeps_the_parameters_that_it_was_fitted_with():
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None)
    model.fit(["good film", "bad film"], ["+", "-"])
    model.set_params(analyzer__ngrams=(2, 2), analyzer__lowercase=False)
    features = model.model_.features
    assert features.spec.tokens.ngrams == features.analyzer.ngrams == (1, 1)
    assert model.predict(["GOOD"]).tolist() == ["+"]
    features.analyzer.set_params(ngrams=None)
    assert features.analyzer.ngrams == (1, 1)


def test_each_parameter_is_checked_once_in_a_fit(monkeypatch):
    """However many documents and features there are."""
    from wordplane.text import token_spec

    calls, check = [], token_spec.check_tokens
    monkeypatch.setattr(
        token_spec, "check_tokens", lambda value: calls.append(value) or check(value)
    )
    model = TextClassifier(Analyzer(chars=(2, 3)), "nb", calibration=None)
    model.fit(["good film", "bad film"] * 3, ["+", "-"] * 3)
    n_calls = len(calls)
    model.fit(["good film", "bad film"] * 300, ["+", "-"] * 300)
    assert len(calls) == 2 * n_calls <= 8
    calls.clear()
    model.predict(["good"] * 50)
    model.explain("good")
    assert calls == []


def test_values_are_as_the_rest_takes_them():
    spec = Analyzer(
        stop_words="english",
        negation=["Kein"],
        known_words=["b", "A", "a"],
        prefixes=[3, 2],
        select="df:20",
        fields=["title", "body"],
        columns={"sender": "category"},
        weights={"word": 2},
    ).resolve()
    assert spec.tokens.stop_words == ENGLISH
    assert spec.tokens.negation == ("kein",)
    assert spec.word_features.known_words == ("a", "b")
    assert spec.word_features.prefixes == (3, 2)
    assert spec.selection.select == ("df", 20)
    assert spec.columns.kinds == {"title": "text", "body": "text", "sender": "category"}
    assert spec.group_weight("word") == 2
    assert spec.group_weight("char") == 1
    assert list(spec.analyses()) == [
        "field0.words",
        "field0.tokens",
        "field1.words",
        "field1.tokens",
    ]


def test_the_weight_of_a_field_multiplies_that_of_a_group():
    spec = Analyzer(fields={"title": 3, "body": 1}, weights={"word": 2}).resolve()
    assert [spec.group_weight(f"field{k}.word") for k in (0, 1)] == [6, 2]


@given(analyzers)
def test_json_holds_everything(analyzer):
    spec = analyzer.resolve()
    described = json.loads(json.dumps(spec.to_dict()))
    assert Analyzer.from_dict(described).resolve().to_dict() == spec.to_dict() == described


def test_what_is_not_set_is_not_written():
    plain = Analyzer().to_dict()
    optional = {"strip_accents": True, "stop_words": ["a"], "stem": {"a": "b"}, "conjoin": 2}
    assert plain.keys().isdisjoint(optional)
    assert Analyzer(**optional).to_dict() == {**plain, **optional}


@pytest.mark.parametrize(
    "described",
    [None, [], {}, {"tokens": "words"}, {**Analyzer().to_dict(), "sound": 1}],
)
def test_entries_that_are_missing_or_unknown_are_refused(described):
    with pytest.raises(InputError, match="an analyzer needs the entries boundaries, chars"):
        Analyzer.from_dict(described)


def test_ngrams_of_a_file_are_a_list():
    with pytest.raises(InputError, match="the analyzer's ngrams is 2, expected a list of numbers"):
        Analyzer.from_dict({**Analyzer().to_dict(), "ngrams": 2})


def test_stems_replace_a_language():
    spec = Analyzer(stem="english").resolve()
    with pytest.raises(InputError, match="only training in memory looks up the stems"):
        spec.analyses()
    stemmed = spec.with_stems({"films": "film"})
    assert stemmed.given["stem"] == stemmed.tokens.stem == {"films": "film"}
    assert [token.text for token in stemmed.tokens.tokenize("two Films")] == ["two", "film"]
    assert spec.tokens.stem == "english"


def test_a_specification_can_be_pickled():
    spec = Analyzer(lexica={"mood": {"good": 1}}, select="ig:5").resolve()
    assert pickle.loads(pickle.dumps(spec)) == spec
