"""Tests of wordplane.data.formats.plain_csv.

Files that polars reads give the same rows and notes as the standard library does, and all
others go to it.
"""

import csv

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wordplane
from wordplane.common.errors import WordplaneError
from wordplane.data.formats import delimited
from wordplane.data.formats.plain_csv import Layout, read_plain, row_lines

pytest.importorskip("polars")
NAMES = ["text", "label", "n"]


def outcome(path, monkeypatch, least):
    """What reading gives, or the error."""
    with monkeypatch.context() as patch:
        patch.setattr(delimited, "LARGE", least)
        patch.setattr(delimited, "LARGE_IMPORTED", least)
        try:
            corpus = wordplane.read(path, text="text", label="label", extra="n")
        except WordplaneError as error:
            return str(error)
    return list(corpus.texts), corpus.labels, corpus.extras, corpus.notes


fields = st.text(st.sampled_from('ab,;"\n\r\t é€\0'), max_size=6) | st.text(max_size=4)
rows = st.lists(st.tuples(fields, st.sampled_from(["x", "y", ""]), fields), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


def check_same(path, monkeypatch):
    assert outcome(path, monkeypatch, 0) == outcome(path, monkeypatch, 1 << 60)


@given(rows, st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
@settings(max_examples=60)
def test_what_a_writer_writes(folder, rows, end, quoting):
    path = folder / "written.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=end, quoting=quoting)
        writer.writerow(NAMES)
        writer.writerows(rows)
    check_same(path, pytest.MonkeyPatch())


@given(st.text(st.sampled_from('ab,"\n\r é'), max_size=40) | st.binary(max_size=30))
@example('a,x,1\n"b\nc",y,2\n')
@example('a,x,1\n""b,y,2\n')
@example('a,x,1\nb"c",y,2\n')
@example("a,x,1\n\nb,y,2\n")
@example("a,x,1\r\nb,y,2\r\n")
@example("a,x\nb,y,2,3\n")
@settings(max_examples=100)
def test_any_bytes(folder, body):
    path = folder / "any.csv"
    data = body if isinstance(body, bytes) else body.encode()
    path.write_bytes(b"text,label,n\nsome words here,x,1\n" + data)
    check_same(path, pytest.MonkeyPatch())


def test_the_common_case_is_read_by_polars(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text('text,label\n"a ""b"", c",x\n"two\nlines",y\nplain,z\n')
    frame, lines = read_plain(str(path), Layout(",", ["text", "label"], 1), ["label", "text"])
    assert frame.rows() == [("x", 'a "b", c'), ("y", "two\nlines"), ("z", "plain")]
    assert lines.tolist() == [2, 3, 5]


@pytest.mark.parametrize(
    "text",
    ['a"b,c\n', '"a"b,c\n', ' "a",c\n', "a,b,c\n", "a\n", "a,b\n\nc,d\n", "a,b\rc,d\n", '"a,b\n'],
)
def test_what_is_unusual_is_left_to_the_standard_library(tmp_path, text):
    path = tmp_path / "unusual.csv"
    path.write_bytes(b"x,y\n" + text.encode())
    assert row_lines(str(path), Layout(",", ["x", "y"], 1)) is None


def test_parts_of_a_file_are_looked_at_together(tmp_path, monkeypatch):
    monkeypatch.setattr("wordplane.data.formats.plain_csv.CHUNK", 7)
    path = tmp_path / "parts.csv"
    path.write_text("text,label\n" + '"a\n\n, ""b""",x\nc,y\n' * 20)
    lines = row_lines(str(path), Layout(",", ["text", "label"], 1))
    assert lines is not None
    assert lines.tolist() == [line for i in range(20) for line in (2 + 4 * i, 5 + 4 * i)]


def test_a_byte_order_mark_in_the_first_row_stays(tmp_path, monkeypatch):
    path = tmp_path / "mark.csv"
    path.write_text("text,label,n\n\ufeffa,x,1\nb,y,2\n", encoding="utf-8")
    check_same(path, monkeypatch)
    assert wordplane.read(path, text="text").texts[0] == "\ufeffa"
