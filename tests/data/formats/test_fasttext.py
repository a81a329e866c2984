"""Tests of wordplane.data.formats.fasttext."""

from tests.data.reading import contents, refusal
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
