"""What is written is read back unchanged; what a format cannot hold is noted or refused.

Tests of wordplane.data.write, wordplane.data.line_writer and wordplane.data.tables.
"""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.reading import contents
from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.data.read import read, read_batches
from wordplane.data.write import WRITABLE, choose_format, write
from wordplane.workflow.mistakes import write_frame

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
    assert contents(again) == contents(replace(corpus, labels=as_read(corpus.labels)))
    assert sum(sizes) == len(corpus)


LABELS = st.sampled_from([NAME, st.integers(-(2**62), 2**62), st.booleans()])


@given(LABELS.flatmap(lambda label: corpora(TEXT, label, ids=TEXT, columns=True)), st.data())
def test_tables_round_trip(corpus, data):
    form = data.draw(st.sampled_from(["jsonl", "parquet", "arrow"]))
    check_round_trip(corpus, f"a.{form}", form)


@given(corpora(TEXT, NAME, several=True, ids=TEXT, columns=True), st.data())
@pytest.mark.slow
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
@pytest.mark.slow
def test_vw_round_trip(corpus):
    if corpus.weights is not None and None in corpus.labels:
        return  # an importance needs a label
    check_round_trip(corpus, "a.vw", "vw")


ITEM = st.tuples(st.integers(1, 99), st.integers(0, 9))
ITEMS = st.lists(ITEM, max_size=5)
EACH_ONCE = st.lists(ITEM, max_size=5, unique_by=lambda item: item[0])


def as_text(items):
    return " ".join(f"{word}:{n}" for word, n in items)


@given(corpora(ITEMS.map(as_text), PLAIN_NAME.filter(lambda name: ":" not in name)))
def test_counts_round_trip(corpus):
    object.__setattr__(corpus, "format", "counts")
    check_round_trip(corpus, "a.counts", "counts")


@given(corpora(EACH_ONCE.map(as_text), st.integers(-3, 3).map(str), several=True))
@pytest.mark.slow
def test_svmlight_round_trip(corpus):
    labels = ["0" if one is None else one for one in corpus.labels or [None] * len(corpus)]
    corpus = Corpus(corpus.texts, labels, format="svmlight")
    check_round_trip(corpus, "a.svmlight", "svmlight")


def test_svmlight_has_each_feature_once(tmp_path):
    corpus = Corpus(Texts(["7:1 2:3 07:2"]), ["1"], format="counts")
    write(corpus, tmp_path / "a.svmlight", "svmlight")
    assert (tmp_path / "a.svmlight").read_text() == "1 7:3 2:3\n"


@given(corpora(LINE, NAME).map(lambda corpus: Corpus(corpus.texts)))
def test_lines_round_trip(corpus):
    check_round_trip(corpus, "a.txt", "lines")


def test_every_writable_format_has_a_round_trip():
    lines = {"lines", "fasttext", "vw", "svmlight", "counts"}
    assert set(WRITABLE) == {"csv", "tsv", "jsonl", "parquet", "arrow", "excel"} | lines


def test_what_had_to_be_changed_is_told(tmp_path):
    corpus = Corpus(Texts(["a\nb", "c: d|"]), ["very good", "bad"], ["1", "2"], split=["train"] * 2)
    path = tmp_path / "a"
    assert write(corpus, path, "fasttext") == [
        "1 texts have line breaks, replaced by blanks",
        "1 labels have blanks or marks, replaced by _",
        "fasttext cannot hold everything; left out: ids, split",
    ]
    assert path.read_text() == "__label__very_good a b\n__label__bad c: d|\n"
    assert "1 texts have : or |, replaced by blanks" in write(corpus, path, "vw")
    assert path.read_text() == "very_good '1 | a b\nbad '2 | c  d \n"
    assert write(corpus, path, "lines")[1:] == [
        "lines cannot hold everything; left out: ids, labels, split"
    ]


@pytest.mark.parametrize(
    ("texts", "labels", "form", "message"),
    [
        (["a", "b"], ["x y", "x_y"], "fasttext", "row 2: the labels 'x_y' and 'x y' would both be"),
        (["a", "b __label__c"], None, "fasttext", "row 2: the text has a word that begins with"),
        (["a"], [("x", "y")], "csv", "row 1 has several labels, which csv cannot hold"),
        (["a"], ["x"], "counts", "row 1: the text is 'a', expected word:count items"),
        (["a"], ["x"], "svmlight", "or pass a model as `features`"),
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
    with pytest.raises(InputError, match=r"row 1: the feature is 'good', but svmlight"):
        write(Corpus(Texts(["good:2"]), ["1"], format="counts"), tmp_path / "a", "svmlight")


def test_a_number_that_columns_cannot_hold(tmp_path):
    with pytest.raises(InputError, match=r"a\.parquet: parquet cannot hold a value"):
        write(Corpus(Texts(["a"]), [2**70]), tmp_path / "a.parquet", "parquet")
    assert list(tmp_path.iterdir()) == []


def test_columnar_formats_need_one_corpus(tmp_path):
    batches = [Corpus(Texts(["a"])), Corpus(Texts(["b"]))]
    with pytest.raises(InputError, match="parquet is written from one whole corpus"):
        write(batches, tmp_path / "a.parquet", "parquet")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_batches_without_any_label_keep_the_column(here, form):
    (here / "a.csv").write_text("text,label\nx,a\ny,b\nz,\nv,\nw,a\n")
    write(read_batches("a.csv", batch_size=2), f"b.{form}", form)
    assert read(f"b.{form}").labels == ["a", "b", None, None, "a"]
    kept = list(read_batches("a.csv", batch_size=2, skip_unlabeled=True))
    assert [label for batch in kept for label in batch.labels] == ["a", "b", "a"]


def test_batches_after_one_with_several_labels_have_sets(here):
    (here / "a.ft").write_text("__label__a __label__b x\n__label__a y\n__label__c z\n")
    write(read_batches("a.ft", batch_size=1), "b.jsonl", "jsonl")
    assert read("b.jsonl").labels == [("a", "b"), ("a",), ("c",)]


def test_several_labels_behind_rows_with_one_are_refused(here):
    (here / "a.ft").write_text("__label__a x\n__label__a __label__b y\n")
    with pytest.raises(InputError, match="of the rows after row 1, some have several labels"):
        write(read_batches("a.ft", batch_size=1), "b.jsonl", "jsonl")
    assert not (here / "b.jsonl").exists()


@pytest.mark.parametrize(
    ("given_by", "advice"),
    [
        ("", "Let the name end in one of"),
        ("--output-format", "Name one with --output-format (csv,"),
    ],
)
def test_only_what_the_caller_has_is_advised(given_by, advice):
    with pytest.raises(InputError, match=re.escape(f"x.foo: in which format? {advice}")):
        choose_format("x.foo", None, ("csv", "jsonl"), given_by)


def test_a_python_function_names_no_option(tmp_path):
    with pytest.raises(InputError, match="in which format") as raised:
        write_frame(pl.DataFrame({"a": [1]}), tmp_path / "x.foo")
    assert "output" not in str(raised.value).removeprefix(str(tmp_path))


def test_excel_needs_its_ending():
    with pytest.raises(InputError, match=r"x\.csv: .* excel must end in \.xlsx"):
        choose_format("x.csv", "excel", ("csv", "excel"), "--output-format")
