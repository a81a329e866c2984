"""Independent jobs on threads: results in order, progress announced to the listener."""

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from wordplane.common.progress import steps

THREAD_BYTES = 1 << 24  # of addresses for a thread: its stack, and what it needs to begin

Job = TypeVar("Job")
Result = TypeVar("Result")


def start_job(job: Callable[[], Result], threads: int) -> Callable[[], Result]:
    """Start the job; with several threads, on a thread of its own.

    Returns a future: call it to wait for the result. It may be called more than once.

    >>> future = start_job(lambda: 6 * 7, threads=2)
    >>> future(), future()
    (42, 42)
    """
    if threads == 1:
        result = job()
        return lambda: result
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(context.run(job))
        except BaseException as error:
            errors.append(error)

    def future() -> Result:
        if thread.ident is not None:
            thread.join()
        if errors:
            raise errors[0]
        return results[0]

    context = copy_context()
    thread = Thread(target=work)
    _check_memory()
    try:
        thread.start()
    except RuntimeError:  # the system grants no more threads
        work()
    return future


def _check_memory() -> None:
    """Raise MemoryError if a thread could not begin: Python would wait for it without end."""
    from mmap import mmap

    try:
        mmap(-1, THREAD_BYTES).close()
    except OSError:
        raise MemoryError("there is no memory for a thread") from None


def pool_map(
    job: Callable[[Job], Result],
    items: Iterator[Job] | Sequence[Job],
    threads: int,
    name: str,
    total: int,
) -> list[Result]:
    """job(item) for every item, on threads; the results are in the order of the items."""
    results: list[Result] = []
    with steps(name, total) as step:
        if threads == 1:
            for item in items:
                results.append(job(item))
                step(name, len(results))
            return results
        from concurrent.futures import ThreadPoolExecutor  # takes 10 ms, which prediction avoids

        with ThreadPoolExecutor(threads) as pool:
            futures = []
            for item in items:
                _check_memory()
                futures.append(pool.submit(copy_context().run, job, item))
                if len(futures) - len(results) > threads:  # keeps only a few matrices in memory
                    results.append(futures[len(results)].result())
                    step(name, len(results))
            for future in futures[len(results) :]:
                results.append(future.result())
                step(name, len(results))
    return results
