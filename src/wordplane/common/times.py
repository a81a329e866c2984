"""The order of rows in time."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import IntArray


def as_times(values: Sequence[object], locate: Callable[[int], str]) -> IntArray:
    """The place of each row in time, from 0; rows of the same time have the same.

    Values are all numbers, or all dates (with or without a time of day), as such or as ISO 8601
    writes them. `locate` says where a row is, for errors.

    >>> as_times(["2026-03-01", "2025-12-31", "2026-03-01"], str).tolist()
    [1, 0, 1]
    >>> as_times(["10", "9"], str).tolist()
    [1, 0]
    """
    for parse in (_number, _moment):
        found = [parse(value) for value in values]
        if all(one is not None for one in found):
            return np.unique(np.array(found), return_inverse=True)[1].astype(np.int64)
    row = next(row for row, one in enumerate(found) if one is None)
    raise InputError(
        f"{locate(row)}: the time is {values[row]!r:.60}; expected numbers in all rows, or dates "
        "such as 2026-11-30 or 2026-11-30T18:05 in all"
    )


def latest_rows(times: IntArray, fraction: float) -> IntArray:
    """The rows of the latest times, at most a fraction of all, or those of the last time if these
    are more; none if there is one time only.

    >>> latest_rows(np.array([3, 0, 1, 2, 4, 4]), 0.34).tolist()
    [4, 5]
    >>> latest_rows(np.array([0, 1, 1, 1]), 0.25).tolist()
    [1, 2, 3]
    """
    n = int(len(times) * fraction + 0.5)
    if n == 0 or times.min() == times.max():
        return np.zeros(0, np.int64)
    distinct, sizes = np.unique(times, return_counts=True)
    after = np.cumsum(sizes[::-1])[::-1]  # rows of this time and later ones
    fitting = distinct[after <= n]
    first = fitting[0] if len(fitting) else distinct[-1]
    return np.flatnonzero(times >= first)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _moment(value: object) -> float | None:
    """Seconds; a moment without a zone is taken to be UTC."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value.strip())
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time())
        if not isinstance(value, datetime):
            return None
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
