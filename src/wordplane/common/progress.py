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

Work that has parts, such as a comparison of learners, announces them with `overall` or `steps`.
Whoever listens then hears how many of them are done, whatever goes on inside:

>>> with listen(lambda *step: print(step)):
...     for learner in overall("learners", ["nb", "svm"]):
...         notify("counting", 1, 2)
('learners: nb', 0, 2)
('learners: nb, counting', 0, 2)
('learners: svm', 1, 2)
('learners: svm, counting', 1, 2)
('learners', 2, 2)

A result that is known before the rest is told with `tell`:

>>> with hear(print):
...     tell("nb: accuracy 77.1%")
nb: accuracy 77.1%
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from wordplane.common.notebook import notebook_bar

Listener = Callable[[str, int, int], None]

Hearer = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_hearer: ContextVar[Hearer | None] = ContextVar("hearer", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call `listener(job, done, total)` at every step of the work inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def hear(hearer: Hearer) -> Iterator[None]:
    """Call `hearer(result)` for results that are known before the work inside the block ends."""
    token = _hearer.set(hearer)
    try:
        yield
    finally:
        _hearer.reset(token)


def tell(result: str) -> None:
    """Say a result while others are still being computed."""
    hearer = _hearer.get()
    if hearer is not None:
        hearer(result)


class OutOfTimeError(Exception):
    """The time limit of some work has passed."""


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """Raise `OutOfTimeError` at the first step inside the block after the deadline.

    The deadline is a value of `time.perf_counter`.
    """
    listener = _listener.get() or notebook_bar()

    def watch(job: str, done: int, total: int) -> None:
        if perf_counter() > deadline:
            raise OutOfTimeError(job)
        if listener is not None:
            listener(job, done, total)

    with listen(watch):
        yield


@contextmanager
def steps(job: str, total: int) -> Iterator[Callable[[str, int], None]]:
    """Yield a function that announces what is being done, and how many steps of `total` are done.
    Work inside the block is announced with these numbers, not with its own, so that a bar fills
    once; of such blocks within each other, the outer one counts."""
    listener = _listener.get() or notebook_bar()
    n_done, now = 0, job

    def pass_on(inner: str, done: int, steps: int) -> None:
        del done, steps
        if listener is not None:
            listener(f"{now}, {inner.partition(', ')[0]}", n_done, total)

    def step(text: str, done: int) -> None:
        nonlocal n_done, now
        n_done, now = done, text
        if listener is not None:
            listener(text, done, total)

    if listener is None:
        yield step
    else:
        with listen(pass_on):
            yield step


def overall(name: str, parts: Sequence[str]) -> Iterator[str]:
    """The parts of some work, to be done one after the other; the bar shows which, and how many are
    done."""
    with steps(name, len(parts)) as step:
        for number, part in enumerate(parts):
            step(f"{name}: {part}", number)
            yield part
        step(name, len(parts))


class Pace:
    """How long work still takes, by how long its steps have taken."""

    def __init__(self) -> None:
        self._job = ""
        self._started = self._first = perf_counter()
        self._done_before = 0

    def text(self, job: str, done: int, total: int, now: float | None = None) -> str:
        """How much is done, and after a second the time that is left, if the end is known.

        >>> pace = Pace()
        >>> pace.text("learners: nb", 0, 15, now=0.0), pace.text("learners: svm", 6, 15, now=30.0)
        ('0 of 15', '6 of 15, 45 s left')
        >>> pace.text("learners", 15, 15, now=80.0), pace.text("fitting", 7, 0, now=80.0)
        ('15 of 15', '80 s')
        """
        now = perf_counter() if now is None else now
        work = job.partition(":")[0]
        if not self._job:
            self._first = now
        if work != self._job or done < self._done_before:
            self._job, self._started, self._done_before = work, now, done
        if not total:
            return f"{now - self._first:.0f} s"
        count = f"{done:,} of {total:,}"
        seconds, n_steps = now - self._started, done - self._done_before
        if seconds < 1 or n_steps < 1 or done >= total:
            return count
        return f"{count}, {duration(seconds / n_steps * (total - done))} left"


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.2), duration(45), duration(170)
    ('1 s', '45 s', '3 min')
    """
    return f"{max(1, round(seconds))} s" if seconds < 100 else f"{round(seconds / 60)} min"


def notify(job: str, done: int, total: int) -> None:
    """Tell the listener, if there is one, that `done` of `total` steps of `job` are done. In a
    notebook, a bar listens unless somebody else does."""
    listener = _listener.get() or notebook_bar()
    if listener is not None:
        listener(job, done, total)
