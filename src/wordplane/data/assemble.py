"""Raw rows become a Corpus: every value is checked, everything unusual is noted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import cast

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.groups import as_groups
from wordplane.common.labels import spelling_of
from wordplane.common.notes import CountedNote, Note, NoteKind
from wordplane.common.times import as_times
from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.data.columns import (
    FIELD_KIND,
    KEPT_KIND,
    SPLITS,
    WRITTEN_KIND,
    Columns,
    as_label,
    as_number,
    strip_string,
)
from wordplane.data.corpus import Corpus, RowLabels
from wordplane.data.raw_rows import Problem, RawRows, problems_error
from wordplane.data.vectors import VECTOR_KIND, as_vectors

MAX_LABEL = 2**63 - 1
ONE_SPELLING = " `wordplane audit DATA --fix clean.csv` writes a copy with one spelling"
SEPARATORS = "|;,/"  # that often stand between the labels of a row


@frozen
class Request:
    """What the caller wants to know about labels, and where the rows come from."""

    require_label: bool
    skip_unlabeled: bool
    source: str
    format: str
    # What other batches of the same source have: labels at all, several in a row.
    others_have_labels: bool = False
    others_have_sets: bool = False
    file_style: Mapping[str, str] = field(default_factory=dict)


def assemble(batches: list[RawRows], columns: Columns, request: Request) -> Corpus:
    return _Rows(batches).corpus(columns, request)


class _Rows:
    """The rows of some batches as one table."""

    def __init__(self, batches: list[RawRows]) -> None:
        self.batches = batches
        self.notes: list[Note] = [note for batch in batches for note in batch.notes]
        self.problems: list[Problem] = [each for batch in batches for each in batch.problems]

    def corpus(self, columns: Columns, request: Request) -> Corpus:
        self._note_empty_texts()
        corpus = Corpus(
            texts=Texts.join([batch.texts for batch in self.batches]),
            labels=self._labels(columns.label, columns, request)
            if columns.label is not None
            else None,
            ids=self._ids(columns.id) if columns.id is not None else None,
            weights=self._weights(columns.weight) if columns.weight is not None else None,
            groups=self._groups(columns.group) if columns.group is not None else None,
            times=self._times(columns.time) if columns.time is not None else None,
            split=self._split(columns.split) if columns.split is not None else None,
            extras={
                name: self._extra(name, columns.kinds.get(name))
                for name in columns.extra
                if columns.kinds.get(name) != VECTOR_KIND
            },
            vectors={
                name: self._vectors(name)
                for name in columns.extra
                if columns.kinds.get(name) == VECTOR_KIND
            },
            notes=(*columns.notes, *self.notes),
            source=request.source,
            format=request.format,
            text_columns=columns.text,
            label_column=columns.label,
            unread_columns=columns.unread,
            file_style=dict(request.file_style),
        )
        if self.problems:
            raise problems_error(self.problems)
        return self._keep_labeled(corpus) if request.skip_unlabeled else corpus

    def _keep_labeled(self, corpus: Corpus) -> Corpus:
        """The rows that have a label; without ids, their row numbers become ids."""
        labels = corpus.labels
        if labels is None:
            raise InputError(f"{corpus.source}: no row has a label")
        rows = [row for row, label in enumerate(labels) if label is not None]
        if len(rows) == len(corpus):
            return corpus
        numbers = [str(b.first_row + i) for b in self.batches for i in range(b.n_rows)]
        text = f"rows without a label left out: {len(corpus) - len(rows):,} of {len(corpus):,}"
        others = [note for note in corpus.notes if note.kind != "missing labels"]
        labeled = replace(corpus, ids=corpus.ids or numbers).take(rows)
        return replace(labeled, notes=(*others, Note("left out", text)))

    def _values(self, name: str) -> list[object]:
        return [value for batch in self.batches for value in batch.columns[name]]

    def _locate(self, row: int) -> str:
        for batch in self.batches:
            if row < batch.n_rows:
                return batch.locate(row)
            row -= batch.n_rows
        raise IndexError(row)

    def _locate_in_note(self, row: int) -> str:
        """Notes name the file only if there are several."""
        place = self._locate(row)
        return place if len(self.batches) > 1 else place.removeprefix(f"{self.batches[0].file}, ")

    def _note(self, rows: list[int], of: int, what: str, kind: NoteKind = "unusual") -> None:
        if rows:
            place = self._locate_in_note(rows[0])
            self.notes.append(CountedNote(kind, len(rows), of, what, place))

    def _note_empty_texts(self) -> None:
        rows, start = [], 0
        for batch in self.batches:
            rows += [start + i for i in batch.texts.blank()]
            start += batch.n_rows
        self._note(rows, start, "texts are empty")

    def _labels(self, name: str, columns: Columns, request: Request) -> Sequence[RowLabels] | None:
        values = self._values(name)
        separator = columns.label_separator
        types = set(map(type, values))
        has_lists = list in types and any(isinstance(v, list) and len(v) != 1 for v in values)
        strings = {value for value in values if isinstance(value, str)}
        if separator and not request.others_have_labels and separator not in "".join(strings):
            text = f"no label in column {name!r} contains {separator!r}"
            self.notes.append(Note("label column", text))
            self._note_joined(strings)
        if separator or has_lists or request.others_have_sets:
            return self._label_sets(name, values, separator)
        if types in ({int}, {bool}):
            self._check_size(name, cast(list[int], values))
            return cast(list[int], values)
        if types == {str} and all(label == label.strip() != "" for label in strings):
            self._note_case(strings, ONE_SPELLING)
            self._note_joined(strings)
            return cast(list[str], values)
        meant = [as_label(value[0] if isinstance(value, list) else value) for value in values]
        meant = [None if label == "" else label for label in meant]
        self._check_types(name, ((i, label) for i, label in enumerate(meant) if label is not None))
        self._check_size(name, (label if isinstance(label, int) else 0 for label in meant))
        labels = cast(list[Label | None], meant)
        missing = [row for row, label in enumerate(labels) if label is None]
        if missing and request.require_label and not request.skip_unlabeled:
            n = len(missing) - 1
            others = f", as in {n:,} more row{'s' * (n > 1)}" if n else ""
            column = f"column {name!r}"
            if columns.label_is_guessed:
                column += ", which was guessed; name another with `label`"
            why = (
                f"{self._locate(missing[0])}: the label is missing ({column}){others}; "
                "fill it in, or leave out such rows with `skip_unlabeled=True`"
            )
            self.problems.append(Problem(why, {"skip_unlabeled": True}))
        if len(missing) == len(labels) and not request.others_have_labels:
            return None
        self._note(missing, len(labels), "labels are missing", "missing labels")
        if float in types:
            text = f"label column: {name!r} has whole floats, read as integers"
            self.notes.append(Note("label column", text))
        self._note_case(labels, ONE_SPELLING)
        return labels

    def _label_sets(
        self, name: str, values: list[object], separator: str | None
    ) -> list[tuple[Label, ...]]:
        """Several labels per row, or none: a list of them, or a string with a separator."""
        lists: list[list[object]] = []
        for row, value in enumerate(values):
            labels = [] if strip_string(value) in (None, "") else value
            if separator and isinstance(labels, str):
                labels = labels.split(separator)
            if not isinstance(labels, list):
                expected = f"strings with {separator!r} between labels" if separator else "lists"
                raise InputError(
                    f"{self._locate(row)}: the labels in column {name!r} are {value!r:.60}, "
                    f"expected {expected}, as in other rows"
                )
            lists.append([label for label in map(as_label, labels) if label != ""])
        self._check_types(name, ((i, label) for i, labels in enumerate(lists) for label in labels))
        sets = [tuple(sorted(set(labels))) for labels in cast(list[list[Label]], lists)]
        self._note(
            [row for row, labels in enumerate(sets) if not labels], len(sets), "rows have no label"
        )
        self._note_case(label for labels in sets for label in labels)
        return sets

    def _note_joined(self, labels: Collection[str]) -> None:
        """Note labels that are made of others, with the same character between them."""
        for separator in SEPARATORS:
            joined = [label for label in labels if separator in label]
            alone = {label for label in labels if separator not in label}
            made = [
                label
                for label in joined
                if {part.strip() for part in label.split(separator)} <= alone
            ]
            if len(made) > 1 and 2 * len(made) >= len(joined):
                text = (
                    f"{len(made):,} labels such as {min(made)!r:.60} are others with {separator!r} "
                    f"between them; if a row may have several, pass `label_separator={separator!r}`"
                )
                self.notes.append(Note("label column", text))

    def _check_size(self, name: str, labels: Iterable[int]) -> None:
        for row, label in enumerate(labels):
            if not -MAX_LABEL <= label <= MAX_LABEL:
                raise InputError(
                    f"{self._locate(row)}: the label in column {name!r} is {label}, expected an "
                    "integer of at most 64 bits; write such labels in quotes"
                )

    def _note_case(self, labels: Iterable[Label | None], remedy: str = "") -> None:
        spellings: dict[Label, list[str]] = {}
        for label in sorted({label for label in labels if isinstance(label, str)}):
            spellings.setdefault(spelling_of(label), []).append(label)
        alike = [names for names in spellings.values() if len(names) > 1]
        if alike:
            names = " and ".join(map(repr, alike[0]))
            others = f" (as do {len(alike) - 1:,} more)" if len(alike) > 1 else ""
            what = "case"
            if len({name.casefold() for name in alike[0]}) > 1:
                marks = " in _ or -," if any(set(name) & {"_", "-"} for name in alike[0]) else ""
                what = f"white space,{marks} or in how their letters are composed"
            text = f"labels {names} differ only in {what}{others}; are they the same?{remedy}"
            self.notes.append(Note("unusual", text))

    def _check_types(self, name: str, labels: Iterable[tuple[int, object]]) -> None:
        """Raise an error unless the labels, given with their rows, have one type."""
        first: dict[type, tuple[int, object]] = {}
        counts: Counter[str] = Counter()
        for row, label in labels:
            first.setdefault(type(label), (row, label))
            counts[type(label).__name__] += 1
        for kind, (row, label) in first.items():
            problem = f"{self._locate(row)}: the label in column {name!r} is {label!r:.60}"
            if kind is float:
                error = InputError(
                    f"{problem}, a number with decimals, expected a string, an integer or a "
                    f"boolean: to predict the number, train with `target={name!r}`"
                )
                error.remedies = ({"target": name},)
                raise error
            if isinstance(label, dict) and label:
                raise InputError(
                    f"{problem}, an object; name what is inside of it, such as "
                    f"{name}.{next(iter(label))}"
                )
            if kind not in (str, int, bool):
                raise InputError(f"{problem}, expected a string, an integer or a boolean")
            if kind is not (expected := next(iter(first))):
                counted = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
                raise InputError(
                    f"{problem}, but the labels before it are of type {expected.__name__} "
                    f"(in all: {counted}); write all labels in one type, for instance in quotes"
                )

    def _ids(self, name: str) -> list[str]:
        ids = ["" if value is None else str(value) for value in self._values(name)]
        first_row: dict[str, int] = {}
        repeated = [row for row, key in enumerate(ids) if first_row.setdefault(key, row) != row]
        if repeated:
            what = f"ids in column {name!r} occur before ({ids[repeated[0]]!r:.60})"
            self._note(repeated, len(ids), what)
        return ids

    def _weights(self, name: str) -> FloatArray:
        weights = []
        for row, value in enumerate(self._values(name)):
            weight = as_number(value)
            if weight is None or not 0 <= weight < math.inf:
                raise InputError(
                    f"{self._locate(row)}: the weight in column {name!r} is {value!r:.60}, "
                    "expected a finite number of 0 or more"
                )
            weights.append(weight)
        return np.array(weights, dtype=np.float64)

    def _split(self, name: str) -> list[str] | None:
        split = []
        for row, value in enumerate(self._values(name)):
            part = SPLITS.get(str(value).strip().lower())
            if part is None:
                problem = f"{self._locate(row)}: the split in column {name!r} is {value!r:.60}"
                if name.strip().lower() == "split":
                    raise InputError(f"{problem}, expected one of {', '.join(SPLITS)}")
                text = f"{problem}, so this column is not used as the split"
                self.notes.append(Note("column", text))
                return None
            split.append(part)
        return split

    def _groups(self, name: str) -> IntArray:
        values = [self._category(name, row, v) for row, v in enumerate(self._values(name))]
        groups = as_groups(value.strip() for value in values)
        if len(groups) > 1 and groups.max() == 0:
            raise InputError(
                f"{self.batches[0].file}: all rows have the same value in the column {name!r} of "
                "the groups, so no row can be held out; name another with `group`"
            )
        return groups

    def _times(self, name: str) -> IntArray:
        times = as_times(self._values(name), self._locate)
        if len(times) > 1 and times.max() == 0:
            raise InputError(
                f"{self.batches[0].file}: all rows have the same value in the column {name!r} of "
                "the times, so none are the latest; name another with `time`"
            )
        return times

    def _vectors(self, name: str) -> FloatArray:
        values = self._values(name)
        return as_vectors(name, values, len(values), self._locate)

    def _extra(self, name: str, kind: str | None) -> list[float] | list[str]:
        """Numbers if every value that is present is a number, else categories as strings."""
        values = self._values(name)
        if kind == KEPT_KIND:
            return [_as_kept(value) for value in values]
        if kind == FIELD_KIND:  # a text column, so all are strings
            return ["" if value is None else str(value) for value in values]
        numbers = [as_number(value) for value in values]
        is_written = kind == WRITTEN_KIND and any(isinstance(value, str) for value in values)
        is_category = (
            is_written
            or kind == "category"
            or any(
                n is None and value is not None and value != ""
                for n, value in zip(numbers, values, strict=True)
            )
        )
        if is_category:
            return [self._category(name, row, value) for row, value in enumerate(values)]
        finite = [n for n in numbers if n is not None and math.isfinite(n)]
        if len(finite) < len(numbers):
            row = next(i for i, n in enumerate(numbers) if n is None or not math.isfinite(n))
            raise InputError(
                f"{self._locate(row)}: the value in column {name!r} is {values[row]!r:.60}, but "
                "the others are numbers; fill in a finite number, or remove the row"
            )
        return finite

    def _category(self, name: str, row: int, value: object) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if value is None or isinstance(value, str | int | float):
            return "" if value is None else str(value)
        raise InputError(
            f"{self._locate(row)}: the value in column {name!r} is {value!r:.60}, "
            "expected a number or a string; convert it, or leave the column out"
        )


def _as_kept(value: object) -> str:
    """Whatever a cell holds, as a string.

    >>> _as_kept(None), _as_kept(True), _as_kept(2.0), _as_kept(["a", "b"])
    ('', 'true', '2.0', "['a', 'b']")
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
