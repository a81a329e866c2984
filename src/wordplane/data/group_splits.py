"""Splits that never separate the rows of a group.

Groups are dealt out one after the other. Part p is to have the share s_p of all rows and of each
class. A group goes to the part that still lacks most of what the group brings, measured against
what that part is to have:

    sum over classes k of   g_k (s_p n_k - has_pk) / (s_p n_k)

where g_k are the rows of class k in the group and n_k those of all groups. A part that the group
would overfill is chosen only if it would overfill every part. Folds get the largest groups first,
which leaves the small ones to even them out. Rows drawn out are to be like the others in the sizes
of their groups too, so these are dealt in random order.
"""

from collections.abc import Sequence

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows
from wordplane.common.types import IntArray

Counts = dict[int, int]  # rows by class


def deal_folds(codes: IntArray, groups: IntArray, k: int, random_state: int) -> list[IntArray]:
    """The drawn-out rows of k folds of whole groups.

    >>> folds = deal_folds(np.array([0, 0, 1, 1, 0, 1]), np.array([0, 0, 0, 1, 2, 3]), 2, 0)
    >>> [fold.tolist() for fold in folds]
    [[0, 1, 2], [3, 4, 5]]
    """
    members, counts = _members(codes, groups)
    if k > len(members):
        raise InputError(
            f"{k} folds of whole groups need at least {k} groups, there are {len(members)}: "
            "fewer `folds`, or another `group`"
        )
    order = np.random.default_rng(random_state).permutation(len(members))
    sizes = np.array([len(rows) for rows in members])
    order = order[np.argsort(-sizes[order], kind="stable")]
    parts = _deal(order.tolist(), counts, [1 / k] * k, np.bincount(codes).tolist())
    return [_rows(members, part) for part in parts]


def hold_out_groups(
    codes: IntArray, groups: IntArray, fraction: float, random_state: int
) -> tuple[IntArray, IntArray]:
    """The rows to train on and those drawn out. Every class keeps rows to train on; if all rows of
    a class are in one group, that group is not drawn out."""
    members, counts = _members(codes, groups)
    order = np.random.default_rng(random_state).permutation(len(members)).tolist()
    n_rows = np.bincount(codes).tolist()
    drawn: list[int] = []
    if fraction > 0:
        _, drawn = _deal(order, counts, [1 - fraction, fraction], n_rows)
    left = list(n_rows)
    kept = []
    for group in drawn:
        if all(n < left[label] for label, n in counts[group].items()):
            kept.append(group)
            for label, n in counts[group].items():
                left[label] -= n
    rows = _rows(members, kept)
    return other_rows(len(codes), rows), rows


def _members(codes: IntArray, groups: IntArray) -> tuple[list[IntArray], list[Counts]]:
    """The rows of each group, and how many of them each class has."""
    _, numbers = np.unique(groups, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1) if len(order) else []
    counts: list[Counts] = [{} for _ in members]
    n_classes = int(codes.max(initial=0)) + 1
    pairs, n_rows = np.unique(numbers * n_classes + codes, return_counts=True)
    for pair, n in zip(pairs.tolist(), n_rows.tolist(), strict=True):
        group, label = divmod(pair, n_classes)
        counts[group][label] = n
    return members, counts


def _deal(
    order: Sequence[int], counts: list[Counts], shares: list[float], n_rows: list[int]
) -> list[list[int]]:
    """The groups of each part."""
    parts: list[list[int]] = [[] for _ in shares]
    missing = [[share * n for n in n_rows] for share in shares]  # rows of each class
    space = [share * sum(n_rows) for share in shares]
    for group in order:
        size = sum(counts[group].values())
        need = [
            sum(n * missing[p][label] / (share * n_rows[label])
                for label, n in counts[group].items())
            for p, share in enumerate(shares)
        ]  # fmt: skip
        with_space = [p for p in range(len(shares)) if size <= space[p] + 0.5]
        best = max(with_space or range(len(shares)), key=lambda p: (need[p], space[p] / shares[p]))
        parts[best].append(group)
        space[best] -= size
        for label, n in counts[group].items():
            missing[best][label] -= n
    return parts


def _rows(members: list[IntArray], part: list[int]) -> IntArray:
    if not part:
        return np.array([], dtype=np.int64)
    return np.sort(np.concatenate([members[group] for group in part])).astype(np.int64)
