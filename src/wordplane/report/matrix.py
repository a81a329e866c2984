"""The confusion matrix as a table whose cells open the documents behind them."""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.evaluation.confusion import confusion
from wordplane.model.measuring import Measured
from wordplane.report.documents import Cells, cells, visible

MAX_CLASSES = 25


@dataclass(frozen=True)
class Cell:
    """How many texts, and how strongly the cell is shaded: 0 to 10."""

    key: str
    called: str
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
    """The table, and the documents behind its cells; `others` if the last class is the rest."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    others: bool
    behind: Cells

    def to_data(self) -> dict[str, Any]:
        """The cells and documents as the page's script reads them."""
        documents = [
            [
                d.name,
                d.truth,
                d.said,
                round(d.sure, 4),
                d.left_out,
                [x for run in d.runs for x in run],
                d.now,
            ]
            for d in self.behind.documents
        ]
        shown = {f"{t}-{p}": found for (t, p), found in self.behind.shown.items()}
        of_cells = {
            cell.key: {
                "truth": visible(row.name),
                "said": visible(cell.called),
                "n": cell.n,
                "documents": shown[cell.key],
            }
            for row in self.rows
            for cell in row.cells
            if cell.n
        }
        return {"documents": documents, "cells": of_cells}


def matrix(measured: Measured) -> Matrix:
    """With more than 25 classes, those with the most mistakes, and all others as one."""
    table = confusion(measured.truth, measured.said)
    number = {label: k for k, label in enumerate(table.labels)}
    true, said = (
        np.array([number[label] for label in column.tolist()], dtype=np.int64)
        for column in (measured.truth, measured.said)
    )
    names = [str(label) for label in table.labels]
    place, names = _places(table.matrix, names)
    true, said = place[true], place[said]
    n = len(names)
    counts = np.bincount(true * n + said, minlength=n * n).reshape(n, n)
    rows = tuple(
        Row(names[t], tuple(_cell(t, p, names[p], counts) for p in range(n))) for t in range(n)
    )
    others = len(table.labels) > n
    return Matrix(tuple(names), rows, others, cells(measured, true, said))


def _places(counts: NDArray[Any], names: list[str]) -> tuple[NDArray[np.int64], list[str]]:
    """The row of the table for each class, and the names of the rows."""
    n = len(names)
    if n <= MAX_CLASSES:
        return np.arange(n), names
    mistakes = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    kept = np.sort(np.argsort(-mistakes, kind="stable")[: MAX_CLASSES - 1])
    place = np.full(n, len(kept))
    place[kept] = np.arange(len(kept))
    return place, [*(names[k] for k in kept), f"{n - len(kept)} other classes"]


def _cell(t: int, p: int, called: str, counts: NDArray[np.int64]) -> Cell:
    n, of_row = int(counts[t, p]), int(counts[t].sum())
    share = n / of_row if of_row else 0.0
    # Mistakes are few: their shade grows with the root, so that 1 % can be seen.
    level = round(10 * share) if t == p else ceil(10 * sqrt(share))
    return Cell(f"{t}-{p}", called, n, f"{n:,}", t == p, level)
