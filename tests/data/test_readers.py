"""Readers: every outcome that docs/data.md promises, and round trips of random rows."""

import csv
import datetime
import gzip
import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.data.read import read, read_batches


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the current folder and gives back its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


@pytest.fixture
def stdin(monkeypatch):
    def pipe(content):
        stream = io.BufferedReader(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))

    return pipe


def refusal(*args, **kwargs):
    """The message of the InputError."""
    with pytest.raises(InputError) as error:
        read(*args, **kwargs)
    return str(error.value)


def rows(corpus):
    return list(corpus.texts), corpus.labels, corpus.ids


# -- round trips ---------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LABEL = TEXT.map(str.strip).filter(bool)
BATCH = st.integers(1, 8)
ROWS = st.lists(st.tuples(TEXT, LABEL, TEXT), min_size=1, max_size=20)


def check_round_trip(name, data, expected, batch_size, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        whole = read(path, **options)
        batches = list(read_batches(path, batch_size=batch_size, **options))
    assert rows(whole) == expected
    assert [len(batch) for batch in batches[:-1]] == [batch_size] * (len(batches) - 1)
    assert [text for batch in batches for text in batch.texts] == expected[0]
    for batched, column in ("labels", 1), ("ids", 2):
        if expected[column] is not None:
            values = [value for b in batches for value in getattr(b, batched) or [None] * len(b)]
            assert values == expected[column]


@given(ROWS, BATCH, st.sampled_from(",;\t|"), st.booleans())
def test_csv_round_trip(table, batch_size, delimiter, bom):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([("text", "label", "id"), *table])
    data = out.getvalue().encode("utf-8-sig" if bom else "utf-8")
    check_round_trip("a.csv", data, tuple(map(list, zip(*table, strict=True))), batch_size)


@given(ROWS, BATCH)
def test_tsv_round_trip_in_another_encoding(table, batch_size):
    out = io.StringIO()
    csv.writer(out, delimiter="\t").writerows([("text", "label", "id"), *table])
    expected = tuple(map(list, zip(*table, strict=True)))
    data = out.getvalue().encode("utf-16")
    check_round_trip("a.tsv", data, expected, batch_size, encoding="utf-16")


@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=20),
    st.one_of(LABEL, st.integers(), st.booleans()).flatmap(
        lambda example: st.just(st.from_type(type(example)).filter(_is_bare))
    ),
    st.data(),
    st.booleans(),
    BATCH,
)
def test_jsonl_round_trip(table, label, data, ascii_only, batch_size):
    labels = [data.draw(label.filter(_is_unicode)) for _ in table]
    lines = [
        json.dumps({"text": text, "label": label, "id": id}, ensure_ascii=ascii_only)
        for (text, id), label in zip(table, labels, strict=True)
    ]
    expected = [text for text, _ in table], labels, [id for _, id in table]
    check_round_trip("a.ndjson", "\n".join(lines).encode(), expected, batch_size)


def _is_bare(label):
    return not isinstance(label, str) or label.strip() == label != ""


def _is_unicode(label):
    return not isinstance(label, str) or not any("\ud800" <= c <= "\udfff" for c in label)


@given(
    st.lists(st.tuples(st.none() | TEXT, st.integers(-5, 5), TEXT), min_size=1, max_size=20),
    BATCH,
    st.integers(1, 5),
)
def test_parquet_round_trip(table, batch_size, row_group_size):
    frame = pl.DataFrame(
        table, schema={"text": pl.String, "label": pl.Int8, "id": pl.String}, orient="row"
    )
    out = io.BytesIO()
    frame.write_parquet(out, row_group_size=row_group_size)
    texts, labels, ids = map(list, zip(*table, strict=True))
    expected = [text or "" for text in texts], labels, ids
    check_round_trip("a.parquet", out.getvalue(), expected, batch_size)


LINE = TEXT.map(lambda text: text.replace("\n", " ").replace("\ufeff", " ").rstrip("\r"))


@given(st.lists(LINE, min_size=1, max_size=20), st.sampled_from(["\n", "\r\n"]), BATCH)
def test_lines_round_trip(lines, end, batch_size):
    data = "".join(line + end for line in lines).encode()
    check_round_trip("a.txt", data, (lines, None, None), batch_size)
    check_round_trip("a.txt.gz", gzip.compress(data), (lines, None, None), batch_size)
    wide = "".join(line + end for line in lines).encode("utf-16")
    check_round_trip("a.txt", wide, (lines, None, None), batch_size, encoding="utf-16")


# -- lines ---------------------------------------------------------------------------------------


def test_lines(write):
    corpus = read(write("a.txt", b"one\r\n\ntwo\xc3\xa9\nlast \x00"))
    assert rows(corpus) == (["one", "", "twoé", "last \0"], None, None)
    assert corpus.notes == ("1 of 4 texts are empty, the first in row 2",)
    assert corpus.source == "a.txt"


def test_lines_have_no_labels(write):
    message = refusal(write("a.txt", "__label__x a\n"), require_label=True)
    assert message.startswith("a.txt: lines have no labels: use a format that has them")
    assert "--format fasttext if lines begin with __label__" in message
    message = refusal(write("b.txt", "text\tlabel\na\tx\n".encode("utf-16")), require_label=True)
    assert message == (
        "b.txt: lines have no labels: the first has tabs: "
        "try --format tsv (with --no-header if it is no header)"
    )
    message = refusal(write("b.txt", b"caf\xe9\n"), require_label=True)
    assert "tsv (with --no-header if the first is no header) if a tab parts them" in message
    assert read("a.txt").notes == ("a.txt: __label__ is read as text; --format fasttext as labels",)
    assert "has no column 'review'; its columns are 'text'" in refusal("a.txt", text="review")


