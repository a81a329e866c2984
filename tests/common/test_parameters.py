"""Tests of wordplane.common.parameters: a string is not a list of its letters."""

import re

import pandas as pd
import pytest

from wordplane import (
    BehaviorTest,
    CountVectorizer,
    Lexicon,
    TextClassifier,
    check_behavior,
    compare,
    compare_models,
    compress,
    evaluate,
    load,
    predict,
    train,
    tune,
)
from wordplane.common.errors import InputError, ModelFileError

TEXTS = ["a great film", "a dull film", "great fun", "so dull"] * 5
LABELS = ["good", "bad"] * 10


@pytest.fixture(scope="module")
def model():
    return TextClassifier(learner="nb").fit(TEXTS, LABELS)


def behavior(**given):
    return BehaviorTest("a name", **given)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda m: evaluate(m, TEXTS, LABELS, metrics="mcc"), "`metrics` is 'mcc'"),
        (lambda m: compare_models(m, m, TEXTS, LABELS, metrics="mcc"), "`metrics` is 'mcc'"),
        (lambda m: evaluate(m, TEXTS, LABELS, groups="ab" * 10), "`groups` is 'abab"),
        (lambda _: compare(TEXTS, LABELS, learners="svm"), "`learners` is 'svm'"),
        (lambda _: CountVectorizer(vocabulary="great").fit(TEXTS), "`vocabulary` is 'great'"),
        (lambda _: Lexicon({"great": 1.0}).matches("great"), "`tokens` is 'great'"),
        (
            lambda m: check_behavior(m, [behavior(expect="same", texts="great", swap=["a", "b"])]),
            "`texts` is 'great'",
        ),
        (
            lambda m: check_behavior(m, [behavior(expect="same", texts=["great"], swap="ab")]),
            "`swap` is 'ab'",
        ),
    ],
)
def test_a_string_is_refused_where_a_list_is_expected(model, call, what):
    with pytest.raises(InputError, match=re.escape(what) + ".*, expected a list of "):
        call(model)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda _: TextClassifier(random_state=None).fit(TEXTS, LABELS), "`random_state` is None"),
        (lambda _: tune(TEXTS, LABELS, learner="nb", random_state=-1), "`random_state` is -1"),
        (lambda _: train(TEXTS, LABELS, random_state="a"), "`random_state` is 'a'"),
        (lambda _: TextClassifier("svm").fit(TEXTS, LABELS), "`analyzer` is 'svm', expected an"),
        (lambda _: train(3), "the data is 3, expected a path"),
        (lambda m: compress(m, max_size="100kB"), "`max_size` is '100kB', expected a number"),
        (lambda m: predict(m, TEXTS, keep=True), "`keep` is True, expected names"),
        (lambda m: m.top_features(-1), "`n` is -1, expected a whole number"),
    ],
)
def test_what_is_no_number_or_name_is_refused(model, call, what):
    with pytest.raises(InputError, match=re.escape(what)):
        call(model)


def test_a_folder_is_no_model(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 43)  # takes no room
    with pytest.raises(ModelFileError, match="Is a directory"):
        load(tmp_path)


def test_columns_of_frames_may_have_numbers_for_names():
    frame = pd.DataFrame([*zip(TEXTS, LABELS, strict=True)])
    model = train(frame, text=0, label=1, learner="nb").model
    assert model.predict(TEXTS).tolist() == LABELS


def test_a_share_to_forget_that_is_no_number(model):
    with pytest.raises(InputError, match="`forget` is 'a', expected a share"):
        model.partial_fit(TEXTS, LABELS, forget="a")
