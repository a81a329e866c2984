"""Labels of rows: tests of wordplane.common.labels, wordplane.common.label_sets,
wordplane.common.label_chain, wordplane.common.groups and wordplane.common.weights.
"""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.common.groups import as_groups, take_groups
from wordplane.common.label_chain import LabelChain
from wordplane.common.label_sets import LabelSets, as_label_sets, as_labels_or_sets, classes_of
from wordplane.common.labels import as_labels, check_known, class_array, encode, encode_known
from wordplane.common.weights import as_weights

label_lists = st.one_of(
    st.lists(st.text(max_size=3).filter(lambda s: s.isascii()), min_size=1),
    st.lists(st.integers(-5, 5), min_size=1),
)


@given(label_lists)
def test_codes_are_places_among_the_sorted_classes(y):
    classes, codes = encode(as_labels(y))
    assert classes.tolist() == sorted(set(y))
    assert [classes.tolist()[k] for k in codes] == y
    assert encode_known(as_labels(y), classes).tolist() == codes.tolist()


def test_strings_keep_what_numpy_would_drop():
    assert class_array(["a\0", "b"]).tolist() == ["a\0", "b"]
    assert class_array(["a", "b"]).dtype.kind == "U"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "the target y is None"),
        ("abc", "the labels are 'abc', expected a list"),
        ({"a": 1}, "expected a list of labels"),
        ([1, "a"], "some labels are strings and others numbers"),
        ([2**63], "at most 64 bits"),
        ([[1], [2]], "row 0 has the labels"),
        (["\ud800"], "lone surrogate"),
        (np.zeros((2, 2)), "1d array"),
    ],
)
def test_labels_that_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        as_labels(y)


def test_unknown_labels_are_named():
    with pytest.raises(InputError, match=r"the label 'c' is not among the classes 'a', 'b'"):
        encode_known(as_labels(["a", "c"]), np.array(["a", "b"]))
    check_known(["a", "c"], np.array(["a", "b"]), "x.csv")
    with pytest.raises(InputError, match=r"x\.csv: the model knows none of the labels"):
        check_known(["c"], np.array(["a", "b"]), "x.csv")
    for known in (np.array([0, 1]), np.array(["0", "1"])):
        with pytest.raises(InputError, match="they differ in a decimal point"):
            check_known(["0.0", "1.0"], known, "x.csv")


@pytest.mark.parametrize("y", [[1.5, 5, 3], np.array([1.5, 5.0]), ["a", 2.5], [float("inf")]])
def test_numbers_with_decimals_are_refused(y):
    with pytest.raises(InputError, match=r"a number with decimals.*`TextRegressor`"):
        as_labels_or_sets(y)


def test_whole_numbers_are_integers():
    assert as_labels_or_sets([1.0, 5, 3]).tolist() == [1, 5, 3]
    assert as_labels_or_sets(np.array([1.0, 5.0])).tolist() == [1, 5]
    with pytest.raises(InputError, match="row 1 has the label NaN, expected a label: leave out"):
        as_labels_or_sets([1.0, np.nan])


def test_dates_become_strings():
    assert as_labels_or_sets([date(2020, 1, 2)]).tolist() == ["2020-01-02"]


@given(st.lists(st.lists(st.sampled_from("abcd"), unique=True), min_size=1, max_size=8), st.data())
def test_label_sets_are_the_sets_of_their_rows(rows, data):
    sets = as_label_sets(rows)
    assert sets.tolist() == [tuple(sorted(row)) for row in rows]
    assert sets.member.sum(axis=0).tolist() == sets.sizes().tolist()
    assert LabelSets.of_member(sets.classes, sets.member).tolist() == sets.tolist()
    some = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    assert sets[some].tolist() == [sets.tolist()[row] for row in some]
    wider = sets.with_classes(np.array(list("abcde")))
    assert wider.tolist() == sets.tolist()
    assert classes_of(wider).tolist() == list("abcde")


def test_label_sets_that_are_refused():
    with pytest.raises(InputError, match="values other than 0 and 1"):
        as_label_sets(np.array([[0, 2], [1, 0]]))
    with pytest.raises(InputError, match="row 1 has the labels 'a', expected a list"):
        as_label_sets([["a"], "a"])
    with pytest.raises(InputError, match="in the labels of row 1"):
        as_label_sets([["a"], [1.5]])


def test_a_chain_of_a_file_is_checked():
    links = np.array([[0.0, 0.0], [2.0, 0.0]])
    chain = LabelChain.checked([1, 0], links, 2)
    assert chain.follow(np.array([[-1.0, 1.0]])).tolist() == [[1.0, 1.0]]
    assert chain.to_dict() == {"order": [1, 0], "links": links.tolist()}
    for order, wrong in (([0, 1], links), ([1, 1], links), ("10", links), ([1, 0], links[:1])):
        with pytest.raises(InputError, match="chain"):
            LabelChain.checked(order, wrong, 2)


def test_groups_of_another_length():
    with pytest.raises(InputError, match="`groups` has 2 values for 3 texts"):
        as_groups(["a", "b"], 3)
    assert take_groups(None, np.array([0])) is None
    assert take_groups(np.array([4, 5]), np.array([1])).tolist() == [5]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["a"], "must be numbers"),
        ([[1.0]], "1D array or scalar"),
        ([1, 2], "X has 1 rows and sample_weight has 2"),
        ([np.nan], "finite and not negative"),
        ([0], "all zero"),
        ([1e200], "add up to more than"),
    ],
)
def test_weights_that_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        as_weights(weights, 1)