def test_lines_of_two_files_do_not_run_into_each_other(write):
    write("a.txt", b"one\ntwo")
    write("b.txt", b"\xef\xbb\xbfthree\n")
    corpus = read(["a.txt", "b.txt"])
    assert list(corpus.texts) == ["one", "two", "three"]
    assert corpus.source == "a.txt and 1 more"


def test_stdin_is_lines(stdin):
    stdin(b"one\ntwo\n")
    corpus = read("-")
    assert (list(corpus.texts), corpus.source) == (["one", "two"], "stdin")
    stdin(b"one\n\xff\n")
    assert refusal("-").startswith("stdin, row 2: byte 0xff at offset 4 is not UTF-8")


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_stdin_in_another_format(stdin, format):
    out = io.BytesIO()
    if format == "parquet":
        pl.DataFrame({"text": ["a"], "label": ["b"]}).write_parquet(out)
    stdin(
        {"csv": b"text,label\na,b\n", "jsonl": b'{"text":"a","label":"b"}'}.get(format)
        or out.getvalue()
    )
    assert rows(read("-", format=format)) == (["a"], ["b"], None)
    if format != "parquet":
        assert not sys.stdin.buffer.closed


# -- csv and tsv ---------------------------------------------------------------------------------


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
    assert "a.csv: 4 empty lines were not taken as a row; the first is line 2" in corpus.notes


def test_empty_lines_are_counted_once_in_batches(write):
    name = write("a.csv", "text\n\n" + "a\n" * 1500 + "\n")
    batches = list(read_batches(name, batch_size=500))
    assert [[note for note in batch.notes if "empty line" in note] for batch in batches] == [
        ["a.csv: 1 empty line was not taken as a row; it is line 2"],
        [],
        ["a.csv: 1 empty line was not taken as a row; it is line 1503"],
    ]


def test_an_empty_text_alone_in_its_row_is_quoted(write):
    assert list(read(write("a.csv", 'text\n""\na\n')).texts) == ["", "a"]


@pytest.mark.parametrize(("row", "found"), [("a", 1), ("a,b,c", 3)])
def test_csv_ragged_rows(write, row, found):
    message = refusal(write("a.csv", f'text,label\n"x\ny",z\n{row}\n'))
    assert message.startswith(f"a.csv, row 2 (line 4): {found} fields, expected 2; put quotes")
    assert "--delimiter" in message


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
    assert f"a.csv: delimiter {shown} (the commonest in the first line)" in corpus.notes


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
    assert "use --no-header" in refusal(name, require_label=True)
    assert len(read(name, header=False, require_label=True)) == 10


def test_a_column_cannot_be_text_and_label(write):
    name = write("a.csv", "text,label\na,x\n")
    assert "'label' is both text and label" in refusal(name, text=("text", "label"), label="label")


def test_labels_are_not_looked_at_if_not_wanted(write):
    name = write("a.jsonl", '{"text": "a", "rating": 4.5, "weight": "heavy"}\n')
    corpus = read(name, labels=False)
    assert (corpus.labels, corpus.weights) == (None, None)
    assert corpus.notes == ("text column: 'text' (by its name)",)


def test_a_hint_of_the_text_columns(write):
    name = write("a.csv", "title,body\na,b\n")
    (batch,) = read_batches(name, text_hint=["title", "body"])
    assert list(batch.texts) == ["a\nb"]
    assert batch.text_columns == ("title", "body")
    (batch,) = read_batches(name, text_hint=["absent"])
    assert list(batch.texts) == ["b"]


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


# -- jsonl ---------------------------------------------------------------------------------------


def test_jsonl_keeps_the_types_of_labels(write):
    for labels in ["x", "y"], [1, 2], [True, False]:
        lines = [json.dumps({"text": "a", "label": label}) for label in labels]
        found = read(write("a.jsonl", "\n".join(lines))).labels
        assert found == labels and [type(label) for label in found] == list(map(type, labels))


@pytest.mark.parametrize(
    ("second", "shown"),
    [
        ('{"text": "b", "label": "x"}', "is 'x', but the labels before it are of type int"),
        ('{"text": "b", "label": true}', "is True, but the labels before it are of type int"),
        ('{"text": "b", "label": 2.5}', "is 2.5, expected a string, an integer or a boolean"),
        ('{"text": "b", "label": ["x"]}', "is 'x', but the labels before it are of type int"),
        ('{"text": "b", "label": [[1]]}', "is [1], expected a string"),
        ('{"text": "b", "label": {}}', "is {}, expected a string"),
    ],
)
def test_jsonl_labels_of_wrong_type(write, second, shown):
    name = write("a.jsonl", '{"text": "a", "label": 1}\n' + second)
    assert refusal(name).startswith(f"a.jsonl, row 2: the label in column 'label' {shown}")


@pytest.mark.parametrize(
    ("second", "shown"),
    [
        ('{"text": 5}', "the text in column 'text' is 5, expected a string"),
        ('["text"]', 'found ["text"], expected one JSON object per line'),
        ('{"text": "b"', "not JSON: Expecting ',' delimiter at character 1"),
        ('{"text": "b', "not JSON: Unterminated string starting at character 10;"),
        pytest.param("[" * 100_000, "cannot be read: ", id="nested deeply"),
        pytest.param('{"n": ' + "1" * 5000 + "}", "cannot be read: Exceeds the limit", id="huge"),
    ],
)
def test_jsonl_rows_that_cannot_be_read(write, second, shown):
    name = write("a.jsonl", '{"text": "a"}\n' + second + "\n")
    assert refusal(name).startswith(f"a.jsonl, row 2: {shown}")


