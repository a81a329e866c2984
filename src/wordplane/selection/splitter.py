"""Which rows a model learns from and which it is measured on, over and over.

at random   every row is in one of `n_folds` folds, stratified by label, and is predicted by a
            model of the others; `groups` are never separated. With `repeats`, this is done
            again, each time with other folds.
by time     the earlier half of the rows is only learned from. The later half is cut into
            `n_folds` stretches, each predicted by a model of all rows before it; rows of the
            same time are never separated, so a model learns from nothing as late as what it is
            measured on.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows, take_groups
from wordplane.common.parameters import check_whole
from wordplane.common.types import IntArray
from wordplane.data.splits import stratified_folds

Rows = IntArray


class Split(NamedTuple):
    """The rows to train on and the rows held out, both ascending."""

    train: Rows
    held: Rows


@dataclass(frozen=True, eq=False)
class Splitter:
    """How rows are split into those that are trained on and those that are held out.

    n_folds       that every repetition has; as many as rows means one row each
    repeats       how often rows are split
    groups        of rows that are never separated
    times         of rows, if they are split by time (see `common.times`)
    random_state  the seed of the folds

    >>> [held.tolist() for _, held in Splitter(2).split(["a", "a", "b", "b", "b"])]
    [[0, 3, 4], [1, 2]]
    >>> by_time = Splitter(2, times=np.array([0, 1, 1, 2, 3, 4, 4, 5]))
    >>> [(train.tolist(), held.tolist()) for train, held in by_time.split(list("abababab"))]
    [([0, 1, 2, 3], [4]), ([0, 1, 2, 3, 4], [5, 6, 7])]
    """

    n_folds: int = 5
    repeats: int = 1
    groups: IntArray | None = None
    times: IntArray | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        check_whole("`random_state`", self.random_state)
        if self.n_folds < 2:
            raise InputError(f"`folds` is {self.n_folds}, expected at least 2")
        if self.repeats < 1:
            raise InputError(f"`repeats` is {self.repeats}, expected at least 1")
        if self.times is not None and self.repeats > 1:
            raise InputError(
                "`repeats` draws other folds at random, and with `time` the order of the texts "
                "decides, so every repetition would be the same: give one"
            )
        if self.times is not None and self.groups is not None:
            raise InputError(
                "`time` splits texts by when they were written, `group` whole groups: give one"
            )

    @property
    def n_splits(self) -> int:
        """The number of models."""
        return self.n_folds * self.repeats

    @property
    def description(self) -> str:
        """The folds in words."""
        return describe_folds(self.n_folds, self.repeats, by_time=self.times is not None)

    def split(self, labels: Sequence[Hashable]) -> list[Split]:
        """All splits of rows with these labels, one repetition after the other."""
        return [split for repetition in self.repetitions(labels) for split in repetition]

    def repetitions(self, labels: Sequence[Hashable]) -> list[list[Split]]:
        """The same by repetition; no row is held out twice in one."""
        if self.times is not None:
            return [self._split_by_time(labels, self.times)]
        n = len(labels)
        if self.n_folds == n and self.groups is None:
            folds = [[np.array([row]) for row in range(n)]] * self.repeats
        else:
            seeds = range(self.random_state, self.random_state + self.repeats)
            folds = [stratified_folds(labels, self.n_folds, s, self.groups) for s in seeds]
        return [[Split(other_rows(n, held), held) for held in fold] for fold in folds]

    def take(self, rows: IntArray) -> "Splitter":
        """The same for some of the rows."""
        times = None if self.times is None else self.times[rows]
        return replace(self, groups=take_groups(self.groups, rows), times=times)

    def _split_by_time(self, labels: Sequence[Hashable], times: IntArray) -> list[Split]:
        distinct, sizes = np.unique(times, return_counts=True)
        if len(distinct) <= self.n_folds:
            raise InputError(
                f"{self.n_folds} folds in order of time need texts of at least {self.n_folds + 1} "
                f"different times, there are {len(distinct)}: fewer `folds`, or another `time`"
            )
        before = np.cumsum(sizes) - sizes  # rows before each time
        wanted = len(times) * (1 + np.arange(self.n_folds) / self.n_folds) / 2
        first: list[int] = []  # the number of the first time of each fold
        for fold, n_before in enumerate(wanted):
            nearest = int(np.abs(before - n_before).argmin())
            least = first[-1] + 1 if first else 1
            first.append(min(max(nearest, least), len(distinct) - self.n_folds + fold))
        bounds = [*distinct[first].tolist(), int(distinct[-1]) + 1]
        splits = [
            Split(np.flatnonzero(times < begin), np.flatnonzero((times >= begin) & (times < end)))
            for begin, end in pairwise(bounds)
        ]
        if len({labels[row] for row in splits[0].train.tolist()}) < 2:
            raise InputError(
                "the earlier half of the texts, which is only learned from, has one label: `time` "
                "needs two at least"
            )
        return splits


FIVE_FOLDS = Splitter()


def describe_folds(n_folds: int, repeats: int = 1, *, by_time: bool = False) -> str:
    """The folds in words.

    >>> describe_folds(5), describe_folds(5, 3), describe_folds(5, by_time=True)
    ('5 folds', '3 times 5 folds', '5 folds in order of time')
    """
    times = f"{repeats} times " if repeats > 1 else ""
    return f"{times}{n_folds} folds" + " in order of time" * by_time


def held_to_train(splits: Sequence[Split]) -> float:
    """The number of rows held out to that of rows trained on, on average over the splits.

    >>> held_to_train(Splitter(5).split(["a", "b"] * 50))
    0.25
    """
    n_train, n_held = np.sum([(len(train), len(held)) for train, held in splits], axis=0)
    return float(n_held / n_train)
