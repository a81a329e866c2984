"""Tests of wordplane.data.assemble: values of labels, ids, weights, splits and extra columns."""

import datetime

import pytest

from tests.data.reading import parquet, refusal, rows
from wordplane.data.read import read


def test_missing_labels(write):
    name = write("a.csv", "text,label\na,x\nb,\nc,y\nd,\n")
    corpus = read(name)
    assert corpus.labels == ["x", None, "y", None]
    assert "2 of 4 labels are missing, the first in row 2 (line 3)" in corpus.notes
    assert refusal(name, require_label=True, label="label") == (
        "a.csv, row 2 (line 3): the label is missing (column 'label'), as in 1 more row; "
        "fill it in, or leave out such rows with `skip_unlabeled=True`"
    )


def test_a_missing_label_in_a_column_that_was_guessed(write):
    name = write("a.csv", "text,Notiz\na b c,x\nb,y\nc d,x\nd,\n")
    assert refusal(name, require_label=True) == (
        "a.csv, row 4 (line 5): the label is missing (column 'Notiz', which was guessed; name "
        "another with `label`); fill it in, or leave out such rows with `skip_unlabeled=True`"
    )
    assert "(column 'label');" in refusal(write("a.ft", "a b\n__label__x c\n"), require_label=True)


def test_rows_without_a_label_are_left_out_if_asked(write):
    name = write("a.csv", "text,label\na,x\nb,\nc,y\nd,\n")
    corpus = read(name, require_label=True, skip_unlabeled=True)
    assert rows(corpus)[:2] == (["a", "c"], ["x", "y"])
    assert corpus.ids == ["1", "3"]  # as the file counts
    assert corpus.notes[-1] == "rows without a label left out: 2 of 4"
    assert not any("missing" in note for note in corpus.notes)
    whole = write("b.csv", "text,label\na,x\nc,y\n")
    assert read(whole, skip_unlabeled=True).ids is None
    none = write("c.csv", "text,label\na,\nc,\n")
    assert refusal(none, skip_unlabeled=True) == "c.csv: no row has a label"


def test_rows_left_out_keep_ids_and_split(write):
    name = write("a.csv", "id,text,label,split\nA,a,,train\nB,b,x,test\n")
    corpus = read(name, skip_unlabeled=True)
    assert (corpus.ids, corpus.split, corpus.labels) == (["B"], ["test"], ["x"])


def test_white_space_around_labels_is_no_part_of_them(write):
    corpus = read(write("a.csv", "text,label\na, pos \nb,pos\nc,  \nd,\tneg\u00a0\n"))
    assert corpus.labels == ["pos", "pos", None, "neg"]
    assert "1 of 4 labels are missing, the first in row 3 (line 4)" in corpus.notes
    assert "row 3 (line 4): the label is missing" in refusal("a.csv", require_label=True)
    name = write("a.jsonl", '{"text": "a", "label": " x"}\n{"text": "b", "label": ["x "]}\n')
    assert read(name).labels == ["x", "x"]
    assert read(parquet("a.parquet", text=["a", "b"], label=["x ", " "])).labels == ["x", None]


def test_white_space_around_several_labels(write):
    name = write(
        "a.jsonl", '{"text": "a", "label": [" x", "y", "x"]}\n{"text": "b", "label": [" "]}'
    )
    assert read(name).labels == [("x", "y"), ()]
    name = write("a.csv", "text,label\na, x | y\nb, \nc,x|\n")
    assert read(name, label_separator="|").labels == [("x", "y"), (), ("x",)]


def test_labels_that_differ_only_in_case(write):
    name = write("a.csv", "text,label\na,Neg\nb,neg\nc,pos\nd, NEG\n")
    note = (
        "labels 'NEG' and 'Neg' and 'neg' differ only in case; are they the same? "
        "`wordplane audit DATA --fix clean.csv` writes a copy with one spelling"
    )
    assert note in read(name).notes
    name = write("a.csv", "text,label\na,on hold\nb,on  hold\nc,pos\n")
    assert any("differ only in white space, or" in note for note in read(name).notes)
    name = write("a.csv", "text,label\na,credit card\nb,credit_card\nc,pos\n")
    note = "labels 'credit card' and 'credit_card' differ only in white space, in _ or -, or in how"
    assert any(each.startswith(note) for each in read(name).notes)
    name = write("a.csv", "text,label\na,x|A\nb,a\nc,X\n")
    note = "labels 'A' and 'a' differ only in case (as do 1 more); are they the same?"
    assert note in read(name, label_separator="|").notes
    assert len(read(write("a.csv", "text,label\na,neg\nb,pos\n")).notes) == 2


def test_no_label_at_all(write):
    assert read(write("a.csv", "text,label\na,\nb,\n")).labels is None


def test_one_class_is_for_the_trainer_to_refuse(write):
    name = write("a.csv", "text,label\na,x\nb,x\n")
    assert read(name, require_label=True).labels == ["x", "x"]


