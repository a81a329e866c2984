"""Tests of wordplane.data.formats.plain_csv and native/text/csv_rows.cpp.

Files that the core reads give the same rows and notes as the standard library does, and all
others go to it.
"""

import csv

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wordplane
from tests.data.formats.careful import check_same
from wordplane import _core
from wordplane.data.formats import plain_csv
from wordplane.data.formats.plain_csv import Layout, read_plain

NAMES = ["text", "label", "n"]


fields = st.text(st.sampled_from('ab,;"\n\r\t é€\0'), max_size=6) | st.text(max_size=4)
rows = st.lists(st.tuples(fields, st.sampled_from(["x", "y", ""]), fields), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


@given(rows, st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
@settings(max_examples=60)
def test_what_a_writer_writes(folder, rows, end, quoting):
    path = folder / "written.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=end, quoting=quoting)
        writer.writerow(NAMES)
        writer.writerows(rows)
    check_same(path)


@given(st.text(st.sampled_from('ab,"\n\r é'), max_size=40) | st.binary(max_size=30))
@example('a,x,1\n"b\nc",y,2\n')
@example('a,x,1\n""b,y,2\n')
@example('a,x,1\nb"c",y,2\n')
@example("a,x,1\n\nb,y,2\n")
@example("a,x,1\r\nb,y,2\r\n")
@example("a,x\nb,y,2,3\n")
@example("a,x,1\nb,y,2\n\n")
@example("a,x,1\nb,y,2\n,,\n")
@example('a,x,1\nb,y,2\n"c\n\rd",x,3\n')
@example('a,x,1\nb,y,2\n"c",x,"3')
@example(b"a,x,1\nb,y,2\nc\xff,x,3\n")
@settings(max_examples=100)
def test_any_bytes(folder, body):
    path = folder / "any.csv"
    data = body if isinstance(body, bytes) else body.encode()
    path.write_bytes(b"text,label,n\nsome words here,x,1\n" + data)
    check_same(path)


def plain(path, names, n_before=1, batch_size=None, wanted=None):
    """What is read without care; None stands for the rest."""
    layout = Layout(",", names, n_before)
    return [
        rows and ({name: list(texts) for name, texts in rows.columns.items()}, rows.lines.tolist())
        for rows in read_plain(path, layout, wanted or names, batch_size)
    ]


def test_the_common_case_is_read_by_column(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_bytes(
        b'text,label\r\n"a ""b"", c",x\r\n"two\r\nlines",y\r\nplain,z\r\n"","""\xc3\xa9"""'
    )
    columns = {
        "text": ['a "b", c', "two\r\nlines", "plain", ""],
        "label": ["x", "y", "z", '"\N{LATIN SMALL LETTER E WITH ACUTE}"'],
    }
    assert plain(path, ["text", "label"]) == [(columns, [2, 3, 5, 6])]
    assert plain(path, ["text", "label"], wanted=["label"]) == [
        ({"label": columns["label"]}, [2, 3, 5, 6])
    ]
    halves = [
        ({name: column[rows] for name, column in columns.items()}, lines)
        for rows, lines in [(slice(3), [2, 3, 5]), (slice(3, 4), [6])]
    ]
    assert plain(path, ["text", "label"], batch_size=3) == halves


@pytest.mark.parametrize(
    "text",
    ['a"b,c\n', '"a"b,c\n', ' "a",c\n', "a,b,c\n", "a\n", "a,b\n\nc,d\n", "a,b\rc,d\n", '"a,b\n'],
)
def test_what_is_unusual_is_left_to_the_standard_library(tmp_path, text):
    path = tmp_path / "unusual.csv"
    path.write_bytes(b"x,y\n1,2\n" + text.encode())
    assert plain(path, ["x", "y"]) == [None]
    first = ({"x": ["1"], "y": ["2"]}, [2])
    assert plain(path, ["x", "y"], batch_size=1)[:2] in ([first, None], [first, plain_a(text)])


def plain_a(text):
    """A usual row before the unusual one."""
    return ({"x": ["a"], "y": ["b"]}, [3]) if text.startswith("a,b\n") else None


@pytest.mark.parametrize("batch_size", [None, 1, 7])
def test_parts_of_a_file_follow_each_other(tmp_path, monkeypatch, batch_size):
    monkeypatch.setattr(plain_csv, "CHUNK", 7)
    path = tmp_path / "parts.csv"
    path.write_text("text,label\n" + '"a\n\n, ""b""",x\nc,y\n' * 20)
    parts = plain(path, ["text", "label"], batch_size=batch_size)
    texts = [text for columns, _ in parts for text in columns["text"]]
    lines = [line for _, lines in parts for line in lines]
    assert texts == ['a\n\n, "b"', "c"] * 20
    assert lines == [line for i in range(20) for line in (2 + 4 * i, 5 + 4 * i)]


def test_the_end_of_a_row_is_not_looked_for_forever(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_csv, "CHUNK", 10)
    monkeypatch.setattr(plain_csv, "MOST_BYTES", 100)
    path = tmp_path / "open.csv"
    path.write_text('x,y\n1,2\n"' + "long " * 1000)
    read = []
    found = _core.csv_columns

    def note(data, *rest):
        read.append(len(data))
        return found(data, *rest)

    monkeypatch.setattr(plain_csv, "csv_columns", note)
    assert plain(path, ["x", "y"], batch_size=1) == [({"x": ["1"], "y": ["2"]}, [2]), None]
    assert max(read) < 400


def test_a_byte_order_mark_in_the_first_row_stays(tmp_path):
    path = tmp_path / "mark.csv"
    path.write_text("text,label,n\n\ufeffa,x,1\nb,y,2\n", encoding="utf-8")
    check_same(path)
    assert wordplane.read(path, text="text").texts[0] == "\ufeffa"


def test_the_core_refuses_columns_that_are_not_there():
    for columns in ([2], [1, 0], [0, 0]):
        with pytest.raises(ValueError, match="ascending order"):
            _core.csv_columns(b"a,b\n", ",", 2, columns, 9, True)
    texts, lines, n_bytes, n_lines = _core.csv_columns(b"a,b\nc,d\ne", ",", 2, [1], 9, False)
    assert list(texts[0]) == ["b", "d"]
    assert np.array_equal(lines, [0, 1])
    assert (n_bytes, n_lines) == (8, 2)
