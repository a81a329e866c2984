"""Rows of counts in blocks on disk, and the rows that a fit sees.

Rows are encoded once, with the features of all fits. A fit leaves out rows and features and weights
the counts as it reads a block, so that nothing else is ever written.

Solvers that visit rows in random order want blocks that are random samples: for them, rows are
dealt to 256 blocks or more at random (the bias couples all rows, and fewer or sorted blocks would
take many more passes).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.types import IntArray
from wordplane.features.text_counts import CsrArrays, join_parts
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.scale.counting import KeptNgrams
from wordplane.scale.ordered import ordered
from wordplane.scale.scratch import Scratch
from wordplane.scale.scratch_format import COLUMNS, COUNTS, rows_form
from wordplane.scale.text_blocks import TextBlocks
from wordplane.scale.vocabularies import remove_tokens, token_block

DEALT_BLOCKS, DEALT_ROWS = 256, 1 << 13
BUFFER_BYTES = 1 << 26
NodeColumns = dict[str, NDArray[np.int32]]  # by part: of every node, or -1


@dataclass
class EncodedRows:
    """Counts of encoded columns in blocks.

    bounds     the first stored row of every block, and the number of all rows
    row_of     which row of the data a stored row is
    sizes      how many values each stored row has
    is_binary  whether all counts are 1, and so not on disk
    """

    scratch: Scratch
    bounds: IntArray
    row_of: IntArray
    sizes: NDArray[np.int32]
    n_columns: int
    is_binary: bool

    def read(self, block: int) -> CsrArrays:
        """Row pointers, columns and counts of a block."""
        sizes = self.sizes[self.bounds[block] : self.bounds[block + 1]]
        indptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        n_values = int(indptr[-1])
        forms = COLUMNS if self.is_binary else COUNTS
        known = {"values": n_values, "features": self.n_columns}
        arrays = self.scratch.read_block(forms, "", block, known)
        ones = np.ones(n_values, np.float32)
        values = ones if self.is_binary else arrays["counts"].astype(np.float32)
        return indptr, arrays["columns"], values  # type: ignore[return-value]

    def rows(
        self,
        keep: NDArray[np.bool_] | None,
        column_of: NDArray[np.int32] | None,
        n_columns: int,
        weighting: Callable[[], _core.GroupWeights],
        threads: int,
    ) -> tuple[RowBlocks, IntArray]:
        """The rows of a fit, weighted, and which rows of the data they are.

        keep       which rows of the data; None: all, of the last fit
        column_of  the column of every encoded one, -1 for none; None: the same
        """
        kept = np.ones(len(self.row_of), bool) if keep is None else keep[self.row_of]
        bounds = np.concatenate([[0], np.cumsum(kept)])[self.bounds]
        is_all = keep is None and column_of is None
        if column_of is None:
            column_of = np.arange(self.n_columns, dtype=np.int32)
        new_columns, weights = column_of, weighting()

        def load(block: int) -> _core.Csr:
            indptr, indices, values = self.read(block)
            if not is_all:
                matrix = _core.Csr(self.n_columns, indptr, indices, values)
                own = np.flatnonzero(kept[self.bounds[block] : self.bounds[block + 1]])
                indptr, indices, values = _core.take(matrix, own, new_columns, 1)
            weights.weigh(indptr, indices, values, None, 1)
            return _core.Csr(n_columns, indptr, indices, values)

        store = self.scratch.section("last" if keep is None else "first")
        rows = RowBlocks(bounds, n_columns, load, threads=threads, store=store)
        return rows, self.row_of[kept]


def encode_rows(
    kept: dict[str, KeptNgrams],
    columns: NodeColumns,
    blocks: TextBlocks,
    *,
    binary: bool,
    deal: int | None,
    threads: int,
) -> EncodedRows:
    """Encode the texts, unless they are, after which their tokens leave the disk.

    binary  whether counts do not matter
    deal    the seed with which rows are dealt to blocks; None: they stay where they are
    """
    scratch, n_rows = blocks.scratch, len(blocks)
    n_columns = {part: 1 + int(each.max(initial=-1)) for part, each in columns.items()}
    writer = _Writer(scratch, blocks.bounds, n_rows, deal)
    known = scratch.finished("rows", rows_form(n_rows))
    if known is not None:
        writer.sizes = known.arrays["sizes"]  # type: ignore[assignment]
    else:
        job = partial(_encode_block, scratch, kept, columns, n_columns, blocks.sizes)
        job_of = partial(_arrange_rows, job, writer.targets, sum(n_columns.values()), binary)
        pieces = ordered(job_of, len(blocks.sizes), threads, "encoding texts")
        for block, piece in enumerate(pieces):
            writer.write(block, *piece)
        writer.flush()
        scratch.finish("rows", [("sizes", writer.sizes)])
    for part in kept:
        for block in range(len(blocks.sizes)):
            remove_tokens(scratch, part, block)
    return EncodedRows(
        scratch,
        writer.bounds,
        writer.row_of,
        writer.sizes,
        sum(n_columns.values()),
        binary,
    )


def _encode_block(
    scratch: Scratch,
    kept: dict[str, KeptNgrams],
    columns: NodeColumns,
    n_columns: dict[str, int],
    sizes: list[int],
    block: int,
) -> CsrArrays:
    parts = []
    for part, found in kept.items():
        by_level = np.split(columns[part], np.cumsum(found.sizes)[:-1])
        texts, word_of = token_block(scratch, part, block, sizes[block], len(found.df[0]))
        indptr, indices, counts = texts.encode_ngrams(
            word_of, found.levels, by_level, n_columns[part]
        )
        parts.append((indptr, indices, counts.astype(np.float32)))
    return join_parts(parts, list(n_columns.values()), sizes[block], 1)


def _arrange_rows(
    encode: Callable[[int], CsrArrays],
    targets: Callable[[int], IntArray],
    n_columns: int,
    binary: bool,
    block: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint32] | None]:
    """The rows of a block in the order of the blocks that they are dealt to."""
    indptr, indices, values = encode(block)
    order = np.argsort(targets(block), kind="stable")
    if (np.diff(order) != 1).any():
        matrix = _core.Csr(n_columns, indptr, indices, values)
        same = np.arange(n_columns, dtype=np.int32)
        indptr, indices, values = _core.take(matrix, order, same, 1)
    return indptr, indices, None if binary else values.astype(np.uint32)


class _Writer:
    """Writes the rows of the blocks of texts to the blocks that they are dealt to."""

    def __init__(
        self,
        scratch: Scratch,
        bounds: IntArray,
        n_rows: int,
        deal: int | None,
    ) -> None:
        self.scratch, self.source, self.bounds = scratch, bounds, bounds
        self.row_of = np.arange(n_rows)
        if deal is not None:
            n_blocks = max(min(DEALT_BLOCKS, n_rows), -(-n_rows // DEALT_ROWS))
            self.bounds = n_rows * np.arange(n_blocks + 1, dtype=np.int64) // n_blocks
            order = np.random.default_rng(deal).permutation(n_rows)
            for begin, end in zip(self.bounds[:-1], self.bounds[1:], strict=True):
                order[begin:end].sort()
            self.row_of = order
        self.target = np.empty(n_rows, np.int64)
        self.target[self.row_of] = np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))
        place = np.empty(n_rows, np.int64)
        place[self.row_of] = np.arange(n_rows)
        self.place = place
        self.sizes = np.zeros(n_rows, np.int32)
        self._pieces: dict[tuple[str, int], list[NDArray[np.generic]]] = {}
        self._n_bytes = 0

    def targets(self, block: int) -> IntArray:
        """The blocks that the rows of a block of texts go to."""
        return self.target[self.source[block] : self.source[block + 1]]

    def write(
        self,
        block: int,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        counts: NDArray[np.uint32] | None,
    ) -> None:
        targets = self.targets(block)
        order = np.argsort(targets, kind="stable")
        self.sizes[self.place[self.source[block] + order]] = np.diff(indptr)
        cuts = np.flatnonzero(np.diff(targets[order], prepend=-1, append=-1))
        for first, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            target, values = int(targets[order[first]]), slice(int(indptr[first]), int(indptr[end]))
            self._pieces.setdefault(("columns", target), []).append(indices[values])
            if counts is not None:
                self._pieces.setdefault(("counts", target), []).append(counts[values])
        self._n_bytes += indices.nbytes + (0 if counts is None else counts.nbytes)
        if self._n_bytes > BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        for (name, target), pieces in self._pieces.items():
            self.scratch.append(name, target, np.concatenate(pieces))
        self._pieces.clear()
        self._n_bytes = 0
