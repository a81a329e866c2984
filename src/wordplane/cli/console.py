"""What goes to the terminal: results, notes, progress. Text of strangers is shown, never obeyed."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from wordplane.common.progress import Listener, listen
from wordplane.common.types import JsonObject


def say(message: str) -> None:
    """A message to the person at the terminal."""
    print(plain(message), file=sys.stderr)


def say_notes(notes: Iterable[str]) -> None:
    """Remarks on data and model."""
    for note in notes:
        say(f"note: {note}")


def plain(value: object) -> str:
    r"""Text of strangers for the terminal: what would steer it is shown as an escape.

    The joiner inside emoji is left as it is.

    >>> plain("red \x1b[31m")
    'red \\x1b[31m'
    """
    harmless = "\n\u200d"
    return "".join(c if c.isprintable() or c in harmless else repr(c)[1:-1] for c in str(value))


def print_json(result: JsonObject) -> None:
    """The result for a program."""
    print(json.dumps(result, ensure_ascii=False))


@contextmanager
def show_progress() -> Iterator[None]:
    """A bar for long work inside the block, on a terminal only."""
    with progress_bar() as show, listen(show):
        yield


@contextmanager
def progress_bar() -> Iterator[Listener]:
    """A bar for long work, on a terminal only. Yields the function that moves it."""
    if not sys.stderr.isatty():
        yield lambda job, done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    # stdout stays what it is: it may be a file or a pipe that rows are written to.
    with Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, redirect_stdout=False
    ) as bar:
        tasks: dict[str, TaskID] = {}

        def show(job: str, done: int, total: int) -> None:
            if job not in tasks:
                tasks[job] = bar.add_task(job, total=None)
            bar.update(tasks[job], completed=done, total=total or None)  # 0: nobody knows

        yield show
