"""Independent jobs on threads: results in order, progress announced to the listener."""

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from wordplane.common.progress import steps

# Addresses for a thread: its stack, what Python needs to begin, and 64 MiB that the C library
# reserves for what it will allocate.
THREAD_BYTES = (1 << 24) + (1 << 26)

Job = TypeVar("Job")
Result = TypeVar("Result")


def start_job(job: Callable[[], Result], threads: int) -> Callable[[], Result]:
    """Start the job; with several threads, on a thread of its own if there is memory for one.

    Returns a future: call it to wait for the result. It may be called more than once.

    >>> future = start_job(lambda: 6 * 7, threads=2)
    >>> future(), future()
    (42, 42)
    """
    if threads == 1 or not _has_memory():
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
    try:
        thread.start()
    except RuntimeError:  # the system grants no more threads
        work()
    return future


def _has_memory() -> bool:
    """Whether a thread can begin. If it cannot, Python waits for it without end."""
    from mmap import mmap

    try:
        mmap(-1, THREAD_BYTES).close()
    except OSError:
        return False
    return True


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

        def start(item: Job) -> Callable[[], Result]:
            if _has_memory():
                return pool.submit(copy_context().run, job, item).result
            result = job(item)
            return lambda: result

        with ThreadPoolExecutor(threads) as pool:
            futures: list[Callable[[], Result]] = []
            for item in items:
                futures.append(start(item))
                if len(futures) - len(results) > threads:  # keeps only a few matrices in memory
                    results.append(futures[len(results)]())
                    step(name, len(results))
            for future in futures[len(results) :]:
                results.append(future())
                step(name, len(results))
    return results
