"""Vowpal Wabbit's lines, as far as they are texts: `label importance 'tag|namespace word word:2`.

A label is a number or a name, several are parted by commas. What makes no sense for a text is
refused: values of features that are no whole counts, initial predictions, costs per label.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from wordplane.data.columns import number
from wordplane.data.encoding import RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable

BLANKS = re.compile(r"[ \t]+")
MOST = 1_000  # times that a word is repeated
COUNT = re.compile(r"0*([0-9]{1,4})(?:\.0*)?")


class VowpalWabbitTable(RecordTable):
    guessed = False

    def __init__(self, path: str, encoding: str) -> None:
        super().__init__(path, encoding)
        self._found: set[str] = set()  # of label, weight and id, those that some row has
        self._sampled = self._told = False

    def sample(self) -> dict[str, list[Any]]:
        sample = super().sample()
        self._sampled = True
        return {name: held for name, held in sample.items() if name in {"text", *self._found}}

    def records(self) -> Iterator[RecordOrBlank]:
        for line_number, line in enumerate(text_lines(self.path, self.encoding, newline="\n"), 1):
            line = line.removesuffix("\n").removesuffix("\r")
            if not line.strip(" \t"):
                yield line_number, None
                continue
            try:
                yield line_number, self._record(line)
            except RecordError as problem:
                raise RecordError(str(problem), line_number) from None

    def _record(self, line: str) -> dict[str, Any]:
        head, *namespaces = line.split("|")
        if not namespaces:
            raise RecordError("there is no |, which parts the label from the words")
        found = _head(head)
        if self._sampled and "weight" in found and "weight" not in self._found:
            raise RecordError("an importance, which no row had before; give the first row one too")
        self._found.update(found)
        if ":" in line and not self._told and any(map(_is_weighed, namespaces)):
            self._told = True
            self.notes.append(f"{self.file}: weights of namespaces are not taken")
        *before, last = namespaces
        text = " ".join([*(_words(one.removesuffix(" ")) for one in before), _words(last)])
        return {"label": None, "weight": "1", "id": None, **found, "text": text}


def _head(head: str) -> dict[str, Any]:
    """What stands before the first |: label, importance, tag, as far as they are there."""
    parts = [part for part in head.replace("\t", " ").split(" ") if part]
    found: dict[str, Any] = {}
    # The tag is the last item if a quote marks it or it touches the bar.
    if parts and (parts[-1].startswith("'") or head.endswith(parts[-1])):
        found["id"] = parts.pop().removeprefix("'")
    if len(parts) > 2:
        raise RecordError(
            f"{head.strip()!r:.60} before the first |, expected a label, an importance and a tag "
            "(initial predictions are not supported)"
        )
    if any(":" in part for part in parts):
        raise RecordError(f"{head.strip()!r:.60} has costs, which are not supported: give a label")
    if len(parts) == 2:
        weight = number(parts[1])
        if weight is None or not 0 <= weight < math.inf:
            why = f"the importance is {parts[1]!r:.60}, expected a finite number of 0 or more"
            raise RecordError(why)
        found["weight"] = parts[1]
    if parts:
        found["label"] = [one for one in parts[0].split(",") if one] or None
    return found


def _words(namespace: str) -> str:
    """The words of a namespace, without its name, which touches the bar."""
    if namespace.startswith((" ", "\t")):
        text = namespace[1:]
    else:
        _, text = _cut(namespace)
    if ":" not in text:
        return text
    repeated: list[str] = []
    for item in BLANKS.split(text):
        word, colon, value = item.rpartition(":")
        if not colon:
            repeated.append(item)
            continue
        count = COUNT.fullmatch(value)
        if not word or not count or int(count[1]) > MOST:
            raise RecordError(
                f"found {item!r:.60}; in a text a word counts a whole number of times, "
                f"{MOST:,} at most"
            )
        repeated += [word] * int(count[1])
    return " ".join(repeated)


def _cut(namespace: str) -> tuple[str, str]:
    """The name of a namespace, and what follows."""
    name, *rest = BLANKS.split(namespace, maxsplit=1)
    return name, "".join(rest)


def _is_weighed(namespace: str) -> bool:
    _, colon, weight = _cut(namespace)[0].partition(":")
    return bool(colon) and number(weight) != 1
