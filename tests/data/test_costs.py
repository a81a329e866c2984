"""What files cost: time and memory in proportion to their size, or an error."""

import gzip
import json

import pytest

from tests.costs import check_linear
from wordplane.common import memory
from wordplane.common.errors import InputError
from wordplane.data import compression
from wordplane.data.read import read, read_batches


def new_keys(n):
    rows = [
        {"text": f"good film {i}", "label": "ab"[i % 2], **{f"k{i}_{j}": j for j in range(60)}}
        for i in range(n)
    ]
    return "wide.jsonl", "".join(json.dumps(row) + "\n" for row in rows)


def many_columns(n):
    row = {f"k{i}": f"value {i}" for i in range(n)}
    return "columns.jsonl", (json.dumps(row | {"text": "a b", "label": "x"}) + "\n") * 3


def many_labels(n):
    return "labels.ft", "__label__a " * n + "text\n" + "__label__b other\n"


def long_line(n):
    return "long.csv", "text,label\n" + "word " * (10 * n) + ",a\nshort,b\n"


def deep_json(n):
    inner = "[" * 50 + "]" * 50
    return "deep.jsonl", f'{{"text": "a", "label": "b", "x": {inner}}}\n' * n


def empty_lines(n):
    return "empty.jsonl", '{"text": "a b", "label": "x"}\n' + "\n" * n


def repeated(n):
    return "counts.vw", "1 |t a:10 b:10\n-1 |t c d\n" * n


def folds(n):
    return "words.counts", " ".join(f"w{i}:2" for i in range(n)) + "\na:1\n"


FAMILIES = {
    new_keys: 200, many_columns: 3_000, many_labels: 20_000, long_line: 20_000, deep_json: 500,
    empty_lines: 20_000, repeated: 2_000, folds: 20_000,
}  # fmt: skip


@pytest.mark.parametrize("make", FAMILIES, ids=lambda make: make.__name__)
def test_cost_is_linear(make, write):
    def file(n):
        name, content = make(n)
        return write(f"{n}{name}", content)

    check_linear(file, read, FAMILIES[make])


def test_words_are_not_repeated_without_end(write):
    name = write("a.vw", "1 |t a:3\n-1 |t b\n")
    assert list(read(name).texts) == ["a a a", "b"]
    name = write("b.vw", "1 |t abcdefgh:1000\n" * 20_000)  # 0.4 MB, 180 MB of texts
    with pytest.raises(InputError, match=r"b\.vw, row \d+: the counts repeat words"):
        read(name)
    name = write("c.vw", "1 |t " + "abcdefgh:1000 " * 20_000 + "\n")
    with pytest.raises(InputError, match=r"c\.vw, row 1: the counts repeat words"):
        read(name)


def test_a_file_must_not_expand_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "FREE_BYTES", 1 << 20)
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"a" * 10_000_000))
    for reading in (read, lambda name: next(read_batches(name))):
        with pytest.raises(InputError, match="more than 100 times its size"):
            reading(str(path))
    path.write_bytes(gzip.compress(b"a few words\n" * 1000))
    assert len(read(str(path))) == 1000


def test_files_that_do_not_fit_are_refused(write, monkeypatch):
    name = write("a.csv", "text,label\n" + "good film,a\n" * 1000)
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000)
    assert len(read(name)) == 1000
    monkeypatch.setattr("wordplane.data.read.SMALL_BYTES", 1000)
    with pytest.raises(InputError, match="reading all rows needs about"):
        read(name)
    assert len(next(read_batches(name, batch_size=100))) == 100


def test_messages_do_not_list_thousands_of_columns(write):
    name = write("a.jsonl", json.dumps({f"k{i}": "x" for i in range(5000)}) + "\n")
    for options in ({"text": "none"}, {}):
        with pytest.raises(InputError) as caught:
            read(name, **options)
        assert len(str(caught.value)) < 5000