def test_jsonl_labels_of_two_types_are_counted(write):
    lines = [json.dumps({"text": "a", "label": label}) for label in (0, 1, "0", 1)]
    assert refusal(write("a.jsonl", "\n".join(lines))) == (
        "a.jsonl, row 3: the label in column 'label' is '0', but the labels before it are of type "
        "int (in all: 3 int, 1 str); write all labels in one type, for instance in quotes"
    )


def test_jsonl_whole_floats_are_integers(write):
    lines = [json.dumps({"text": "a", "label": label}) for label in (1.0, None, 0, -3.0)]
    corpus = read(write("a.jsonl", "\n".join(lines)))
    assert corpus.labels == [1, None, 0, -3] and type(corpus.labels[0]) is int
    assert "label column: 'label' has whole floats, read as integers" in corpus.notes
    name = write("a.jsonl", '{"text": "a", "label": [1.0, 2]}\n{"text": "b", "label": [2.0]}')
    assert read(name).labels == [(1, 2), (2,)]


def test_rows_that_cannot_be_read_are_left_out_if_asked(write):
    bad = ['{"text": 5}', '{"text', "7"]
    good = [f'{{"text": "{i}"}}' for i in range(4)]
    name = write("a.jsonl", "\n".join([good[0], *bad, "", *good[1:], bad[0]]))
    corpus = read(name, skip_bad=True)
    assert list(corpus.texts) == ["0", "1", "2", "3"]
    assert (
        "a.jsonl: left out 4 rows, the first in line 2: the text in column 'text' is 5, expected "
        "a string"
    ) in corpus.notes
    assert refusal(name).endswith("; --skip-bad leaves out such rows")
    batches = list(read_batches(name, batch_size=2, skip_bad=True))
    assert [list(batch.texts) for batch in batches] == [["0", "1"], ["2", "3"]]
    assert "left out 1 row in line 9: the text in column 'text' is 5" in batches[1].notes[-1]
    assert refusal(write("b.jsonl", "7\n"), skip_bad=True) == "b.jsonl has no rows"


def test_ragged_rows_are_left_out_if_asked(write):
    corpus = read(write("a.csv", "text,label\na,x\nb\nc,d,y\ne,y\n"), skip_bad=True)
    assert rows(corpus)[:2] == (["a", "e"], ["x", "y"])
    assert "a.csv: left out 2 rows, the first in line 3: 1 fields, expected 2" in corpus.notes[-1]


def test_jsonl_without_a_text_is_an_empty_text(write):
    name = write("a.jsonl", '{"text": "a"}\n{"label": 1}\n{"text": null}\n')
    corpus = read(name)
    assert list(corpus.texts) == ["a", "", ""]
    assert "2 of 3 texts are empty, the first in row 2" in corpus.notes


def test_jsonl_halves_of_surrogate_pairs(write):
    name = write(
        "a.jsonl",
        '{"text": "cut \\ud83d", "label": "x"}\n'
        '{"text": "whole \\ud83d\\ude00", "label": "\\uDE00", "n": [{"\\ud800": 1}]}\n',
    )
    corpus = read(name)
    assert list(corpus.texts) == ["cut \ufffd", "whole \U0001f600"]
    assert corpus.labels == ["x", "\ufffd"]
    assert corpus.notes[-1].startswith("a.jsonl: 2 rows have half of a surrogate pair")


def test_jsonl_empty_lines_and_control_characters(write):
    name = write(
        "a.jsonl", '\ufeff{"text": "\x00\tb"}\r\n \n{"text": null}\n{"text": "\\ud83d\\ude00"}'
    )
    corpus = read(name)
    assert list(corpus.texts) == ["\0\tb", "", "😀"]
    assert "a.jsonl: 1 empty line was not taken as a row; it is line 2" in corpus.notes
    assert "1 of 3 texts are empty, the first in row 2 (line 3)" in corpus.notes


# -- parquet -------------------------------------------------------------------------------------


def parquet(name, **columns):
    pl.DataFrame(columns).write_parquet(name)
    return name


def test_parquet_categories_and_nulls(write):
    write("folder/x", "")
    label = pl.Series(["x", None, "y"], dtype=pl.Categorical)
    text = pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"]))
    corpus = read(parquet("a.parquet", text=text, label=label, id=[7, 8, 8]))
    assert rows(corpus) == (["a", "", "b"], ["x", None, "y"], ["7", "8", "8"])
    assert "1 of 3 texts are empty, the first in row 2" in corpus.notes
    assert "1 of 3 labels are missing, the first in row 2" in corpus.notes
    assert "the label is missing (column 'label', which" in refusal("a.parquet", require_label=True)


@pytest.mark.parametrize("labels", [[1, 0], [True, False], ["x", "y"]])
def test_parquet_keeps_the_types_of_labels(write, labels):
    found = read(parquet(write("a.parquet", ""), text=["a", "b"], label=labels)).labels
    assert found == labels and type(found[0]) is type(labels[0])


def test_parquet_whole_floats_are_integers(write):
    name = parquet(write("a.parquet", ""), text=["a", "b", "c"], label=[1.0, float("nan"), 3.0])
    corpus = read(name)
    assert corpus.labels == [1, None, 3] and type(corpus.labels[0]) is int
    assert "label column: 'label' has whole floats, read as integers" in corpus.notes
    parquet(name, text=["a", "b"], label=[1.0, 1e300])
    assert "row 2: the label in column 'label' is 1e+300, expect" in refusal(name, label="label")
    parquet(name, text=["a", "b"], label=[1.0, 2.5])
    assert "row 2: the label in column 'label' is 2.5, expected" in refusal(name, label="label")
    assert read(name).labels is None


