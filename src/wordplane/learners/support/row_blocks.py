"""Rows of a matrix that are read block by block, because they are not in memory together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.forms import ArrayForm, Pattern, StepForm
from wordplane.common.pool import start_job
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray, IntArray

Loaded = TypeVar("Loaded")
Array: TypeAlias = NDArray[np.generic]
Arrays: TypeAlias = Iterable[tuple[str, Array]]
Facts: TypeAlias = dict[str, Any]  # as JSON can hold them
Sums = tuple[FloatArray, ...]
Shared = tuple[object, ...]

PASSES = "passes"


class BlockStore(Protocol):
    """Arrays on disk, by name and number of the block, and what steps have come to. A training
    that resumes another one has its steps, not its arrays."""

    def write(self, name: str, block: int, array: NDArray[np.generic]) -> None: ...

    def read(self, name: str, block: int) -> NDArray[np.generic]: ...

    def remove(self, name: str, block: int) -> None: ...

    def finish(self, step: str, arrays: Arrays, facts: Facts | None = None) -> None: ...

    def finished(self, step: str, form: StepForm) -> tuple[dict[str, Array], Facts] | None: ...


class RowBlocks:
    """Blocks of rows; block b has the rows bounds[b] to bounds[b + 1] - 1.

    load   returns a block, given its number: always the same, from any thread
    store  where a learner may keep what it made of blocks

    What a learner asks of all blocks, it asks by `map` and `sum` if it can: then it can also learn
    from blocks that are on other machines, of which these alone can be had (`is_remote`). There,
    functions and what they share must be such that pickle can send them.

    >>> from wordplane.common.matrix import as_csr
    >>> blocks = [as_csr([[1, 0], [0, 2]]), as_csr([[3, 3]])]
    >>> rows = RowBlocks(np.array([0, 2, 3]), 2, blocks.__getitem__)
    >>> [(block, X.shape) for block, X in rows.read(range(2))]
    [(0, (2, 2)), (1, (1, 2))]
    """

    is_remote = False
    sum_bytes = 1 << 28  # what a learner may sum at once

    def __init__(
        self,
        bounds: IntArray,
        n_features: int,
        load: Callable[[int], _core.Csr],
        *,
        threads: int = 1,
        store: BlockStore | None = None,
    ) -> None:
        self.bounds, self.load, self.threads, self.store = bounds, load, threads, store
        self.shape: tuple[int, int] = (int(bounds[-1]), n_features)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def part(self, block: int) -> slice:
        """The rows of a block among all rows."""
        return slice(int(self.bounds[block]), int(self.bounds[block + 1]))

    def keep_pass(self, n_passes: int, arrays: Arrays, facts: Facts | None = None) -> None:
        """Keep what a learner knows after so many passes, for `last_pass`."""
        if self.store is not None:
            self.store.finish(PASSES, arrays, {**(facts or {}), "n_passes": n_passes})

    def last_pass(
        self, start: Arrays, facts: Mapping[str, Pattern]
    ) -> tuple[int, dict[str, Array], Facts]:
        """What was kept in the training that this one resumes: passes, arrays and facts.

        start  the arrays before the first pass: those that were kept have their types and shapes
        facts  what the facts must be
        """
        if self.store is None:
            return 0, {}, {}
        forms = {name: ArrayForm.like(array) for name, array in start}
        known = self.store.finished(PASSES, StepForm(forms, {"n_passes": int, **facts}))
        return (0, {}, {}) if known is None else (known[1]["n_passes"], *known)

    def split(self, array: NDArray[np.generic]) -> list[object]:
        """The part of every block in an array with a value per row, for `map` and `sum`."""
        return [array[self.part(block)] for block in range(len(self))]

    def map(
        self, function: Callable[..., object], shared: Shared, *by_block: list[object]
    ) -> list[object]:
        """function(X, threads, *shared, *parts) of every block, for `map` and `sum`."""
        return [
            function(X, self.threads, *shared, *(each[block] for each in by_block))
            for block, X in self.read(range(len(self)))
        ]

    def sum(
        self,
        add: Callable[..., None],
        sums: Sums,
        shared: Shared,
        *by_block: list[object],
        job: str = "",
    ) -> Sums:
        """Add all blocks to `sums`, in order: add(sums, X, threads, *shared, *parts) of each.

        >>> from wordplane.common.matrix import as_csr
        >>> blocks = [as_csr([[1, 0], [0, 2]]), as_csr([[3, 3]])]
        >>> rows = RowBlocks(np.array([0, 2, 3]), 2, blocks.__getitem__)
        >>> rows.sum(add_class_counts, (np.zeros((2, 2)),), (),
        ...          rows.split(np.array([0, 1, 1], np.int32)), rows.split(np.ones(3)))
        (array([[1., 0.],
               [3., 5.]]),)
        """
        for block, X in self.read(range(len(self)), job):
            add(sums, X, self.threads, *shared, *(each[block] for each in by_block))
        return sums

    def change(self, change: Callable[[_core.Csr], _core.Csr]) -> "RowBlocks":
        """The same rows with other values: change(X) of every block."""
        load = self.load
        return RowBlocks(
            self.bounds,
            self.shape[1],
            lambda block: change(load(block)),
            threads=self.threads,
            store=self.store,
        )

    def read(
        self, order: Sequence[int] | IntArray, job: str = ""
    ) -> Iterator[tuple[int, _core.Csr]]:
        """The numbers of blocks, and the blocks, in this order; progress is told as `job`."""
        return self.prepare(order, self.load, job)

    def prepare(
        self,
        order: Sequence[int] | IntArray,
        prepare: Callable[[int], Loaded],
        job: str = "",
    ) -> Iterator[tuple[int, Loaded]]:
        """The same with prepare(block) in the place of the block. With several threads, the next
        one is prepared while one is worked on."""
        order = [int(block) for block in order]
        future = None
        for number, block in enumerate(order):
            loaded = prepare(block) if future is None else future()
            future = None
            if self.threads > 1 and number + 1 < len(order):
                future = start_job(partial(prepare, order[number + 1]), 2)
            yield block, loaded
            del loaded
            if job:
                notify(job, number + 1, len(order))
        assert future is None


def add_class_counts(
    sums: Sums, X: _core.Csr, threads: int, codes: NDArray[np.int32], weights: FloatArray
) -> None:
    """Add the values of every feature by class."""
    _core.add_class_counts(X, codes, weights, sums[0], threads)


def needs_memory(learner: object) -> InputError:
    """The error of a learner whose parameters do not allow rows in blocks."""
    return InputError(f"{learner!r} needs all rows in memory: it cannot be trained on blocks")
