"""Independent jobs on threads, in order, with progress told."""

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from wordplane.common.progress import report

Job = TypeVar("Job")
Done = TypeVar("Done")


def later(job: Callable[[], Done], threads: int) -> Callable[[], Done]:
    """Start the job on a thread of its own, if there are several; what gives its result.

    >>> result = later(lambda: 6 * 7, threads=2)
    >>> result(), result()
    (42, 42)
    """
    if threads == 1:
        done = job()
        return lambda: done
    results: list[Done] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(copy.run(job))
        except BaseException as error:
            errors.append(error)

    def result() -> Done:
        if thread.ident is not None:
            thread.join()
        if errors:
            raise errors[0]
        return results[0]

    copy = copy_context()
    thread = Thread(target=work)
    try:
        thread.start()
    except RuntimeError:  # the system grants no more threads
        work()
    return result


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
