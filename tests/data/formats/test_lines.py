"""Tests of wordplane.data.formats.lines: a document per line, from files and standard input."""

import io
import sys

import polars as pl
import pytest

from tests.data.reading import refusal, rows
from wordplane.data.read import read, read_batches


def test_lines(write):
    corpus = read(write("a.txt", b"one\r\n\ntwo\xc3\xa9\nlast \x00"))
    assert rows(corpus) == (["one", "", "twoé", "last \0"], None, None)
    assert corpus.notes == ("1 of 4 texts are empty, the first in row 2",)
    assert corpus.source == "a.txt"


def test_lines_have_no_labels(write):
    message = refusal(write("a.txt", "x a\n"), require_label=True)
    assert message.startswith("a.txt: lines have no labels; use a format that has them")
    assert 'if lines begin with __label__, pass `format="fasttext"`' in message
    message = refusal(write("b.txt", "text\tlabel\na\tx\n".encode("utf-16")), require_label=True)
    assert message.startswith(
        'b.txt: lines have no labels; the first line has tabs: try `format="tsv"` '
        "(add `header=False` if the first line is not a header)"
    )
    message = refusal(write("b.txt", b"caf\xe9\n"), require_label=True)
    assert 'if tabs separate text and label, `format="tsv"`' in message
    write("c.txt", "__label__x a\n")
    assert read("c.txt", format="lines").notes == (
        'c.txt: __label__ is read as text; `format="fasttext"` reads labels',
    )
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


def test_lines_are_the_same_in_pieces_of_any_size(tmp_path, monkeypatch):
    rows = ["one", "", "two words", " \t", "é" * 9, "last"]
    path = tmp_path / "d.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(rows).encode())
    for piece in (1, 2, 5, 11, 100):
        monkeypatch.setattr("wordplane.data.formats.lines.PIECE_BYTES", piece)
        for size in (1, 2, 3, 100):
            found = list(read_batches(path, batch_size=size))
            assert [text for batch in found for text in batch.texts] == rows
            assert max(map(len, found)) <= size
    whole = read(path)
    assert list(whole.texts) == rows
    assert whole.notes == ("2 of 6 texts are empty, the first in row 2",)


def test_a_first_line_of_names_is_noted(write):
    for first in ("text,label", "id;text", "comment\tsentiment"):
        notes = read(write("a.txt", f"{first}\nsome words,x\n")).notes
        assert any("looks like names of columns" in note for note in notes), first
    for first in ("A text, and a label.", "text", "\xff,text,label"):
        assert not read(write("a.txt", f"{first}\nother words\n")).notes
