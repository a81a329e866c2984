"""Files, formats and batches; real files.

Tests of wordplane.data.read, wordplane.data.raw_rows and wordplane.data.format_names.
"""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data.reading import parquet, refusal
from wordplane.common.errors import InputError
from wordplane.data.format_names import FORMATS
from wordplane.data.read import read, read_batches


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
    formats = ", ".join(FORMATS)
    message = refusal(write("a.doc", "one\n"))
    assert message == (
        f"a.doc: the extension '.doc' is not that of a known format; name the `format`: "
        f"{formats} "
        "(if the whole file is one text, put it into a folder and name the folder)"
    )
    assert "the extension '' is not that of a known format" in refusal(write("plain.gz", "one\n"))
    assert refusal(write("a.numbers", "PK")) == "a.numbers: cannot be read; save it as .xlsx or CSV"
    assert list(read("a.doc", format="lines").texts) == ["one"]
    assert refusal("a.doc", format="xml") == f"format is 'xml', expected one of {formats}"


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


@pytest.mark.slow
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
