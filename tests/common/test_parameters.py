"""Tests of wordplane.common.parameters: a string is not a list of its letters."""

import re

import pytest

from wordplane import (
    BehaviorTest,
    CountVectorizer,
    Lexicon,
    TextClassifier,
    check_behavior,
    compare,
    compare_models,
    evaluate,
)
from wordplane.common.errors import InputError

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


def test_a_share_to_forget_that_is_no_number(model):
    with pytest.raises(InputError, match="`forget` is 'a', expected a share"):
        model.partial_fit(TEXTS, LABELS, forget="a")