def test_parquet_text_of_another_type(write):
    name = parquet(write("a.parquet", ""), text=[1, 2])
    assert "text column 'text' is of type Int64, expected strings" in refusal(name, text="text")


def test_parquet_several_texts_and_files(write):
    parquet(write("a.parquet", ""), title=["A", None], body=["b", "c"])
    parquet(write("b.parquet", ""), title=["D"], body=[None])
    corpus = read("?.parquet", text=["title", "body"])
    assert list(corpus.texts) == ["A\nb", "\nc", "D\n"]


def test_parquet_damaged(write):
    name = parquet(write("a.parquet", ""), text=["a"] * 1000)
    data = Path(name).read_bytes()
    assert "a.parquet: cannot be read as Parquet" in refusal(write(name, data[: len(data) // 2]))
    assert "b.parquet: there is no such file" in refusal("b.parquet")


def test_parquet_compressed_again(write):
    name = parquet(write("a.parquet", ""), text=["a", "b"])
    write("b.parquet.gz", gzip.compress(Path(name).read_bytes()))
    assert list(read("b.parquet.gz").texts) == ["a", "b"]


# -- folder --------------------------------------------------------------------------------------


def test_folder(write):
    for name in "neg/b.txt", "pos/sub/a.txt", "pos/z", "pos/é.txt":
        write(f"films/{name}", f"Text of {name}\r\n")
    corpus = read("films")
    names = ["neg/b.txt", "pos/sub/a.txt", "pos/z", "pos/é.txt"]
    expected = [f"Text of {name}\r\n" for name in names], ["neg", "pos", "pos", "pos"], names
    assert rows(corpus) == expected
    assert corpus.split is None and corpus.notes == ()
    batches = list(read_batches("films", batch_size=3))
    assert [id for batch in batches for id in batch.ids] == names


def test_folder_without_classes(write):
    for name in "1.eml", "2.eml", "older/3.eml", ".hidden":
        write(f"inbox/{name}", f"Text of {name}")
    corpus = read("inbox", labels=False)
    names = ["1.eml", "2.eml", "older/3.eml"]
    assert rows(corpus) == ([f"Text of {name}" for name in names], None, names)
    assert corpus.notes == ("inbox: files hidden, not taken: 1",)
    write("parts/test/pos/1", "a")
    write("parts/train/2", "b")
    corpus = read("parts", labels=False)
    assert (corpus.ids, corpus.split) == (["test/pos/1", "train/2"], ["test", "train"])
    Path("empty").mkdir()
    assert refusal("empty", labels=False).startswith("empty: found no documents, expected files")


def test_folder_with_a_split(write):
    for name in "test/neg/a", "train/pos/b", "Validation/pos/c":
        write(f"films/{name}", name)
    corpus = read("films")
    assert corpus.ids == ["Validation/pos/c", "test/neg/a", "train/pos/b"]
    assert corpus.labels == ["pos", "neg", "pos"]
    assert corpus.split == ["dev", "test", "train"]


def test_folder_says_what_it_did_not_take(write):
    for name in "README", "pos/a", "pos/.DS_Store", ".git/config":
        write(f"films/{name}", "x")
    corpus = read("films")
    assert corpus.ids == ["pos/a"]
    assert corpus.notes == (
        "films: files hidden, not taken: 2",
        "films: files outside the class folders, not taken: 1",
    )
    write("films/neg/.DS_Store", "x")
    Path("films/mixed/sub").mkdir(parents=True)
    assert read("films").notes[-1] == "films: class folders without files: 2 (such as mixed)"


def test_folder_leaves_out_what_is_no_text(write):
    write("mails/a/1.eml", "x")
    write("mails/b/2.eml", "y")
    write("mails/b/photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF")
    write("mails/c/wide.txt", "zwei".encode("utf-16-le"))
    corpus = read("mails")
    assert corpus.ids == ["a/1.eml", "b/2.eml"]
    assert corpus.notes == ("mails: files that are no text, not taken: 2 (such as b/photo.jpg)",)
    write("wide/a/1.txt", "zwei".encode("utf-16-le"))
    assert list(read("wide", encoding="utf-16-le").texts) == ["zwei"]


def test_folder_without_documents(write):
    write("films/README", "x")
    assert refusal("films").startswith("films: found no documents, expected one sub-folder")
    assert refusal("films/README", format="folder") == "films/README: is not a folder"


def test_folder_bad_bytes(write):
    write("films/neg/a.txt", "fine")
    write("films/pos/b.txt", b"caf\xe9")
    message = refusal("films")
    assert message.startswith("films, row 2: films/pos/b.txt: byte 0xe9 at offset 3 is not UTF-8")
    assert list(read("films", encoding="cp1252").texts) == ["fine", "café"]


def test_folder_with_a_name_that_is_not_utf_8(write):
    try:
        write("films/pos/caf\udce9", "x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert "row 1: the name 'films/pos/caf\\udce9' is not UTF-8; rename the file" in refusal(
        "films"
    )


# -- counts --------------------------------------------------------------------------------------


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


# -- columns -------------------------------------------------------------------------------------


def test_columns_by_name(write):
    name = write(
        "a.csv",
        "ID,Review Text,Sentiment,weight,split,other\n"
        "7,good,pos,1,Train,long long text\n8,bad,neg,.5,valid,long long text\n",
    )
    corpus = read(name)
    assert rows(corpus) == (["good", "bad"], ["pos", "neg"], ["7", "8"])
    assert corpus.weights.tolist() == [1, 0.5]
    assert corpus.split == ["train", "dev"]
    assert corpus.notes == (
        "id column: 'ID' (by its name)",
        "weight column: 'weight' (by its name)",
        "split column: 'split' (by its name)",
        "label column: 'Sentiment' (by its name)",
        "text column: 'Review Text' (by its name)",
        "other columns look like text, too: join them with --text 'Review Text' --text other",
    )


def test_columns_by_content(write):
    name = write(
        "a.csv",
        "nr,user_id,stuff,kind,price\n"
        "1,1,a few words,x,9.5\n2,1,some more words,y,9.5\n"
        "3,2,nothing much,x,3.5\n4,2,the last one,x,1.5\n",
    )
    corpus = read(name)
    # user_id has two values as well, but is an id; price has three, more than half of the rows
    assert corpus.notes == (
        "text column: 'stuff' (by its content)",
        "label column: 'kind' (by its content)",
    )
    assert corpus.labels == ["x", "y", "x", "x"]


def test_a_text_column_that_is_mostly_empty(write):
    def text_column(name, other):
        rows = [
            ("a long remark on it" if i % 3 == 0 else "", f"word {other} {i}", "xy"[i % 2])
            for i in range(9)
        ]
        write("a.csv", "\n".join(map(",".join, [("comment", name, "label"), *rows])))
        return read("a.csv").text_columns

    assert text_column("body", "two") == ("body",)  # by its name, though it comes later
    assert text_column("said", "two three") == ("said",)  # by its content
    assert text_column("town", "") == ("comment",)  # the other does not look like text
    assert text_column("link", "https://www.example.org/some/page") == ("comment",)
    assert read(write("a.csv", "text,b\n,x\n,y\na,z\n")).text_columns == ("text",)
    name = write(
        "a.csv", "text,kind\n" + ",not so good\n,good and cheap\na b c,good and cheap\n" * 2
    )
    assert read(name).text_columns == ("text",)  # the others repeat, as classes do


def test_a_label_has_at_most_half_as_many_values_as_rows(write):
    rows = ["a,1", "b,2", "c,3", "d,3", "e,1"]
    assert read(write("a.csv", "\n".join(["text,k", *rows]))).labels is None  # 3 of 5
    assert read(write("a.csv", "\n".join(["text,k", *rows, "f,2"]))).labels is not None  # 3 of 6
    assert read(write("a.csv", "text,k\na,1\nb,1\n")).labels is None  # one value


def test_labels_of_a_sorted_file(write):
    """The first rows have one label only: more are to come."""
    lines = ["day;said;mark"] + [
        f"{i % 28 + 1}.03.2024;a b c {i};{'good' if i < 1500 else 'bad'}" for i in range(2000)
    ]
    name = write("a.csv", "\n".join(lines))
    corpus = read(name, require_label=True)
    assert "label column: 'mark' (by its content)" in corpus.notes
    assert corpus.labels.count("bad") == 500
    assert read(name).labels is None  # not asked for, and not sure
    few = write("b.csv", "\n".join(lines[:500]))  # all rows are seen: there is no label
    assert "None looks like it" in refusal(few, require_label=True)


def test_dates_are_no_labels_by_their_content(write):
    for date in ("2024-03-{:02}", "{}/3/2024", "{:02}.03.24 10:15", "2024-03-{:02}T10:15:00Z"):
        lines = ["day,said"] + [f"{date.format(i % 2 + 1)},a b {i}" for i in range(10)]
        assert read(write("a.csv", "\n".join(lines))).labels is None


def test_columns_given_are_not_noted(write):
    name = write("a.csv", "a,b,c,text,label\nt1,l1,2,x,y\nt2,l2,3,x,y\n")
    corpus = read(name, text=("a", "text"), label="b", id="a", weight="c")
    assert rows(corpus) == (["t1\nx", "t2\nx"], ["l1", "l2"], ["t1", "t2"])
    assert corpus.weights.tolist() == [2, 3] and corpus.notes == ()


def test_equally_good_labels(write):
    name = write("a.csv", "text,a,b\nt,1,x\nu,2,y\nv,1,y\nw,2,x\n")
    assert read(name).labels is None
    message = refusal(name, require_label=True)
    assert "which column has the labels? 'a', 'b' fit equally well. Name it with --label" in message
    assert "  'b': for example 'x'" in message


def test_equally_good_texts(write):
    message = refusal(write("a.csv", "a,b\nxx,yy\nxy,yx\n"))
    assert "which column has the texts? 'a', 'b' fit equally well. Name it with --text" in message


def test_no_text(write):
    message = refusal(write("a.csv", "a,b\n1,2\n3,4\n"))
    assert "which column has the texts? None looks like it" in message


def test_an_id_is_never_a_label(write):
    for name in "user_id", "User ID", "index", "", "Unnamed: 0":
        write("a.csv", f"text,{name}\n" + "a,1\nb,2\n" * 4)
        assert read("a.csv").labels is None
        assert "None looks like it" in refusal("a.csv", require_label=True)
        assert read("a.csv", label=name).labels[:2] == ["1", "2"]


def test_a_label_by_name_that_cannot_be_one(write):
    name = write("a.jsonl", '{"text": "a", "label": 1.5}\n{"text": "b", "label": 2.0}')
    assert read(name).labels is None
    assert "row 1: the label in column 'label' is 1.5, expected" in refusal(
        name, require_label=True
    )


def test_a_column_that_is_absent(write):
    name = write("a.csv", "text,sentiment\na,b\n")
    message = "a.csv has no column 'sentimnt'; its columns are 'text', 'sentiment'; did you mean"
    assert refusal(name, label="sentimnt") == f"{message} 'sentiment'?"
    for option in "text", "id", "weight", "extra":
        assert "has no column 'zzz'; its columns are" in refusal(name, **{option: "zzz"})


def test_several_columns_in_one_name(write):
    message = refusal(write("a.csv", "title,the body,label\na,b,x\n"), text="title, the body")
    assert message.endswith("; to join several, repeat the option: --text title --text 'the body'")


def test_a_column_absent_from_the_second_file(write):
    write("a.csv", "text,label\na,b\n")
    write("b.csv", "text,class\nc,d\n")
    assert refusal(["a.csv", "b.csv"]).startswith("b.csv has no column 'label'")


def test_files_are_read_by_column_name(write):
    write("a.csv", "text,label\na,x\n")
    write("b.csv", "label,more,text\ny,?,b\n")
    write("c.jsonl", '{"text": "c", "label": "z"}')
    parquet("d.parquet", text=["d", "é"], label=["x", "y"])
    corpus = read([Path("a.csv"), "b.csv", "c.jsonl", "d.parquet"])
    assert rows(corpus)[:2] == (["a", "b", "c", "d", "é"], ["x", "y", "z", "x", "y"])
    assert corpus.source == "a.csv and 3 more"
    assert len(corpus.notes) == 2


# -- values --------------------------------------------------------------------------------------


def test_missing_labels(write):
    name = write("a.csv", "text,label\na,x\nb,\nc,y\nd,\n")
    corpus = read(name)
    assert corpus.labels == ["x", None, "y", None]
    assert "2 of 4 labels are missing, the first in row 2 (line 3)" in corpus.notes
    assert refusal(name, require_label=True, label="label") == (
        "a.csv, row 2 (line 3): the label is missing (column 'label'), as in 1 more rows; "
        "give it one, or leave out what has none with --skip-unlabeled"
    )


def test_a_missing_label_in_a_column_that_was_guessed(write):
    name = write("a.csv", "text,Notiz\na b c,x\nb,y\nc d,x\nd,\n")
    assert refusal(name, require_label=True) == (
        "a.csv, row 4 (line 5): the label is missing (column 'Notiz', which is a guess: name "
        "another with --label); give it one, or leave out what has none with --skip-unlabeled"
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
    note = "labels 'NEG' and 'Neg' and 'neg' differ only in case; are they the same?"
    assert note in read(name).notes
    name = write("a.csv", "text,label\na,x|A\nb,a\nc,X\n")
    note = "labels 'A' and 'a' differ only in case (1 more do so); are they the same?"
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
        "so this column is not taken as the split"
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
        "expected a number or a string; write it as one of these, or leave the column out"
    )


# -- encodings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\nb\nc\xe9d\n", "row 3: byte 0xe9 at offset 5 is not UTF-8; the file may be in latin-1 "
         "or cp1252: try --encoding cp1252"),
        (b"a\nb\nc\xe9\x93\n", "row 3: byte 0xe9 at offset 5 is not UTF-8; the file may be in "
         "cp1252: try --encoding cp1252"),
        (b"\xef\xbb\xbfa\n\x90\xe9\n", "row 2: byte 0x90 at offset 5 is not UTF-8; the file may be "
         "in latin-1: try --encoding latin-1"),
        ("ab\näbcdef\n".encode("utf-16-le"), "row 2: byte 0xe4 at offset 6 is not UTF-8; the file "
         "may be in UTF-16: try --encoding utf-16-le"),
        ("ab\näbcdef\n".encode("utf-16-be"), "row 2: byte 0xe4 at offset 7 is not UTF-8; the file "
         "may be in UTF-16: try --encoding utf-16-be"),
        # in UTF-8, so not to be counted among the bytes that speak for an encoding
        ("“quoted”\n".encode() + b"\xe9\n", "row 2: byte 0xe9 at offset 13 is not UTF-8; the file "
         "may be in latin-1 or cp1252: try --encoding cp1252"),
    ],
)  # fmt: skip
def test_bad_bytes_are_named(write, data, message):
    assert refusal(write("a.txt", data)) == f"a.txt, {message}"
    with pytest.raises(InputError) as error:
        list(read_batches("a.txt", batch_size=1))
    assert str(error.value) == f"a.txt, {message}"


