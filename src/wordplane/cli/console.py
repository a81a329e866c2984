"""What goes to the terminal: results, notes, progress. Text of strangers is shown, never obeyed."""

from __future__ import annotations

import argparse
import ast
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from wordplane.common.progress import Listener, listen

if TYPE_CHECKING:
    from wordplane.workflow.result import Result

# Parameters of the library whose options have other names.
OPTION_NAMES = {
    "n_jobs": "--threads",
    "random_state": "--seed",
    "params": "--param",
    "header": "--no-header",
    "test": "--no-test",
    "fields": "--field",
    "output": "-o",
}

_options: ContextVar[Mapping[str, str]] = ContextVar("options", default=OPTION_NAMES)


def set_options(parser: argparse.ArgumentParser) -> None:
    """From now on, messages name the options of this verb."""
    flags = {a.dest: [f for f in a.option_strings if f.startswith("--")] for a in parser._actions}
    names = {dest: given[0] for dest, given in flags.items() if given}  # not --no-...
    known = {flag for a in parser._actions for flag in a.option_strings}
    others = {name: flag for name, flag in OPTION_NAMES.items() if flag in known}
    _options.set({**names, **others})


def as_options(message: str, options: Mapping[str, str]) -> str:
    """A message of the library, which names parameters in backticks, in terms of options.

    >>> options = {"min_df": "--min-df", "text": "--text", "skip_bad": "--skip-bad"}
    >>> as_options("raise `min_df`; see `split`", options)
    'raise --min-df; see `split`'
    >>> as_options("pass `text=['title', 'body']` or `skip_bad=True`", options)
    'pass --text title --text body or --skip-bad'
    >>> as_options("leave out `blocks` or pass `blocks=False`", {"blocks": "--blocks"})
    'leave out --blocks or pass --no-blocks'
    """

    def render(match: re.Match[str]) -> str:
        name, equals, value = match[1].partition("=")
        flag = options.get(name)
        if flag is None:
            return match[0]
        if not equals:
            return flag
        try:
            given = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return f"{flag} {value}"
        if isinstance(given, bool):
            return flag if given or flag.startswith("--no-") else f"--no-{flag[2:]}"
        values = given if isinstance(given, list | tuple) else [given]
        return " ".join(f"{flag} {shlex.quote(str(one))}" for one in values)

    return re.sub(r"`(\w+(?:=[^`]*)?)`", render, message)


def advice(text: object) -> str:
    """Words of the library, in which parameters are options. Not for texts of strangers."""
    return as_options(str(text), _options.get())


def say(message: str) -> None:
    """A message to the person at the terminal."""
    print(plain(advice(message)), file=sys.stderr)


def say_notes(notes: Iterable[str]) -> None:
    """Remarks on data and model."""
    for note in notes:
        say(f"note: {note}")


def show_result(args: argparse.Namespace, result: Result, text: object = None) -> None:
    """What a verb found: as JSON, or its notes and then its text, if not that of the result."""
    if args.json:
        print_json(result.to_dict())
    else:
        say_notes(result.notes)
        print(plain(result if text is None else text))


def plain(value: object) -> str:
    r"""Text of strangers for the terminal: what would steer it is shown as an escape.

    The joiner inside emoji is left as it is.

    >>> plain("red \x1b[31m")
    'red \\x1b[31m'
    """
    harmless = "\n\u200d"
    return "".join(c if c.isprintable() or c in harmless else repr(c)[1:-1] for c in str(value))


def print_json(result: dict[str, object]) -> None:
    """The result for a program; what would steer a terminal is escaped, as JSON allows."""
    text = json.dumps(result, ensure_ascii=False)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    print(text)


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
