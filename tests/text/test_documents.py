"""Tests of wordplane.text.documents, and of wordplane.text.fields."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.text.documents import Documents, as_documents
from wordplane.text.fields import MAX_FIELDS, check_fields, name_of_field, parse_part
from wordplane.text.texts import as_texts


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (["hi"], "must be a frame or a mapping"),
        ({"text": ["hi"]}, "no column 'n'"),
        ({"a": ["hi"], "b": ["ho"], "n": [1], "c": ["x"]}, "which of them holds the texts"),
        ({"text": ["hi"], "n": ["many"], "c": ["x"]}, "row 0 of 'n' is 'many'"),
        ({"text": ["hi"], "n": [float("nan")], "c": ["x"]}, "row 0 of 'n' is nan"),
        ({"text": ["hi"], "n": [1, 2], "c": ["x"]}, "2 values for 1 texts"),
        ({"text": ["hi"], "n": [1], "c": ["\ud800"]}, "lone surrogate"),
    ],
)
def test_frames_that_are_refused(X, message):
    with pytest.raises(InputError, match=message):
        as_documents(X, {"n": "number", "c": "category"})


def test_some_documents():
    rows = {"title": ["a", "b"], "body": ["c", "d"], "n": [1, 2], "c": ["x", None]}
    kinds = {"title": "text", "body": "text", "n": "number", "c": "category"}
    documents = as_documents(rows, kinds)
    assert list(documents.texts) == ["a\nc", "b\nd"]
    second = documents.take(np.array([1]))
    assert list(second.texts) == ["b\nd"]
    assert second.numbers["n"].tolist() == [2]
    assert second.categories == {"c": [None]}
    assert list(second.texts_of("field1.words")) == ["d"]
    assert second.texts_of("words") is second.texts
    with pytest.raises(InputError, match="documents with further columns cannot be joined"):
        _ = documents + second
    assert list((Documents(as_texts(["a"])) + Documents(as_texts(["b"]))).texts) == ["a", "b"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (3, "`fields` is 3, expected names of columns"),
        (["a", "b", "a"], "`fields` names 'a' twice"),
        ([""], "a field is '', expected a string that is not empty"),
        ({"a": 0}, "the weight of the field 'a' is 0, expected above 0"),
        ([f"f{k}" for k in range(MAX_FIELDS + 1)], "expected at most 100"),
    ],
)
def test_fields_that_are_refused(fields, message):
    with pytest.raises(InputError, match=message):
        check_fields(fields)


@given(st.integers(0, 999), st.text(min_size=1))
def test_the_part_of_a_field_is_read_again(field, kind):
    assert parse_part(name_of_field(field, kind)) == (field, kind)
