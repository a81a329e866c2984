"""Tests of wordplane.data.corpus: columns stay aligned."""

import numpy as np
import pytest

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus


def make_corpus():
    return Corpus(
        texts=_core.Texts(["zero", "one", "two", "three"]),
        labels=["a", "b", "a", None],
        ids=["i0", "i1", "i2", "i3"],
        weights=np.array([0.0, 1.0, 2.0, 3.0]),
        split=["train", "dev", "test", "train"],
        extras={"year": [2000.0, 2001.0, 2002.0, 2003.0]},
        notes=("a note",),
        source="here",
    )


def test_take_keeps_every_column_aligned():
    taken = make_corpus().take([2, 0, 2])
    assert list(taken.texts) == ["two", "zero", "two"]
    assert taken.labels == ["a", "a", "a"]
    assert taken.ids == ["i2", "i0", "i2"]
    assert taken.weights.tolist() == [2, 0, 2]
    assert taken.split == ["test", "train", "test"]
    assert taken.extras == {"year": [2002, 2000, 2002]}
    assert (taken.notes, taken.source) == (("a note",), "here")
    assert len(taken) == 3


def test_take_of_a_corpus_without_columns():
    taken = Corpus(_core.Texts(["a", "b"])).take(np.array([1]))
    assert list(taken.texts) == ["b"]
    assert taken.labels is taken.ids is taken.weights is taken.split is None
    assert len(Corpus(_core.Texts(["a"])).take([])) == 0


@pytest.mark.parametrize("row", [-1, 4])
def test_take_of_a_row_that_is_not_there(row):
    with pytest.raises(InputError, match=f"there is no row {row}: the rows are 0 to 3"):
        make_corpus().take([0, row])


def test_split_rows():
    corpus = make_corpus()
    assert corpus.split_rows("train").tolist() == [0, 3]
    assert corpus.split_rows("dev").tolist() == [1]
    assert corpus.split_rows("test").tolist() == [2]
    assert corpus.split_rows("test").dtype == np.int64
    with pytest.raises(InputError, match="part is 'valid'"):
        corpus.split_rows("valid")


def test_without_a_split_every_row_is_for_training():
    corpus = Corpus(_core.Texts(["a", "b"]))
    assert corpus.split_rows("train").tolist() == [0, 1]
    assert corpus.split_rows("dev").tolist() == corpus.split_rows("test").tolist() == []


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("labels", ["a"]),
        ("ids", ["1", "2", "3"]),
        ("weights", np.ones(1)),
        ("split", []),
        ("extras", {"year": [1.0]}),
    ],
)
def test_columns_of_another_length(column, values):
    with pytest.raises(InputError, match=rf"{column}.* values for 2 documents"):
        Corpus(_core.Texts(["a", "b"]), **{column: values})


def test_a_split_that_is_none():
    with pytest.raises(InputError, match=r"split\[1\] is 'valid', expected 'train', 'dev'"):
        Corpus(_core.Texts(["a", "b"]), split=["train", "valid"])


def test_repr_is_short():
    assert repr(make_corpus()) == "Corpus(4 texts, 2 classes, from here)"
    assert repr(Corpus(_core.Texts(["a"]))) == "Corpus(1 texts)"
    assert repr(Corpus(_core.Texts(["a", "b"]), [("x", "y"), ()])) == "Corpus(2 texts, 2 classes)"


def test_it_is_frozen():
    with pytest.raises(AttributeError):
        make_corpus().labels = None
