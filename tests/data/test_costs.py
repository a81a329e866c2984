"""What files cost: time and memory in proportion to their size, or an error."""

import gzip
import json
import random
from pathlib import Path

import polars as pl
import pytest

from tests.costs import check_linear
from wordplane.cli import main
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


def distinct_words(n):
    words = " ".join(f"w{i}" for i in range(5 * n))
    return "words.csv", f"text,label\n{words},a\nother,b\n"


def equal_rows(n):
    return "equal.csv", "text,label\n" + "the same text,a\n" * n + "other,b\n"


def many_fields(n):
    names = ",".join(f"c{i}" for i in range(n))
    return "fields.csv", f"text,label,{names}\n" + f"good film,a,{',' * (n - 1)}\n" * 3


def quoted_lines(n):
    return "lines.tsv", 'text\tlabel\n"' + "line\n" * n + '"\ta\nb\tb\n'


def quotes(n):
    return "quotes.csv", 'text,label\n"' + '""' * n + '",a\nb,b\n'


def blanks(n):
    return "blanks.csv", "text,label\n" + " " * n + "x" + " " * n + ",a\nb,b\n"


def long_labels(n):
    return "long.jsonl", json.dumps({"text": "a b", "label": "x" * n}) + "\n" + few_rows()


def list_of_labels(n):
    labels = [f"l{i}" for i in range(n)]
    return "lists.jsonl", json.dumps({"text": "a b", "label": labels}) + "\n" + few_rows(True)


def few_rows(lists=False):
    rows = ({"text": "good film", "label": ["a", "b"] if lists else "ab"[i % 2]} for i in range(9))
    return "".join(json.dumps(row) + "\n" for row in rows)


def escapes(n):
    return "escapes.jsonl", '{"text": "' + "\\ud83d" * n + '", "label": "a"}\n' + few_rows()


def nested(n):
    inner = "[" * 200 + "]" * 200
    return "nested.jsonl", f'{{"text": "a", "label": "b", "x": [{",".join([inner] * n)}]}}\n'


def bad_rows(n):
    return "bad.jsonl", few_rows() + "[1]\n" * n


def lines(n):
    return "lines.txt", "a few words\n" * n


def one_line(n):
    return "line.txt", "word " * n


def returns(n):
    return "returns.txt", "a\r" * n


def vw_line(n):
    return "line.vw", "1 |t " + " ".join(f"w{i}" for i in range(n)) + "\n-1 |t b\n"


def namespaces(n):
    return "names.vw", "1 " + " ".join(f"|n{i} word" for i in range(n)) + "\n-1 |t b\n"


def vw_labels(n):
    return "labels.vw", ",".join(f"l{i}" for i in range(n)) + " |t a\nb |t b\n"


def svm_line(n):
    return "line.svm", "1 " + " ".join(f"{i}:2" for i in range(1, n)) + "\n-1 1:1\n"


def comment(n):
    return "comment.svm", "1 1:2 # " + "#" * n + "\n-1 2:1\n"


def labels_between(n):
    return "between.ft", "word __label__a " * n + "\n__label__b other\n"


def underscores(n):
    return "under.ft", "__label__a " + "__label" * n + "\n__label__b other\n"


FAMILIES = {
    new_keys: 120, many_columns: 2_000, many_labels: 20_000, long_line: 20_000, deep_json: 500,
    empty_lines: 20_000, repeated: 1_000, folds: 20_000, distinct_words: 20_000,
    equal_rows: 8_000, many_fields: 3_000, quoted_lines: 30_000, quotes: 300_000,
    blanks: 1_000_000, long_labels: 500_000, list_of_labels: 10_000, escapes: 50_000, nested: 300,
    bad_rows: 2_000, lines: 200_000, one_line: 500_000, returns: 500_000, vw_line: 50_000,
    namespaces: 10_000, vw_labels: 15_000, svm_line: 30_000, comment: 1_000_000,
    labels_between: 20_000, underscores: 100_000,
}  # fmt: skip


