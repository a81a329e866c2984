"""Tests of wordplane.data.formats.fasttext."""

import pytest

from tests.data.reading import contents, refusal
from wordplane.common.errors import InputError
from wordplane.data.read import read


def test_fasttext(write):
    content = "__label__pos great  film\r\nso dull __label__neg\n__label__x\n"
    corpus = read(write("a.fasttext", content), require_label=True)
    assert contents(corpus)[:2] == (["great  film", "so dull ", ""], ["pos", "neg", "x"])
    assert corpus.notes == ("1 of 3 texts are empty, the first in row 3",)


def test_fasttext_without_labels_and_with_several(write):
    name = write("a.ft", "a __label\n__label__x __label__y __label__x b\n\n")
    assert contents(read(name))[:2] == (["a __label", "b", ""], [(), ("x", "y"), ()])
    name = write("a.ft", "a __label\n__label__x b\n\n")
    assert contents(read(name))[:2] == (["a __label", "b", ""], [None, "x", None])
    assert "row 1: the label is missing" in refusal(name, require_label=True)
    assert (
        refusal(write("b.ft", "__label__ a\n")) == "b.ft, row 1: __label__ without a name after it"
    )


def test_a_file_is_recognized_by_its_first_line(write):
    for name in ("a.txt", "cooking.train", "noending"):
        path = write(name, "__label__x one\n__label__y two\n")
        corpus = read(path)
        assert corpus.labels == ["x", "y"]
        assert corpus.notes == (f"{path}: labels are words that begin with __label__ (fastText)",)


def test_labels_may_have_another_prefix(write):
    path = write("a.txt", "#x one #z\n#y two #y\n")
    corpus = read(path, label_prefix="#")
    assert corpus.labels == [("x", "z"), ("y",)]
    assert list(corpus.texts) == ["one ", "two "]
    assert read(write("b.ft", "+x a\n"), label_prefix="+").labels == ["x"]
    for wrong in ("", " ", "a b"):
        with pytest.raises(InputError, match="label_prefix"):
            read(path, label_prefix=wrong)
