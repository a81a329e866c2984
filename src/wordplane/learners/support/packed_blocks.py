"""Blocks of rows as solvers meet them, packed once per fit."""

from collections.abc import Iterator, Sequence

import numpy as np

from wordplane import _core
from wordplane.common.types import FloatArray, IntArray
from wordplane.learners.support.row_blocks import RowBlocks

ARRAYS = ("begin", "cells", "norms")
BLOCKS_PER_SWING = 34  # of the bias, where rows come in blocks; from 20 on passes are as in memory


class PackedBlocks:
    """Rows with a constant feature of value `bias`, multiplied by the scale of their columns.

    A block is packed when it is first read, and kept in the store of the rows: reading it again
    takes a fraction of the time that weighting and packing take.
    """

    def __init__(
        self, rows: RowBlocks, bias: float, scale: FloatArray | None, threads: int
    ) -> None:
        self.rows, self.bias, self.scale, self.threads = rows, bias, scale, threads
        self.n_features = rows.shape[1] + (bias > 0)
        self._kept: set[int] = set()

    def read(self, order: Sequence[int] | IntArray) -> Iterator[tuple[int, _core.PackedRows]]:
        """The first rows of blocks, and the blocks, in this order."""
        for block, packed in self.rows.prepare(order, self._load):
            yield int(self.rows.bounds[block]), packed

    def _load(self, block: int) -> _core.PackedRows:
        store = self.rows.store
        if store is not None and block in self._kept:
            begin, cells, norms = (store.read(f"packed-{name}", block) for name in ARRAYS)
            return _core.PackedRows.from_arrays(
                begin,  # type: ignore[arg-type]
                cells,  # type: ignore[arg-type]
                norms,  # type: ignore[arg-type]
                self.bias,
                self.n_features,
            )
        packed = _core.PackedRows(self.rows.load(block), self.bias, self.scale, 1)
        if store is not None:
            for name, array in zip(ARRAYS, packed.arrays(), strict=True):
                store.write(f"packed-{name}", block, array)
            self._kept.add(block)
        return packed

    def close(self) -> None:
        """Give the space of the store back."""
        for block in self._kept:
            for name in ARRAYS:
                if self.rows.store is not None:
                    self.rows.store.remove(f"packed-{name}", block)
        self._kept.clear()


def block_lag(rows: RowBlocks) -> float:
    """How many rows the bias lags behind (native/learners/lagging_bias.h).

    Bias and dual variables swing like a spring, once in about 2 pi sqrt(lag) rows. What damps them
    is that the rows met during a swing were last met at different times. Those of a block were met
    together, so a swing must last for many blocks, but no longer than a pass.
    """
    n_rows, longest = rows.shape[0], int(np.diff(rows.bounds).max())
    swing = min(BLOCKS_PER_SWING * longest, n_rows)
    return float(max(0.2 * n_rows, (swing / (2 * np.pi)) ** 2))
