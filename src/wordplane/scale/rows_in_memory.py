"""Blocks of rows that a worker keeps in memory, as a solver meets them again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from weakref import WeakKeyDictionary

from wordplane import _core
from wordplane.scale.disk_arrays import DiskArrays

SHARE = 0.25  # of the memory of a worker
ROOM = 1 << 30  # bytes, where a worker has no limit


class RowsInMemory:
    """The rows of the first blocks that are asked for, as long as there is room: in passes over all
    blocks, what came last would be gone before it is asked for again. What stands for a block on
    disk holds them, and they go with it.

    room  bytes

    >>> from wordplane.common.matrix import as_csr
    >>> rows, block = RowsInMemory(1e6), DiskArrays([], None, [], False)
    >>> X = rows.get(block, "plain", lambda: as_csr([[1, 0], [0, 2]]))
    >>> rows.get(block, "plain", lambda: as_csr([[0, 0]])) is X
    True
    """

    def __init__(self, room: float) -> None:
        self.room = room
        self._lock = Lock()
        self._kept: WeakKeyDictionary[DiskArrays, tuple[Hashable, _core.Csr]] = WeakKeyDictionary()

    def get(self, block: DiskArrays, form: Hashable, make: Callable[[], _core.Csr]) -> _core.Csr:
        """The rows of a block in a form, made unless they are kept."""
        kept = self._kept.get(block)
        if kept is not None and kept[0] == form:
            return kept[1]
        X = make()
        with self._lock:
            used = sum(each.n_bytes for each in list(self._kept) if each is not block)
            if used + block.n_bytes <= self.room:
                self._kept[block] = form, X
        return X


def room_of_worker() -> float:
    """The bytes that rows may take on this worker."""
    from distributed import get_worker

    limit = get_worker().memory_manager.memory_limit
    return SHARE * limit if limit else ROOM
