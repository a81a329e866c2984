"""Jobs on threads whose results are used one after the other, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

from wordplane.common.progress import notify

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


def ordered(job: Callable[[int], Result], n_jobs: int, threads: int, name: str) -> Iterator[Result]:
    """job(0), job(1) ..., computed by threads, a few ahead of their use; progress is told.

    >>> list(ordered(lambda i: i * i, 4, 2, "squaring"))
    [0, 1, 4, 9]
    """
    if threads == 1 or n_jobs == 1:
        for i in range(n_jobs):
            yield job(i)
            notify(name, i + 1, n_jobs)
        return
    from concurrent.futures import ThreadPoolExecutor  # takes 10 ms

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for i in range(n_jobs + threads):
                if i < n_jobs:
                    waiting.append(pool.submit(copy_context().run, job, i))
                if i >= threads:
                    yield waiting.popleft().result()
                    notify(name, i - threads + 1, n_jobs)
        finally:
            for future in waiting:
                future.cancel()
