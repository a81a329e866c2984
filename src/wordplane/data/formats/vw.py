"""The lines of Vowpal Wabbit that are texts: `label importance 'tag|namespace word word:2`.

A label is a number or a name; commas separate several. Lines that are not texts are refused:
feature values that are not whole counts, initial predictions, costs per label. The words of all
namespaces are one text, unless some namespaces are asked for as fields. Features that are asked for
as columns of numbers may have any values; a line that lacks one has 0, and those of one that is
there several times are added, as Vowpal Wabbit does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import Sample, as_number
from wordplane.data.encoding import Decoding, RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable, Values
from wordplane.data.formats.svmlight import ABSENT, name_as_column

HEAD = ("label", "weight", "id")  # what stands before the first |
BLANKS = re.compile(r"[ \t]+")
MAX_REPEATS = 1_000  # of one word
# The texts may be so many times as long as the lines that they come from, besides the first ones.
MAX_GROWTH, FREE_CHARACTERS = 20, 1 << 24
COUNT = re.compile(r"0*([0-9]{1,4})(?:\.0*)?")


class VowpalWabbitTable(RecordTable):
    has_free_columns = False

    def __init__(
        self,
        path: str,
        decoding: Decoding,
        fields: Sequence[str] = (),
        numbers: Sequence[str] = (),
    ) -> None:
        super().__init__(path, decoding)
        clash = next((name for name in fields if name in HEAD), None)
        if clash is not None:
            raise InputError(f"{self.file}: a namespace that is a field cannot be called {clash!r}")
        self._numbers = numbers  # features that become columns
        self._fields = fields  # namespaces that become columns
        self._present: set[str] = set()  # of label, weight and id, those that some row has
        self._is_sampled = self._has_noted_weights = False
        self._room = FREE_CHARACTERS

    def sample(self) -> Sample:
        sample = super().sample()
        self._is_sampled = True
        present = {"text", *self._present, *self._fields, *self._numbers}
        for name in self._fields:
            self.note_absent("namespace", name, sample[name], "")
        for name in self._numbers:
            self.note_absent("feature", name, sample[name], ABSENT)
        return {name: values for name, values in sample.items() if name in present}

    def records(self) -> Iterator[RecordOrBlank]:
        for line_number, line in enumerate(text_lines(self.path, self.decoding, newline="\n"), 1):
            line = line.removesuffix("\n").removesuffix("\r")
            if not line.strip(" \t"):
                yield line_number, None
                continue
            try:
                yield line_number, self._record(line)
            except RecordError as problem:
                raise RecordError(str(problem), line_number) from None

    def _record(self, line: str) -> Values:
        head, *namespaces = line.split("|")
        if not namespaces:
            raise RecordError("there is no |, expected one between the label and the words")
        fields = _parse_head(head)
        if self._is_sampled and "weight" in fields and "weight" not in self._present:
            raise RecordError("an importance, which no row had before; give the first row one too")
        self._present.update(fields)
        if ":" in line and not self._has_noted_weights and any(map(_has_weight, namespaces)):
            self._has_noted_weights = True
            text = f"{self.file}: weights of namespaces are ignored; `fields` gives them weights"
            self.notes.append(Note("left out", text))
        self._room += MAX_GROWTH * len(line)
        inner = [one.removesuffix(" ") for one in namespaces[:-1]]
        numbers: dict[str, object] = dict.fromkeys(self._numbers, ABSENT)
        parts = [_words(one, self._room, numbers) for one in [*inner, namespaces[-1]]]
        text = " ".join(parts)
        self._room -= len(text)
        if self._room < 0:
            raise _too_long_error()
        columns = {"label": None, "weight": "1", "id": None, **fields, "text": text, **numbers}
        if self._fields:
            names = [_name(one) for one in namespaces]
            for field in self._fields:
                own = zip(names, parts, strict=True)
                columns[field] = " ".join(part for name, part in own if name == field)
        return columns


def _parse_head(head: str) -> Values:
    """What comes before the first |: label, importance and tag, if present."""
    parts = [part for part in head.replace("\t", " ").split(" ") if part]
    fields: dict[str, object] = {}
    # The tag is the last item if a quote marks it or it touches the bar.
    if parts and (parts[-1].startswith("'") or head.endswith(parts[-1])):
        fields["id"] = parts.pop().removeprefix("'")
    if any(":" in part for part in parts):
        raise RecordError(
            f"{head.strip()!r:.60} has costs, which are not supported in files; give a label, or "
            "in Python costs (`wordplane.common.soft_labels.soft_labels_of_costs`)"
        )
    if len(parts) > 2:
        raise RecordError(
            f"{head.strip()!r:.60} before the first |, expected a label, an importance and a tag "
            "(initial predictions are not supported)"
        )
    if len(parts) == 2:
        weight = as_number(parts[1])
        if weight is None or not 0 <= weight < math.inf:
            why = f"the importance is {parts[1]!r:.60}, expected a finite number of 0 or more"
            raise RecordError(why)
        fields["weight"] = parts[1]
    if parts:
        fields["label"] = [one for one in parts[0].split(",") if one] or None
    return fields


def _words(namespace: str, room: int, numbers: dict[str, object]) -> str:
    """The words of a namespace, without its name, which directly follows the bar.

    room     the most characters that they may have
    numbers  gets the values of the features that it has
    """
    if namespace.startswith((" ", "\t")):
        text = namespace[1:]
    else:
        _, text = _split_name(namespace)
    if ":" not in text and not numbers:
        return text
    repeated: list[str] = []
    for item in BLANKS.split(text):
        word, colon, value = item.rpartition(":")
        if (word or item) in numbers:
            value, before = value if colon else "1", numbers[word or item]
            number = as_number(value)
            if number is None:
                raise RecordError(f"found {item!r:.60}, expected a number")
            is_first = before == ABSENT
            numbers[word or item] = value if is_first else repr(number + float(str(before)))
            continue
        if not colon:
            repeated.append(item)
            continue
        count = COUNT.fullmatch(value)
        if not word or not count or int(count[1]) > MAX_REPEATS:
            raise RecordError(
                f"found {item!r:.60}, expected a word with a whole count of at most {MAX_REPEATS:,}"
                + (f"; {name_as_column(item)}" if word else "")
            )
        room -= (len(word) + 1) * int(count[1])
        if room < 0:
            raise _too_long_error()
        repeated += [word] * int(count[1])
    return " ".join(repeated)


def _too_long_error() -> RecordError:
    return RecordError(
        f"the counts repeat words to more than {MAX_GROWTH} times what was read; "
        'write them as word:count and pass `format="counts"`'
    )


def _split_name(namespace: str) -> tuple[str, str]:
    """The name of a namespace, and what follows."""
    name, *rest = BLANKS.split(namespace, maxsplit=1)
    return name, "".join(rest)


def _name(namespace: str) -> str:
    """The name of a namespace without its weight; empty if it has none.

    >>> _name("title:2 good film"), _name(" good film")
    ('title', '')
    """
    return "" if namespace[:1] in (" ", "\t") else _split_name(namespace)[0].partition(":")[0]


def _has_weight(namespace: str) -> bool:
    _, colon, weight = _split_name(namespace)[0].partition(":")
    return bool(colon) and as_number(weight) != 1