def check(make, n, write):
    def file(n):
        name, content = make(n)
        return write(f"{n}{name}", content)

    def reading(name):
        read(name, skip_bad=True)
        for _ in read_batches(name, batch_size=1000, skip_bad=True):
            pass

    check_linear(file, reading, n, runs=1)


@pytest.mark.slow
@pytest.mark.parametrize("make", FAMILIES, ids=lambda make: make.__name__)
def test_cost_is_linear(make, write):
    check(make, FAMILIES[make], write)


@pytest.mark.soak
@pytest.mark.parametrize("make", FAMILIES, ids=lambda make: make.__name__)
def test_cost_is_linear_at_larger_sizes(make, write):
    check(make, 5 * FAMILIES[make], write)


@pytest.mark.parametrize("deep", [False, True])
def test_folders_are_linear(deep, tmp_path):
    def folder(n):
        for i in range(n):
            place = tmp_path / str(n) / "ab"[i % 2]
            place = place.joinpath(*"x" * (i % 100)) if deep else place
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{i}.txt").write_text("a text")
        return str(tmp_path / str(n))

    check_linear(folder, read, 200, runs=1)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_columns_are_linear(form, tmp_path):
    def frame(n):
        columns = {f"c{i}": ["x"] * 4 for i in range(n)}
        table = pl.DataFrame({"text": ["a b"] * 4, "label": [*"abab"], **columns})
        path = tmp_path / f"{n}.{form}"
        (table.write_parquet if form == "parquet" else table.write_ipc)(path)
        return str(path)

    check_linear(frame, read, 500, runs=1)


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


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(memory, "READ_COPIES", 1 << 40)
    monkeypatch.setattr(memory, "SMALL_BYTES", 1000)


def test_files_that_do_not_fit_are_refused(write, tmp_path, little_memory):
    name = write("a.csv", "text,label\n" + "good film,a\n" * 1000)
    (tmp_path / "in" / "a").mkdir(parents=True)
    (tmp_path / "in" / "a" / "1.txt").write_text("good film " * 1000)
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(random.Random(0).randbytes(2000)))
    for source in (name, str(tmp_path / "in"), str(packed), [name, name]):
        with pytest.raises(InputError, match="reading all rows needs about"):
            read(source)
    assert len(next(read_batches(name, batch_size=100))) == 100


VERBS_THAT_READ = [
    "train a.csv -o n.wordplane", "evaluate m.wordplane a.csv", "compare a.csv", "tune a.csv",
    "report m.wordplane a.csv -o r.html", "diagnose a.csv", "audit a.csv",
    "embed a.csv -o e.embeddings", "cluster a.csv -k 2", "lexicon a.csv",
    "explain m.wordplane good --data a.csv", "train b.csv --unlabeled a.csv -o n.wordplane",
    "neighbors a.vec w1", "inspect a.wordplane", "predict a.wordplane b.csv",
]  # fmt: skip


@pytest.mark.parametrize("command", VERBS_THAT_READ)
def test_no_verb_reads_what_does_not_fit(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "good film,a\nbad film,b\n"
    Path("b.csv").write_text("text,label\n" + 10 * rows)
    assert main(["train", "b.csv", "--learner", "nb", "-o", "m.wordplane"]) == 0
    Path("a.csv").write_text("text,label\n" + 1000 * rows)
    Path("a.vec").write_text("".join(f"w{i} 1 2 3\n" for i in range(2000)))
    Path("a.wordplane").write_bytes(Path("m.wordplane").read_bytes() + b" " * 30_000)
    monkeypatch.setattr(memory, "READ_COPIES", 1 << 40)
    monkeypatch.setattr(memory, "SMALL_BYTES", 10_000)
    assert main(command.split()) == 2
    assert "needs about" in capsys.readouterr().err


def test_messages_do_not_list_thousands_of_columns(write):
    name = write("a.jsonl", json.dumps({f"k{i}": "x" for i in range(5000)}) + "\n")
    for options in ({"text": "none"}, {}):
        with pytest.raises(InputError) as caught:
            read(name, **options)
        assert len(str(caught.value)) < 5000
