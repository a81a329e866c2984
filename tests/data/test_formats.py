"""Arrow, fastText, Vowpal Wabbit and svmlight files, .zst, and what is written is read again."""

import gzip
import io
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.data.read import read, read_batches
from wordplane.data.write import WRITABLE, write


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def file(name, content):
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return file


def refusal(*args, **kwargs):
    with pytest.raises(InputError) as error:
        read(*args, **kwargs)
    return str(error.value)


def held(corpus):
    """All that a corpus holds."""
    weights = None if corpus.weights is None else corpus.weights.tolist()
    extras = {name: list(values) for name, values in corpus.extras.items()}
    return list(corpus.texts), corpus.labels, corpus.ids, weights, corpus.split, extras


# -- what is written is read again ---------------------------------------------------------------

UNICODE = st.characters(exclude_categories=["Cs"])
TEXT = st.text(UNICODE, max_size=20)
LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=20)
NAME = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=5)
PLAIN_NAME = NAME.filter(lambda name: not set("'|:,_") & set(name))
SPLIT = st.sampled_from(["train", "dev", "test"])
WEIGHT = st.floats(0, 1e300, allow_nan=False)


@st.composite
def corpora(draw, text, label, *, several=False, ids=None, columns=False):
    """Corpora as a format can hold them."""
    n = draw(st.integers(1, 12))

    def column(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    kind = st.lists(label, min_size=2, max_size=3, unique=True).map(tuple)
    labels = column(st.none() | label | kind) if several else column(st.none() | label)
    if all(held is None for held in labels):
        labels = None
    weights = (
        draw(st.none() | st.lists(WEIGHT, min_size=n, max_size=n)) if ids is not None else None
    )
    return Corpus(
        Texts(column(text)),
        labels,
        None if ids is None else column(ids),
        None if weights is None else np.array(weights),
        column(SPLIT) if columns and draw(st.booleans()) else None,
        {"links": column(st.floats(-1e9, 1e9))} if columns and draw(st.booleans()) else {},
    )


def as_read(labels):
    """If one row has several labels, all have a tuple of them."""
    if labels is None or tuple not in map(type, labels):
        return labels
    sets = [held if isinstance(held, tuple) else (held,) for held in labels]
    return [tuple(sorted(one for one in held if one is not None)) for held in sets]


def check_round_trip(corpus, name, form):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        notes = write(corpus, path, form)
        again = read(path, extra=list(corpus.extras))
        sizes = [len(b) for b in read_batches(path, batch_size=5)]
    assert notes == []
    assert held(again) == held(replace(corpus, labels=as_read(corpus.labels)))
    assert sum(sizes) == len(corpus)


LABELS = st.sampled_from([NAME, st.integers(-(2**62), 2**62), st.booleans()])


@given(LABELS.flatmap(lambda label: corpora(TEXT, label, ids=TEXT, columns=True)), st.data())
def test_tables_round_trip(corpus, data):
    form = data.draw(st.sampled_from(["jsonl", "parquet", "arrow"]))
    check_round_trip(corpus, f"a.{form}", form)


@given(corpora(TEXT, NAME, several=True, ids=TEXT, columns=True), st.data())
def test_tables_with_several_labels_round_trip(corpus, data):
    form = data.draw(st.sampled_from(["jsonl", "parquet", "arrow"]))
    check_round_trip(corpus, f"a.{form}", form)


@given(corpora(TEXT, NAME, ids=TEXT, columns=True), st.sampled_from(["csv", "tsv"]))
def test_delimited_round_trip(corpus, form):
    check_round_trip(corpus, f"a.{form}.gz", form)


def is_no_label(text):
    return "__label__" not in text


@given(corpora(LINE.filter(is_no_label), NAME, several=True))
def test_fasttext_round_trip(corpus):
    check_round_trip(corpus, "a.ft.zst", "fasttext")


VW_TEXT = LINE.map(lambda text: text.replace(":", "").replace("|", ""))


@given(corpora(VW_TEXT, PLAIN_NAME, several=True, ids=PLAIN_NAME).filter(lambda c: c.labels))
def test_vw_round_trip(corpus):
    if corpus.weights is not None and None in corpus.labels:
        return  # an importance needs a label
    check_round_trip(corpus, "a.vw", "vw")


ITEMS = st.lists(st.tuples(st.integers(1, 99), st.integers(0, 9)), max_size=5)
COUNTS = ITEMS.map(lambda items: " ".join(f"{word}:{n}" for word, n in items))


@given(corpora(COUNTS, PLAIN_NAME.filter(lambda name: ":" not in name)))
def test_counts_round_trip(corpus):
    object.__setattr__(corpus, "format", "counts")
    check_round_trip(corpus, "a.counts", "counts")


@given(corpora(COUNTS, st.integers(-3, 3).map(str), several=True))
def test_svmlight_round_trip(corpus):
    labels = ["0" if one is None else one for one in corpus.labels or [None] * len(corpus)]
    corpus = Corpus(corpus.texts, labels, format="svmlight")
    check_round_trip(corpus, "a.svmlight", "svmlight")


@given(corpora(LINE, NAME).map(lambda corpus: Corpus(corpus.texts)))
def test_lines_round_trip(corpus):
    check_round_trip(corpus, "a.txt", "lines")


def test_every_writable_format_has_a_round_trip():
    lines = {"lines", "fasttext", "vw", "svmlight", "counts"}
    assert set(WRITABLE) == {"csv", "tsv", "jsonl", "parquet", "arrow"} | lines


# -- what a format cannot hold -------------------------------------------------------------------


def test_what_had_to_be_changed_is_told(tmp_path):
    corpus = Corpus(Texts(["a\nb", "c: d|"]), ["very good", "bad"], ["1", "2"], split=["train"] * 2)
    path = tmp_path / "a"
    assert write(corpus, path, "fasttext") == [
        "1 texts have line breaks: these became blanks",
        "1 labels have blanks or marks: these became _",
        "fasttext cannot hold the ids, split: left out",
    ]
    assert path.read_text() == "__label__very_good a b\n__label__bad c: d|\n"
    assert "1 texts have : or |: these became blanks" in write(corpus, path, "vw")
    assert path.read_text() == "very_good '1 | a b\nbad '2 | c  d \n"
    assert write(corpus, path, "lines")[1:] == [
        "lines cannot hold the ids, labels, split: left out"
    ]


@pytest.mark.parametrize(
    ("texts", "labels", "form", "message"),
    [
        (["a", "b"], ["x y", "x_y"], "fasttext", "row 2: the labels 'x_y' and 'x y' would both be"),
        (["a", "b __label__c"], None, "fasttext", "row 2: the text has a word that begins with"),
        (["a"], [("x", "y")], "csv", "row 1 has several labels, which csv cannot hold"),
        (["a"], ["x"], "counts", "row 1: the text 'a', expected word:count items"),
        (["a"], ["x"], "svmlight", "or name a model with --features"),
        (["a"], None, "folder", "the format is 'folder', expected one of"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, texts, labels, form, message):
    with pytest.raises(InputError) as error:
        write(Corpus(Texts(texts), labels), tmp_path / "a", form)
    assert message in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_svmlight_labels_become_numbers(tmp_path):
    corpus = Corpus(Texts(["3:2", ""]), ["spam", "ham"], format="counts")
    path = tmp_path / "a"
    assert write(corpus, path, "svmlight") == ["labels are written as numbers: ham 0, spam 1"]
    assert path.read_text() == "1 3:2\n0\n"


def test_svmlight_words_must_be_numbers(tmp_path):
    with pytest.raises(InputError, match=r"row 1: the feature 'good'; features are numbers"):
        write(Corpus(Texts(["good:2"]), ["1"], format="counts"), tmp_path / "a", "svmlight")


def test_a_number_that_columns_cannot_hold(tmp_path):
    with pytest.raises(InputError, match=r"a\.parquet: parquet cannot hold a value"):
        write(Corpus(Texts(["a"]), [2**70]), tmp_path / "a.parquet", "parquet")
    assert list(tmp_path.iterdir()) == []


def test_columnar_formats_need_one_corpus(tmp_path):
    batches = [Corpus(Texts(["a"])), Corpus(Texts(["b"]))]
    with pytest.raises(InputError, match="parquet is written from one whole corpus"):
        write(batches, tmp_path / "a.parquet", "parquet")


# -- Arrow ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_and_streams(file, stream, compressed):
    frame = pl.DataFrame({"text": ["a", None], "label": [1, 2]})
    out = io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(out)
    data = gzip.compress(out.getvalue()) if compressed else out.getvalue()
    corpus = read(file("a.arrow" + ".gz" * compressed, data))
    assert held(corpus)[:2] == (["a", ""], [1, 2])
    assert corpus.notes[-1] == "1 of 2 texts are empty, the first in row 2"


@pytest.mark.parametrize("writer", ["new_file", "new_stream"])
def test_arrow_of_another_library(file, writer):
    import pyarrow as pa

    table = pa.table(
        {
            "text": pa.array(["a", "b"], pa.large_string()),
            "label": pa.array(["x", "y"]).dictionary_encode(),
        }
    )
    out = io.BytesIO()
    with getattr(pa.ipc, writer)(out, table.schema) as stream:
        stream.write_table(table)
    assert held(read(file("a.feather", out.getvalue())))[:2] == (["a", "b"], ["x", "y"])


def test_arrow_from_stdin(monkeypatch):
    out = io.BytesIO()
    pl.DataFrame({"text": ["a"], "label": ["x"]}).write_ipc_stream(out)
    out.seek(0)
    monkeypatch.setattr(sys, "stdin", type("", (), {"buffer": out}))
    assert held(read("-", format="arrow"))[:2] == (["a"], ["x"])


@pytest.mark.parametrize("content", [b"text\n", b"ARROW1\0\0 cut"])
def test_damaged_arrow(file, content):
    assert refusal(file("a.arrow", content)).startswith("a.arrow: cannot be read")


# -- fastText ------------------------------------------------------------------------------------


def test_fasttext(file):
    content = "__label__pos great  film\r\nso dull __label__neg\n__label__x\n"
    corpus = read(file("a.fasttext", content), require_label=True)
    assert held(corpus)[:2] == (["great  film", "so dull ", ""], ["pos", "neg", "x"])
    assert corpus.notes == ("1 of 3 texts are empty, the first in row 3",)


def test_fasttext_without_labels_and_with_several(file):
    name = file("a.ft", "a __label\n__label__x __label__y __label__x b\n\n")
    assert held(read(name))[:2] == (["a __label", "b", ""], [(), ("x", "y"), ()])
    name = file("a.ft", "a __label\n__label__x b\n\n")
    assert held(read(name))[:2] == (["a __label", "b", ""], [None, "x", None])
    assert "row 1: the label is missing" in refusal(name, require_label=True)
    assert (
        refusal(file("b.ft", "__label__ a\n")) == "b.ft, row 1: __label__ without a name behind it"
    )


# -- Vowpal Wabbit -------------------------------------------------------------------------------


def test_vw(file):
    content = "1 2.5 'a|title  great film |body:1 so:2 good:1.0 bad:0\n\n-1 | dull\t\n"
    corpus = read(file("a.vw", content))
    assert held(corpus)[:4] == (
        ["great film so so good", "dull\t"],
        ["1", "-1"],
        ["a", ""],
        [2.5, 1.0],
    )
    assert corpus.notes == ("a.vw: 1 empty line was not taken as a row; it is line 2",)


def test_vw_names_and_absent_parts(file):
    assert held(read(file("a.vw", "spam |a b c\nham |\n|w\n")))[:4] == (
        ["b c", "", ""],
        ["spam", "ham", None],
        None,
        None,
    )
    assert held(read(file("b.vw", "| b\n")))[1] is None
    # as Vowpal Wabbit reads it: what touches the bar is the tag
    assert held(read(file("c.vw", "x t| b\n")))[1:3] == (["x"], ["t"])
    corpus = read(file("d.vw", "x |a:2 b\n"))
    assert (list(corpus.texts), corpus.notes[0]) == (
        ["b"],
        "d.vw: weights of namespaces are not taken",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 great film", "there is no |, which parts the label from the words"),
        ("1 2 3 | a", "initial predictions are not supported"),
        ("1:0.5 2:1 | a", "has costs, which are not supported"),
        ("1 heavy | a", "the importance is 'heavy', expected a finite number"),
        ("1 | a:0.5", "found 'a:0.5'; in a text a word counts a whole number of times"),
        ("1 | a:-1", "found 'a:-1'"),
        ("1 | a:9999999", "found 'a:9999999'"),
        ("1 | :)", "found ':)'"),
        ("1 -2 | a", "the importance is '-2', expected a finite number of 0 or more"),
    ],
)
def test_vw_that_is_no_text(file, line, message):
    found = refusal(file("a.vw", f"1 1 | a\n{line}\n"))
    assert found.startswith("a.vw, row 2: ")
    assert message in found


def test_vw_importance_that_comes_late(file):
    rows = "1 | a\n" * 1_100
    assert "row 1101: an importance, which no row had before" in refusal(
        file("a.vw", rows + "1 2 | a\n")
    )


# -- svmlight ------------------------------------------------------------------------------------


def test_svmlight(file):
    corpus = read(file("a.svmlight", "# head\n+1 3:2 10:1.0 # a note\n-1\n1,3 7:00\n"))
    assert held(corpus)[:2] == (["3:2 10:1", "", "7:0"], [("+1",), ("-1",), ("1", "3")])
    assert corpus.has_counts


@pytest.mark.parametrize("item", ["3:0.5", "3:-1", "word:1", "3", "3:", "3:1e5", "qid:1"])
def test_svmlight_that_is_no_counts(file, item):
    found = refusal(file("a.libsvm", f"1 1:1\n2 {item}\n"))
    assert found.startswith(f"a.libsvm, row 2: found {item!r}, expected feature:count")
    assert "load_svmlight_file" in found


def test_svmlight_without_a_label(file):
    assert "the line begins with '1:2', expected a label" in refusal(file("a.svm", "1:2 3:4\n"))


# -- .zst and bytes that do not decode -----------------------------------------------------------


def test_zst_of_several_frames(file):
    data = zstd.compress(b"one\n") + zstd.compress(b"two\n")
    assert list(read(file("a.txt.zst", data)).texts) == ["one", "two"]


@pytest.mark.parametrize("cut", [slice(0, -3), slice(5, None), slice(0, 0)])
def test_damaged_zst(file, cut):
    data = zstd.compress(b"text,label\na,b\n" * 1_000)
    message = refusal(file("a.csv.zst", data[cut]))
    assert message.startswith("a.csv.zst") and ("damaged" in message or "no rows" in message)


def test_zst_without_its_library(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "backports", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    assert "pip install 'wordplane[zst]'" in refusal(file("a.txt.zst", b""))


@pytest.mark.parametrize("name", ["a.ft", "a.vw", "a.svmlight"])
def test_bytes_that_are_not_utf8(file, name):
    row = {"a.ft": b"__label__x ", "a.vw": b"x | ", "a.svmlight": b"1 # "}[name]
    found = refusal(file(name, row + b"a\n" + row + b"caf\xe9\n"))
    assert found.startswith(f"{name}, row 2")
    assert "is not UTF-8; the file may be in latin-1 or cp1252" in found
    assert len(read(name, encoding="latin-1")) == 2
