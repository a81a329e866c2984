"""The texts that a model gets wrong, as a table to read, correct and train on again."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from wordplane.common.types import FloatArray, IntArray
from wordplane.data.tables import TABLES, write_table
from wordplane.data.write import choose_format
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.workflow.answers import DIGITS, Columns, Types

if TYPE_CHECKING:
    from polars import DataFrame
    from polars.datatypes import DataTypeClass

WORDS = 5  # of each text
SEPARATOR = "|"  # between the labels of a text


def list_mistakes(measured: Measurement | SetMeasurement) -> DataFrame:
    """The rows whose label is not the predicted one, those first of which the model is surest.

    row          its number in the data, of a file from 1 without the header, in memory from 0
    id           if the data has ids
    probability  of the predicted label; of a multi-label row, by how much it is off at most
    words        those that say most about the predicted label
    """
    import polars as pl

    if isinstance(measured, Measurement):
        rows, doubt = _wrong_labels(measured)
    else:
        rows, doubt = _wrong_sets(measured)
    order = np.argsort(-doubt, kind="stable")
    rows, doubt = rows[order], doubt[order]
    corpus, model = measured.corpus, measured.model
    at = measured.rows[rows].tolist()
    columns: Columns = {"row": [corpus.row_number(row) for row in at]}
    if corpus.ids is not None:
        columns["id"] = [corpus.ids[row] for row in at]
    explained = [model.explain(corpus.take([row])).by_feature()[:WORDS] for row in at]
    columns |= {
        "text": [corpus.texts[row] for row in at],
        "label": _label_list(measured.truth[rows]),
        "predicted": _label_list(measured.predicted[rows]),
        "probability": doubt.round(DIGITS).tolist(),
        "words": [", ".join(word for word, _ in words) for words in explained],
    }
    kinds: dict[str, DataTypeClass] = {"row": pl.Int64, "probability": pl.Float64}
    empty = {name: kinds.get(name, pl.String) for name in columns}
    return pl.DataFrame(columns, schema_overrides={} if at else empty)


def write_frame(
    frame: DataFrame,
    path: str | PathLike[str],
    *,
    escape_formulas: bool = False,
    excel: str | None = None,
) -> None:
    """Write a frame of numbers and strings as .csv, .tsv, .xlsx, .jsonl or .parquet."""
    form = choose_format(str(path), None, TABLES)
    columns = {name: frame[name].to_list() for name in frame.columns}
    types: Types = {
        name: type(next(iter(values), "")) if name != "probability" else float
        for name, values in columns.items()
    }
    write_table(
        iter([columns]), form, str(path), types, escape_formulas=escape_formulas, excel=excel
    )


def _wrong_labels(measured: Measurement) -> tuple[IntArray, FloatArray]:
    rows = np.flatnonzero(measured.wrong)
    return rows, measured.confidence[rows]


def _wrong_sets(measured: SetMeasurement) -> tuple[IntArray, FloatArray]:
    wrong = measured.truth.member != measured.predicted.member
    rows = np.flatnonzero(wrong.any(axis=1))
    n_known = measured.probabilities.shape[1]
    off = np.abs(measured.truth.member[:, :n_known] - measured.probabilities)
    off = np.where(wrong[:, :n_known], off, 0.0)
    return rows, off[rows].max(axis=1, initial=0.0)


def _label_list(labels: object) -> list[object]:
    """Labels for a table: sets with a separator between their labels."""
    listed: list[object] = labels.tolist()  # type: ignore[attr-defined]
    return [SEPARATOR.join(map(str, one)) if isinstance(one, tuple | list) else one
            for one in listed]  # fmt: skip
