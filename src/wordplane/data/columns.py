"""Which column holds what: as the caller says, else by its name, else by its content."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from wordplane.common.errors import InputError
from wordplane.common.notes import Note, NoteKind

SAMPLE_ROWS = 1_000  # from which columns are guessed
MOST_NAMES = 50  # of columns, in a message
FIELD_KIND = "text"  # of an extra column that is a field

# In order of preference, compared in lower case with _ for blanks and hyphens.
TEXT_NAMES = (
    *("text", "texts", "review", "reviews", "review_text", "comment", "comments", "message"),
    *("body", "content", "sentence", "document", "tweet", "sms", "post", "question", "utterance"),
    *("abstract", "description", "summary", "title", "headline"),
)
LABEL_NAMES = (
    *("label", "labels", "class", "category", "sentiment", "polarity", "target", "topic"),
    *("intent", "emotion", "y", "rating", "stars", "spam"),
    *("categories", "classes", "topics", "tags", "genres"),
)
ID_NAMES = ("id", "uid", "uuid", "guid", "doc_id", "docid", "document_id")
WEIGHT_NAMES = ("weight",)
SPLIT_NAMES = ("split",)
MAYBE_SPLIT_NAMES = ("fold", "partition", "set")
SPLITS = {
    "train": "train",
    "dev": "dev",
    "val": "dev",
    "valid": "dev",
    "validation": "dev",
    "test": "test",
}
# Columns that number or name the rows: never a label, never a text.
ID_LIKE = re.compile(r"|(.*[\W_])?(ids?|[gu]?uid|docid|index|key)|unnamed: \d+", re.IGNORECASE)

DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}([ T].*)?")
WORDS = re.compile(r"(?<!\S)[^\W\d_]{2,}")  # not the parts of a web address
MIN_TEXT_WORDS = 3  # on average, for a column to look like text

Sample = dict[str, list[object]]
Test = Callable[[list[object]], bool]  # of the values of a column


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read. Several text columns are joined."""

    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    weight: str | None = None
    group: str | None = None
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
        names = (self.label, self.id, self.weight, self.group, self.split, *self.extra)
        return list(dict.fromkeys(name for name in names if name is not None))

    def without_labels(self) -> Columns:
        """For callers that want only the texts."""
        notes = tuple(note for note in self.notes if note.kind != "label column")
        return replace(self, label=None, weight=None, group=None, notes=notes)

    def check(self, sample: Sample, file: str) -> None:
        """Raise an error if the file lacks one of the columns."""
        for name in (*self.text, *self.others):
            if name not in sample:
                near = difflib.get_close_matches(name, [*sample][:MOST_NAMES], n=1, cutoff=0.6)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                parts = [part.strip() for part in name.split(",")]
                if len(parts) > 1 and all(part in sample for part in parts):
                    hint = f"; to join several columns, pass `text={parts!r}`"
                raise InputError(
                    f"{file} has no column {name!r}{self._need(name)}; its columns are "
                    f"{_list_names(sample)}{hint}"
                )

    def _need(self, name: str) -> str:
        kind = self.kinds.get(name)
        if kind == FIELD_KIND:
            return ", which is a field"
        return " of vectors (name it, or an .npy file, with `vectors`)" if kind == "vector" else ""


def choose(sample: Sample, given: Columns, file: str, require_label: bool) -> Columns:
    """The given columns, and for the others the best guess from the first rows."""
    given.check(sample, file)
    columns = _Chooser(sample, given, file).choose(require_label)
    if columns.label in columns.text:
        raise InputError(
            f"{file}: the column {columns.label!r} is both text and label; "
            "a model would only learn to read its own answer"
        )
    read = {*columns.text, *columns.others}
    return replace(columns, unread=tuple(name for name in sample if name not in read))


