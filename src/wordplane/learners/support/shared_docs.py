"""Parameters and attributes that learners share are described once, by their base class.

    class OnlineClassifier:                     class Perceptron(OnlineClassifier):
        Parameters                                  (nothing about max_iter)
        max_iter : int
            The most epochs.

`help(Perceptron)` and the API reference then show, in the order of the signature,

    max_iter : int, default 10
        The most epochs.

What a learner describes itself is left as it is.
"""

from collections.abc import Iterable
from functools import cache
from inspect import cleandoc

INDENT = "    "


def complete_docstring(cls: type) -> None:
    """Add to the docstring of a class what only its bases describe: parameters of its `__init__`,
    and attributes."""
    if not cls.__doc__ or "__init__" not in vars(cls):
        return
    text = cleandoc(cls.__doc__)
    bases = [base for base in cls.__mro__[1:-1] if vars(base).get("__doc__")]
    own = _by_name(_entries(text, "Parameters"))
    shared = _by_name(entry for base in reversed(bases) for entry in _described(base, "Parameters"))
    parameters: list[str] = []
    for name, default in _defaults(cls).items():
        entry = own.get(name, "")
        if not entry and name in shared:
            head, _, meaning = shared[name].partition("\n")
            entry = f"{head}, default {default!r}\n{meaning}"
        if entry and entry not in parameters:
            parameters.append(entry)
    attributes = _entries(text, "Attributes")
    for base in bases:
        known = _by_name(attributes)
        entries = _described(base, "Attributes")
        attributes += [entry for entry in entries if known.keys().isdisjoint(_names(entry))]
    text = _replace_section(text, "Parameters", parameters)
    cls.__doc__ = _replace_section(text, "Attributes", attributes)


def _defaults(cls: type) -> dict[str, object]:
    """The parameters of `__init__` in order, as `inspect.signature` has them, but at once: this
    runs whenever a learner is imported."""
    init = vars(cls)["__init__"]
    code, defaults = init.__code__, init.__defaults__ or ()
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    positional = names[: code.co_argcount - 1]
    by_name = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    return {name: (by_name | (init.__kwdefaults__ or {})).get(name) for name in names}


@cache
def _described(base: type, heading: str) -> list[str]:
    return _entries(cleandoc(base.__doc__ or ""), heading)


def _section(text: str, heading: str) -> tuple[int, int]:
    """Where a section begins and ends; the same place twice if there is none."""
    begin = text.find(f"\n{heading}\n---") + 1
    if begin == 0:
        following = [text.find(f"\n{later}\n---") for later in ("Attributes", "Examples")]
        place = min((place for place in following if place >= 0), default=len(text)) + 1
        return place, place
    end = text.find("\n\n", begin)
    return begin, len(text) if end < 0 else end + 1


def _entries(text: str, heading: str) -> list[str]:
    """The entries of a section: a line of names, and indented lines."""
    begin, end = _section(text, heading)
    entries: list[str] = []
    for line in text[begin:end].splitlines()[2:]:
        if line.startswith(INDENT):
            entries[-1] += f"\n{line}"
        else:
            entries.append(line)
    return entries


def _names(entry: str) -> list[str]:
    return entry.partition("\n")[0].partition(" : ")[0].split(", ")


def _by_name(entries: Iterable[str]) -> dict[str, str]:
    return {name: entry for entry in entries for name in _names(entry)}


def _replace_section(text: str, heading: str, entries: list[str]) -> str:
    """The text with these entries, in a new section before those that follow if there was none."""
    if not entries:
        return text
    begin, end = _section(text, heading)
    section = "\n".join([heading, "-" * len(heading), *entries, ""])
    if begin == end:
        section = f"{section}\n" if begin <= len(text) else f"\n\n{section}"
    return (text[:begin] + section + text[end:]).rstrip()
