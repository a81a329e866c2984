"""Rows that belong together: posts of a thread, texts of an author, mails of a customer."""

from collections.abc import Hashable, Iterable

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.parameters import refuse_string
from wordplane.common.types import IntArray


def as_groups(values: Iterable[Hashable], n_rows: int | None = None) -> IntArray:
    """The number of the group of each row, from 0 in the order of first occurrence.

    Rows with the same value belong together. A row without one (None, NaN or an empty string) is a
    group of its own.

    >>> as_groups(["ann", "bob", "ann", "", None]).tolist()
    [0, 1, 0, 2, 3]
    """
    refuse_string("`groups`", values, "values, one for each text")
    number: dict[Hashable, int] = {}
    codes = []
    for row, value in enumerate(values):
        is_missing = value is None or value == "" or value != value
        key = (row, None) if is_missing else value
        codes.append(number.setdefault(key, len(number)))
    if n_rows is not None and len(codes) != n_rows:
        raise InputError(f"`groups` has {len(codes):,} values for {n_rows:,} texts: one each")
    return np.array(codes, dtype=np.int64)


def take_groups(groups: IntArray | None, rows: IntArray) -> IntArray | None:
    """The groups of some rows; None if there are no groups."""
    return None if groups is None else groups[rows]


def other_rows(n_rows: int, rows: IntArray) -> IntArray:
    """The rows that are not among these, ascending.

    NumPy's `setdiff1d` does the same, but its first call imports `numpy.ma`, which takes longer
    than training on a small file.

    >>> other_rows(5, np.array([3, 0])).tolist()
    [1, 2, 4]
    """
    is_other = np.ones(n_rows, bool)
    is_other[rows] = False
    return np.flatnonzero(is_other)
