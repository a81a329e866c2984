"""Tests of wordplane.data.read_options and wordplane.data.extra_columns: what is declared once is
the same everywhere."""

from dataclasses import fields
from typing import get_type_hints

import pytest

from wordplane.cli.options import OF_LABELS, TYPED, field_helps
from wordplane.data import vectors
from wordplane.data.read import read, read_batches
from wordplane.data.read_options import Reading, ReadKeywords, ReadOptions


def test_options_have_the_same_names_and_types_in_every_form():
    names = [field.name for field in fields(ReadOptions)]
    known = {"VectorsLike": vectors.VectorsLike}
    helps = field_helps(ReadOptions)
    assert list(helps) == names and all(helps.values())
    assert get_type_hints(ReadKeywords, localns=known) == get_type_hints(ReadOptions, localns=known)
    only_readers = {"labels", "require_label", "text_hint", "label_hint", "file_style"}
    assert set(Reading.__annotations__) == set(names) - only_readers
    assert {*TYPED, *OF_LABELS} < set(names)


def test_unknown_options_are_refused(write):
    name = write("a.csv", "text,label\na,b\n")
    with pytest.raises(TypeError, match="txt"):
        read(name, txt="text")
    with pytest.raises(TypeError, match="txt"):
        next(read_batches(name, txt="text"))


def test_notes_tell_what_they_are_about(write):
    name = write("a.csv", "text,label,weight\na,x,1\n,y,1\nb,,1\n")
    kinds = {note.partition(" ")[0]: note.kind for note in read(name).notes}
    assert kinds["label"] == kinds["weight"] == "label column" and kinds["text"] == "column"
    assert [note.kind for note in read(name).notes][-2:] == ["unusual", "missing labels"]
    assert "missing labels" not in [note.kind for note in read(name, skip_unlabeled=True).notes]
    assert "label column" not in [note.kind for note in read(name, labels=False).notes]


def test_an_option_that_there_is_not():
    with pytest.raises(
        TypeError, match=r"no option 'lable' of reading data \(did you mean label\?"
    ):
        read({"text": ["a"]}, lable="x")
