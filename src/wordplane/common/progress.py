"""Progress of long work, told to whoever listens.

The library never prints. Long loops report their steps here; the command line listens
and draws a bar, and so may any other caller:

>>> steps = []
>>> with listen(lambda job, done, total: steps.append((job, done, total))):
...     report("counting", 1, 2)
...     report("counting", 2, 2)
>>> steps
[('counting', 1, 2), ('counting', 2, 2)]
>>> report("counting", 1, 2)  # nobody listens: nothing happens
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call `listener(job, done, total)` at every step of work done inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class OutOfTimeError(Exception):
    """The time that work was given is over."""


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """Work inside the block ends by `OutOfTimeError` at its first step after the deadline, a value
    of `time.perf_counter`."""
    listener = _listener.get()

    def watch(job: str, done: int, total: int) -> None:
        if perf_counter() > deadline:
            raise OutOfTimeError(job)
        if listener is not None:
            listener(job, done, total)

    with listen(watch):
        yield


def report(job: str, done: int, total: int) -> None:
    """Tell the listener, if there is one, that `done` of `total` steps of `job` are done."""
    listener = _listener.get()
    if listener is not None:
        listener(job, done, total)
