"""Independent jobs on threads, in order, with progress told."""

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import TypeVar

from wordplane.progress import report

Job = TypeVar("Job")
Done = TypeVar("Done")


def pool_map(
    job: Callable[[Job], Done],
    items: Iterator[Job] | Sequence[Job],
    threads: int,
    name: str,
    total: int,
) -> list[Done]:
    """job(item) for all items, on threads, in order."""
    results: list[Done] = []
    if threads == 1:
        for item in items:
            results.append(job(item))
            report(name, len(results), total)
        return results
    from concurrent.futures import ThreadPoolExecutor  # 10 ms that prediction need not wait for

    with ThreadPoolExecutor(threads) as pool:
        waiting = []
        for item in items:
            waiting.append(pool.submit(copy_context().run, job, item))
            if len(waiting) - len(results) > threads:  # few matrices are held at a time
                results.append(waiting[len(results)].result())
                report(name, len(results), total)
        for future in waiting[len(results) :]:
            results.append(future.result())
            report(name, len(results), total)
    return results
