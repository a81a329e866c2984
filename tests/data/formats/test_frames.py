"""Tests of wordplane.data.formats.columnar: frames of every library, with missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import wordplane
from wordplane.common.errors import InputError
from wordplane.data.read import read

TEXTS = ["good film", None, "bad film", "so good", "so bad", "film"]
LABELS = ["+", "-", "-", "+", None, "+"]
KEPT = ["good film", "good", "bad", "awful", "nice", "dull"]


def pandas_of(dtype):
    def make(columns):
        frame = {name: pd.Series(values, dtype=dtype) for name, values in columns.items()}
        return pd.DataFrame(frame).set_index(pd.RangeIndex(10, 10 + len(columns["text"])))

    return make


FRAMES = {
    "pandas, its own choice": pd.DataFrame,
    "pandas, object": pandas_of(object),
    "pandas, str": pandas_of("str"),
    "pandas, string of Python": pandas_of("string[python]"),
    "pandas, string of Arrow": pandas_of("string[pyarrow]"),
    "pandas, Arrow": pandas_of(pd.ArrowDtype(pa.string())),
    "pandas, categories": pandas_of("category"),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "polars, categories": lambda c: pl.DataFrame(c).with_columns(pl.all().cast(pl.Categorical)),
    "pyarrow": pa.table,
    "pyarrow, dictionary": lambda c: pa.table(
        {name: pa.array(values).dictionary_encode() for name, values in c.items()}
    ),
    "mapping of lists": dict,
    "mapping of arrays": lambda c: {n: np.array(v, dtype=object) for n, v in c.items()},
    "mapping of pandas": lambda c: {n: pd.Series(v) for n, v in c.items()},
    "mapping of polars": lambda c: {n: pl.Series(v) for n, v in c.items()},
    "mapping of pyarrow": lambda c: {n: pa.array(v) for n, v in c.items()},
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("missing", ["nothing", "a text", "a label", "both", "all labels"])
def test_missing_values_of_every_library(kind, missing):
    texts = TEXTS if missing in ("a text", "both") else KEPT
    labels = LABELS if missing in ("a label", "both") else ["+", "-", "-", "+", "-", "+"]
    if missing == "all labels":
        labels = [None] * 6
    if missing == "all labels" and kind.startswith("polars, cat"):
        pytest.skip("polars casts no column of nulls to categories")
    corpus = read(FRAMES[kind]({"text": texts, "label": labels}))
    assert list(corpus.texts) == [text or "" for text in texts]
    assert corpus.labels == (None if missing == "all labels" else labels)
    if missing in ("a label", "both"):
        with pytest.raises(InputError, match=r"the frame, row 4: the label is missing"):
            wordplane.train(FRAMES[kind]({"text": texts, "label": labels}))
        frame = FRAMES[kind]({"text": texts, "label": labels})
        kept = read(frame, skip_unlabeled=True)
        assert kept.labels == [label for label in labels if label is not None]
        assert kept.ids == ["0", "1", "2", "3", "5"]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_model_is_trained_and_used_on_a_frame_with_a_missing_text(kind):
    columns = {"text": TEXTS * 10, "label": ["+", "-", "-", "+", "-", "+"] * 10}
    result = wordplane.train(FRAMES[kind](columns))
    assert result.n_train == 60
    assert any("texts are empty, the first in row 1" in note for note in result.notes)
    rows = wordplane.predict(result.model, FRAMES[kind]({"text": columns["text"]}))
    assert len(rows["label"]) == 60


COLUMNS = {
    "list": list,
    "tuple": tuple,
    "array of objects": lambda v: np.array(v, dtype=object),
    "array of NumPy's strings": lambda v: np.array(v),
    "array of variable strings": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas, object": lambda v: pd.Series(v, dtype=object),
    "pandas, index of its own": lambda v: pd.Series(v, index=range(100, 100 + len(v))),
    "pandas, string of Arrow": lambda v: pd.Series(v, dtype="string[pyarrow]"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow, chunks": lambda v: pa.chunked_array([v[:2], v[2:]]),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_texts_and_labels_of_every_library(kind):
    make, labels = COLUMNS[kind], ["+", "-", "-", "+", "-", "+"]
    model = wordplane.TextClassifier(learner="nb").fit(make(KEPT * 3), make(labels * 3))
    expected = wordplane.TextClassifier(learner="nb").fit(KEPT * 3, labels * 3)
    assert model.predict_proba(make(KEPT)).tolist() == expected.predict_proba(KEPT).tolist()
    assert model.classes_.tolist() == ["+", "-"]
    explained = model.explain(make(KEPT))
    assert [one.text for one in explained] == KEPT
    assert explained == [expected.explain(text) for text in KEPT]


@pytest.mark.parametrize("kind", [k for k in COLUMNS if not k.startswith("array of ")])
def test_a_missing_text_in_a_column_is_named(kind):
    model = wordplane.TextClassifier(learner="nb").fit(KEPT, ["+", "-", "-", "+", "-", "+"])
    with pytest.raises(InputError, match=r"document 1 is .*; fill (missing|or drop)"):
        model.predict(COLUMNS[kind](TEXTS))


@pytest.mark.parametrize("kind", [k for k in COLUMNS if not k.startswith("array of ")])
def test_a_missing_label_in_a_column_is_named(kind):
    with pytest.raises(InputError, match=r"row 4 has the label"):
        wordplane.TextClassifier(learner="nb").fit(KEPT, COLUMNS[kind](LABELS))


def test_values_of_several_types_are_named_only_if_they_are_asked_for():
    frame = pd.DataFrame(
        {"text": KEPT, "label": ["+", "-"] * 3, "junk": [1, "two", {3}, None, 5.0, b"6"]}
    )
    assert read(frame).labels == ["+", "-"] * 3
    frame["text"] = ["good", 5, "bad", 6, None, "x"]
    with pytest.raises(InputError, match=r"the frame, row 1: the text in column 'text' is 5, expe"):
        read(frame, text="text")
    frame = pd.DataFrame({"text": KEPT, "label": ["+", 1, "-", "+", "-", 1]})
    with pytest.raises(InputError, match=r"the frame, row 1: the label in column 'label' is 1, bu"):
        wordplane.train(frame, label="label")


def test_numbers_and_dates_with_missing_values():
    frame = pd.DataFrame(
        {
            "text": KEPT,
            "label": pd.Series([1, 0, None, 1, 0, 1], dtype="Int64"),
            "at": pd.to_datetime(["2026-01-01", None, *["2026-01-02"] * 4]),
            "stars": [1.0, np.nan, 3, 4, 5, 1],
        }
    )
    corpus = read(frame, label="label")
    assert corpus.labels == [1, 0, None, 1, 0, 1]
    assert read(frame.assign(label=[1.0, 0, np.nan, 1, 0, 1]), label="label").labels[2] is None
    with pytest.raises(InputError, match="row 1: the value in column 'stars' is None"):
        read(frame, label="label", extra=["stars"])
