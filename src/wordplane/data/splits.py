"""Deterministic stratified splits: labels in, row numbers out.

Every function shuffles the rows of each class with a NumPy generator seeded by `random_state`
and deals them out; the row numbers of each part are returned in ascending order. Where rows belong
to groups, `data.group_splits` deals out whole groups.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import floor

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows
from wordplane.common.times import latest_rows
from wordplane.common.types import IntArray, LabelArray
from wordplane.data.group_splits import deal_folds, hold_out_groups

Labels = Sequence[Hashable] | LabelArray


def train_dev_test(
    labels: Labels, dev: float = 0.1, test: float = 0.0, random_state: int = 0
) -> tuple[IntArray, IntArray, IntArray]:
    """Three parts of the rows; `dev` and `test` are fractions of all rows.

    >>> [part.tolist() for part in train_dev_test(["a", "b"] * 5, dev=0.2, test=0.2)]
    [[0, 1, 2, 3, 5, 8], [6, 7], [4, 9]]
    """
    if not 0 <= dev + test < 1:
        raise InputError(f"dev={dev} and test={test} leave no rows to train on")
    rest, test_rows = holdout(labels, test, random_state)
    train, dev_rows = holdout([labels[row] for row in rest], dev / (1 - test), random_state)
    return rest[train], rest[dev_rows], test_rows


def holdout(
    labels: Labels,
    fraction: float = 0.1,
    random_state: int = 0,
    groups: IntArray | None = None,
    times: IntArray | None = None,
) -> tuple[IntArray, IntArray]:
    """The rows to train on and the rows held out, with the classes in proportion.

    Of n rows, n * fraction (rounded half up) are held out. Each class gives its share, rounded
    down; the rows still missing come from the classes with the largest remainders. A class
    never gives its last row: a class of one row stays in training, and if the classes are too
    small, fewer rows than requested are held out. With `groups`, the rows of a group stay together.
    With `times`, the latest rows are held out, whatever their classes, but those of classes that
    are new then.

    >>> holdout(["a"] * 6 + ["b"] * 4 + ["c"], 0.3)[1].tolist()
    [2, 3, 7]
    """
    if not 0 <= fraction < 1:
        raise InputError(f"the fraction to hold out is {fraction}, expected 0 <= fraction < 1")
    if times is not None:
        return _hold_out_latest(_codes(labels), times, fraction)
    if groups is not None:
        return hold_out_groups(_codes(labels), groups, fraction, random_state)
    classes = _shuffled_classes(labels, random_state)
    shares = [len(rows) * fraction for rows in classes]
    quota = [floor(share) for share in shares]
    by_remainder = sorted(range(len(classes)), key=lambda k: quota[k] - shares[k])
    wanted = floor(len(labels) * fraction + 0.5) - sum(quota)
    for k in [k for k in by_remainder if quota[k] + 1 < len(classes[k])][: max(wanted, 0)]:
        quota[k] += 1
    train = [rows[n:] for rows, n in zip(classes, quota, strict=True)]
    held_out = [rows[:n] for rows, n in zip(classes, quota, strict=True)]
    return _join_sorted(train), _join_sorted(held_out)


def _hold_out_latest(
    codes: IntArray, times: IntArray, fraction: float
) -> tuple[IntArray, IntArray]:
    latest = latest_rows(times, fraction)
    before = other_rows(len(codes), latest)
    held_out = latest[np.isin(codes[latest], codes[before])]
    return other_rows(len(codes), held_out), held_out


def stratified_folds(
    labels: Labels, k: int, random_state: int = 0, groups: IntArray | None = None
) -> list[IntArray]:
    """The held-out rows of each of k folds: every row in exactly one.

    The rows, class after class, are dealt like cards, so the counts of a class in any two folds
    differ by at most one, and so do the fold sizes. A class with fewer rows than folds is absent
    from some folds. With `groups`, the rows of a group are in the same fold, and the counts are as
    even as that allows.

    >>> [fold.tolist() for fold in stratified_folds(["a", "a", "b", "b", "b"], 2)]
    [[0, 3, 4], [1, 2]]
    """
    if not 2 <= k <= len(labels):
        raise InputError(
            f"{k} folds of {len(labels):,} rows: expected at least 2 folds and one row per fold"
        )
    if groups is not None:
        return deal_folds(_codes(labels), groups, k, random_state)
    order = np.concatenate(_shuffled_classes(labels, random_state))
    return [np.sort(order[fold::k]) for fold in range(k)]


def _shuffled_classes(labels: Labels, random_state: int) -> list[IntArray]:
    """The rows of each class in random order; classes in order of first occurrence."""
    codes = labels if isinstance(labels, np.ndarray) and labels.dtype != object else _codes(labels)
    rows = np.argsort(codes, kind="stable")
    sorted_codes = codes[rows]
    starts = np.flatnonzero(sorted_codes[1:] != sorted_codes[:-1]) + 1
    classes = np.split(rows, starts) if len(rows) else []
    rng = np.random.default_rng(random_state)
    return [rng.permutation(rows) for rows in sorted(classes, key=lambda rows: rows[0])]


def _codes(labels: Labels) -> IntArray:
    """The number of the class of each row, in order of first occurrence."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in labels], np.int64)


def _join_sorted(parts: list[IntArray]) -> IntArray:
    return np.sort(np.concatenate(parts)) if parts else np.array([], dtype=np.int64)


def draw_rows(y: LabelArray, n: int, random_state: int) -> IntArray:
    """n rows at random, ascending, the classes at about their shares and each there."""
    return np.sort(stratified_order(y, np.random.default_rng(random_state))[:n])


def stratified_order(
    y: LabelArray, rng: np.random.Generator, groups: IntArray | None = None
) -> IntArray:
    """A random order of rows in which every beginning has the classes at about their shares.

    Row i (from 0) of the n_k of class k, in random order, stands at i / n_k: so all classes are
    there after as many rows as there are classes. With `groups`, the rows of a group follow one
    another, and a group counts as one row with the label of its first.

    >>> y = np.array(["a", "a", "a", "a", "b", "b"])
    >>> y[stratified_order(y, np.random.default_rng(0))].tolist()
    ['a', 'b', 'a', 'a', 'b', 'a']
    """
    if groups is not None:
        names, first = np.unique(groups, return_index=True)
        rank = np.empty(len(names), np.int64)
        rank[stratified_order(y[first], rng)] = np.arange(len(names))
        return np.argsort(rank[np.searchsorted(names, groups)], kind="stable")
    _, codes = np.unique(y, return_inverse=True)
    shuffled = rng.permutation(len(y))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    counts = np.bincount(codes)
    starts = np.cumsum(counts) - counts
    place = (np.arange(len(y)) - np.repeat(starts, counts)) / np.repeat(counts, counts)
    return by_class[np.argsort(place, kind="stable")]
