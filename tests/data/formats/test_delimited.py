"""CSV and TSV files.

Tests of wordplane.data.formats.delimited and wordplane.data.formats.records.
"""

import pytest

import wordplane
from tests.data.reading import refusal, rows
from wordplane.cli import main
from wordplane.data.read import read, read_batches


def test_csv_that_real_exports_contain(write):
    corpus = read(
        write("a.csv", 'text,label\n5" screen,pos\n"say ""hi"",\r\nthen go",neg\n"a\rb",\x00neg\n')
    )
    assert rows(corpus)[:2] == (
        ['5" screen', 'say "hi",\r\nthen go', "a\rb"],
        ["pos", "neg", "\0neg"],
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_csv_line_ends(write, end, last):
    name = write("a.csv", end.join(["text,label", "a,x", "b,y"]) + end * last)
    assert rows(read(name))[:2] == (["a", "b"], ["x", "y"])


def test_csv_empty_lines_are_counted(write):
    name = write("a.csv", "text,label\n\na,x\n\n\nb,y\n,z\n\n")
    corpus = read(name)
    assert rows(corpus)[:2] == (["a", "b", ""], ["x", "y", "z"])
    assert "a.csv: skipped 4 empty lines, the first in line 2" in corpus.notes


def test_empty_lines_are_counted_once_in_batches(write):
    name = write("a.csv", "text\n\n" + "a\n" * 1500 + "\n")
    batches = list(read_batches(name, batch_size=500))
    assert [[note for note in batch.notes if "empty line" in note] for batch in batches] == [
        ["a.csv: skipped 1 empty line in line 2"],
        [],
        ["a.csv: skipped 1 empty line in line 1503"],
    ]


def test_an_empty_text_alone_in_its_row_is_quoted(write):
    assert list(read(write("a.csv", 'text\n""\na\n')).texts) == ["", "a"]


@pytest.mark.parametrize(("row", "found"), [("a", 1), ("a,b,c", 3)])
def test_csv_ragged_rows(write, row, found):
    message = refusal(write("a.csv", f'text,label\n"x\ny",z\n{row}\n'))
    assert message.startswith(f"a.csv, row 2 (line 4): {found} fields, expected 2; put quotes")
    assert "`delimiter`" in message


def test_csv_quote_never_closed(write):
    message = refusal(write("a.csv", 'text,label\na,b\n"open,c\nd,e\nf,g\n'))
    assert message.startswith("a.csv, row 2 (line 3): a quote opens a field and is never closed")
    assert "(read up to line 5)" in message


def test_csv_quote_not_doubled(write):
    message = refusal(write("a.csv", 'text,label\n"he said "hi"",c\n'))
    assert message.startswith("a.csv, row 1 (line 2): ',' expected after '\"'")


@pytest.mark.parametrize(("delimiter", "shown"), [(";", "';'"), ("|", "'|'"), ("\t", "a tab")])
def test_csv_delimiter_is_guessed(write, delimiter, shown):
    corpus = read(write("a.csv", f"text{delimiter}label\n1,5{delimiter}x\n"))
    assert rows(corpus)[:2] == (["1,5"], ["x"])
    assert f"a.csv: delimiter {shown} (the most frequent in the first line)" in corpus.notes


def test_csv_delimiter_beside_commas(write):
    corpus = read(write("a.csv", '"text, free";label;id\n"a;b";x;1\n'))
    assert rows(corpus) == (["a;b"], ["x"], ["1"])
    assert list(read(write("a.csv", "id\ttext, free\tlabel\n1\ta\tx\n")).texts) == ["a"]


def test_csv_delimiter_as_spreadsheets_say_it(write):
    name = write("a.csv", "sep=|\r\ntext,|label\r\na|x\r\n|y\r\n")
    corpus = read(name, text="text,")
    assert rows(corpus)[:2] == (["a", ""], ["x", "y"])
    assert "a.csv: delimiter '|' (as the first line says)" in corpus.notes
    assert "1 of 2 texts are empty, the first in row 2 (line 4)" in corpus.notes
    assert rows(read(name, text="text,", delimiter="|")) == rows(corpus)
    assert "row 1 (line 3): a quote" in refusal(write("a.csv", 'sep=;\ntext;label\n"a;x\n'))
    assert list(read(write("a.csv", "sep=\nseparator\n")).texts) == ["separator"]


def test_a_first_line_that_is_data(write):
    name = write("a.csv", "\n".join(f"some text {i},{'xy'[i % 2]}" for i in range(10)))
    assert "pass `header=False`" in refusal(name, require_label=True)
    assert len(read(name, header=False, require_label=True)) == 10


def test_csv_delimiter_given(write):
    assert list(read(write("a.csv", "text:label,2\na:b\n"), delimiter=":").texts) == ["a"]
    assert "expected one character" in refusal("a.csv", delimiter="::")


def test_tsv(write):
    name = write("a.tsv", 'text\tlabel\na,b;c\tx\n"d\te"\ty\n')
    assert rows(read(name))[:2] == (["a,b;c", "d\te"], ["x", "y"])


def test_csv_without_header(write):
    name = write("a.csv", "some longer text,x\nother,y\nthird,x\nfourth,y\n")
    corpus = read(name, header=False)
    assert rows(corpus)[1] == ["x", "y", "x", "y"]
    assert corpus.notes == (
        "text column: '1' (by its content)",
        "label column: '2' (by its content)",
    )
    assert list(read(name, header=False, text="2", label="1").texts) == ["x", "y", "x", "y"]


def test_files_are_read_without_a_header_as_those_of_the_training(write, capsys):
    write("t.csv", "good film,x\ndull film,y\n" * 20)
    write("n.csv", "a good film\na dull film\n")
    assert main(["train", "t.csv", "--no-header", "--label", "2", "-o", "m.wordplane"]) == 0
    capsys.readouterr()
    assert main(["predict", "m.wordplane", "n.csv", "-o", "o.csv"]) == 0
    assert "note: n.csv: the first row is data, as in the training data" in capsys.readouterr().err
    assert list(read("o.csv", text="label", labels=False).texts) == ["x", "y"]
    assert wordplane.evaluate("m.wordplane", "t.csv").scores.accuracy == 1.0


def test_csv_duplicate_column_names(write):
    message = refusal(write("a.csv", "text,label,text\na,b,c\n"))
    assert message.startswith("a.csv: the header has 2 columns called 'text'; rename them")
    name = write("a.csv", "text;label;Note;Note\na;x;1;2\nb;y;3;4\n")
    corpus = read(name)
    assert rows(corpus)[:2] == (["a", "b"], ["x", "y"])
    assert "a.csv: 2 columns called 'Note' were left out" in corpus.notes
    assert "has 2 columns called 'Note'" in refusal(name, extra="Note")
    guess = write("b.csv", "said,said,mark\na b c,1,x\nb c d,2,y\nc,3,x\nd e,4,y\n")
    assert "has 2 columns called 'said'" in refusal(guess)


def test_csv_columns_without_a_name(write):
    corpus = read(write("a.csv", "text,label,, \na,x,,\nb,y,,\n"))
    assert rows(corpus)[:2] == (["a", "b"], ["x", "y"])
    assert len(corpus.notes) == 2
    name = write("a.csv", "text,,\na,x,1\nb,y,1\nc,x,1\nd,y,1\n")
    assert read(name).labels is None  # by its content it could be one, but it has no name
    assert read(name, label="Unnamed: 2").labels == ["x", "y", "x", "y"]


def test_csv_labels_are_strings(write):
    assert read(write("a.csv", "text,label\na,1\nb,02\n")).labels == ["1", "02"]


def test_ragged_rows_are_left_out_if_asked(write):
    corpus = read(write("a.csv", "text,label\na,x\nb\nc,d,y\ne,y\n"), skip_bad=True)
    assert rows(corpus)[:2] == (["a", "e"], ["x", "y"])
    assert "a.csv: left out 2 rows, the first in line 3: 1 fields, expected 2" in corpus.notes[-1]


def test_quotes_in_lines_that_tabs_divide_evenly_are_text(write):
    lines = ["text\tlabel", '"Good," he said\tx', "it's 5\" wide\ty", 'plain "quoted"\tx']
    corpus = read(write("a.tsv", "\n".join(lines) + "\n"), label="label")
    assert list(corpus.texts) == ['"Good," he said', "it's 5\" wide", 'plain "quoted"']
    assert any("quotes are read as parts of the fields" in note for note in corpus.notes)
    whole = read(write("b.tsv", 'text\tlabel\n"a ""b"""\tx\n"c\td"\ty\n'), label="label")
    assert list(whole.texts) == ['a "b"', "c\td"]
