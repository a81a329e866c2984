"""Frames and columns of every library: the same labels, and answers of the same kind.

Tests of wordplane.data.frames.
"""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane import TextClassifier
from wordplane.common.errors import InputError
from wordplane.data.frames import is_frame

TEXTS = ["a great film", "great fun", "a dull film", "dull, long and dull", "fun", "long"] * 4
LABELS = ["good", "good", "bad", "bad", "good", "bad"] * 4


def make_polars(columns):
    return pl.DataFrame(columns)


def make_lazy(columns):
    return pl.LazyFrame(columns)


def make_pandas(columns):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(columns, index=range(100, 100 + len(columns["text"])))


def make_pyarrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def make_reader(columns):
    return pytest.importorskip("pyarrow").table(columns).to_reader()


def make_duckdb(columns):
    return pytest.importorskip("duckdb").from_arrow(pl.DataFrame(columns))


def make_nanoarrow(columns):
    return pytest.importorskip("nanoarrow").Array(make_pyarrow(columns))


def make_nanoarrow_stream(columns):
    return pytest.importorskip("nanoarrow").ArrayStream(make_pyarrow(columns))


def make_datasets(columns):
    return pytest.importorskip("datasets").Dataset.from_dict(columns)


FRAMES = {
    "polars": (make_polars, "DataFrame"),
    "lazy": (make_lazy, "DataFrame"),
    "pandas": (make_pandas, "DataFrame"),
    "pyarrow": (make_pyarrow, "Table"),
    "reader": (make_reader, "Table"),
    "duckdb": (make_duckdb, "DuckDBPyRelation"),
    "nanoarrow": (make_nanoarrow, "Array"),
    "nanoarrow stream": (make_nanoarrow_stream, "ArrayStream"),
    "datasets": (make_datasets, "Dataset"),
}


@pytest.fixture(scope="module")
def model():
    return TextClassifier().fit(TEXTS, LABELS)


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_give_the_same_model_and_answers_of_their_kind(kind, model):
    make, name = FRAMES[kind]
    result = wordplane.train(make({"text": TEXTS, "label": LABELS}), test=False)
    assert result.model.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
    given = make({"text": TEXTS})
    assert is_frame(given)
    answer = wordplane.predict(model, given, top_k=2)
    assert type(answer).__name__ == name
    assert type(answer).__module__.split(".")[0] == type(given).__module__.split(".")[0]
    found = pl.DataFrame(answer if kind != "datasets" else answer.data.table)
    expected = wordplane.predict(model, TEXTS, top_k=2)
    assert {column.name: column.to_list() for column in found} == expected
    if kind == "pandas":
        assert answer.index.tolist() == given.index.tolist()


COLUMNS = {
    "polars": lambda texts: pl.Series(texts),
    "pandas": lambda texts: pytest.importorskip("pandas").Series(texts),
    "pyarrow": lambda texts: pytest.importorskip("pyarrow").chunked_array([texts]),
    "nanoarrow": lambda texts: pytest.importorskip("nanoarrow").Array(COLUMNS["pyarrow"](texts)),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_give_the_same_labels(kind, model):
    column = COLUMNS[kind](TEXTS)
    assert not is_frame(column)
    assert model.predict(column).tolist() == model.predict(TEXTS).tolist()
    answer = pl.DataFrame(wordplane.predict(model, column))
    assert answer["label"].to_list() == model.predict(TEXTS).tolist()


def test_many_rows_and_rows_that_are_left_out(model):
    texts = [*TEXTS, ""] * 900  # more than a batch
    answer = wordplane.predict(model, pl.Series(texts), keep_if="good")
    whole = wordplane.predict(model, texts)
    rows = [row for row, label in enumerate(whole["label"]) if label == "good"]
    assert answer["id"].to_list() == [str(row) for row in rows]
    pandas = pytest.importorskip("pandas")
    assert len(wordplane.predict(model, pandas.Series(texts), keep_if="good")) == len(rows)


MEMORY = """
import os, resource, sys
import numpy as np
import polars as pl
import wordplane
kind, model = sys.argv[1], wordplane.load(sys.argv[2])
model.n_jobs = 1
wordplane.predict(model, pl.DataFrame({"text": ["great film"] * 20_000}))  # what is needed once
rng = np.random.default_rng(0)
words = np.array(["great", "dull", "film", "unseen", "actor"])
unit = [" ".join(rng.choice(words, 60)) for _ in range(1000)]
frame = pl.DataFrame({"text": pl.Series(unit * 1000, dtype=pl.String)}).rechunk()
if kind == "pyarrow":
    frame = frame.to_arrow()
size = frame.nbytes if kind == "pyarrow" else frame.estimated_size()
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
before = resident()
answer = wordplane.predict(model, frame)
assert len(answer) == 1_000_000
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
print((size + peak - before) / size)
"""


@pytest.mark.slow
@pytest.mark.clock
@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_a_million_texts_take_little_more_than_their_frame(kind, model, tmp_path):
    model.save(tmp_path / "m.wordplane")
    command = [sys.executable, "-c", MEMORY, kind, str(tmp_path / "m.wordplane")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.2


def test_buffers_that_lie_are_refused():
    pa = pytest.importorskip("pyarrow")
    model = TextClassifier().fit(["good film", "great", "bad", "awful bad"], ["p", "p", "n", "n"])
    for offsets, data in (([0, 5, 3], b"hello"), ([0, 2], b"\xff\xfe")):
        buffers = pa.py_buffer(np.array(offsets, "int32").tobytes()), pa.py_buffer(data)
        column = pa.StringArray.from_buffers(len(offsets) - 1, *buffers)
        with pytest.raises(InputError, match="cannot be read"):
            wordplane.predict(model, pa.table({"text": column}))


def test_options_that_do_not_exist_are_refused_for_lists():
    model = TextClassifier().fit(["good film", "great", "bad", "awful bad"], ["p", "p", "n", "n"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'topk'"):
        wordplane.predict(model, ["good"], topk=3)
    for wrong in (1.5, "2", 10**30, 0):
        with pytest.raises(InputError, match="a whole number"):
            wordplane.predict(model, ["good"], top_k=wrong)
