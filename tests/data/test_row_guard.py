"""Limits on the rows of files that strangers send: tests of wordplane.data.encoding."""

import itertools

import pytest

from tests.data.reading import refusal
from wordplane.common.errors import InputError
from wordplane.data import encoding
from wordplane.data.encoding import RowGuard
from wordplane.data.read import read_batches

LONG = {
    "a line": b"text\na\n" + b"x" * 200 + b"\n",
    "a cell of many lines": b'text\na\n"' + b"x\n" * 100 + b'"\nb\n',
    "a header": b"text," + b"x" * 200 + b"\na,b\n",
    "no end of a line": b"x" * 200,
    "another encoding": "text\nä\n".encode("latin-1") + b"x" * 200 + b"\n",
    "UTF-16": ("text\na\n" + "x" * 200).encode("utf-16"),
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_all(name, guard, batch_size=10):
    options = {"labels": False, "text": "text", "guard": guard}
    return list(read_batches(name, batch_size=batch_size, **options))


@pytest.mark.parametrize("kind", LONG)
def test_a_row_of_too_many_characters(here, kind):
    (here / "a.csv").write_bytes(LONG[kind])
    hint = {"encoding": "cp1252"}
    message = refusal("a.csv", labels=False, file_style=hint, guard=RowGuard(100, 9))
    assert "the row has more than 100 characters" in message


def test_a_line_of_json_that_is_too_long(here):
    (here / "a.jsonl").write_text('{"text": "a"}\n{"text": "' + "x" * 200 + '"}\n')
    message = refusal("a.jsonl", labels=False, guard=RowGuard(100, 9))
    assert message == ("a.jsonl, row 2: the row has more than 100 characters; send less in a row")


def test_a_line_is_not_read_to_its_end(here):
    with (here / "a.csv").open("wb") as file:
        file.write(b"text\n")
        file.truncate(1 << 40)  # a line of zeros that no memory holds
    with pytest.raises(InputError, match="more than 1,000 characters"):
        read_all("a.csv", RowGuard(1000, 9))


def test_too_many_columns(here):
    (here / "a.csv").write_text("text,b,c\na,1,2\n")
    (here / "a.jsonl").write_text('{"text": "a"}\n{"text": "b", "b": 1, "c": 2}\n')
    for name in ("a.csv", "a.jsonl"):
        assert len(read_all(name, RowGuard(100, 3))) == 1
        message = refusal(name, labels=False, guard=RowGuard(100, 2))
        assert "the row has 3 columns, at most 2 are allowed" in message


def test_a_batch_ends_with_its_characters(here, monkeypatch):
    monkeypatch.setattr(encoding, "MAX_PART", 100)
    texts = [f"{i} " + "x" * (i % 50) for i in range(60)]
    (here / "a.csv").write_text("text\n" + "\n".join(texts) + "\n")
    batches = read_all("a.csv", RowGuard(100, 3), batch_size=20)
    assert [text for batch in batches for text in batch.texts] == texts
    assert max(map(len, batches)) < 20
    assert max(sum(map(len, batch.texts)) for batch in batches) < 400


@pytest.mark.parametrize(
    "lines", [("a.csv", "text\n", "a\n"), ("a.csv", "text,b\n", "a\n"), ("a.csv", "text\n", "\n"),
              ("a.jsonl", "", "\n"), ("a.jsonl", "", "{\n"), ("a.jsonl", "", '{"text": "a"}\n')],
    ids=str,
)  # fmt: skip
def test_whoever_waits_is_asked_all_the_time(here, lines):
    name, head, line = lines
    (here / name).write_text(head + line * 1000)
    calls = itertools.count()

    def stop():
        if next(calls) == 500:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        read_all(name, RowGuard(100, 3, stop))


def test_bad_rows_are_not_counted_without_end(here, monkeypatch):
    monkeypatch.setattr("wordplane.data.formats.records.MOST_BAD", 10)
    (here / "a.csv").write_text("text,b\n" + "a\n" * 1000)
    assert "9 more rows (lines 3, 4, 5, 6, 7, ...)" in refusal("a.csv", labels=False)
