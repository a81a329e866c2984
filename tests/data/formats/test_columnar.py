"""Tests of wordplane.data.formats.columnar: Parquet and Arrow files."""

import gzip
import io
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.data.reading import contents, parquet, refusal, rows
from wordplane.data.read import read


def test_parquet_categories_and_nulls(write):
    write("folder/x", "")
    label = pl.Series(["x", None, "y"], dtype=pl.Categorical)
    text = pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"]))
    corpus = read(parquet("a.parquet", text=text, label=label, id=[7, 8, 8]))
    assert rows(corpus) == (["a", "", "b"], ["x", None, "y"], ["7", "8", "8"])
    assert "1 of 3 texts are empty, the first in row 2" in corpus.notes
    assert "1 of 3 labels are missing, the first in row 2" in corpus.notes
    assert "the label is missing (column 'label', which" in refusal("a.parquet", require_label=True)


@pytest.mark.parametrize("labels", [[1, 0], [True, False], ["x", "y"]])
def test_parquet_keeps_the_types_of_labels(write, labels):
    found = read(parquet(write("a.parquet", ""), text=["a", "b"], label=labels)).labels
    assert found == labels and type(found[0]) is type(labels[0])


def test_parquet_whole_floats_are_integers(write):
    name = parquet(write("a.parquet", ""), text=["a", "b", "c"], label=[1.0, float("nan"), 3.0])
    corpus = read(name)
    assert corpus.labels == [1, None, 3] and type(corpus.labels[0]) is int
    assert "label column: 'label' has whole floats, read as integers" in corpus.notes
    parquet(name, text=["a", "b"], label=[1.0, 1e300])
    assert "row 2: the label in column 'label' is 1e+300, a number" in refusal(name, label="label")
    parquet(name, text=["a", "b"], label=[1.0, 2.5])
    assert "row 2: the label in column 'label' is 2.5, a number" in refusal(name, label="label")
    assert read(name).labels is None


def test_parquet_text_of_another_type(write):
    name = parquet(write("a.parquet", ""), text=[1, 2])
    assert "text column 'text' is of type Int64, expected strings" in refusal(name, text="text")


def test_parquet_several_texts_and_files(write):
    parquet(write("a.parquet", ""), title=["A", None], body=["b", "c"])
    parquet(write("b.parquet", ""), title=["D"], body=[None])
    corpus = read("?.parquet", text=["title", "body"])
    assert list(corpus.texts) == ["A\nb", "\nc", "D\n"]


def test_parquet_damaged(write):
    name = parquet(write("a.parquet", ""), text=["a"] * 1000)
    data = Path(name).read_bytes()
    assert "a.parquet: cannot be read as Parquet" in refusal(write(name, data[: len(data) // 2]))
    assert "b.parquet: there is no such file" in refusal("b.parquet")


def test_parquet_compressed_again(write):
    name = parquet(write("a.parquet", ""), text=["a", "b"])
    write("b.parquet.gz", gzip.compress(Path(name).read_bytes()))
    assert list(read("b.parquet.gz").texts) == ["a", "b"]


def test_parquet_without_rows(write):
    assert refusal(write("a.parquet", "")) == "a.parquet: the file is empty"
    gz = write("a.parquet.gz", gzip.compress(b""))
    assert refusal(gz) == "a.parquet.gz: the file is empty"
    assert refusal(parquet(write("a.parquet", ""), text=[])) == "a.parquet has no rows"


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_and_streams(write, stream, compressed):
    frame = pl.DataFrame({"text": ["a", None], "label": [1, 2]})
    out = io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(out)
    data = gzip.compress(out.getvalue()) if compressed else out.getvalue()
    corpus = read(write("a.arrow" + ".gz" * compressed, data))
    assert contents(corpus)[:2] == (["a", ""], [1, 2])
    assert corpus.notes[-1] == "1 of 2 texts are empty, the first in row 2"


@pytest.mark.parametrize("writer", ["new_file", "new_stream"])
def test_arrow_of_another_library(write, writer):
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
    assert contents(read(write("a.feather", out.getvalue())))[:2] == (["a", "b"], ["x", "y"])


def test_arrow_from_stdin(monkeypatch):
    out = io.BytesIO()
    pl.DataFrame({"text": ["a"], "label": ["x"]}).write_ipc_stream(out)
    out.seek(0)
    monkeypatch.setattr(sys, "stdin", type("", (), {"buffer": out}))
    assert contents(read("-", format="arrow"))[:2] == (["a"], ["x"])


@pytest.mark.parametrize("content", [b"text\n", b"ARROW1\0\0 cut"])
def test_damaged_arrow(write, content):
    assert refusal(write("a.arrow", content)).startswith("a.arrow: cannot be read")
