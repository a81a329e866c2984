"""Which column holds what, where nobody says: by its name, else by its content, else a question.

A column is taken only if no other would do as well. Otherwise a `ColumnError` names those that
would, for a person to choose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from wordplane.common.errors import InputError, NoLabelsError
from wordplane.common.frozen import frozen
from wordplane.common.notes import Note, NoteKind
from wordplane.data.column_names import (
    is_id,
    is_text_name,
    label_groups,
    plain_name,
    text_groups,
)
from wordplane.data.columns import (
    KEPT_KIND,
    MOST_NAMES,
    SAMPLE_ROWS,
    SPLITS,
    Columns,
    Sample,
    as_label,
    as_number,
    list_names,
    strip_string,
)
from wordplane.data.number_labels import NumberLabelsError, are_numbers, number_question

WEIGHT_NAMES = ("weight",)
SPLIT_NAMES = ("split",)
MAYBE_SPLIT_NAMES = ("fold", "partition", "set")
# Columns that number or name the rows: never a label, never a text.
ID_LIKE = re.compile(
    r"|(.*[\W_])?(ids?|[gu]?uid|docid|index|key|nr|no|num|nummer|number|#)\.?|unnamed: \d+",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}([ T].*)?")
WORDS = re.compile(r"(?<!\S)[^\W\d_]{2,}")  # not the parts of a web address
MIN_TEXT_WORDS = 3  # on average, for a column to look like text
SHOWN_VALUES = 3

Test = Callable[[list[object]], bool]  # of the values of a column


@frozen
class Question:
    """Which of some columns has the texts or labels; each with examples of its values."""

    role: str
    columns: dict[str, str]

    def __str__(self) -> str:
        names = list(self.columns)
        would = f"{list_names(names[:-1])} and {names[-1]!r} would do"
        lines = [f"  {name!r}: {examples}" for name, examples in self.columns.items()]
        return "\n".join([f"which column has the {self.role}s? {would}:", *lines])


class ColumnError(InputError):
    """Several columns would do. The command line asks whoever is at the terminal."""

    def __init__(self, file: str, questions: Sequence[Question]) -> None:
        self.file, self.questions = file, tuple(questions)
        roles = " and ".join(f"`{question.role}`" for question in questions)
        asked = "\n".join(map(str, questions))
        joined = "; several columns of text are joined" if "`text`" in roles else ""
        super().__init__(f"{file}: {asked}\nName it with {roles}{joined}")
        if len(questions) == 1:
            role, names = questions[0].role, questions[0].columns
            self.remedies = tuple({role: name} for name in islice(names, SHOWN_VALUES))
            if role == "text":
                self.remedies += ({"text": list(names)},)
        else:
            self.remedies = ({q.role: next(iter(q.columns)) for q in questions},)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return ColumnError, (self.file, self.questions)


def choose(sample: Sample, given: Columns, file: str, require_label: bool) -> Columns:
    """The given columns, and for the others the best guess from the first rows."""
    given = _split_names(given, sample)
    given.check(sample, file)
    columns = _Chooser(sample, given, file).choose(require_label)
    if columns.label in columns.text:
        raise InputError(
            f"{file}: the column {columns.label!r} is both text and label; "
            "a model would only learn to read its own answer"
        )
    read = {*columns.text, *columns.others}
    return replace(columns, unread=tuple(name for name in sample if name not in read))


def _split_names(given: Columns, sample: Sample) -> Columns:
    """Text columns that are given as one name with commas, where no column has that name."""
    if len(given.text) != 1 or given.text[0] in sample:
        return given
    parts = tuple(part.strip() for part in given.text[0].split(","))
    return replace(given, text=parts) if all(part in sample for part in parts) else given


class _Chooser:
    def __init__(self, sample: Sample, given: Columns, file: str) -> None:
        self.sample = sample
        self.given = given
        self.file = file
        kept = {name for name, kind in given.kinds.items() if kind == KEPT_KIND}
        known = (given.label, given.id, given.weight, given.group, given.time, given.split)
        self.taken = {*given.text, *(set(given.extra) - kept), *filter(None, known)}
        self.notes: list[Note] = []
        self.questions: list[Question] = []

    def choose(self, require_label: bool) -> Columns:
        given = self.given
        ids, weight, split, label = given.id, given.weight, given.split, given.label
        if ids is None and (names := [name for name in self._free_columns() if is_id(name)]):
            ids = self._take("id", names[0], "name")
        if weight is None:
            weight = self._find_named("weight", WEIGHT_NAMES, _are_weights)
            if weight is None:
                self._note_odd_weights()
        if split is None:
            split = self._find_named("split", SPLIT_NAMES, _is_anything)
        if split is None:
            split = self._find_named("split", MAYBE_SPLIT_NAMES, _are_splits)
        if label is None:
            label = self._find_label_by_name(require_label)
        elif not given.text and not given.label_separator:
            self._refuse_texts_as_labels(label)
        text = given.text or self._find_text()
        if label is None and not self._asks_for_label():
            label = self._find_label_by_content(require_label)
        if self.questions:
            raise ColumnError(self.file, self.questions)
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

    def _ask(self, role: str, names: list[str]) -> None:
        self.taken.update(names)
        shown = names[:MOST_NAMES]
        columns = {name: _describe(self.sample[name], role) for name in shown}
        self.questions.append(Question(role, columns))

    def _asks_for_label(self) -> bool:
        return any(question.role == "label" for question in self.questions)

    def _find_named(self, role: str, names: Sequence[str], fits: Test) -> str | None:
        for wanted in names:
            for name, values in self._free_columns().items():
                if plain_name(name) == wanted and fits(values):
                    return self._take(role, name, "name")
        return None

    def _note_odd_weights(self) -> None:
        for name in self._free_columns():
            if plain_name(name) in WEIGHT_NAMES:
                why = "since it has other values than finite numbers of 0 or more"
                self.notes.append(
                    Note("label column", f"weight column: {name!r} is not used, {why}")
                )

    def _find_label_by_name(self, required: bool) -> str | None:
        """The only column that is named like labels, or a question if there are several."""
        for fits in (_has_labels, _is_anything) if required else (_has_labels,):
            free = self._free_columns()
            for names in label_groups(list(free)):
                fitting = [name for name in names if fits(free[name])]
                if len(fitting) > 1:
                    several = [name for name in fitting if _has_classes(free[name])]
                    fitting = several or fitting
                if len(fitting) == 1:
                    return self._take("label", fitting[0], "name")
                if fitting:
                    if required:
                        self._ask("label", fitting)
                    return None
        return None

    def _refuse_texts_as_labels(self, label: str) -> None:
        """A column that looks like the texts is not taken for labels, even if it is named."""
        present = _present_values(self.sample[label])
        are_texts = is_text_name(label) or _look_like_text(present)
        if len(present) >= 4 and are_texts and len(set(map(str, present))) > 0.9 * len(present):
            free = {name for name in self.sample if name != label}
            named = next((names for names in label_groups(list(free)) if names), [])
            hint = f"; the labels may be in {named[0]!r}" if named else ""
            raise InputError(
                f"{self.file}: `label` is {label!r}, but that column looks like the texts: nearly "
                f"every row has another value{hint}. If it does have the labels, name the texts "
                "with `text` too"
            )

    def _find_text(self) -> tuple[str, ...]:
        """By name, else the only one that looks like text; a mostly empty column only if there is
        none better."""
        if text := self._find_text_by_name(_is_full_of_strings):
            return text
        free = self._free_columns()
        alike = [
            name
            for name, values in free.items()
            if _is_full(values) and _look_like_text(values) and _mostly_differ(values)
            if not ID_LIKE.fullmatch(name)
        ]
        if len(alike) == 1:
            return (self._take("text", alike[0], "content"),)
        if alike:
            self._ask("text", alike)
            return ()
        if text := self._find_text_by_name(_has_strings):
            return text
        best = self._find_longest()
        if len(best) != 1:
            raise self._nothing_fits("text", best)
        return (self._take("text", best[0], "content"),)

    def _find_text_by_name(self, fits: Test) -> tuple[str, ...]:
        free = self._free_columns()
        for names in text_groups(list(free)):
            fitting = [name for name in names if fits(free[name])]
            if len(fitting) > 1:
                alike = [name for name in fitting if _look_like_text(free[name])]
                fitting = alike or fitting
            if len(fitting) == 1:
                return (self._take("text", fitting[0], "name"),)
            if fitting:
                self._ask("text", fitting)
                return tuple(fitting)
        return ()

    def _find_longest(self) -> list[str]:
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
        """The only column whose values repeat as labels do, or a question if there are several."""
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
        best = list(n_classes)
        if len(best) == 1:
            if best[0] in self.sample[best[0]]:
                raise InputError(
                    f"{self.file}: the first line looks like data, not like column names "
                    f"({best[0]!r} is a value of its own column); pass `header=False`, "
                    "or name the columns with `text` and `label`"
                )
            return self._take("label", best[0], "content")
        if required and best:
            self._ask("label", best)
        elif required:
            self._ask_about_numbers()
            raise self._nothing_fits("label", [])
        return None

    def _ask_about_numbers(self) -> None:
        """If only one column has numbers to predict, it may be what is to be learned."""
        numbers = {
            name: present
            for name, values in self._free_columns().items()
            if _are_numbers(present := _present_values(values))  # not lists, which have no hash
            and are_numbers(present)
            and not ID_LIKE.fullmatch(name)
        }
        if len(numbers) == 1:
            ((name, present),) = numbers.items()
            raise NumberLabelsError(self.file, number_question(name, present))

    def _free_columns(self) -> Sample:
        return {name: values for name, values in self.sample.items() if name not in self.taken}

    def _nothing_fits(self, role: str, best: list[str]) -> InputError:
        why = f"{list_names(best)} fit equally well" if best else "none looks like it"
        lines = [
            f"  {name!r}: for example {next(iter(_present_values(values)), None)!r:.60}"
            for name, values in islice(self.sample.items(), MOST_NAMES)
        ]
        if role == "label" and any(name in values for name, values in self.sample.items()):
            lines.append("If the first line is a row, not names of columns, pass `header=False`.")
        problem = (
            f"{self.file}: which column has the {role}s? {why[0].upper()}{why[1:]}. "
            f"Name it with `{role}`. The columns are\n" + "\n".join(lines)
        )
        return InputError(problem) if best or role != "label" else NoLabelsError(problem)


def _describe(values: list[object], role: str) -> str:
    """Some values of a column, for a person to recognize it."""
    present = list(dict.fromkeys(str(as_label(value)) for value in _present_values(values)))
    examples = ", ".join(f"{value!r:.40}" for value in present[: SHOWN_VALUES - (role == "text")])
    return examples if role == "text" else f"{len(present):,} values, such as {examples}"


def _present_values(values: Iterable[object]) -> list[object]:
    return [value for value in map(strip_string, values) if value is not None and value != ""]


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


def _has_classes(values: list[object]) -> bool:
    """Whether there are several values, and each has company."""
    present = list(map(str, _present_values(values)))
    return 1 < len(set(present)) <= len(present) / 2


def _has_labels(values: list[object]) -> bool:
    if any(isinstance(value, str | int | list) for value in values):
        return True
    return all(isinstance(value, int) for value in _present_values(map(as_label, values)))


def _are_labels(values: list[object]) -> bool:
    return all(isinstance(value, str | int | bool) for value in values)


def _are_numbers(values: list[object]) -> bool:
    return all(as_number(value) is not None for value in values)


def _are_weights(values: list[object]) -> bool:
    return all((n := as_number(value)) is not None and 0 <= n < float("inf") for value in values)


def _are_splits(values: list[object]) -> bool:
    return all(str(value).strip().lower() in SPLITS for value in values)