def test_bad_bytes_in_records(write):
    tail = "is not UTF-8; the file may be in latin-1 or cp1252: try --encoding cp1252"
    name = write("a.csv", 'text,label\n"é\n",y\n'.encode() + b"caf\xe9,x\n")
    assert refusal(name) == f"a.csv, row 2 (line 4): byte 0xe9 at offset 22 {tail}"
    name = write("a.csv", b"text,label,pr\xe9nom\na,b,c\n")
    assert refusal(name) == f"a.csv, header: byte 0xe9 at offset 13 {tail}"
    assert refusal(name, header=False) == f"a.csv, row 1: byte 0xe9 at offset 13 {tail}"
    name = write("a.jsonl", b'{"text": "a"}\n\n{"text": "\xe9"}\n')
    assert refusal(name) == f"a.jsonl, row 2 (line 3): byte 0xe9 at offset 25 {tail}"


def test_other_encodings(write):
    assert list(read(write("a.txt", b"\x93caf\xe9\x94\n"), encoding="cp1252").texts) == ["“café”"]
    assert list(read(write("a.txt", "日本\n".encode("shift_jis")), encoding="sjis").texts) == [
        "日本"
    ]
    bom = write("a.txt", b"\xef\xbb\xbfa\n")
    assert list(read(bom, encoding="utf-8-sig").texts) == list(read(bom).texts) == ["a"]
    message = refusal(write("a.txt", b"ab\n\x81\n"), encoding="cp1252")
    assert message == (
        "a.txt, row 2: byte 0x81 at offset 3 is not cp1252; name the right encoding with --encoding"
    )
    message = refusal(write("a.txt", "a\nb\n".encode("utf-16")[:-1]), encoding="utf-16")
    assert message.startswith("a.txt, row 2: here or later: not utf-16 (")
    message = refusal(write("a.txt", b"a\n+2AA-\n"), encoding="utf-7")
    assert message == "a.txt, row 2: utf-7 text with a lone surrogate"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_is_honoured(write, stdin, encoding):
    def marked(text):
        return ("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding)

    files = {
        "a.txt": "é\n日\n",
        "a.csv": "text,label\né,x\n日,y\n",
        "a.tsv": "text\tlabel\r\né\tx\r\n日\ty\r\n",
        "a.jsonl": '{"text": "é", "label": "x"}\n{"text": "日", "label": "y"}\n',
        "a.ft": "__label__x é\n__label__y 日\n",
    }
    for name, text in files.items():
        assert list(read(write(name, marked(text))).texts) == ["é", "日"]
        assert list(read(write(f"{name}.gz", gzip.compress(marked(text)))).texts) == ["é", "日"]
        (batch,) = read_batches(name)
        assert list(batch.texts) == ["é", "日"]
        stdin(marked(text))
        format = {"txt": "lines", "ft": "fasttext"}.get(name[2:], name[2:])
        assert list(read("-", format=format).texts) == ["é", "日"]
    write("folder/x/1", marked("é"))
    assert list(read("folder").texts) == ["é"]


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "a\0b"])
def test_an_encoding_that_does_not_exist(write, encoding):
    assert "is not a text encoding that Python knows" in refusal(
        write("a.txt", "a"), encoding=encoding
    )


