"""The labels of a project: added, renamed and merged while people use them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wordplane.annotation.store import LabelName, Labels, Store
from wordplane.common.errors import InputError
from wordplane.common.labels import check_label

MAX_NAME = 200  # characters


class LabelBook:
    """The labels by number. Answers refer to numbers, so a label keeps its texts under any name;
    one that was merged stands for the one that it became part of."""

    def __init__(self, store: Store, labels: dict[int, LabelName]) -> None:
        self._store, self._labels = store, labels
        self.version = 0  # changes whenever answers mean something else than before

    def __iter__(self) -> Iterator[LabelName]:
        """Those that can be given, in the order in which they were added."""
        return iter([label for label in self._labels.values() if label.merged_into is None])

    def __len__(self) -> int:
        return len(list(iter(self)))

    @property
    def names(self) -> list[str]:
        """What the labels are called."""
        return [label.name for label in self]

    def find(self, name: str) -> int | None:
        """The number of a label, or None if there is none of this name."""
        return next((label.number for label in self if label.name == name), None)

    def number(self, name: str) -> int:
        """The number of a label; an error if there is none of this name."""
        number = self.find(name)
        if number is None:
            known = ", ".join(self.names) or "none yet"
            raise InputError(f"there is no label {name[:60]!r}; the labels are: {known[:200]}")
        return number

    def current(self, labels: Labels) -> Labels:
        """Numbers as they are now."""
        into = (self._labels[number].merged_into or number for number in labels)
        return tuple(dict.fromkeys(into))

    def names_of(self, labels: Labels) -> tuple[str, ...]:
        """What numbers are called now."""
        return tuple(self._labels[number].name for number in self.current(labels))

    def add(self, name: str, instruction: str = "") -> int:
        """Add a label, and a line that says when it applies; returns its number."""
        self.check_new(name)
        number = max(self._labels, default=0) + 1
        self._put(LabelName(number, name, instruction), "add label", {"name": name})
        return number

    def rename(self, name: str, new: str) -> None:
        """Give a label another name."""
        label = self._labels[self.number(name)]
        self.check_new(new)
        self._put(replace(label, name=new), "rename label", {"from": name, "to": new})

    def merge(self, name: str, into: str) -> None:
        """Make a label part of another: its texts have that one now."""
        number, target = self.number(name), self.number(into)
        if number == target:
            raise InputError(f"{name!r} cannot be merged into itself")
        for label in list(self._labels.values()):
            if number in (label.number, label.merged_into):
                changed = replace(label, merged_into=target)
                self._put(changed, "merge label", {"from": name, "into": into})

    def instruct(self, name: str, instruction: str) -> None:
        """Say in a line when a label applies."""
        label = replace(self._labels[self.number(name)], instruction=instruction)
        self._put(label, "instruct", {"name": name, "instruction": instruction})

    def _put(self, label: LabelName, what: str, detail: object) -> None:
        self._store.put_label(label, what, detail)
        self._labels[label.number] = label
        self.version += 1

    def check_new(self, name: str) -> None:
        """Refuse what cannot be the name of a new label."""
        if not 0 < len(name) <= MAX_NAME or name != name.strip():
            raise InputError(
                f"a label is {name[:60]!r}, expected 1 to {MAX_NAME} characters without spaces "
                "around them"
            )
        if self.find(name) is not None:
            raise InputError(f"there is a label {name[:60]!r} already")
        check_label(name)
