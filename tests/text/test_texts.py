"""Tests of wordplane.text.texts."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.text.texts import as_texts

ROWS = ["plain", "", "schön 😀", "x" * 40, "nul\x00byte"]


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        lambda rows: (row for row in rows),
        lambda rows: np.array(rows, dtype=object),
        np.array,
        pd.Series,
        pl.Series,
        lambda rows: pl.concat([pl.Series(rows[:2]), pl.Series(rows[2:])], rechunk=False),
        lambda rows: pl.Series(["cut off", *rows])[1:],
        pa.array,
        lambda rows: pa.array(rows, pa.large_string()),
        lambda rows: pa.array(rows, pa.string_view()),
        lambda rows: pa.chunked_array([rows[:1], [], rows[1:]]),
        lambda rows: pa.array(["cut off", *rows])[1:],
        lambda rows: [row.encode() for row in rows],
        lambda rows: pd.DataFrame({"text": rows}),
        lambda rows: pl.DataFrame({"text": rows}),
        lambda rows: pa.table({"text": rows}),
        _core.Texts,
    ],
)
def test_any_column_of_strings(make):
    assert list(as_texts(make(ROWS))) == ROWS


@given(st.lists(texts))
def test_round_trip(rows):
    assert list(_core.Texts(rows)) == rows
    assert list(_core.Texts(pa.array(rows, pa.string()))) == rows
    assert list(_core.Texts(pl.Series(rows, dtype=pl.String))) == rows


@pytest.mark.parametrize("character", ["é", "\N{EM DASH}", "😀"])  # 1, 2, 4 bytes for Python
def test_long_texts_with_few_characters_beyond_ascii(character):
    for length in range(15, 50):
        rows = ["x" * at + character + "y" * (length - at) for at in range(length)]
        assert list(_core.Texts(rows)) == rows


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_lines(rows):
    for end in ("\n", "\r\n"):
        data = "".join(row + end for row in rows).encode()
        assert list(_core.Texts.from_lines(data)) == rows


def test_last_line_needs_no_end():
    assert list(_core.Texts.from_lines(b"a\n\nb\rc\r")) == ["a", "", "b\rc\r"]
    assert len(_core.Texts.from_lines(b"")) == 0


def test_parts_are_joined_in_order_and_keep_what_they_show():
    parts = [_core.Texts(["a", "é"]), _core.Texts.from_lines(b"b\nc"), _core.Texts([])]
    joined = _core.Texts.join(parts)
    del parts
    assert list(joined) == ["a", "é", "b", "c"]
    assert len(_core.Texts.join([])) == 0


def test_blank_texts_are_empty_or_white_space():
    assert _core.Texts(["", "a", " \t\v\f\r\n", "\u2003", " b ", " é"]).blank() == [0, 2, 3]


@pytest.mark.parametrize(
    "bad",
    [b"\xff", b"a\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"12345678\x80",
     b"\xf0\x80\x80\x80", b"\xe0\x80\x80", b"\xc3"],
)  # fmt: skip
def test_bytes_that_are_not_utf8_are_refused(bad):
    with pytest.raises(UnicodeDecodeError):
        bad.decode()
    with pytest.raises(ValueError, match="document 1 is not valid UTF-8 at byte"):
        _core.Texts.from_lines(b"fine\n" + bad)
    with pytest.raises(ValueError, match="document 1 is not valid UTF-8"):
        array = pa.Array.from_buffers(
            pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 1 + len(bad)], np.int32)),
                             pa.py_buffer(b"x" + bad)]
        )  # fmt: skip
        _core.Texts(array)


@given(st.binary(max_size=24))
def test_utf8_check_is_python_s(data):
    data = data.replace(b"\n", b"")
    try:
        expected = [data.decode()] if data else []
    except UnicodeDecodeError as error:
        with pytest.raises(
            ValueError, match=f"document 0 is not valid UTF-8 at byte {error.start}"
        ):
            _core.Texts.from_lines(data)
    else:
        assert list(_core.Texts.from_lines(data)) == expected


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("a text", r"Put a single text in a list"),
        (b"a text", r"Put a single text in a list"),
        (["a", None], r"document 1 is None, expected a string"),
        ([["a", "b"]], r"document 0 is \['a', 'b'\], expected a string; join lists of tokens"),
        (["a", 3.5], r"document 1 is 3.5, expected a string"),
        (pd.Series(["a", float("nan")], dtype=object), r"document 1 is nan, expected a string"),
        (pl.Series(["a", None]), r"document 1 is null"),
        (pa.array(["a", "b", None])[1:], r"document 1 is null"),
        (["a", "\ud83d"], r"document 1 has a lone surrogate at character 0"),
        (pl.Series([1, 2]), r"type 'l', expected strings"),
        (pl.Series(["a"], dtype=pl.Categorical), r"type 'dictionary', expected strings"),
        (pd.DataFrame({"text": ["a"], "label": [1]}), r"frame with the columns text, label"),
        (pl.DataFrame({"text": ["a"], "label": [1]}), r"frame\['text'\]"),
        (np.array([["a"]]), r"2 dimensions"),
    ],
)
def test_what_is_no_column_of_strings(documents, message):
    with pytest.raises(InputError, match=message):
        as_texts(documents)


def test_bytes_that_cannot_be_decoded_name_the_document():
    with pytest.raises(UnicodeDecodeError, match=r"document 1"):
        as_texts([b"fine", b"\xff"])
    assert list(as_texts([b"\xe9"], "latin-1")) == ["é"]


def test_take():
    column = _core.Texts(["a", "b", "c"])
    assert list(column.take(np.array([2, 0, 2]))) == ["c", "a", "c"]
    for bad in (3, -1):
        with pytest.raises(IndexError):
            column.take(np.array([bad]))


def test_texts_outlive_what_they_were_made_of():
    rows = [f"document {i} é" for i in range(1000)]
    column = _core.Texts([row + "" for row in rows])
    arrow = _core.Texts(pl.Series(rows))
    assert list(column) == rows
    assert list(arrow) == rows


def test_batches_cover_all():
    column = _core.Texts(["x" * n for n in (5, 0, 100, 1, 1, 1)])
    begin, ends = 0, []
    while begin < len(column):
        begin = column.batch_end(begin, 10)
        ends.append(begin)
    assert ends == [3, 6]
