"""Tests of wordplane.data.formats.plain_jsonl.

Files that are read by column give the same rows and notes as line by line, and all others are
read line by line.
"""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.data.formats.careful import check_same
from wordplane.data.formats import plain_jsonl
from wordplane.data.formats.plain_jsonl import read_plain


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("jsonl")


strings = st.text(st.sampled_from('ab\\"/\n\t{}[],: é€😀\0\x1f\ufeff'), max_size=6)
scalars = (
    strings
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([10**120, -0.0, 1e400, 2**63, 1e-320])
)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(strings, scalars, max_size=2)
usual = st.fixed_dictionaries(
    {"text": strings, "label": st.sampled_from(["x", "y"]), "n": st.integers() | st.floats()}
)
records = usual | st.dictionaries(st.sampled_from(["text", "label", "n", "é"]), values, max_size=4)


@given(
    st.lists(usual, min_size=1, max_size=6) | st.lists(records, min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]),
    st.sampled_from(["\n", "\r\n", " \n"]),
    st.booleans(),
)
@settings(max_examples=150)
@pytest.mark.slow
def test_what_a_writer_writes(folder, records, ascii_only, separators, end, last):
    lines = [json.dumps(one, ensure_ascii=ascii_only, separators=separators) for one in records]
    path = folder / "written.jsonl"
    path.write_bytes((end.join(lines) + end * last).encode())
    check_same(path)


pieces = st.sampled_from(
    [
        *'{}[]:,"\\\n\r\t \0\f',
        '"text"',
        '"label"',
        '"x"',
        '"text": "a"',
        '"label": 1',
        '{"text": "a", "label": "x", "n": 1}',
        '{"text": "a", "text": "b"}',
        "\\ud83d",
        "\\ude00",
        "\\u00e9",
        "\\x",
        "\ufeff",
        "\u2028",
        "\x85",
        "null",
        "true",
        "NaN",
        "-Infinity",
        "-",
        "0",
        "1.",
        "01",
        "1e5",
        "9" * 5000,
    ]
)


@pytest.mark.slow
@given(st.lists(pieces, max_size=12).map("".join) | st.binary(max_size=30))
@example('{"text": "a\\ud83d"}')
@example('{"text": "\\ude00\\ud83d"}')
@example('{"text": "\\ud83d\\ude00"}')
@example('{"text": "a", "n": 1, "n": 2}')
@example('{"text": "a", "n": {"n": 1, "n": 2}}')
@example('{"text": "a", "\\u006e": 1}')
@example('{"text": "a"}, {"text": "b"}')
@example('{"text": "a", "n": [1\n2]}')
@example('{"text": "a"}\n\n{"text": "b"}')
@example('{"text": "a", "n": 01}')
@example('{"text": "a", "n": 1.}')
@example('{"text": "a", "n": -}')
@example('{"text": "a", "n": NaN}')
@example('{"text": "a", "n": ' + "9" * 5000 + "}")
@example('{"text": "a", "other": ' + "9" * 5000 + "}")
@example('{"text": "a", "other": "\\x"}')
@example('{"text": "a", "other": "\\u00g0"}')
@example('{"text": "a", "n": 1,}')
@example('{"text": "a\\"}')
@example('{"text": 5}')
@example('{"text": null}')
@example("{}")
@example('["a"]')
@example(b'{"text": "\xff"}')
@example(b'{"text": "\xed\xa0\x80"}')
@settings(max_examples=300)
def test_any_lines(folder, body):
    path = folder / "any.jsonl"
    data = body if isinstance(body, bytes) else body.encode()
    head = b'{"text": "some words here", "label": "x", "n": 1}\n'
    for content in head + data, data + b"\n" + head:
        path.write_bytes(content)
        check_same(path)


def test_the_common_case_is_read_by_column(tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"text": "a \\"b\\" \\ud83d\\ude00", "label": ["x", 1], "other": -1.5e3}\r\n'
        b' { "label":null,"text" :"\xc3\xa9" } \n'
        b'{"text": ""}'
    )
    columns = {"label": [["x", 1], None, None], "text": ['a "b" 😀', "é", ""]}
    assert list(read_plain(path, ["label", "text"], None)) == [columns]


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "a": 2}',
        b'{"\\u0061": 1}',
        b'{"a": {"b": 1}}',
        b'{"a": [[1]]}',
        b'{"a": NaN}',
        b'{"a": 1' + b"0" * 100 + b"}",
        b'{"a": "\\ud800"}',
        b'{"a": "\0"}',
        b'{"a": "\xff"}',
        b'{"a": 1} 2',
        b"[1]",
        b"",
        b'{"a": 1',
        b'{"a" 1}',
        b'{"a": "b',
        b"{" + b",".join(b'"%d": 1' % i for i in range(100)) + b"}",
    ],
)
def test_what_is_unusual_is_read_line_by_line(tmp_path, line):
    path = tmp_path / "unusual.jsonl"
    path.write_bytes(b'{"a": 1}\n' + line + b"\n")
    assert list(read_plain(path, ["a"], None)) == [None]


@pytest.mark.parametrize("batch_size", [None, 1, 7])
def test_parts_of_a_file_follow_each_other(tmp_path, monkeypatch, batch_size):
    monkeypatch.setattr(plain_jsonl, "CHUNK", 7)
    path = tmp_path / "parts.jsonl"
    path.write_text("".join(f'{{"a": {i}}}\n' for i in range(50)))
    parts = list(read_plain(Path(path), ["a"], batch_size))
    assert [value for part in parts for value in part["a"]] == list(range(50))
    assert all(len(part["a"]) == batch_size or part is parts[-1] for part in parts)
