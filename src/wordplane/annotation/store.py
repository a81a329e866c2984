"""What is kept of a project, on disk before it is acknowledged. The tables are in `schema`.

One process writes a project at a time: it holds a lock on the file NAME-lock. Others can read it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from wordplane._core import Texts
from wordplane.annotation.schema import StoreError, create_file, open_file, refuse
from wordplane.common.errors import InputError
from wordplane.common.files import no_such_file
from wordplane.common.locks import lock_file, remove_locked

Labels = tuple[int, ...]  # numbers of labels
YEAR_9999 = 253_370_764_800.0  # in seconds since 1970
# What every project has, and what it must be.
SETTINGS: dict[str, Callable[[object], bool]] = {
    "source": lambda value: isinstance(value, str),
    "multi": lambda value: isinstance(value, bool),
    "seed": lambda value: type(value) is int and 0 <= value < 2**63,
    "shares": lambda value: isinstance(value, dict) and are_shares(value.values()),
    "find": lambda value: value is None or isinstance(value, str),
    "recall": lambda value: isinstance(value, float) and 0.5 <= value < 1,
}


def are_shares(values: Collection[object]) -> bool:
    """Whether these are numbers of 0 or more, and not all 0."""
    numbers = [v for v in values if isinstance(v, int | float) and 0 <= v < float("inf")]
    return len(numbers) == len(values) and sum(numbers) > 0


@dataclass(frozen=True)
class LabelName:
    """A label: its name, and a line that says when it applies."""

    number: int
    name: str
    instruction: str = ""
    merged_into: int | None = None


@dataclass(frozen=True)
class Shown:
    """A text that a person looks at, why, and what the model would say.

    text         the number of the text, from 1
    reason       why it was chosen
    model        the number of the model, None before the first
    guess        the labels that the model would give, None without a model
    probability  of the guess
    """

    text: int
    reason: str
    model: int | None = None
    guess: Labels | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Event:
    """An answer: labels, or None if the text was skipped."""

    number: int
    time: float
    person: int
    shown: Shown
    labels: Labels | None
    batch: int | None = None


@dataclass(frozen=True)
class Comment:
    number: int
    time: float
    person: int
    text: int
    comment: str


@dataclass(frozen=True)
class Rule:
    """A pattern that a person trusts for a label."""

    number: int
    label: int
    pattern: str


@dataclass
class Stored:
    """All that is in the file but the texts."""

    settings: dict[str, object] = field(default_factory=dict)
    labels: dict[int, LabelName] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    shown: dict[int, Shown] = field(default_factory=dict)


class Store:
    """The file of a project. Every method that changes something returns when it is on disk."""

    def __init__(self, path: str, connection: sqlite3.Connection, lock: int) -> None:
        self.path, self._connection = path, connection
        self._lock: int | None = lock

    @classmethod
    def create(
        cls,
        path: str,
        texts: Iterable[str],
        names: Sequence[str] | None,
        settings: dict[str, object],
    ) -> Store:
        """A new file with these texts; if that fails, there is none."""
        connection = create_file(path)
        store = cls(path, connection, _lock(path))
        try:
            with store.writing() as do:
                rows = ((i + 1, names[i] if names else None, t) for i, t in enumerate(texts))
                do.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)
                pairs = [(key, json.dumps(value)) for key, value in settings.items()]
                do.executemany("INSERT INTO project VALUES (?, ?)", pairs)
        except BaseException:
            store.close()
            Path(path).unlink(missing_ok=True)
            raise
        return store

    @classmethod
    def open(cls, path: str) -> Store:
        """The file of a project that nobody else writes."""
        if not Path(path).is_file():
            raise InputError(no_such_file(path))
        lock = _lock(path)
        try:
            return cls(path, open_file(path), lock)
        except BaseException:
            os.close(lock)
            raise

    def close(self) -> None:
        """Close the file; it is then one file again."""
        with suppress(sqlite3.Error):
            self._connection.close()
        lock, self._lock = self._lock, None
        if lock is not None:
            remove_locked(lock, partial(_lock_name(self.path).unlink, missing_ok=True))

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Changes that are made together or not at all, and are on disk at the end."""
        try:
            with self._connection:
                yield self._connection
        except sqlite3.Error as error:
            refuse(self.path, error)

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            refuse(self.path, error)

    def texts(self) -> tuple[Texts, list[str] | None]:
        """All texts in order, and their names, if they have any."""
        rows = self._rows("SELECT text FROM texts ORDER BY number")
        names = self._rows("SELECT name FROM texts WHERE name IS NOT NULL ORDER BY number")
        found = Texts([str(text) for (text,) in rows])
        return found, [str(name) for (name,) in names] if len(names) == len(found) else None

    def load(self) -> Stored:
        """All that is in the file but the texts; numbers are in order, references lead somewhere,
        and settings are what they should be."""
        try:
            stored = self._load()
            given = [e.labels or () for e in stored.events] + [
                e.shown.guess or () for e in stored.events
            ]
            given += [shown.guess or () for shown in stored.shown.values()]
            used = {number for labels in given for number in labels}
            used |= {k.merged_into or k.number for k in stored.labels.values()}
            used |= {rule.label for rule in self.rules()}
            is_whole = used <= stored.labels.keys() and self._is_sound(stored)
        except StoreError:
            raise
        except (
            LookupError,
            TypeError,
            ValueError,
            ArithmeticError,
            RecursionError,
            AssertionError,
        ):
            is_whole = False
        if not is_whole:
            raise StoreError(f"{self.path}: the tables of the project are damaged")
        return stored

    def _is_sound(self, stored: Stored) -> bool:
        """Whether texts are numbered from 1 on without a gap, answers and texts that are shown are
        of texts and people that there are, and settings can be used."""
        query = (
            "SELECT count(*), ifnull(max(number), 0), ifnull(min(number), 1), "
            "total(typeof(text) != 'text') FROM texts"
        )
        [(n, last, first, n_odd)] = self._rows(query)
        texts, people = range(1, _int(n) + 1), set(stored.people.values())
        events = stored.events
        shown = [event.shown for event in events] + list(stored.shown.values())
        one_each = bool(stored.settings["multi"]) or all(
            event.labels is None or len(event.labels) == 1 for event in events
        )
        return (
            (last, first, n_odd) == (n, 1, 0)
            and all(each.text in texts for each in shown)
            and people >= {event.person for event in events} | stored.shown.keys()
            and all(0 <= event.time < YEAR_9999 for event in events)
            and one_each
            and all(is_fine(stored.settings[name]) for name, is_fine in SETTINGS.items())
        )

    def _load(self) -> Stored:
        settings = {
            str(k): json.loads(str(v)) for k, v in self._rows("SELECT key, value FROM project")
        }
        labels = {
            _int(number): LabelName(_int(number), str(name), str(line), _maybe(into))
            for number, name, line, into in self._rows("SELECT * FROM labels ORDER BY number")
        }
        people = {str(name): _int(n) for n, name in self._rows("SELECT number, name FROM people")}
        query = "SELECT person, text, reason, model, guess, probability FROM shown"
        shown = {_int(person): _shown(*rest) for person, *rest in self._rows(query)}
        return Stored(settings, labels, people, self.events(), shown)

    def events(self, *, undone: bool = False) -> list[Event]:
        """All answers in order; those that were taken back only if asked for."""
        found = self._rows(
            "SELECT number, time, person, labels, batch, text, reason, model, guess, probability "
            f"FROM events {'' if undone else 'WHERE undone IS NULL'} ORDER BY number"
        )
        return [
            Event(
                _int(number),
                float(str(when)),
                _int(person),
                _shown(*rest),
                _labels(labels),
                _maybe(batch),
            )
            for number, when, person, labels, batch, *rest in found
        ]

    def answer(
        self, person: int, answers: Sequence[tuple[Shown, Labels | None]], then: Shown | None
    ) -> list[Event]:
        """Add the answers of a person, and remember which text they see then."""
        now, events = time.time(), []
        with self.writing() as do:
            batch = None
            for shown, labels in answers:
                event = Event(0, now, person, shown, labels, batch)
                values = (now, person, *_values(shown), _encode(labels), batch)
                number = do.execute(
                    "INSERT INTO events (time, person, text, reason, model, guess, probability, "
                    "labels, batch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    values,
                ).lastrowid
                assert number is not None
                if len(answers) > 1 and batch is None:
                    batch = number
                    do.execute("UPDATE events SET batch = ? WHERE number = ?", (batch, number))
                events.append(replace(event, number=number, batch=batch))
            self._show(do, person, then)
        return events

    def show(self, person: int, shown: Shown | None) -> None:
        """Remember which text a person sees."""
        with self.writing() as do:
            self._show(do, person, shown)

    def _show(self, do: sqlite3.Connection, person: int, shown: Shown | None) -> None:
        do.execute("DELETE FROM shown WHERE person = ?", (person,))
        if shown is not None:
            do.execute("INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?)", (person, *_values(shown)))

    def take_back(self, events: Sequence[Event], then: Shown | None) -> None:
        """Mark answers as undone, and show the text again."""
        with self.writing() as do:
            numbers = [(time.time(), event.number) for event in events]
            do.executemany("UPDATE events SET undone = ? WHERE number = ?", numbers)
            self._show(do, events[0].person, then)

    def person(self, name: str) -> int:
        """The number of a new person."""
        with self.writing() as do:
            number = do.execute("INSERT INTO people (name) VALUES (?)", (name,)).lastrowid
        assert number is not None
        return number

    def put_label(self, label: LabelName, what: str, detail: object) -> None:
        """Add a label or change one."""
        with self.writing() as do:
            values = (label.number, label.name, label.instruction, label.merged_into)
            do.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?)", values)
            self._note(do, what, detail)

    def put_setting(self, key: str, value: object) -> None:
        """Change a setting."""
        with self.writing() as do:
            do.execute("INSERT OR REPLACE INTO project VALUES (?, ?)", (key, json.dumps(value)))
            self._note(do, "setting", {key: value})

    def _note(self, do: sqlite3.Connection, what: str, detail: object) -> None:
        values = (time.time(), what, json.dumps(detail))
        do.execute("INSERT INTO changes (time, what, detail) VALUES (?, ?, ?)", values)

    def comment(self, person: int, text: int, comment: str) -> None:
        """Add a comment on a text."""
        with self.writing() as do:
            do.execute(
                "INSERT INTO comments (time, person, text, comment) VALUES (?, ?, ?, ?)",
                (time.time(), person, text, comment),
            )

    def resolve(self, number: int) -> None:
        """A comment has been dealt with."""
        with self.writing() as do:
            do.execute("UPDATE comments SET resolved = ? WHERE number = ?", (time.time(), number))

    def comments(self) -> list[Comment]:
        """The comments that have not been dealt with, the latest first."""
        query = "SELECT number, time, person, text, comment FROM comments WHERE resolved IS NULL"
        return [
            Comment(_int(number), float(str(when)), _int(person), _int(text), str(comment))
            for number, when, person, text, comment in self._rows(query + " ORDER BY number DESC")
        ]

    def add_rule(self, person: int, label: int, pattern: str) -> Rule:
        """Add a rule."""
        with self.writing() as do:
            number = do.execute(
                "INSERT INTO rules (time, person, label, pattern) VALUES (?, ?, ?, ?)",
                (time.time(), person, label, pattern),
            ).lastrowid
        assert number is not None
        return Rule(number, label, pattern)

    def remove_rule(self, number: int) -> None:
        """Take a rule back."""
        with self.writing() as do:
            do.execute("UPDATE rules SET removed = ? WHERE number = ?", (time.time(), number))

    def rules(self) -> list[Rule]:
        """The rules that hold."""
        query = "SELECT number, label, pattern FROM rules WHERE removed IS NULL ORDER BY number"
        return [Rule(_int(n), _int(label), str(pattern)) for n, label, pattern in self._rows(query)]


