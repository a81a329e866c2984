"""Tests of wordplane.data.formats.counts, and of wordplane.data.formats.svmlight."""

import pytest

from tests.data.reading import contents, refusal
from wordplane.data.read import read


def test_counts(write):
    name = write("a.counts", "good:2 #label#:pos very_good:1\r\n#label#:neg http://x:3\n\n\xa0:1")
    corpus = read(name)
    assert list(corpus.texts) == ["good:2 very_good:1", "http://x:3", "", "\xa0:1"]
    assert corpus.labels == ["pos", "neg", None, None]
    assert "a.counts, row 3: the label is missing" in refusal(name, require_label=True)


@pytest.mark.parametrize("item", ["good", "good:", ":1", "good:-1", "good:1.5", "good:x", "good:²"])
def test_counts_malformed(write, item):
    message = refusal(write("a.counts", f"a:1\nb:2 {item} #label#:pos\n"))
    assert message.startswith(f"a.counts, row 2: found {item!r}, expected word:count")


def test_counts_with_two_labels(write):
    message = refusal(write("a.counts", "a:1 #label#:pos #label#:neg\n"))
    assert message == "a.counts, row 1: 2 labels (pos, neg), expected one"


def test_svmlight(write):
    corpus = read(write("a.svmlight", "# head\n+1 3:2 10:1.0 # a note\n-1\n1,3 7:00\n"))
    assert contents(corpus)[:2] == (["3:2 10:1", "", "7:0"], [("+1",), ("-1",), ("1", "3")])
    assert corpus.has_counts


@pytest.mark.parametrize("item", ["3:0.5", "3:-1", "word:1", "3", "3:", "3:1e5", "qid:1"])
def test_svmlight_that_is_no_counts(write, item):
    found = refusal(write("a.libsvm", f"1 1:1\n2 {item}\n"))
    assert found.startswith(f"a.libsvm, row 2: found {item!r}, expected feature:count")
    assert "load_svmlight_file" in found


def test_svmlight_without_a_label(write):
    assert "the line begins with '1:2', expected a label" in refusal(write("a.svm", "1:2 3:4\n"))


def test_svmlight_features_with_values_are_columns_of_numbers(write):
    content = "1 1:2 7:-0.5 9:1e-1\n-1 2:1 9:3 # x\n"
    corpus = read(write("a.svmlight", content), extra=["7", "9"])
    assert list(corpus.texts) == ["1:2", "2:1"]
    assert corpus.extras == {"7": [-0.5, 0.0], "9": [0.1, 3.0]}
    assert "name it as a column of numbers with `extra='7'`" in refusal(write("b.svm", content))
    for line, given in (
        ("1 7:0.5 3:1 7:0.25", {"extra": "7"}),
        ("1 7:2 3:1 7:1", {}),
        ("1 07:2 7:1", {}),
    ):
        refused = refusal(write("d.svm", f"1 1:1\n{line}\n"), **given)
        assert "d.svm, row 2: " in refused
        assert "the feature '7' is there twice, expected once in a line" in refused
    absent = read(write("c.svm", "1 1:2\n-1 2:1\n"), extra="3")
    assert absent.notes == ("c.svm: none of the first 2 lines has the feature '3'",)
