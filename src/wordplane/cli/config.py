"""Options from a file: `--config x.toml`, with a table for every verb.

    [train]
    ngrams = "1,3"
    min-df = 2
    negation = true
    text = ["subject", "body"]

Keys are the long options without their dashes. They are put before what the command line has,
so that the command line wins; a list gives an option several times.
"""

import argparse
import difflib
from collections.abc import Iterable

from wordplane.common.errors import InputError
from wordplane.common.toml import read_toml


def with_config(
    parser: argparse.ArgumentParser, verb: str, arguments: list[str], verbs: list[str]
) -> list[str]:
    """The arguments with the options of the file that --config names before those given.

    `parser` is that of the verb.
    """
    finder = type(parser)(prog=parser.prog, add_help=False, allow_abbrev=False)
    finder.add_argument("--config", required=True)
    path = finder.parse_known_args(arguments)[0].config
    table = _table(path, verb, verbs)
    actions = {
        option.removeprefix("--"): action
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--") and option not in ("--config", "--help", "--help-all")
    }
    given = {action.dest for action in actions.values() if _is_given(action, arguments)}
    options: list[str] = []
    for key, value in table.items():
        where = f"{path}, [{verb}]: {key}"
        if key not in actions:
            raise InputError(f"{where} is not an option of {verb}{_nearest(key, actions)}")
        words = _as_arguments(key, value, actions[key], where)
        # An option that is repeated would add to those of the file: here it replaces them.
        options += [] if actions[key].dest in given else words
    place = arguments.index(verb) + 1
    return arguments[:place] + options + arguments[place:]


def _table(path: str, verb: str, verbs: list[str]) -> dict[str, object]:
    tables = read_toml(path)
    for name, table in tables.items():
        if name not in verbs:
            hint = _nearest(name, verbs)
            raise InputError(f"{path}: {name} is not a verb{hint}; options go below [{verb}]")
        if not isinstance(table, dict):
            raise InputError(f"{path}: {name} is {table!r}, expected a table [{name}]")
    return dict(tables.get(verb, {}))


def _is_given(action: argparse.Action, arguments: list[str]) -> bool:
    return any(
        word.partition("=")[0] == option for option in action.option_strings for word in arguments
    )


def _as_arguments(key: str, value: object, action: argparse.Action, where: str) -> list[str]:
    """The option as one would type it."""
    if action.nargs == 0:  # a switch
        if not isinstance(value, bool):
            raise InputError(f"{where} is {value!r}, expected true or false")
        if value:
            return [f"--{key}"]
        return [f"--no-{key}"] if f"--no-{key}" in action.option_strings else []
    repeats = isinstance(action, argparse._AppendAction)
    values = value if isinstance(value, list) and repeats else [value]
    if isinstance(value, list) and not repeats:  # ngrams = [1, 2] as 1,2
        values = [",".join(map(str, value))]
    for one in values:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise InputError(f"{where} is {one!r}, expected a number or a string")
    return [f"--{key}={one}" for one in values]


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; it has {', '.join(known)}"
