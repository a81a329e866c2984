"""Tests of wordplane.common.json_types."""

from collections.abc import Mapping, Sequence

import pytest
from numpy.typing import ArrayLike

from wordplane import NBSVM, LinearSVM, MultinomialNB
from wordplane.common.json_types import is_of_type, parameter_types, type_name
from wordplane.learners import Ensemble
from wordplane.learners.names import FURTHER_LEARNERS, LEARNERS, ONE_LABEL_LEARNERS
from wordplane.learners.registry import learner_class
from wordplane.learners.support.base import ClassWeight, LinearClassifier

RIGHT = [
    (1, int), (2.0, int), (1, float), (0.5, float), (True, bool), ("x", str), (None, None),
    (None, int | None), ("loo", float | str), ([1, 2], Sequence[int]), ([], Sequence[str]),
    ({"a": 1}, Mapping[str, float]), ("balanced", ClassWeight), ({"a": 2.0}, ClassWeight),
    ([[0, 1], [1, 0]], ArrayLike | None), (None, ArrayLike | None), ([0.5], ArrayLike),
    (LinearSVM(), LinearClassifier | None), ({"any": "thing"}, object),
]  # fmt: skip
WRONG = [
    (True, int), (1.5, int), ("1", float), (2**64, int), (10**400, float), (1, bool), (1, str),
    (0, None), ([1, "a"], Sequence[int]), ("ab", Sequence[str]), ({"a": "b"}, Mapping[str, float]),
    ("x", LinearClassifier | None), (3, LinearClassifier | None), ([], ClassWeight),
    ([[0, 1], [1]], ArrayLike | None), ({}, ArrayLike), ([10**400], ArrayLike), ("x", dict),
]  # fmt: skip


@pytest.mark.parametrize(("value", "kind"), RIGHT)
def test_right(value, kind):
    assert is_of_type(value, kind)


@pytest.mark.parametrize(("value", "kind"), WRONG)
def test_wrong(value, kind):
    assert not is_of_type(value, kind)


def test_every_learner_declares_the_types_of_all_its_parameters():
    for name in (*LEARNERS, *ONE_LABEL_LEARNERS, *FURTHER_LEARNERS):
        cls = learner_class(name)
        params = set(parameter_types(cls)) - {"return"}
        assert params == set(cls.__init__.__code__.co_varnames[1:][: len(params)]), name


def test_learners_inside_others():
    assert is_of_type(LinearSVM(), parameter_types(NBSVM)["learner"])
    inside = parameter_types(Ensemble)["learners"]
    assert is_of_type([MultinomialNB()], inside)
    assert not is_of_type(["nb"], inside) and not is_of_type(MultinomialNB(), inside)


def test_names():
    assert type_name(ArrayLike | None) == "a list of numbers or None"
    assert type_name(LinearClassifier | None) == "LinearClassifier or None"
    assert type_name(Mapping[str, float]) == "a mapping"