# -- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", ""),
        ("b.txt", "\ufeff"),
        ("a.csv", ""),
        ("b.csv", "text,label\n"),
        ("c.csv", "\n\n"),
        ("a.jsonl", "\n"),
        ("a.counts", ""),
        ("a.txt.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_no_rows(write, name, content):
    assert refusal(write(name, content)) == f"{name} has no rows"
    with pytest.raises(InputError, match="has no rows"):
        next(read_batches(name))


def test_parquet_without_rows(write):
    assert refusal(write("a.parquet", "")) == "a.parquet: the file is empty"
    gz = write("a.parquet.gz", gzip.compress(b""))
    assert refusal(gz) == "a.parquet.gz: the file is empty"
    assert refusal(parquet(write("a.parquet", ""), text=[])) == "a.parquet has no rows"


def test_gz(write):
    write("a.csv.gz", gzip.compress(b"text,label\na,x\n"))
    write("a.JSONL.GZ", gzip.compress(b'{"text": "b"}\n'))
    assert list(read("a.csv.gz").texts) == ["a"]
    assert list(read("a.JSONL.GZ").texts) == ["b"]


def test_gz_damaged(write):
    # noise, so that there is something to damage in the middle
    text = "".join(random.Random(0).choices("abcdefghij\n", k=5000))
    data = gzip.compress(text.encode())
    broken = bytearray(data)
    broken[len(data) // 2] ^= 0xFF
    for damaged in data[:-9], bytes(broken), b"not gzip":
        message = refusal(write("a.txt.gz", damaged))
        assert message.startswith("a.txt.gz: the gzip data is damaged or cut short")
        assert refusal(write("a.csv.gz", damaged)).startswith("a.csv.gz: ")


def test_glob_and_lists(write):
    for name in "b.txt", "a.txt", "c.csv", "sub/d.txt":
        write(name, "text\n" + name)
    assert list(read("*.txt").texts) == ["text", "a.txt", "text", "b.txt"]
    assert list(read(["c.csv", "*.txt"]).texts) == ["c.csv", "text", "a.txt", "text", "b.txt"]
    assert len(read("**/*.txt")) == 6
    assert len(read(str(Path.cwd() / "[ab].txt"))) == 4
    assert refusal("*.tsv") == "no file matches *.tsv"
    assert refusal([]) == "no files were given"


def test_a_name_that_looks_like_a_pattern(write):
    assert list(read(write("a[1].txt", "x\n")).texts) == ["x"]
    name = parquet(write("a[1].parquet", ""), text=["y"])
    assert list(read(name).texts) == ["y"]


def test_the_same_file_twice(write):
    write("a.csv", "text,label\na,x\n")
    corpus = read(["a.csv", "a.csv"])
    assert list(corpus.texts) == ["a", "a"] and len(corpus.notes) == 2


def test_files_that_cannot_be_opened(write, monkeypatch):
    assert refusal("a.txt") == "a.txt: there is no such file"
    assert refusal("a.csv") == "a.csv: there is no such file"
    assert refusal("reviews") == "reviews: there is no such file"
    assert refusal("a.txt.gz") == "a.txt.gz: there is no such file"
    write("sub/a.txt", "x")
    assert refusal("sub", format="csv") == "sub: is a directory, expected a file"
    assert refusal("sub", format="parquet") == "sub: is a directory, expected a file"

    def denied(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert refusal("sub/a.txt") == "sub/a.txt: cannot be read: Permission denied"


def test_formats(write):
    formats = "lines, csv, tsv, jsonl, parquet, arrow, folder, fasttext, vw, svmlight, counts"
    message = refusal(write("a.doc", "one\n"))
    assert message == (
        f"a.doc: the extension '.doc' names no format; say which it is with --format: {formats} "
        "(if the whole file is one text, put it into a folder and name that)"
    )
    assert "the extension '' names no format" in refusal(write("plain.gz", "one\n"))
    assert "a.xlsx: spreadsheets cannot be read: save it as CSV" in refusal(write("a.xlsx", "PK"))
    assert list(read("a.doc", format="lines").texts) == ["one"]
    assert refusal("a.doc", format="xml") == f"format is 'xml', expected one of {formats}"


def test_json_that_is_no_json_lines(write):
    array = '[{"text": "a"}, {"text": "b"}]'
    message = refusal(write("a b.json", array))
    assert message.startswith("a b.json: if it has one object per line, say --format jsonl; an")
    assert message.endswith("by jq -c '.[]' 'a b.json' > new.jsonl")
    for text in array, array.replace(" ", "\n"):
        message = refusal(write("a.jsonl", text), skip_bad=True)
        assert message.endswith(
            "; an array in a file x.json is made so by jq -c '.[]' x.json > new.jsonl"
        )


def test_batch_size(write):
    with pytest.raises(InputError, match="batch_size is 0, expected at least 1"):
        next(read_batches(write("a.txt", "a\n"), batch_size=0))


def test_batches_note_guesses_once_and_number_rows_on(write):
    name = write("a.csv", "text,label\na,x\nb,y\n,z\n")
    first, second = read_batches(name, batch_size=2)
    assert first.notes == (
        "label column: 'label' (by its name)",
        "text column: 'text' (by its name)",
    )
    assert second.notes == ("1 of 1 texts are empty, the first in row 3 (line 4)",)
    with pytest.raises(InputError, match=r"a.csv, row 3 \(line 4\): the weight"):
        write("a.csv", "text,w\na,1\nb,1\nc,?\n")
        list(read_batches("a.csv", batch_size=2, weight="w"))


def test_batches_end_where_files_end(write):
    for name in "ab":
        write(f"{name}.txt", f"{name}1\n{name}2\n{name}3\n")
    batches = [list(batch.texts) for batch in read_batches("?.txt", batch_size=2)]
    assert batches == [["a1", "a2"], ["a3"], ["b1", "b2"], ["b3"]]


def test_a_batch_needs_no_more_than_its_rows(stdin):
    """The second batch is not read before it is asked for."""
    stdin(b'{"text": "a"}\n' * 3000 + b"not json\n")
    batches = read_batches("-", format="jsonl", batch_size=1200)
    assert len(next(batches)) == len(next(batches)) == 1200
    with pytest.raises(InputError, match="stdin, row 3001: not JSON"):
        next(batches)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_a_line_of_100_megabytes(write, name):
    n = 100_000_000
    before, after = {"a.txt": ("", ""), "a.csv": ("text\n", ""), "a.jsonl": ('{"text": "', '"}')}[
        name
    ]
    with Path(name).open("wb") as file:
        file.write(before.encode() + b"x" * n + after.encode() + b"\n")
    corpus = read(name)
    Path(name).unlink()
    assert len(corpus) == 1 and len(corpus.texts[0]) == n


def test_reading_lines_and_csv_imports_no_polars(write):
    write("a.csv", "text,label\na,x\n")
    code = (
        "import sys; from wordplane.data.read import read; read('a.csv'); "
        "print([m for m in ('polars', 'scipy', 'sklearn', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# -- real files ----------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "n", "n_classes"),
    [
        ("customer_reviews", 3771, 2),
        ("mpqa", 10603, 2),
        ("newsgroups20", 18846, 20),
        ("rt_2k", 2000, 2),
        ("rt_snippets", 10662, 2),
        ("sms_spam", 5574, 2),
        ("subjectivity", 10000, 2),
    ],
)
def test_real_data(dataset, name, n, n_classes):
    path = dataset(name)
    corpus = read(path, require_label=True)
    assert len(corpus) == n and len(set(corpus.labels)) == n_classes
    batches = list(read_batches(path, batch_size=4000))
    assert [label for batch in batches for label in batch.labels] == corpus.labels
    assert all(
        text == other
        for text, other in zip(
            (text for batch in batches for text in batch.texts), corpus.texts, strict=True
        )
    )


@pytest.mark.data
def test_real_split(dataset):
    corpus = read(dataset("newsgroups20"))
    assert (len(corpus.split_rows("train")), len(corpus.split_rows("test"))) == (11314, 7532)


@pytest.mark.data
def test_real_counts(dataset, write):
    corpus = read(dataset("amazon_books_counts"))
    lines = [f"{t} #label#:{y}\n" for t, y in zip(corpus.texts, corpus.labels, strict=True)]
    again = read(write("books.counts", "".join(lines)), require_label=True)
    assert again.labels == corpus.labels
    assert list(again.texts) == list(corpus.texts)


def test_lines_are_the_same_in_pieces_of_any_size(tmp_path, monkeypatch):
    rows = ["one", "", "two words", " \t", "é" * 9, "last"]
    path = tmp_path / "d.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(rows).encode())
    for piece in (1, 2, 5, 11, 100):
        monkeypatch.setattr("wordplane.data.formats.lines.PIECE", piece)
        for size in (1, 2, 3, 100):
            found = list(read_batches(path, batch_size=size))
            assert [text for batch in found for text in batch.texts] == rows
            assert max(map(len, found)) <= size
    whole = read(path)
    assert list(whole.texts) == rows
    assert whole.notes == ("2 of 6 texts are empty, the first in row 2",)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_full_disk_is_told_in_a_line(tmp_path):
    (tmp_path / "d.txt").write_text("a text\n")
    command = [sys.executable, "-m", "wordplane", "convert", "d.txt", "--output-format", "csv"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "wordplane: No space left on device\n")


def test_rows_are_left_out_on_the_command_line(tmp_path):
    (tmp_path / "d.csv").write_text("text,label\na,x\nb,y,z\n")
    command = [sys.executable, "-m", "wordplane", "convert", "d.csv", "--output-format", "jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.endswith("; --skip-bad leaves out such rows\n")
    done = subprocess.run([*command, "--skip-bad"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, '{"text": "a", "label": "x"}\n')
    assert "left out 1 row in line 3: 3 fields, expected 2" in done.stderr
