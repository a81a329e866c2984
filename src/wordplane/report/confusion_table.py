"""The confusion matrix as a table whose cells open their documents."""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from wordplane.common.types import JsonObject
from wordplane.evaluation.confusion import confusion
from wordplane.model.measurement import Measurement
from wordplane.report.shown_texts import Cells, cell_documents, visible

MAX_CLASSES = 25


@dataclass(frozen=True)
class Cell:
    """The number of texts of a cell, and its shade: 0 to 10."""

    key: str
    predicted: str
    n: int
    shown: str
    right: bool
    level: int


@dataclass(frozen=True)
class Row:
    """The texts of one true class."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Matrix:
    """The table and the documents of its cells; with `others`, the last class is all others."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    others: bool
    cells: Cells

    def to_data(self) -> JsonObject:
        """The cells and documents as the page's script reads them."""
        documents = [
            [
                d.name,
                d.truth,
                d.predicted,
                round(d.confidence, 4),
                d.left_out,
                [x for run in d.runs for x in run],
                d.saved_label,
            ]
            for d in self.cells.documents
        ]
        shown = {f"{t}-{p}": rows for (t, p), rows in self.cells.shown.items()}
        cells = {
            cell.key: {
                "truth": visible(row.name),
                "predicted": visible(cell.predicted),
                "n": cell.n,
                "documents": shown[cell.key],
            }
            for row in self.rows
            for cell in row.cells
            if cell.n
        }
        return {"documents": documents, "cells": cells}


def matrix(measured: Measurement) -> Matrix:
    """The table; of more than 25 classes, those with the most mistakes, and all others as one."""
    table = confusion(measured.truth, measured.predicted)
    code = {label: k for k, label in enumerate(table.labels)}
    true, predicted = (
        np.array([code[label] for label in labels.tolist()], dtype=np.int64)
        for labels in (measured.truth, measured.predicted)
    )
    names = [str(label) for label in table.labels]
    place, names = _places(table.matrix, names)
    true, predicted = place[true], place[predicted]
    n = len(names)
    counts = np.bincount(true * n + predicted, minlength=n * n).reshape(n, n)
    rows = tuple(
        Row(names[t], tuple(_cell(t, p, names[p], counts) for p in range(n))) for t in range(n)
    )
    others = len(table.labels) > n
    return Matrix(tuple(names), rows, others, cell_documents(measured, true, predicted))


def _places(counts: NDArray[np.generic], names: list[str]) -> tuple[NDArray[np.int64], list[str]]:
    """The row of the table for each class, and the names of the rows."""
    n = len(names)
    if n <= MAX_CLASSES:
        return np.arange(n), names
    mistakes = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    kept = np.sort(np.argsort(-mistakes, kind="stable")[: MAX_CLASSES - 1])
    place = np.full(n, len(kept))
    place[kept] = np.arange(len(kept))
    return place, [*(names[k] for k in kept), f"{n - len(kept)} other classes"]


def _cell(t: int, p: int, predicted: str, counts: NDArray[np.int64]) -> Cell:
    n, of_row = int(counts[t, p]), int(counts[t].sum())
    share = n / of_row if of_row else 0.0
    # Mistakes are few, so their shade grows with the square root: even 1 % is visible.
    level = round(10 * share) if t == p else ceil(10 * sqrt(share))
    return Cell(f"{t}-{p}", predicted, n, f"{n:,}", t == p, level)
