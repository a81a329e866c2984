"""Values given in Python: texts, labels and weights."""

import numpy as np
import pandas as pd
import polars as pl

from tests.bad_inputs.cases import GOOD

TEXTS = [text for text, _ in GOOD]
LABELS = [label for _, label in GOOD]


def texts(value):
    return lambda: (value() if callable(value) else value, LABELS, None)


def labels(value):
    return lambda: (TEXTS, value() if callable(value) else value, None)


def weights(value):
    return lambda: (TEXTS, LABELS, value)


PYTHON_TEXTS = {
    "None among the texts": texts([*TEXTS[:7], None]),
    "a number among the texts": texts([*TEXTS[:7], 12]),
    "NaN among the texts": texts([*TEXTS[:7], float("nan")]),
    "bytes among the texts": texts([*TEXTS[:7], b"film"]),
    "a list among the texts": texts([*TEXTS[:7], ["film"]]),
    "half a surrogate pair in a text": texts([*TEXTS[:7], "good \ud83d"]),
    "a zero character in a text": texts([*TEXTS[:7], "a \0 b"]),
    "no texts": texts([]),
    "one string in place of texts": texts("good film"),
    "None in place of texts": texts(None),
    "a number in place of texts": texts(12),
    "a mapping of numbers in place of texts": texts({"words": list(range(8))}),
    "texts in two dimensions": texts(lambda: np.array(TEXTS).reshape(4, 2)),
    "an array of numbers": texts(lambda: np.arange(8.0)),
    "a generator of texts": texts(lambda: (text for text in TEXTS)),
    "an array of texts": texts(lambda: np.array(TEXTS)),
    "a column of pandas": texts(lambda: pd.Series(TEXTS)),
    "a column of pandas with NaN": texts(lambda: pd.Series([*TEXTS[:7], float("nan")])),
    "a column of polars with null": texts(lambda: pl.Series([*TEXTS[:7], None])),
    "a column of polars of integers": texts(lambda: pl.Series(range(8))),
    "more texts than labels": texts([*TEXTS, "film"]),
    "a set of texts": texts(lambda: {f"film {i}" for i in range(8)}),
}

PYTHON_LABELS = {
    "None among the labels": labels([*LABELS[:7], None]),
    "NaN among the labels": labels(["a", "b"] * 3 + ["a", float("nan")]),
    "NaN among whole floats": labels([0.0, 1.0] * 3 + [0.0, float("nan")]),
    "labels that are floats": labels([0.5, 1.5] * 4),
    "labels that are whole floats": labels([0.0, 1.0] * 4),
    "labels of two types": labels(["a", 1] * 4),
    "labels that are bytes": labels([b"a", b"b"] * 4),
    "labels that are complex numbers": labels([1j, 2j] * 4),
    "labels of one class": labels(["a"] * 8),
    "no labels": labels([]),
    "one string in place of labels": labels("abababab"),
    "a number in place of labels": labels(12),
    "labels in two dimensions": labels(lambda: np.array(LABELS).reshape(8, 1)),
    "labels as a matrix of 0 and 1": labels(lambda: np.eye(2, dtype=int)[[0, 1] * 4]),
    "labels as a matrix of other numbers": labels(lambda: np.full((8, 2), 0.5)),
    "labels as lists of several": labels([["a"], ["b", "c"]] * 4),
    "labels as lists, some of them empty": labels([["a"], ["b"], ["a", "b"], []] * 2),
    "a label with half a surrogate pair": labels(["a", "b\ud83d"] * 4),
    "an empty label": labels(["a", ""] * 4),
    "a generator of labels": labels(lambda: (label for label in LABELS)),
    "labels as a column of pandas": labels(lambda: pd.Series(LABELS, index=range(5, 13))),
    "labels as a column of categories": labels(lambda: pd.Series(LABELS, dtype="category")),
    "integers of more than 64 bits as labels": labels([2**70, 1] * 4),
}

PYTHON_WEIGHTS = {
    "a weight less than 0": weights([1.0] * 7 + [-1.0]),
    "a weight that is NaN": weights([1.0] * 7 + [float("nan")]),
    "a weight without bounds": weights([1.0] * 7 + [float("inf")]),
    "too few weights": weights([1.0] * 7),
    "weights in words": weights(["one"] * 8),
    "weights in two dimensions": weights(np.ones((8, 1))),
    "weights of 0 alone": weights([0.0] * 8),
    "weights of 0 for one class": weights([0.0, 1.0] * 4),
    "weights of 1e308": weights([1e308] * 8),
}
