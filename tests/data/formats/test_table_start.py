"""Tests of wordplane.data.formats.table_start and wordplane.data.formats.rows: titles before the
names of the columns, delimiters, rows without a value."""

import pytest

from tests.data.reading import refusal, rows
from wordplane.data.read import read, read_batches

TABLE = "Nr;Text;Kategorie\n1;erster Text;a\n2;zweiter, Text;b\n3;dritter;a\n"
EXPECTED = (["erster Text", "zweiter, Text", "dritter"], ["a", "b", "a"], None)


@pytest.mark.parametrize(
    ("before", "n_lines"),
    [
        ("Export Mai 2024\n", 1),
        ("Export, Mai, 2024, ganz\n\n", 2),
        ("Export Mai 2024;;\n;;\n", 2),
        ("Export\nErstellt: 01.06.2024\n\n", 3),
        (";;\n", 1),
        ("sep=;\nExport Mai 2024\n", 2),
        ('"Ein Titel\nin zwei Zeilen"\n', 2),
    ],
)
def test_titles_are_left_out(write, before, n_lines):
    corpus = read(write("a.csv", before + TABLE), require_label=True)
    assert rows(corpus) == EXPECTED
    (note,) = (note for note in corpus.notes if "before the header" in note)
    lines = "1 line" if n_lines == 1 else f"{n_lines} lines"
    assert note.startswith(f"a.csv: left out {lines} before the header")
    (batch,) = read_batches("a.csv")
    assert rows(batch)[0] == EXPECTED[0]


@pytest.mark.parametrize("before", ["", "\n", "sep=;\n", "\ufeff", "\ufeffsep=;\n"])
def test_no_title(write, before):
    corpus = read(write("a.csv", before + TABLE))
    assert rows(corpus) == EXPECTED
    assert not any("before the header" in note for note in corpus.notes)


def test_what_only_looks_like_a_title(write):
    # an index without a name, as pandas writes it
    assert read(write("a.csv", ",text\n0,good\n1,bad\n")).text_columns == ("text",)
    assert read(write("a.csv", "text,\ngood,x\nbad,y\nbad,y\n")).text_columns == ("text",)
    # texts with commas that should have been quoted: an error, not another header
    name = write("a.csv", "text\none, two\nthree, four\nfive, six\n")
    assert "row 1 (line 2): 2 fields, expected 1" in refusal(name)
    name = write("a.csv", "text,label\n" + "a,b,c,d,1\n" * 5)
    assert "5 fields, expected 2" in refusal(name)
    # without a header nothing is left out
    name = write("a.csv", "title\n1;a b;x\n2;c d;y\n")
    assert "row 2" in refusal(name, header=False, delimiter=";")


def test_a_title_with_another_delimiter(write):
    corpus = read(write("a.csv", "Export, Mai, 2024, Abteilung, ganz\n" + TABLE))
    assert rows(corpus) == EXPECTED
    assert corpus.file_style == {"delimiter": ";"}
    assert "a.csv: delimiter ';' (it divides the first rows evenly)" in corpus.notes


def test_rows_of_empty_cells(write):
    """They are no rows where labels are needed, and rows without a label elsewhere."""
    name = write("a.csv", "text;label;n\na b;x;1\n;;\nc d;y;2\n;;\n ; ;\n")
    corpus = read(name, require_label=True)
    assert rows(corpus)[:2] == (["a b", "c d"], ["x", "y"])
    assert "a.csv: skipped 3 empty rows, the first in line 3" in corpus.notes
    assert len(read(name, labels=False)) == len(read(name)) == 5
    assert [len(batch) for batch in read_batches(name, require_label=True)] == [2]


def test_rows_of_empty_cells_after_many_others(write):
    line = "some words that fill a line of the file;x\n"
    n = 20_000
    name = write("a.csv", "text;label\n" + line * n + ";\n" * 3 + line)
    corpus = read(name, require_label=True)
    assert len(corpus) == n + 1
    assert any("skipped 3 empty rows" in note for note in corpus.notes)


def test_empty_cells_after_the_last_column(write):
    corpus = read(write("a.csv", "text;label\na b;x;;\nc d;y\n"))
    assert rows(corpus)[:2] == (["a b", "c d"], ["x", "y"])
    assert "3 fields, expected 2" in refusal(write("a.csv", "text;label\na b;x;z\nc d;y\n"))


def test_a_delimiter_that_is_known(write):
    name = write("a.csv", "text,more|label\na,b|x\nc|y\n")
    assert read(name, file_style={"delimiter": "|"}).text_columns == ("text,more",)
    name = write("b.csv", "text,label\na,x\n")
    assert rows(read(name, file_style={"delimiter": ";"}))[:2] == (["a"], ["x"])
    assert read(name, delimiter=",", file_style={"delimiter": ";"}).file_style == {}


@pytest.mark.parametrize("before", ["Customer reviews,\n", "Customer reviews,\n,\n"])
def test_a_title_above_two_columns_is_left_out(write, before):
    rows = "negative,too loud\npositive,works well\n" * 3
    corpus = read(write("a.csv", f"{before}Sentiment,Comment\n{rows}"), require_label=True)
    assert (len(corpus), corpus.text_columns, corpus.label_column) == (6, ("Comment",), "Sentiment")
    assert len(read(write("b.csv", "text,\nsome words,x\nother words,y\n"))) == 2


@pytest.mark.parametrize(
    "above", ["Ticket,,Meta", "Ticket,Ticket,Meta", "Reviews,(internal),", "id,what,where"]
)
def test_the_second_of_two_rows_of_names(write, above):
    lines = "Nr,Text,Label\n" + "".join(f"{i},words {i},{'xy'[i % 2]}\n" for i in range(6))
    corpus = read(write("a.csv", f"{above}\n{lines}"), require_label=True)
    assert rows(corpus) == ([f"words {i}" for i in range(6)], ["x", "y"] * 3, None)
    assert (corpus.text_columns, corpus.label_column) == (("Text",), "Label")
    (note,) = (note for note in corpus.notes if "before the header" in note)
    assert note == (
        f"a.csv: left out 1 line before the header ({above.split(',')[0]!r}); the names of the "
        "columns are those in line 2. If that line is data, rename the columns above it to 'text' "
        "and 'label'"
    )


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ("text,label", "question,topic"),  # already names both
        ("word,kind", "question,x"),  # names no labels
        ("word,kind", "question,topic\nother,topic"),  # a label that comes again
    ],
)
def test_a_row_that_is_not_a_second_row_of_names(write, names, first):
    lines = "".join(f"words {i},{'xy'[i % 2]}\n" for i in range(6))
    corpus = read(write("a.csv", f"{names}\n{first}\n{lines}"))
    assert corpus.texts[0] == "question" and not any("header" in note for note in corpus.notes)
