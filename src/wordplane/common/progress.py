"""Progress of long work.

The library never prints. Long loops announce their steps with `notify`; a caller that wants to
know them, such as the progress bar of the command line, uses `listen`:

>>> steps = []
>>> with listen(lambda job, done, total: steps.append((job, done, total))):
...     notify("counting", 1, 2)
...     notify("counting", 2, 2)
>>> steps
[('counting', 1, 2), ('counting', 2, 2)]
>>> notify("counting", 1, 2)  # nobody listens: nothing happens
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call `listener(job, done, total)` at every step of the work inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class OutOfTimeError(Exception):
    """The time limit of some work has passed."""


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """Raise `OutOfTimeError` at the first step inside the block after the deadline.

    The deadline is a value of `time.perf_counter`.
    """
    listener = _listener.get()

    def watch(job: str, done: int, total: int) -> None:
        if perf_counter() > deadline:
            raise OutOfTimeError(job)
        if listener is not None:
            listener(job, done, total)

    with listen(watch):
        yield


def notify(job: str, done: int, total: int) -> None:
    """Tell the listener, if there is one, that `done` of `total` steps of `job` are done."""
    listener = _listener.get()
    if listener is not None:
        listener(job, done, total)
