"""Counters that all workers share, in memory that they inherit from the supervisor.

Every process adds to a slot of its own, so no lock is needed; a value is the sum over the slots.
What a dead worker has counted stays in its slot, and the worker that takes its place adds to it.
Slot 0 is the supervisor's. Series are added by the supervisor alone, before it forks.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

CELLS = 1 << 16  # of a slot; pages that nobody touches take no memory
CELL_BYTES = 8


class Series(NamedTuple):
    """A metric and the labels that tell its series apart."""

    name: str
    labels: tuple[tuple[str, str], ...] = ()


class Counters:
    """The cells of all slots, and which cell belongs to which series."""

    def __init__(self, n_slots: int) -> None:
        self.n_slots = n_slots
        self._memory = mmap.mmap(-1, n_slots * CELLS * CELL_BYTES)
        self._cells = memoryview(self._memory).cast("d")
        self.index: dict[Series, int] = {}

    def add(self, series: Iterable[Series]) -> None:
        """Give each series that is new a cell, while there are any."""
        for one in series:
            if one not in self.index and len(self.index) < CELLS:
                self.index[one] = len(self.index)

    def slot(self, number: int) -> memoryview[float]:
        """The cells of a slot, to be added to."""
        return self._cells[number * CELLS : (number + 1) * CELLS]

    def totals(self) -> list[float]:
        """The sum over all slots, for every cell that has a series."""
        cells = np.frombuffer(self._memory, np.float64).reshape(self.n_slots, CELLS)
        sums: list[float] = cells[:, : len(self.index)].sum(axis=0).tolist()
        return sums
