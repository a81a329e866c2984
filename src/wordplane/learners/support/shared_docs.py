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

import inspect
import re
from collections.abc import Iterable


def complete_docstring(cls: type) -> None:
    """Add to the docstring of a class what only its bases describe: parameters of its `__init__`,
    and attributes."""
    text = inspect.cleandoc(cls.__doc__ or "")
    if not text or "__init__" not in vars(cls):
        return
    bases = [inspect.cleandoc(vars(base).get("__doc__") or "") for base in cls.__mro__[1:-1]]
    own = _by_name(_entries(text, "Parameters"))
    shared = _by_name(entry for base in reversed(bases) for entry in _entries(base, "Parameters"))
    parameters: list[str] = []
    for name, parameter in inspect.signature(cls).parameters.items():
        entry = own.get(name, "")
        if not entry and name in shared:
            head, _, meaning = shared[name].partition("\n")
            entry = f"{head}, default {parameter.default!r}\n{meaning}"
        if entry and entry not in parameters:
            parameters.append(entry)
    attributes = _entries(text, "Attributes")
    for base in bases:
        known = _by_name(attributes)
        attributes += [
            e for e in _entries(base, "Attributes") if known.keys().isdisjoint(_names(e))
        ]
    text = _replace_section(text, "Parameters", parameters)
    cls.__doc__ = _replace_section(text, "Attributes", attributes)


def _pattern(heading: str) -> str:
    return rf"(?m)^{heading}\n-+\n(?P<body>(?:.+(?:\n|\Z))*)"


def _entries(text: str, heading: str) -> list[str]:
    """The entries of a section: a line of names, and indented lines."""
    match = re.search(_pattern(heading), text)
    return [] if match is None else re.split(r"\n(?=\S)", match["body"].rstrip())


def _names(entry: str) -> list[str]:
    return entry.partition("\n")[0].partition(" : ")[0].split(", ")


def _by_name(entries: Iterable[str]) -> dict[str, str]:
    return {name: entry for entry in entries for name in _names(entry)}


def _replace_section(text: str, heading: str, entries: list[str]) -> str:
    """The text with these entries, in a new section before those that follow if there was none."""
    if not entries:
        return text
    section = "\n".join([heading, "-" * len(heading), *entries, ""])
    if re.search(_pattern(heading), text):
        return re.sub(_pattern(heading), lambda _: section, text, count=1)
    following = "Attributes|Examples" if heading == "Parameters" else "Examples"
    match = re.search(rf"(?m)^(?:{following})\n---", text)
    place = len(text) if match is None else match.start()
    return f"{text[:place].rstrip()}\n\n{section}\n{text[place:]}".rstrip()