class _Chooser:
    def __init__(self, sample: Sample, given: Columns, file: str) -> None:
        self.sample = sample
        self.given = given
        self.file = file
        self.taken = {*given.text, *given.others}
        self.plain = {name: re.sub(r"[ -]", "_", name.strip().lower()) for name in sample}
        self.notes: list[Note] = []

    def choose(self, require_label: bool) -> Columns:
        given = self.given
        ids, weight, split, label = given.id, given.weight, given.split, given.label
        if ids is None:
            ids = self._find_by_name("id", ID_NAMES, _is_anything)
        if weight is None:
            weight = self._find_by_name("weight", WEIGHT_NAMES, _are_weights)
            if weight is None:
                self._note_odd_weights()
        if split is None:
            split = self._find_by_name("split", SPLIT_NAMES, _is_anything)
        if split is None:
            split = self._find_by_name("split", MAYBE_SPLIT_NAMES, _are_splits)
        if label is None:
            label = self._find_by_name("label", LABEL_NAMES, _has_labels)
        if label is None and require_label:  # so that an error names the value that is not a label
            label = self._find_by_name("label", LABEL_NAMES, _is_anything)
        text = given.text or self._find_text()
        if label is None:
            label = self._find_label_by_content(require_label)
        if not given.text:
            self._note_other_texts(text)
        return replace(
            given,
            text=text,
            label=label,
            id=ids,
            weight=weight,
            split=split,
            notes=tuple(self.notes),
            label_is_guessed=given.label is None,
        )

    def _take(self, role: str, name: str, how: str) -> str:
        self.taken.add(name)
        kind: NoteKind = "label column" if role in ("label", "weight") else "column"
        self.notes.append(Note(kind, f"{role} column: {name!r} (by its {how})"))
        return name

    def _find_by_name(self, role: str, names: Sequence[str], fits: Test) -> str | None:
        for wanted in names:
            for name, values in self._free_columns().items():
                if self.plain[name] == wanted and fits(values):
                    return self._take(role, name, "name")
        return None

    def _note_odd_weights(self) -> None:
        for name in self._free_columns():
            if self.plain[name] in WEIGHT_NAMES:
                why = "since it has other values than finite numbers of 0 or more"
                self.notes.append(
                    Note("label column", f"weight column: {name!r} is not used, {why}")
                )

    def _find_text(self) -> tuple[str, ...]:
        """By name, else the longest; a mostly empty column only if there is none better."""
        if name := self._find_by_name("text", TEXT_NAMES, _is_full_of_strings):
            return (name,)
        full = self._find_longest(_is_full)
        values = self.sample[full[0]] if len(full) == 1 else []
        if _look_like_text(values) and _mostly_differ(values):
            return (self._take("text", full[0], "content"),)
        if name := self._find_by_name("text", TEXT_NAMES, _has_strings):
            return (name,)
        best = self._find_longest(_is_anything)
        if len(best) != 1:
            raise self._ambiguity_error("text", best)
        return (self._take("text", best[0], "content"),)

    def _find_longest(self, fits: Test) -> list[str]:
        """The columns of strings that are longest on average: one, unless there are ties."""
        lengths = {}
        for name, values in self._free_columns().items():
            present = _present_values(values)
            strings = [value for value in present if isinstance(value, str)]
            if (
                strings
                and len(strings) == len(present)
                and not _are_numbers(present)
                and not ID_LIKE.fullmatch(name)
                and fits(values)
            ):
                lengths[name] = sum(map(len, strings)) / len(strings)
        most = max(lengths.values(), default=0)
        return [name for name in lengths if lengths[name] == most]

    def _note_other_texts(self, text: tuple[str, ...]) -> None:
        others = [
            name
            for name, values in self._free_columns().items()
            if _look_like_text(_present_values(values))
        ]
        if others:
            joined = [*text, *others[:MOST_NAMES]]
            self.notes.append(
                Note("column", f"other columns look like text, too: join them with `text={joined}`")
            )

    def _find_label_by_content(self, required: bool) -> str | None:
        n_classes = {
            name: len(set(present))
            for name, values in self._free_columns().items()
            if _are_labels(present := _present_values(map(as_label, values)))
            and 1 <= len(set(present)) <= len(values) / 2
            and not ID_LIKE.fullmatch(name)
            and not all(DATE.fullmatch(str(value)) for value in present)
        }
        several = {name: n for name, n in n_classes.items() if n > 1}
        # If the file has more rows than the sample, its rows may be sorted by label.
        is_all = all(len(values) < SAMPLE_ROWS for values in self.sample.values())
        if several or is_all or not required:
            n_classes = several
        fewest = min(n_classes.values(), default=0)
        best = [name for name in n_classes if n_classes[name] == fewest]
        if len(best) == 1:
            if best[0] in self.sample[best[0]]:
                raise InputError(
                    f"{self.file}: the first line looks like data, not like column names "
                    f"({best[0]!r} is a value of its own column); pass `header=False`, "
                    "or name the columns with `text` and `label`"
                )
            return self._take("label", best[0], "content")
        if required:
            raise self._ambiguity_error("label", best)
        return None

    def _free_columns(self) -> Sample:
        return {name: values for name, values in self.sample.items() if name not in self.taken}

    def _ambiguity_error(self, role: str, best: list[str]) -> InputError:
        why = f"{_list_names(best)} fit equally well" if best else "none looks like it"
        lines = [
            f"  {name!r}: for example {next(iter(_present_values(values)), None)!r:.60}"
            for name, values in islice(self.sample.items(), MOST_NAMES)
        ]
        return InputError(
            f"{self.file}: which column has the {role}s? {why[0].upper()}{why[1:]}. "
            f"Name it with `{role}`. The columns are\n" + "\n".join(lines)
        )


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


def _present_values(values: Iterable[object]) -> list[object]:
    return [value for value in map(strip_string, values) if value is not None and value != ""]


def _list_names(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(repr, names[:MOST_NAMES])) + more


def _is_anything(values: list[object]) -> bool:
    return True


def _has_strings(values: list[object]) -> bool:
    """One string is enough: the column is named like a text, so other values deserve an error."""
    return any(isinstance(value, str) for value in values) or not _present_values(values)


def _look_like_text(values: list[object]) -> bool:
    present = _present_values(values)
    strings = [value for value in present if isinstance(value, str)]
    if not strings or len(strings) < len(present):
        return False
    return sum(len(WORDS.findall(text)) for text in strings) >= MIN_TEXT_WORDS * len(strings)


def _is_full(values: list[object]) -> bool:
    return 2 * len(_present_values(values)) >= len(values)


def _is_full_of_strings(values: list[object]) -> bool:
    return _has_strings(values) and _is_full(values)


def _mostly_differ(values: list[object]) -> bool:
    """Texts differ from row to row; the long names of classes repeat."""
    present = _present_values(values)
    return 2 * len(set(present)) > len(present)


def _has_labels(values: list[object]) -> bool:
    if any(isinstance(value, str | int | list) for value in values):
        return True
    return all(isinstance(value, int) for value in _present_values(map(as_label, values)))


def _are_labels(values: list[object]) -> bool:
    return all(isinstance(value, str | int | bool) for value in values)


def _are_numbers(values: list[object]) -> bool:
    return all(as_number(value) is not None for value in values)


def _are_weights(values: list[object]) -> bool:
    return all((n := as_number(value)) is not None and 0 <= n < math.inf for value in values)


def _are_splits(values: list[object]) -> bool:
    return all(str(value).strip().lower() in SPLITS for value in values)
