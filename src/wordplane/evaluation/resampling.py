"""Bootstrap resamples of rows that fall into few cells.

A measure that depends only on how many rows have each combination of codes (true class,
predicted class, ...) does not need the rows: if n rows are drawn with replacement, the numbers of
rows per cell are multinomial with the shares of the cells. This equals the bootstrap, at a cost
that does not grow with n.

Rows that belong together, such as the posts of a thread, are not independent: then whole groups are
drawn, as many as there are.
"""

from __future__ import annotations  # NumPy loads its random numbers when they are named

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray

N_RESAMPLES = 2000
_BATCH_NUMBERS = 2_000_000  # that are in memory at a time


@dataclass(frozen=True, eq=False)
class Cells:
    """The combinations of codes (and weight, and group) that occur, and the number of rows of each.

    group  from 0; None if the rows are independent
    """

    codes: tuple[IntArray, ...]
    weight: FloatArray
    n_rows: IntArray
    group: IntArray | None = None


def group_rows(
    columns: list[IntArray], weights: FloatArray, groups: IntArray | None = None
) -> Cells:
    """Group the rows that have the same codes and the same weight, and are in the same group.

    >>> cells = group_rows([np.array([0, 0, 1, 0]), np.array([0, 1, 1, 0])], np.ones(4))
    >>> cells.codes, cells.n_rows
    ((array([0, 0, 1]), array([0, 1, 1])), array([2, 1, 1]))
    """
    distinct, weight_codes = np.unique(weights, return_inverse=True)
    numbers = None if groups is None else np.unique(groups, return_inverse=True)[1]
    key = np.zeros(len(weights), np.int64)
    for column in [*columns, weight_codes, *([] if numbers is None else [numbers])]:
        # Renumbered after each column, so that the product never overflows.
        key = np.unique(key * (int(column.max()) + 1) + column, return_inverse=True)[1]
    _, first, n_rows = np.unique(key, return_index=True, return_counts=True)
    codes = tuple(column[first] for column in columns)
    group = None if numbers is None else numbers[first]
    return Cells(codes, distinct[weight_codes[first]], n_rows, group)


def check_resamples(n_resamples: int) -> None:
    """Raise an error unless there are at least two resamples."""
    if not (isinstance(n_resamples, (int, np.integer)) and n_resamples >= 2):
        raise InputError(f"n_resamples is {n_resamples!r}, expected an integer of 2 or more")


def resample_counts(
    n_rows: IntArray,
    n_resamples: int,
    rng: np.random.Generator,
    group: IntArray | None = None,
) -> Iterator[FloatArray]:
    """The number of rows of each cell in each resample: batches of arrays (resamples, cells).

    group  that of each cell, if whole groups are drawn

    >>> rng = np.random.default_rng(1)
    >>> next(resample_counts(np.array([3, 1, 2]), 2, rng, np.array([0, 0, 1])))
    array([[3., 1., 2.],
           [6., 2., 0.]])
    """
    check_resamples(n_resamples)
    n, n_cells = int(n_rows.sum()), len(n_rows)
    if group is not None:
        n_groups = int(group.max()) + 1
        step = max(1, _BATCH_NUMBERS // n_cells)
        for start in range(0, n_resamples, step):
            size = min(step, n_resamples - start)
            times = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=size)
            yield (times[:, group] * n_rows).astype(np.float64)
        return
    if 8 * n_cells <= n:
        step = max(1, _BATCH_NUMBERS // n_cells)
        for start in range(0, n_resamples, step):
            size = min(step, n_resamples - start)
            yield rng.multinomial(n, n_rows / n, size=size).astype(np.float64)
        return
    # Nearly every row has a cell of its own: drawing rows is faster than drawing cells.
    cell = np.repeat(np.arange(n_cells), n_rows)
    step = max(1, _BATCH_NUMBERS // n)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        drawn = cell[rng.integers(0, n, size=(size, n))]
        drawn += n_cells * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n_cells)
        yield counts.reshape(size, n_cells).astype(np.float64)


def class_sums(values: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    """The sum of the columns (last axis) of each class.

    >>> class_sums(np.array([[1., 2., 4.]]), np.array([0, 2, 0]), 3)
    array([[5., 0., 2.]])
    """
    sums = np.zeros((*values.shape[:-1], n_classes))
    order = np.argsort(codes, kind="stable")
    present, starts = np.unique(codes[order], return_index=True)
    if len(present) > 0:
        sums[..., present] = np.add.reduceat(values[..., order], starts, axis=-1)
    return sums
