"""Tests of wordplane.data.formats.vw: files of Vowpal Wabbit."""

import pytest

from tests.data.reading import contents, refusal
from wordplane.data.read import read


def test_vw(write):
    content = "1 2.5 'a|title  great film |body:1 so:2 good:1.0 bad:0\n\n-1 | dull\t\n"
    corpus = read(write("a.vw", content))
    assert contents(corpus)[:4] == (
        ["great film so so good", "dull\t"],
        ["1", "-1"],
        ["a", ""],
        [2.5, 1.0],
    )
    assert corpus.notes == ("a.vw: skipped 1 empty line in line 2",)


def test_vw_names_and_absent_parts(write):
    assert contents(read(write("a.vw", "spam |a b c\nham |\n|w\n")))[:4] == (
        ["b c", "", ""],
        ["spam", "ham", None],
        None,
        None,
    )
    assert contents(read(write("b.vw", "| b\n")))[1] is None
    # as Vowpal Wabbit reads it: what touches the bar is the tag
    assert contents(read(write("c.vw", "x t| b\n")))[1:3] == (["x"], ["t"])
    corpus = read(write("d.vw", "x |a:2 b\n"))
    assert (list(corpus.texts), corpus.notes[0]) == (
        ["b"],
        "d.vw: weights of namespaces are ignored; `fields` gives them weights",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 great film", "there is no |, expected one between the label and the words"),
        ("1 2 3 | a", "initial predictions are not supported"),
        ("1:0.5 2:1 | a", "has costs, which are not supported"),
        ("1:0.5 2:1 3:0 | a", "has costs, which are not supported"),
        ("keep:0 delete:5 spam:2 | a", "has costs, which are not supported"),
        ("1 heavy | a", "the importance is 'heavy', expected a finite number"),
        ("1 | a:0.5", "found 'a:0.5', expected a word with a whole count of at most 1,000"),
        ("1 | a:-1", "found 'a:-1'"),
        ("1 | a:9999999", "found 'a:9999999'"),
        ("1 | :)", "found ':)'"),
        ("1 -2 | a", "the importance is '-2', expected a finite number of 0 or more"),
    ],
)
def test_vw_that_is_no_text(write, line, message):
    found = refusal(write("a.vw", f"1 1 | a\n{line}\n"))
    assert found.startswith("a.vw, row 2: ")
    assert message in found


def test_vw_importance_that_comes_late(write):
    rows = "1 | a\n" * 1_100
    assert "row 1101: an importance, which no row had before" in refusal(
        write("a.vw", rows + "1 2 | a\n")
    )


def test_features_with_values_are_columns_of_numbers(write):
    content = "1 |t good film price:-0.5 |u age:2e1 :)\n0 |t film price |u bad\n"
    corpus = read(write("a.vw", content.replace(":)", "x")), extra=["price", "age"])
    assert list(corpus.texts) == ["good film x", "film bad"]
    assert corpus.extras == {"price": [-0.5, 1.0], "age": [20.0, 0.0]}
    absent = read(write("b.vw", "1 |t good\n0 |t bad\n"), extra="price")
    assert absent.extras == {"price": [0.0, 0.0]}
    assert absent.notes == ("b.vw: none of the first 2 lines has the feature 'price'",)
    told = refusal(write("c.vw", "1 |t a:-1\n"))
    assert "name it as a column of numbers with `extra='a'`" in told
    twice = read(
        write("e.vw", "1 |t good a:0.5 a:-0.125 b |u a\n1 |t a:0 a:2e1 b:7\n"), extra=["a", "b"]
    )
    assert twice.extras == {"a": [1.375, 20.0], "b": [1.0, 7.0]}  # their sums, as VW has it
    assert "found 'a:x', expected a number" in refusal(write("d.vw", "1 |t a:x\n"), extra="a")
