"""Tests of wordplane.common.forms."""

import numpy as np
import pytest

from wordplane.common.forms import ArrayForm, StepForm, check_arrays, check_value

FORMS = {
    "bytes": ArrayForm("uint8", "bytes"),
    "ends": ArrayForm("int64", "texts", ends_of="bytes"),
    "codes": ArrayForm("int32", "texts", below="labels"),
    "words": ArrayForm("uint32", "texts?", below=4, none=9, optional=True),
    "keys": ArrayForm("uint64", "keys", halves=(2, 3), ascending=True, optional=True),
}
GOOD = {
    "bytes": np.zeros(3, np.uint8),
    "ends": np.array([0, 3]),
    "codes": np.array([1, 0], np.int32),
    "words": np.array([3, 9], np.uint32),
    "keys": np.array([2, (1 << 32) + 2], np.uint64),
}


@pytest.mark.parametrize("changed", [{}, {"words": np.zeros(0, np.uint32)}], ids=str)
def test_arrays_as_declared_are_taken(changed):
    check_arrays({**GOOD, **changed}, FORMS, {"labels": 2})
    check_arrays({name: GOOD[name] for name in ("bytes", "ends", "codes")}, FORMS, {"labels": 2})


@pytest.mark.parametrize(
    ("name", "array", "why"),
    [
        ("bytes", np.zeros(3, np.int8), "bytes is int8 of 1 dimensions, expected uint8 of 1"),
        ("bytes", np.zeros((3, 1), np.uint8), "of 2 dimensions"),
        ("ends", np.array([0, 2]), "does not ascend to 3"),
        ("ends", np.array([4, 3]), "does not ascend"),
        ("ends", np.array([-1, 3]), "does not ascend"),
        ("ends", np.array([3]), "codes has 2 texts, expected 1"),
        ("codes", np.array([2, 0], np.int32), "values from 0 to 2, expected 0 to 1"),
        ("codes", np.array([-1, 0], np.int32), "values from -1 to 0"),
        ("words", np.array([4, 9], np.uint32), "expected 0 to 3"),
        ("words", np.array([1], np.uint32), "words has 1 texts, expected 2"),
        ("keys", np.array([2, 2], np.uint64), "keys does not ascend"),
        ("keys", np.array([2 << 32], np.uint64), "expected 0 to 1"),
        ("keys", np.array([3], np.uint64), "expected 0 to 2"),
        ("other", np.zeros(1), "expected"),
    ],
    ids=str,
)
def test_other_arrays_are_refused(name, array, why):
    with pytest.raises(ValueError, match=why):
        check_arrays({**GOOD, name: array}, FORMS, {"labels": 2})


def test_a_missing_array_is_refused():
    with pytest.raises(ValueError, match="the arrays are"):
        check_arrays({"bytes": GOOD["bytes"]}, FORMS, {"labels": 2})


@pytest.mark.parametrize(
    ("value", "pattern", "why"),
    [
        (True, int, "x is True, expected int"),
        (-1, int, "x is -1, expected int"),
        (1, str, "expected str"),
        ("a", (int, float, None), "expected int or float or null"),
        ({"a": 1}, [int], "expected a list"),
        ([1], {"a": int}, "expected an object"),
        ({"a": 1, "b": 2}, {"a": int}, r"x has \['a', 'b'\], expected \['a'\]"),
        ({"a": {"b": [1, 1.5]}}, {"*": {"b": [int]}}, r"b\[1\] is 1.5, expected int"),
    ],
    ids=str,
)
def test_values(value, pattern, why):
    with pytest.raises(ValueError, match=why):
        check_value(value, pattern, "x")


@pytest.mark.parametrize(
    ("value", "pattern"),
    [(0, int), (None, (int, None)), ([], [int]), ({}, {"*": int}), ({"a": [0.5]}, {"a": [float]})],
    ids=str,
)
def test_values_as_declared_are_taken(value, pattern):
    check_value(value, pattern, "x")


def test_facts_bound_arrays():
    form = StepForm(
        {"codes": ArrayForm("int32", "rows", below="labels")},
        {"labels": [str], "sizes": [int]},
        {
            "labels": lambda facts: len(facts["labels"]),
            "rows": lambda facts: sum(facts["sizes"]),
        },
    )
    codes = {"codes": np.array([0, 1, 0], np.int32)}
    form.check(codes, {"labels": ["a", "b"], "sizes": [1, 2]})
    with pytest.raises(ValueError, match="expected 0 to 0"):
        form.check(codes, {"labels": ["a"], "sizes": [1, 2]})
    with pytest.raises(ValueError, match="codes has 3 rows, expected 4"):
        form.check(codes, {"labels": ["a", "b"], "sizes": [2, 2]})


def test_the_form_of_an_array_is_its_own():
    array = np.zeros((2, 3), np.float64)
    check_arrays({"a": array}, {"a": ArrayForm.like(array)})
    with pytest.raises(ValueError, match="a has 3 2, expected 2"):
        check_arrays({"a": np.zeros((3, 3))}, {"a": ArrayForm.like(array)})
