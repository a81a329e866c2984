"""The columns to read, and the values in them as they are meant."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.notes import Note

SAMPLE_ROWS = 1_000  # from which columns are guessed
MOST_NAMES = 50  # of columns, in a message
FIELD_KIND = "text"  # of an extra column that is a field
KEPT_KIND = "kept"  # of an extra column of whatever values, kept as strings
WRITTEN_KIND = "written"  # of an extra column of numbers, strings among which are kept as they are
SPLITS = {
    "train": "train",
    "dev": "dev",
    "val": "dev",
    "valid": "dev",
    "validation": "dev",
    "test": "test",
    "cv": "cv",
}

Sample = dict[str, list[object]]


@frozen
class Columns:
    """The names of the columns to read. Several text columns are joined."""

    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    extra: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)  # of extra columns, where known
    split: str | None = None
    notes: tuple[Note, ...] = ()
    label_separator: str | None = None  # between the labels of a row, if it may have several
    unread: tuple[str, ...] = ()
    label_is_guessed: bool = False

    @property
    def others(self) -> list[str]:
        """All columns but the texts, each once."""
        names = (self.label, self.id, self.weight, self.group, self.time, self.split, *self.extra)
        return list(dict.fromkeys(name for name in names if name is not None))

    def without_labels(self) -> Columns:
        """For callers that want only the texts."""
        notes = tuple(note for note in self.notes if note.kind != "label column")
        return replace(self, label=None, weight=None, group=None, time=None, notes=notes)

    def check(self, names: Collection[str], file: str) -> None:
        """Raise an error if the file lacks one of the columns."""
        for name in (*self.text, *self.others):
            if name not in names:
                from difflib import get_close_matches

                near = get_close_matches(name, [*names][:MOST_NAMES], n=1, cutoff=0.6)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise InputError(
                    f"{file} has no column {name!r}{self._need(name)}; its columns are "
                    f"{list_names(names)}{hint}"
                )

    def _need(self, name: str) -> str:
        kind = self.kinds.get(name)
        if kind == FIELD_KIND:
            return ", which is a field"
        return " of vectors (name it, or an .npy file, with `vectors`)" if kind == "vector" else ""


def strip_string(value: object) -> object:
    """A string without the white space around it; any other value as it is."""
    return value.strip() if isinstance(value, str) else value


def as_label(value: object) -> object:
    """A raw value as the label that is meant.

    Strings are stripped, whole floats become integers (tools often write integers as floats)
    and NaN becomes None.

    >>> as_label(" spam "), as_label(1.0), as_label(math.nan), as_label(2.5)
    ('spam', 1, None, 2.5)
    """
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
    return strip_string(value)


def as_number(value: object) -> float | None:
    """A number, or a string that reads as one, as a float; None for anything else.

    >>> as_number("2.5"), as_number("two"), as_number(True)
    (2.5, None, None)
    """
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def list_names(names: Iterable[str]) -> str:
    """Names in a message, not too many."""
    names = list(names)
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(repr, names[:MOST_NAMES])) + more