def test_empty_texts_stay(write):
    corpus = read(write("a.csv", "text,label\na,x\n,y\n \t,z\n"))
    assert list(corpus.texts) == ["a", "", " \t"]
    assert "2 of 3 texts are empty, the first in row 2 (line 3)" in corpus.notes


def test_notes_name_the_file_among_several(write):
    write("a.txt", "a\n")
    write("b.txt", "b\n\n")
    assert read("?.txt").notes == ("1 of 3 texts are empty, the first in b.txt, row 2",)


def test_duplicate_ids_stay(write):
    corpus = read(write("a.csv", "id,text\nk,a\nj,b\nk,c\nk,d\n"))
    assert corpus.ids == ["k", "j", "k", "k"]
    note = "2 of 4 ids in column 'id' occur before ('k'), the first in row 3 (line 4)"
    assert note in corpus.notes


@pytest.mark.parametrize("weight", ["-1", "nan", "inf", "", "much"])
def test_wrong_weights(write, weight):
    message = refusal(write("a.csv", f"text,w\na,1\nb,{weight}\n"), weight="w")
    assert message == (
        f"a.csv, row 2 (line 3): the weight in column 'w' is {weight!r}, "
        "expected a finite number of 0 or more"
    )


def test_a_column_called_weight_that_holds_none(write):
    for value in "", "-1", "heavy":
        corpus = read(write("a.csv", f"text,weight\na,1\nb,{value}\n"))
        assert corpus.weights is None


def test_split_column(write):
    values = ["TRAIN", "dev", "val", "valid", "Validation", " test "]
    name = write("a.csv", "text,split\n" + "".join(f"t,{value}\n" for value in values))
    assert read(name).split == ["train", "dev", "dev", "dev", "dev", "test"]
    message = refusal(write("a.csv", "text,Split\na,train\nb,unsup\n"))
    assert message.startswith("a.csv, row 2 (line 3): the split in column 'Split' is 'unsup'")


@pytest.mark.parametrize("name", ["fold", "partition", "set"])
def test_a_column_that_may_be_a_split(write, name):
    assert read(write("a.csv", f"text,{name}\na,train\nb,test\n")).split == ["train", "test"]
    assert read(write("a.csv", f"text,{name}\na,train\nb,3\n")).split is None


def test_a_split_that_ends_late(write):
    late = "text,set\n" + "a,train\n" * 1500 + "b,spoons\n"
    corpus = read(write("a.csv", late))
    assert len(corpus) == 1501 and corpus.split is None
    assert (
        "a.csv, row 1501 (line 1502): the split in column 'set' is 'spoons', "
        "so this column is not used as the split"
    ) in corpus.notes


def test_extra_columns(write):
    name = write("a.csv", "text,year,kind\na,1999,x\nb,2e3,\n")
    assert read(name, extra=["kind", "year"]).extras == {
        "kind": ["x", ""],
        "year": [1999.0, 2000.0],
    }
    assert read(name, extra="year").extras == {"year": [1999.0, 2000.0]}
    name = write("b.jsonl", '{"text": "a", "k": true, "n": 3}\n{"text": "b", "k": 1, "n": "x"}')
    assert read(name, extra=["k", "n"]).extras == {"k": ["true", "1"], "n": ["3", "x"]}


@pytest.mark.parametrize("value", ["", "nan", "-inf"])
def test_extra_numbers_with_gaps(write, value):
    message = refusal(write("a.csv", f"text,year\na,1999\nb,{value}\n"), extra=["year"])
    assert message.startswith(f"a.csv, row 2 (line 3): the value in column 'year' is {value!r}")


def test_extra_values_that_are_neither(write):
    message = refusal(write("a.jsonl", '{"text": "a", "tags": ["x"]}'), extra=["tags"])
    assert message.startswith("a.jsonl, row 1: the value in column 'tags' is ['x'], expected")
    parquet("a.parquet", text=["a"], when=[datetime.date(2024, 3, 1)])
    assert refusal("a.parquet", extra="when").endswith(
        "expected a number or a string; convert it, or leave the column out"
    )


def test_labels_that_are_made_of_others_are_noted():
    joined = {
        "text": ["w"] * 5,
        "label": ["price", "battery", "price|battery", "battery|price", "a"],
    }
    (note,) = (one for one in read(joined).notes if "between them" in one)
    assert note.startswith("2 labels such as 'battery|price' are others with '|' between them")
    for labels in (["yes", "no", "yes, but", "no, but", "a"], ["a", "b", "c|d", "e|f", "g"]):
        assert not any("between them" in one for one in read({**joined, "label": labels}).notes)
    notes = read(joined, label_separator=";").notes
    assert "no label in column 'label' contains ';'" in notes
    assert any("between them" in one for one in notes)
    assert not any("no label" in one for one in read(joined, label_separator="|").notes)
