"""Progress in a notebook: a line below the cell that is running, gone when the cell is done."""

from __future__ import annotations

import sys
import threading
from functools import cache
from time import perf_counter
from typing import Protocol

FIRST_AFTER, EVERY = 1.0, 0.25  # seconds


class Shell(Protocol):
    """What is used of IPython's shell."""

    events: Events


class Events(Protocol):
    """What is called when a cell is done."""

    def register(self, event: str, function: object) -> None: ...


class NotebookBar:
    """A listener of `common.progress` that shows the last step, from the first second on."""

    def __init__(self, shell: Shell) -> None:
        self._started: float | None = None
        self._shown = 0.0
        self._handle: Handle | None = None
        shell.events.register("post_run_cell", self.clear)

    def __call__(self, job: str, done: int, total: int) -> None:
        now = perf_counter()
        if self._started is None:
            self._started = now
        in_time = now - self._started < FIRST_AFTER or now - self._shown < EVERY
        if in_time or threading.current_thread() is not threading.main_thread():
            return
        self._shown = now
        self._show(*_bar_and_text(job, done, total, now - self._started))

    def clear(self, *_: object) -> None:
        """Take the line away: the cell is done."""
        if self._handle is not None:
            self._show("", "")
        self._started, self._handle = None, None

    def _show(self, html: str, text: str) -> None:
        from IPython.display import display

        shown = {"text/html": html, "text/plain": text}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown, raw=True)


class Handle(Protocol):
    """Something on display that can be replaced."""

    def update(self, shown: object, *, raw: bool) -> None: ...


def notebook_bar() -> NotebookBar | None:
    """The bar of the notebook that this runs in; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return None if getattr(shell, "kernel", None) is None else _bar(shell)


@cache
def _bar(shell: Shell) -> NotebookBar:
    return NotebookBar(shell)


def _bar_and_text(job: str, done: int, total: int, seconds: float) -> tuple[str, str]:
    """The bar, which is full at `total`, 0 if nobody knows; and the same as text."""
    share = f' value="{done}" max="{total}"' if total else ""
    count = f" {done:,} of {total:,}" if total else ""
    text = f"{job}{count}, {seconds:.0f} s"
    from html import escape  # its table of entities takes long to build

    return f"<progress{share}></progress> {escape(text)}", text
