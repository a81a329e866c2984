"""Which columns hold what: as told, else by their names, else by their content."""

from __future__ import annotations

import difflib
import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wordplane.common.errors import InputError

SAMPLE_ROWS = 1_000  # that columns are guessed from

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
# Numbers or names of rows: never a class, never a text.
ID_LIKE = re.compile(r"|(.*[\W_])?(ids?|[gu]?uid|docid|index|key)|unnamed: \d+", re.IGNORECASE)

DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}([ T].*)?")
WORDS = re.compile(r"(?<!\S)[^\W\d_]{2,}")  # not the parts of a web address
TEXT_WORDS = 3  # in the mean, for a column to look like text

Sample = dict[str, list[Any]]


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read. Several text columns are joined."""

    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    weight: str | None = None
    extra: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)  # of extra columns, where known
    split: str | None = None
    notes: tuple[str, ...] = ()
    label_separator: str | None = None  # between the labels of a row, if it has several
    unread: tuple[str, ...] = ()
    label_is_guessed: bool = False

    @property
    def others(self) -> list[str]:
        """All but the texts, each once."""
        names = (self.label, self.id, self.weight, self.split, *self.extra)
        return list(dict.fromkeys(name for name in names if name is not None))

    def without_labels(self) -> Columns:
        """For those who want to know nothing but the texts."""
        notes = tuple(n for n in self.notes if not n.startswith(("label column", "weight column")))
        return replace(self, label=None, weight=None, notes=notes)

    def check(self, sample: Sample, file: str) -> None:
        """Each column is there."""
        for name in (*self.text, *self.others):
            if name not in sample:
                near = difflib.get_close_matches(name, sample, n=1, cutoff=0.6)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                parts = [part.strip() for part in name.split(",")]
                if len(parts) > 1 and all(part in sample for part in parts):
                    repeated = " ".join(f"--text {shlex.quote(part)}" for part in parts)
                    hint = f"; to join several, repeat the option: {repeated}"
                raise InputError(
                    f"{file} has no column {name!r}; its columns are {_listed(sample)}{hint}"
                )


def choose(sample: Sample, given: Columns, file: str, require_label: bool) -> Columns:
    """The columns given, and for those not given the best guess from the first rows."""
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
        self.notes: list[str] = []

    def choose(self, require_label: bool) -> Columns:
        given = self.given
        ids, weight, split, label = given.id, given.weight, given.split, given.label
        if ids is None:
            ids = self._by_name("id", ID_NAMES, _anything)
        if weight is None:
            weight = self._by_name("weight", WEIGHT_NAMES, _are_weights)
        if split is None:
            split = self._by_name("split", SPLIT_NAMES, _anything)
        if split is None:
            split = self._by_name("split", MAYBE_SPLIT_NAMES, _are_splits)
        if label is None:
            label = self._by_name("label", LABEL_NAMES, _has_labels)
        if label is None and require_label:  # so that the value that cannot be a label is named
            label = self._by_name("label", LABEL_NAMES, _anything)
        text = given.text or self._text()
        if label is None:
            label = self._label_by_content(require_label)
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
        self.notes.append(f"{role} column: {name!r} (by its {how})")
        return name

    def _by_name(
        self, role: str, names: Sequence[str], fits: Callable[[list[Any]], bool]
    ) -> str | None:
        for wanted in names:
            for name, values in self._free().items():
                plain = re.sub(r"[ -]", "_", name.strip().lower())
                if plain == wanted and fits(values):
                    return self._take(role, name, "name")
        return None

    def _text(self) -> tuple[str, ...]:
        """By name, else the longest; a column that is mostly empty only if there is no better."""
        if name := self._by_name("text", TEXT_NAMES, lambda v: _has_strings(v) and _is_full(v)):
            return (name,)
        full = self._longest(_is_full)
        held = self.sample[full[0]] if len(full) == 1 else []
        if _look_like_text(held) and _mostly_differ(held):
            return (self._take("text", full[0], "content"),)
        if name := self._by_name("text", TEXT_NAMES, _has_strings):
            return (name,)
        best = self._longest(_anything)
        if len(best) != 1:
            raise self._undecided("text", best)
        return (self._take("text", best[0], "content"),)

    def _longest(self, fits: Callable[[list[Any]], bool]) -> list[str]:
        """The columns of strings that are longest in the mean: one, unless there are equals."""
        lengths = {
            name: sum(map(len, present)) / len(present)
            for name, values in self._free().items()
            if (present := _present(values))
            and _are_strings(present)
            and not _are_numbers(present)
            and not ID_LIKE.fullmatch(name)
            and fits(values)
        }
        return [name for name in lengths if lengths[name] == max(lengths.values())]

    def _note_other_texts(self, text: tuple[str, ...]) -> None:
        others = [
            name for name, values in self._free().items() if _look_like_text(_present(values))
        ]
        if others:
            options = " ".join(f"--text {shlex.quote(name)}" for name in (*text, *others))
            self.notes.append(f"other columns look like text, too: join them with {options}")

    def _label_by_content(self, required: bool) -> str | None:
        n_classes = {
            name: len(set(present))
            for name, values in self._free().items()
            if _are_labels(present := _present(map(as_label, values)))
            and 1 <= len(set(present)) <= len(values) / 2
            and not ID_LIKE.fullmatch(name)
            and not all(DATE.fullmatch(str(value)) for value in present)
        }
        several = {name: n for name, n in n_classes.items() if n > 1}
        # Where there are more rows than were looked at, they may be sorted by their labels.
        is_all = all(len(values) < SAMPLE_ROWS for values in self.sample.values())
        if several or is_all or not required:
            n_classes = several
        best = [name for name in n_classes if n_classes[name] == min(n_classes.values())]
        if len(best) == 1:
            if best[0] in self.sample[best[0]]:
                raise InputError(
                    f"{self.file}: the first line looks like data, not like column names "
                    f"({best[0]!r} is a value of its own column): use --no-header "
                    "(in Python header=False), or name the columns with --text and --label"
                )
            return self._take("label", best[0], "content")
        if required:
            raise self._undecided("label", best)
        return None

    def _free(self) -> Sample:
        return {name: values for name, values in self.sample.items() if name not in self.taken}

    def _undecided(self, role: str, best: list[str]) -> InputError:
        why = f"{_listed(best)} fit equally well" if best else "none looks like it"
        lines = [
            f"  {name!r}: for example {next(iter(_present(values)), None)!r:.60}"
            for name, values in self.sample.items()
        ]
        return InputError(
            f"{self.file}: which column has the {role}s? {why[0].upper()}{why[1:]}. "
            f"Name it with --{role}. The columns are\n" + "\n".join(lines)
        )


def _present(values: Iterable[Any]) -> list[Any]:
    return [value for value in map(bare, values) if value is not None and value != ""]


def bare(value: Any) -> Any:
    """A string without the white space around it; anything else as it is."""
    return value.strip() if isinstance(value, str) else value


def as_label(value: Any) -> Any:
    """A label as it is meant: a bare string; an integer where tools made it a float.

    >>> as_label(" spam "), as_label(1.0), as_label(math.nan), as_label(2.5)
    ('spam', 1, None, 2.5)
    """
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
    return bare(value)


def _listed(names: Sequence[str] | Sample) -> str:
    return ", ".join(map(repr, names))


def _anything(values: list[Any]) -> bool:
    return True


def _are_strings(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _has_strings(values: list[Any]) -> bool:
    """By its name it is the text column, so a value in it that is no string deserves an error."""
    return any(isinstance(value, str) for value in values) or not _present(values)


def _look_like_text(values: list[Any]) -> bool:
    present = _present(values)
    if not present or not _are_strings(present):
        return False
    return sum(len(WORDS.findall(value)) for value in present) >= TEXT_WORDS * len(present)


def _is_full(values: list[Any]) -> bool:
    return 2 * len(_present(values)) >= len(values)


def _mostly_differ(values: list[Any]) -> bool:
    """As texts do, and long names of classes do not."""
    present = _present(values)
    return 2 * len(set(present)) > len(present)


def _has_labels(values: list[Any]) -> bool:
    if any(isinstance(value, str | int | list) for value in values):
        return True
    return all(isinstance(value, int) for value in _present(map(as_label, values)))


def _are_labels(values: list[Any]) -> bool:
    return all(isinstance(value, str | int | bool) for value in values)


def _are_numbers(values: list[Any]) -> bool:
    return all(number(value) is not None for value in values)


def _are_weights(values: list[Any]) -> bool:
    return all((n := number(value)) is not None and 0 <= n < math.inf for value in values)


def _are_splits(values: list[Any]) -> bool:
    return all(str(value).strip().lower() in SPLITS for value in values)


def number(value: Any) -> float | None:
    """A number, or a string that is one."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