def _lock_name(path: str) -> Path:
    return Path(f"{path}-lock")


def _lock(path: str) -> int:
    name = _lock_name(path)
    try:
        lock = os.open(name, os.O_CREAT | os.O_WRONLY, 0o666)
    except OSError as error:
        raise InputError(f"{path}: its folder cannot be written ({error.strerror})") from None
    try:
        is_ours = lock_file(lock) and os.path.samestat(os.fstat(lock), name.stat())
    except OSError:
        is_ours = False  # removed by one that has just ended
    if not is_ours:
        os.close(lock)
        raise InputError(
            f"{path} is open in another `wordplane annotate`: use its page, or stop it first"
        )
    return lock


def _values(shown: Shown) -> tuple[object, ...]:
    return shown.text, shown.reason, shown.model, _encode(shown.guess), shown.probability


def _shown(text: object, reason: object, model: object, guess: object, p: object) -> Shown:
    probability = None if p is None else float(str(p))
    return Shown(_int(text), str(reason), _maybe(model), _labels(guess), probability)


def _encode(labels: Labels | None) -> str | None:
    return None if labels is None else json.dumps(labels)


def _labels(value: object) -> Labels | None:
    return None if value is None else tuple(json.loads(str(value)))


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def _maybe(value: object) -> int | None:
    return None if value is None else _int(value)
