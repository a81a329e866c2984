"""From blocks of raw rows to a Corpus: every value checked, every remark noted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.columns import SPLITS, Columns, as_label, bare, number
from wordplane.data.corpus import Corpus, Label
from wordplane.data.raw_rows import Block


@dataclass(frozen=True)
class Wishes:
    """What the caller wants to know of the labels, and where the rows come from."""

    require_label: bool
    skip_unlabeled: bool
    source: str
    format: str


def assemble(blocks: list[Block], columns: Columns, wishes: Wishes) -> Corpus:
    return _Rows(blocks).corpus(columns, wishes)


class _Rows:
    """The rows of some blocks as one table."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.notes = [note for block in blocks for note in block.notes]

    def corpus(self, columns: Columns, wishes: Wishes) -> Corpus:
        self._note_empty_texts()
        corpus = Corpus(
            texts=Texts.join([block.texts for block in self.blocks]),
            labels=self._labels(
                columns.label, columns, wishes.require_label and not wishes.skip_unlabeled
            )
            if columns.label is not None
            else None,
            ids=self._ids(columns.id) if columns.id is not None else None,
            weights=self._weights(columns.weight) if columns.weight is not None else None,
            split=self._split(columns.split) if columns.split is not None else None,
            extras={name: self._extra(name, columns.kinds.get(name)) for name in columns.extra},
            notes=(*columns.notes, *self.notes),
            source=wishes.source,
            format=wishes.format,
            text_columns=columns.text,
            label_column=columns.label,
            unread_columns=columns.unread,
        )
        return self._labeled(corpus) if wishes.skip_unlabeled else corpus

    def _labeled(self, corpus: Corpus) -> Corpus:
        """The rows that have a label; without ids, they go by their numbers in the file."""
        labels = corpus.labels
        if labels is None:
            raise InputError(f"{corpus.source}: no row has a label")
        rows = [row for row, label in enumerate(labels) if label is not None]
        if len(rows) == len(corpus):
            return corpus
        numbers = [str(b.first_row + i) for b in self.blocks for i in range(b.n_rows)]
        note = f"rows without a label left out: {len(corpus) - len(rows):,} of {len(corpus):,}"
        others = tuple(note for note in corpus.notes if "labels are missing" not in note)
        kept = replace(corpus, ids=corpus.ids or numbers).take(rows)
        return replace(kept, notes=(*others, note))

    def _values(self, name: str) -> list[Any]:
        return [value for block in self.blocks for value in block.columns[name]]

    def _where(self, row: int) -> str:
        for block in self.blocks:
            if row < block.n_rows:
                return block.where(row)
            row -= block.n_rows
        raise IndexError(row)

    def _first(self, row: int) -> str:
        """For notes: the file is named only where there are several."""
        place = self._where(row)
        return place if len(self.blocks) > 1 else place.removeprefix(f"{self.blocks[0].file}, ")

    def _note(self, rows: list[int], of: int, what: str) -> None:
        if rows:
            n = f"{len(rows):,} of {of:,}"
            self.notes.append(f"{n} {what}, the first in {self._first(rows[0])}")

    def _note_empty_texts(self) -> None:
        rows, start = [], 0
        for block in self.blocks:
            rows += [start + i for i in block.texts.blank()]
            start += block.n_rows
        self._note(rows, start, "texts are empty")

    def _labels(
        self, name: str, columns: Columns, required: bool
    ) -> list[Label | None] | list[tuple[Label, ...]] | None:
        values = self._values(name)
        separator = columns.label_separator
        kinds = set(map(type, values))
        if separator or (list in kinds and any(type(v) is list and len(v) != 1 for v in values)):
            return self._label_sets(name, values, separator)
        if kinds in ({int}, {bool}):
            return values
        if kinds == {str} and all(label == label.strip() != "" for label in set(values)):
            self._note_case(set(values))
            return values
        labels: list[Label | None] = []
        for value in values:
            label = as_label(value[0] if isinstance(value, list) else value)
            labels.append(None if label == "" else label)
        present = ((row, label) for row, label in enumerate(labels) if label is not None)
        self._check_types(name, present)
        missing = [row for row, label in enumerate(labels) if label is None]
        if missing and required:
            others = f", as in {len(missing) - 1:,} more rows" if len(missing) > 1 else ""
            column = f"column {name!r}"
            if columns.label_is_guessed:
                column += ", which is a guess: name another with --label"
            raise InputError(
                f"{self._where(missing[0])}: the label is missing ({column}){others}; give it one, "
                "or leave out what has none with --skip-unlabeled"
            )
        if len(missing) == len(labels):
            return None
        self._note(missing, len(labels), "labels are missing")
        if float in kinds:
            self.notes.append(f"label column: {name!r} has whole floats, read as integers")
        self._note_case(labels)
        return labels

    def _label_sets(
        self, name: str, values: list[Any], separator: str | None
    ) -> list[tuple[Label, ...]]:
        """Several labels per row, or none: a list of them, or a string with a separator."""
        lists: list[list[Any]] = []
        for row, value in enumerate(values):
            held = [] if bare(value) in (None, "") else value
            if separator and isinstance(held, str):
                held = held.split(separator)
            expected = f"strings with {separator!r} between labels" if separator else "lists"
            if not isinstance(held, list):
                raise InputError(
                    f"{self._where(row)}: the labels in column {name!r} are {value!r:.60}, "
                    f"expected {expected}, as in other rows"
                )
            lists.append([label for label in map(as_label, held) if label != ""])
        self._check_types(name, ((row, label) for row, held in enumerate(lists) for label in held))
        sets = [tuple(sorted(set(held))) for held in lists]
        self._note(
            [row for row, held in enumerate(sets) if not held], len(sets), "rows have no label"
        )
        self._note_case(label for held in sets for label in held)
        return sets

    def _note_case(self, labels: Iterable[Label | None]) -> None:
        spellings: dict[str, list[str]] = {}
        for label in sorted({label for label in labels if isinstance(label, str)}):
            spellings.setdefault(label.casefold(), []).append(label)
        alike = [names for names in spellings.values() if len(names) > 1]
        if alike:
            names = " and ".join(map(repr, alike[0]))
            others = f" ({len(alike) - 1:,} more do so)" if len(alike) > 1 else ""
            self.notes.append(f"labels {names} differ only in case{others}; are they the same?")

    def _check_types(self, name: str, labels: Iterable[tuple[int, Any]]) -> None:
        """All labels, given with their rows, are of the type of the first."""
        first: dict[type, tuple[int, Any]] = {}
        counts: Counter[str] = Counter()
        for row, label in labels:
            first.setdefault(type(label), (row, label))
            counts[type(label).__name__] += 1
        for kind, (row, label) in first.items():
            found = f"{self._where(row)}: the label in column {name!r} is {label!r:.60}"
            if kind not in (str, int, bool):
                raise InputError(f"{found}, expected a string, an integer or a boolean")
            if kind is not (expected := next(iter(first))):
                held = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
                raise InputError(
                    f"{found}, but the labels before it are of type {expected.__name__} "
                    f"(in all: {held}); write all labels in one type, for instance in quotes"
                )

    def _ids(self, name: str) -> list[str]:
        ids = ["" if value is None else str(value) for value in self._values(name)]
        first_row: dict[str, int] = {}
        again = [row for row, key in enumerate(ids) if first_row.setdefault(key, row) != row]
        if again:
            found = f"ids in column {name!r} occur before ({ids[again[0]]!r:.60})"
            self._note(again, len(ids), found)
        return ids

    def _weights(self, name: str) -> NDArray[np.float64]:
        weights = []
        for row, value in enumerate(self._values(name)):
            weight = number(value)
            if weight is None or not 0 <= weight < math.inf:
                raise InputError(
                    f"{self._where(row)}: the weight in column {name!r} is {value!r:.60}, "
                    "expected a finite number of 0 or more"
                )
            weights.append(weight)
        return np.array(weights, dtype=np.float64)

    def _split(self, name: str) -> list[str] | None:
        split = []
        for row, value in enumerate(self._values(name)):
            part = SPLITS.get(str(value).strip().lower())
            if part is None:
                found = f"{self._where(row)}: the split in column {name!r} is {value!r:.60}"
                if name.strip().lower() == "split":
                    raise InputError(f"{found}, expected one of {', '.join(SPLITS)}")
                self.notes.append(f"{found}, so this column is not taken as the split")
                return None
            split.append(part)
        return split

    def _extra(self, name: str, kind: str | None) -> list[Any]:
        """Numbers if all values that are there are numbers; else categories, as strings."""
        values = self._values(name)
        if kind == "category":
            return [self._category(name, row, value) for row, value in enumerate(values)]
        missing = [value is None or value == "" for value in values]
        numbers = [number(value) for value in values]
        if any(n is None and not gone for n, gone in zip(numbers, missing, strict=True)):
            return [self._category(name, row, value) for row, value in enumerate(values)]
        for row, n in enumerate(numbers):
            if n is None or not math.isfinite(n):
                raise InputError(
                    f"{self._where(row)}: the value in column {name!r} is {values[row]!r:.60}, but "
                    "the others are numbers; fill in a finite number, or take the row out"
                )
        return numbers

    def _category(self, name: str, row: int, value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if value is None or isinstance(value, str | int | float):
            return "" if value is None else str(value)
        raise InputError(
            f"{self._where(row)}: the value in column {name!r} is {value!r:.60}, "
            "expected a number or a string; write it as one of these, or leave the column out"
        )
