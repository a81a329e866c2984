"""What a person at the terminal is asked, and the commands that would help one who is not there."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence

from wordplane.cli.console import advice, plain, say
from wordplane.common.errors import InputError
from wordplane.data.column_choice import ColumnError, Question
from wordplane.data.encoding import STDIN
from wordplane.data.number_labels import NumberLabelsError

MAX_TRIES = 3
NUMBERS_VERB = "train"  # which can predict numbers; --target of others is something else


def is_terminal() -> bool:
    """Whether somebody is there to read and to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def can_ask(args: argparse.Namespace) -> bool:
    """Whether somebody can be asked, and the data can be read again."""
    is_there = sys.stdin.isatty() and sys.stderr.isatty()
    return (
        is_there
        and STDIN not in getattr(args, "data", [STDIN])
        and not getattr(args, "json", False)
    )


def ask_columns(asked: ColumnError | NumberLabelsError, args: argparse.Namespace) -> None:
    """Ask which columns are meant, or what for, and set the options that name them."""
    if isinstance(asked, NumberLabelsError):
        _ask_numbers(asked, args)
        return
    for question in asked.questions:
        chosen = _ask(asked, question)
        setattr(args, question.role, chosen if question.role == "text" else chosen[0])
        say(f"next time: {_options({question.role: chosen})}")


def _ask_numbers(asked: NumberLabelsError, args: argparse.Namespace) -> None:
    """Ask whether numbers are to be predicted, or are classes."""
    (question,) = asked.questions
    if args.verb != NUMBERS_VERB:
        raise asked
    print(f"{plain(asked.file)}: {plain(question)}", file=sys.stderr)
    print("   1  predict the number\n   2  every number is a class of its own", file=sys.stderr)
    for _ in range(MAX_TRIES):
        print("1 or 2: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip()
        if answer in ("1", "2"):
            role = "target" if answer == "1" else "label"
            setattr(args, role, question.column)
            say(f"next time: {_options({role: question.column})}")
            return
        if not answer:
            break
    raise asked


def _ask(asked: ColumnError, question: Question) -> list[str]:
    names = list(question.columns)
    width = max(map(len, names))
    print(f"{plain(asked.file)}: which column has the {question.role}s?", file=sys.stderr)
    for number, (name, examples) in enumerate(question.columns.items(), 1):
        print(f"{number:>4}  {plain(name):{width}}  {plain(examples)}", file=sys.stderr)
    several = ", several with commas between them" if question.role == "text" else ""
    for _ in range(MAX_TRIES):
        print(f"its number or name{several}: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        typed = [part.strip() for part in line.split(",")]
        if line.strip() in names:
            return [line.strip()]
        chosen = [names[int(t) - 1] if t.isdecimal() and 0 < int(t) <= len(names) else t
                  for t in typed]  # fmt: skip
        if all(name in names for name in chosen) and (len(chosen) == 1 or several):
            return chosen
        if not line.strip():
            break
        print(f"there is no {plain(line.strip())!r}", file=sys.stderr)
    raise asked


def commands(error: InputError, typed: Sequence[str]) -> list[str]:
    """The command that was typed, with options that would help: one for each way."""
    found = []
    for remedy in error.remedies:
        options = _options(remedy)
        other_target = "target" in remedy and typed[:1] != [NUMBERS_VERB]
        if "`" in options or other_target:  # the verb does not have it
            continue
        end = typed.index("--") if "--" in typed else len(typed)
        words = [shlex.join(["wordplane", *typed[:end]]), options, shlex.join(typed[end:])]
        found.append(" ".join(filter(None, words)))
    return found


def _options(remedy: Mapping[str, object]) -> str:
    return " ".join(advice(f"`{name}={value!r}`") for name, value in remedy.items())
