"""Tests of wordplane.data.formats.sqlite: SQLite files as data."""

import sqlite3
import struct
from contextlib import closing

import pytest

import wordplane
from wordplane.common.errors import InputError


def write(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_rows_with_the_types_that_they_have(tmp_path):
    path = write(
        tmp_path / "labels.sqlite",
        "CREATE TABLE texts (id, text TEXT, label JSON)",
        """INSERT INTO texts VALUES (7, 'great', '"pos"'), ('x', 'it''s dull', '"neg"')""",
    )
    corpus = wordplane.read(path)
    assert list(corpus.texts) == ["great", "it's dull"]
    assert corpus.labels == ["pos", "neg"] and corpus.ids == ["7", "x"]


def test_sets_of_labels_and_numbers(tmp_path):
    path = write(
        tmp_path / "a.db",
        "CREATE TABLE other (x)",
        "CREATE TABLE feedback (text, label JSON)",
        """INSERT INTO feedback VALUES ('a', '["x", "y"]'), ('b', '[]')""",
    )
    assert wordplane.read(path).labels == [("x", "y"), ()]
    numbers = write(
        tmp_path / "b.sqlite3",
        "CREATE TABLE t (text, label JSON)",
        "INSERT INTO t VALUES ('a', 3), ('b', '4')",
    )
    assert wordplane.read(numbers).labels == [3, 4]


def test_a_store_that_is_being_written(tmp_path):
    path = tmp_path / "w.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE feedback (text, label)")
        connection.execute("INSERT INTO feedback VALUES ('a', 'x')")
        connection.commit()
        connection.execute("INSERT INTO feedback VALUES ('b', 'y')")  # not committed
        assert wordplane.read(path).labels == ["x"]


def test_nothing_is_left_next_to_a_closed_store(tmp_path):
    path = write(
        tmp_path / "w.sqlite",
        "PRAGMA journal_mode=WAL",
        "CREATE TABLE feedback (text, label)",
        "INSERT INTO feedback VALUES ('a', 'x'), ('b', 'y')",
    )
    assert wordplane.read(path).labels == ["x", "y"]
    assert [each.name for each in tmp_path.iterdir()] == ["w.sqlite"]


def test_a_closed_store_that_is_opened_while_it_is_read(tmp_path):
    path = write(
        tmp_path / "w.sqlite",
        "PRAGMA journal_mode=WAL",
        "CREATE TABLE feedback (text, label)",
        "INSERT INTO feedback SELECT 'a', 'x' FROM (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL "
        "SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n)",
    )
    batches = wordplane.data.read.read_batches(path, batch_size=100)
    next(batches)
    write(path, "UPDATE feedback SET label = 'y'")  # closing it brings the log into the file
    with pytest.raises(InputError, match="has changed while it was read"):
        list(batches)


@pytest.mark.parametrize(
    "statements, said",
    [
        ([], "has the tables none"),
        (
            ["CREATE TABLE a (text)", "CREATE TABLE b (text)"],
            r"has the tables a, b.*name one as in sqlite:///.*\?table=a$",
        ),
        (["CREATE TABLE a (text)"], "no rows"),
        (
            ["CREATE TABLE a (text, label JSON)", "INSERT INTO a VALUES ('t', '{')"],
            "row 1: the column",
        ),
        (
            ["CREATE TABLE a (text, label)", "INSERT INTO a VALUES (x'ff', 'a')"],
            "has a BLOB",
        ),
    ],
)
def test_what_cannot_be_read(tmp_path, statements, said):
    path = write(tmp_path / "x.sqlite", "CREATE TABLE z (a)", "DROP TABLE z", *statements)
    with pytest.raises(InputError, match=said):
        wordplane.read(path)


def test_other_files(tmp_path):
    (tmp_path / "x.sqlite").write_text("id,text\n1,a\n" * 100)
    with pytest.raises(InputError, match="cannot be read as SQLite"):
        wordplane.read(tmp_path / "x.sqlite")
    with pytest.raises(InputError, match="no such file"):
        wordplane.read(tmp_path / "none.db")


@pytest.mark.slow
def test_generated_columns_are_neither_read_nor_in_the_way(tmp_path):
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE t (text TEXT, label TEXT, big TEXT GENERATED ALWAYS AS "
            "(printf('%.*c', 300000000, 'x')) VIRTUAL)"
        )
        connection.execute("INSERT INTO t (text, label) VALUES ('good', 'a'), ('bad', 'b')")
    connection.close()
    corpus = wordplane.read(path)
    assert list(corpus.texts) == ["good", "bad"]
    assert corpus.labels == ["a", "b"]


def test_json_that_is_nested_deeply_is_a_bad_row(tmp_path):
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE labels (text TEXT, label JSON)")
        rows = [("a", '"x"'), ("b", "[" * 100_000 + "]" * 100_000)]
        connection.executemany("INSERT INTO labels VALUES (?, ?)", rows)
        connection.commit()
    with pytest.raises(InputError, match="row 2: the column 'label' is declared as JSON"):
        wordplane.read(path)


def test_pages_that_refer_to_a_page_again_and_again(tmp_path):
    # 7 kB that SQLite reads as 12 million rows: each inner page names the next one 90 times.
    path, size, fan = tmp_path / "x.sqlite", 1024, 90
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {size}")
        connection.execute("CREATE TABLE labels (text TEXT, label TEXT)")
        rows = [(f"text {i}", "ab"[i % 2]) for i in range(20)]
        connection.executemany("INSERT INTO labels VALUES (?, ?)", rows)
        connection.commit()
    data = bytearray(path.read_bytes())
    root = len(data) - size
    assert data[root] == 13  # a leaf of a table
    data += data[root:]
    for _ in range(3):
        child = len(data) // size
        cells = b"".join(struct.pack(">IB", child, i + 1) for i in range(fan))
        begin = size - len(cells)
        head = struct.pack(">BHHHBI", 5, 0, fan, begin, 0, child)
        head += b"".join(struct.pack(">H", begin + 5 * i) for i in range(fan))
        data += head.ljust(begin, b"\0") + cells
    data[root : root + size] = data[-size:]
    data[28:32] = struct.pack(">I", len(data) // size)
    path.write_bytes(data)
    with pytest.raises(InputError, match="the rows are far larger than the file"):
        wordplane.read(path)


def test_a_column_that_was_added_with_a_default(tmp_path):
    path = write(
        tmp_path / "x.sqlite",
        "CREATE TABLE labels (text TEXT)",
        "INSERT INTO labels SELECT 'a' FROM (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT "
        "i + 1 FROM n WHERE i < 20000) SELECT i FROM n)",
        "ALTER TABLE labels ADD COLUMN label TEXT DEFAULT 'not yet looked at by anybody'",
    )
    assert len(wordplane.read(path).texts) == 20_000
