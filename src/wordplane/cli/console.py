"""What goes to the terminal: results, notes, progress. Text of strangers is shown, never obeyed."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING

from wordplane.common.files import mask
from wordplane.common.progress import Listener, Pace, hear, listen

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
OF_TRAINING = {"learner": "--learner", "unlabeled": "--unlabeled"}  # which any verb may advise

MAX_COMMAND = 60  # characters of one that has its purpose beside it

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)
_verbose: ContextVar[bool] = ContextVar("verbose", default=False)
_options: ContextVar[Mapping[str, str]] = ContextVar("options", default=OPTION_NAMES)


def set_options(parser: argparse.ArgumentParser) -> None:
    """From now on, messages name the options of this verb."""
    flags = {a.dest: [f for f in a.option_strings if f.startswith("--")] for a in parser._actions}
    names = {dest: given[0] for dest, given in flags.items() if given}  # not --no-...
    known = {flag for a in parser._actions for flag in a.option_strings}
    others = {name: flag for name, flag in OPTION_NAMES.items() if flag in known}
    _options.set({**OF_TRAINING, **names, **others})


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
    from ast import literal_eval

    def render(match: re.Match[str]) -> str:
        name, equals, value = match[1].partition("=")
        flag = options.get(name)
        if flag is None:
            return match[0]
        if not equals:
            return flag
        try:
            given = literal_eval(value)
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


def warn(message: str) -> None:
    """A message that nobody may miss, such as an error."""
    print(plain(advice(message)), file=sys.stderr)


def say(message: str) -> None:
    """A message to the person at the terminal, unless it is not wanted (--quiet)."""
    if not _quiet.get():
        warn(message)


def say_notes(notes: Iterable[str]) -> None:
    """Remarks on data and model."""
    for note in notes:
        say(f"note: {note}")


def say_next(commands: Iterable[tuple[str, str]]) -> None:
    """Commands that are worth running now, each with what it does, unless they are not wanted."""
    shown = list(commands)
    if shown and not _quiet.get():
        longest = max(len(command) for command, _ in shown)
        width, between = (longest, "  ") if longest <= MAX_COMMAND else (0, "\n      ")
        sys.stdout.flush()  # what was found comes first
        say("\nnext")
        for command, what in shown:
            print(plain(f"  {command:{width}}{between}{what}"), file=sys.stderr)


def is_verbose() -> bool:
    """Whether more is wanted than what most people read."""
    return _verbose.get()


def set_volume(*, quiet: bool, verbose: bool) -> None:
    """From now on, say only what was asked for, or more than usual."""
    _quiet.set(quiet)
    _verbose.set(verbose)


def show_result(args: argparse.Namespace, result: Result, text: object = None) -> None:
    """What a verb found: as JSON, or its notes and then its text, if not that of the result."""
    if args.json:
        print_json(result.to_dict())
    else:
        say_notes(result.notes)
        print(plain(result if text is None else text))


def plain(value: object) -> str:
    r"""Text of strangers for the terminal: what would steer it is shown as an escape, and passwords
    in addresses are not shown.

    The joiner inside emoji is left as it is.

    >>> plain("red \x1b[31m")
    'red \\x1b[31m'
    """
    harmless = "\n\u200d"
    return "".join(
        c if c.isprintable() or c in harmless else repr(c)[1:-1] for c in mask(str(value))
    )


def print_json(result: dict[str, object]) -> None:
    """The result for a program; what would steer a terminal is escaped, as JSON allows."""
    text = json.dumps(result, ensure_ascii=False)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    print(text)


@contextmanager
def show_progress(*, results: bool = False) -> Iterator[None]:
    """A bar for long work inside the block, and with `results` what is known of them before it
    ends; on a terminal only, or with --verbose."""

    def say_early(result: str) -> None:
        if results and (_verbose.get() or sys.stderr.isatty()):
            say(f"so far    {plain(result)}")

    with progress_bar() as show, listen(show), hear(say_early):
        yield


@contextmanager
def progress_bar() -> Iterator[Listener]:
    """A bar for long work, on a terminal only. Yields the function that moves it. With --verbose, a
    line for each job instead."""
    if _verbose.get():
        with _log() as log:
            yield log
    elif _quiet.get() or not sys.stderr.isatty():
        yield lambda job, done, total: None
    else:
        with _bar() as show:
            yield show


@contextmanager
def _log() -> Iterator[Listener]:
    """Says when a job begins, and at last how long all of them took."""
    started, seen = perf_counter(), set[str]()

    def show(job: str, done: int, total: int) -> None:
        del done, total
        if job not in seen:
            seen.add(job)
            say(f"{perf_counter() - started:7.2f} s  {plain(job)}")

    yield show
    say(f"{perf_counter() - started:7.2f} s  done")


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    job = TextColumn("{task.description}", markup=False)
    columns = (job, BarColumn(), TextColumn("{task.fields[left]}", markup=False))
    console = Console(stderr=True)
    # stdout stays what it is: it may be a file or a pipe that rows are written to.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("starting", total=None, left="")  # at once: somebody is waiting
        pace = Pace()

        def show(job: str, done: int, total: int) -> None:
            left = pace.text(job, done, total)
            bar.update(task, description=plain(job), completed=done, total=total or None, left=left)

        yield show
