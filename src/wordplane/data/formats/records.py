"""The common part of the formats that are read record by record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import SAMPLE_ROWS, Columns, Sample
from wordplane.data.compression import compression
from wordplane.data.encoding import STDIN, Decoding, RecordError, display_name
from wordplane.data.raw_rows import Problem, RawRows, locate_row, no_rows_error

# A record with the line on which it begins. Instead of a record, None stands for an empty line,
# and an error for a record that cannot be read although the next ones can.
Values = Mapping[str, object]
Record = tuple[int, Values]
RowAndText = tuple[int, str, Values]
RecordOrBlank = tuple[int, Values | RecordError | None]


# A sample holds at most so many empty cells for each that is present, besides the first ones.
EMPTY_SHARE, EMPTY_CELLS = 20, 100_000
MAX_DEPTH = 8  # of objects in objects that have columns
HOW_TO_SKIP = "; `skip_bad=True` leaves out such rows"
LINES_SHOWN = 5  # of rows that cannot be read
MOST_BAD = 100_000  # rows that cannot be read, after which others are not looked for


class RecordTable(ABC):
    """A file of records; each format is a subclass with a method `records`."""

    has_free_columns = True

    def __init__(self, path: str, decoding: Decoding, skip_bad: bool = False) -> None:
        self.path = path
        self.file = display_name(path)
        self.decoding = decoding
        self.skip_bad = skip_bad
        self.notes: list[Note] = []  # passed on with the next batch
        self._n_blank = self._first_blank = 0  # lines
        self._bad: list[tuple[int, RecordError]] = []  # with their rows
        self._rows = self._good_records()

    @abstractmethod
    def records(self) -> Iterator[RecordOrBlank]:
        """The records in order; a RecordError for each that cannot be read."""

    def style(self) -> dict[str, str]:
        """How the file is written, as far as that was found out."""
        return {} if self.decoding.name == "utf-8" else {"encoding": self.decoding.name}

    def sample(self) -> Sample:
        head = list(self._sample_rows())
        if not head:
            for problem in self.take_problems():
                raise problem.error()
            raise no_rows_error(self.file)
        self._rows = chain(head, self._rows)
        names = dict.fromkeys(name for _, record in head for name in record)
        return {name: [record.get(name) for _, record in head] for name in names}

    def names(self) -> Collection[str]:
        return self.sample()

    def note_absent(self, what: str, name: str, values: Collection[object], empty: str) -> None:
        """Note that none of the first lines has a part that was asked for by its name."""
        if all(value == empty for value in values):
            text = f"none of the first {len(values):,} lines has the {what} {name!r}"
            self.notes.append(Note("unusual", f"{self.file}: {text}"))

    def _sample_rows(self) -> Iterator[Record]:
        """The first rows; fewer where nearly all of their columns would be empty."""
        names: set[str] = set()
        n_present = 0
        for n_rows, (line, record) in enumerate(islice(self._rows, SAMPLE_ROWS), 1):
            yield line, record
            names.update(record)
            n_present += len(record)
            if n_rows * len(names) > EMPTY_CELLS + EMPTY_SHARE * n_present:
                return
            if self.decoding.guard and self.decoding.guard.ends_part():
                return

    def plain_batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows | None]:
        """The first batches as a fast reader gives them, which knows the common case of a format;
        then None, if what follows must be read with care. Notes are not taken."""
        return iter(())

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        waiting = plain = None
        if columns.text and self._may_be_plain():
            for plain in self.plain_batches(columns, batch_size):
                # Of the last batch before what is unusual, notes may be made of lines after it.
                if plain is not None and waiting is not None:
                    yield replace(waiting, notes=self._take_notes())
                waiting = plain or waiting
        if waiting is not None and plain is not None:
            yield replace(waiting, notes=self._take_notes())
            return
        first_row = waiting.first_row if waiting else 1
        rows = islice(self._rows_with_texts(columns.text), first_row - 1, None)
        while batch := self._next_batch(rows, columns.others, first_row, batch_size):
            yield batch
            first_row += batch.n_rows

    def _may_be_plain(self) -> bool:
        """Whether it is a file as it was written, read without limits, and begins well."""
        is_file = self.path != STDIN and not compression(self.path) and Path(self.path).is_file()
        is_utf8 = self.decoding.name == "utf-8"
        return is_file and is_utf8 and self.decoding.guard is None and not self._bad

    def _next_batch(
        self, rows: Iterator[RowAndText], names: list[str], first_row: int, batch_size: int | None
    ) -> RawRows | None:
        texts: list[str] = []
        lines = array("q")
        others: dict[str, list[object]] = {name: [] for name in names}
        guard = self.decoding.guard
        if guard:
            guard.begin_part()
        for line, text, record in islice(rows, batch_size):
            lines.append(line)
            texts.append(text)
            for name, values in others.items():
                values.append(record.get(name))
            if guard and guard.ends_part():
                break
        problems = self.take_problems()
        if not texts:
            for problem in problems:
                raise problem.error()
            return None
        notes = self._take_notes()
        return RawRows(self.file, first_row, Texts(texts), others, lines, notes, problems)

    def _rows_with_texts(self, names: tuple[str, ...]) -> Iterator[RowAndText]:
        row = 0
        # Each row waits for the next one, so that bad and empty lines after it are noted with it.
        waiting: RowAndText | None = None
        for line, record in self._rows:
            try:
                text = _text(record, names)
            except RecordError as problem:
                self._skip(RecordError(str(problem), line), row + 1)
                continue
            row += 1
            if waiting:
                yield waiting
            waiting = line, text, record
        if waiting:
            yield waiting

    def _good_records(self) -> Iterator[Record]:
        row = 1
        try:
            for line, record in self.records():
                if isinstance(record, Mapping):
                    if dict in map(type, record.values()):
                        record = with_inner(record)
                        if self.decoding.guard:
                            self.decoding.guard.check_columns(len(record), line)
                    yield line, record
                    row += 1
                elif record is None:
                    self._n_blank += 1
                    self._first_blank = self._first_blank or line
                else:
                    self._skip(record, row)
        except RecordError as problem:
            raise InputError(f"{locate_row(self.file, row, problem.line)}: {problem}") from None

    def _skip(self, problem: RecordError, row: int) -> None:
        """Leave out a row that cannot be read; if rows must not be left out, this is an error as
        soon as all have been seen, or many."""
        self._bad.append((row, problem))
        if len(self._bad) >= MOST_BAD and not self.skip_bad:
            raise self.take_problems()[0].error()

    def take_problems(self) -> tuple[Problem, ...]:
        """What is wrong with the rows that cannot be read, unless they may be left out."""
        if self.skip_bad or not self._bad:
            return ()
        (row, first), *others = sorted(self._bad, key=lambda bad: bad[1].line or 0)
        self._bad = []
        more = ""
        if others:
            shown = ", ".join(str(problem.line) for _, problem in others[:LINES_SHOWN])
            shown += ", ..." * (len(others) > LINES_SHOWN)
            what = f"1 more row (line {shown})"
            if len(others) > 1:
                what = f"{len(others):,} more rows (lines {shown})"
            more = f"; {what} cannot be read either"
        text = f"{locate_row(self.file, row, first.line)}: {first}{more}"
        return (Problem(text + HOW_TO_SKIP, {"skip_bad": True}),)

    def _take_notes(self) -> tuple[Note, ...]:
        notes, n_blank = self.notes, self._n_blank
        bad = sorted((problem for _, problem in self._bad), key=lambda problem: problem.line or 0)
        self.notes, self._n_blank, self._bad = [], 0, []
        if self.decoding.note:
            notes.insert(0, Note("encoding", f"{self.file}: {self.decoding.note}"))
            self.decoding.note = ""
        if n_blank:
            lines = "1 empty line" if n_blank == 1 else f"{n_blank:,} empty lines, the first"
            text = f"{self.file}: skipped {lines} in line {self._first_blank}"
            notes.append(Note("left out", text))
            self._first_blank = 0
        if bad:
            lines = "1 row" if len(bad) == 1 else f"{len(bad):,} rows, the first"
            text = f"{self.file}: left out {lines} in line {bad[0].line}: {bad[0]}"
            notes.append(Note("left out", text))
        return tuple(notes)


def with_inner(record: Values) -> Values:
    """A record, and what is inside of its objects as columns that have the names on the way to it.

    >>> with_inner({"a": 1, "b": {"c": 2, "d": {"e": 3}}})
    {'a': 1, 'b': {'c': 2, 'd': {'e': 3}}, 'b.c': 2, 'b.d': {'e': 3}, 'b.d.e': 3}
    """
    found = dict(record)
    objects = [(name, value) for name, value in record.items() if isinstance(value, dict)]
    for _ in range(MAX_DEPTH):
        inner = {f"{name}.{key}": item for name, value in objects for key, item in value.items()}
        for name, item in inner.items():
            found.setdefault(name, item)
        objects = [(name, value) for name, value in inner.items() if isinstance(value, dict)]
    return found


def join_texts(columns: Sequence[Texts | list[str]]) -> Texts:
    """The texts of all columns, with a newline between them."""
    if len(columns) == 1:
        return Texts(columns[0])
    return Texts(list(map("\n".join, zip(*columns, strict=True))))


def _text(record: Values, names: tuple[str, ...]) -> str:
    parts = []
    for name in names:
        part = record.get(name)
        if isinstance(part, dict):
            raise RecordError(
                f"the text in column {name!r} is an object; name what is inside of it, such as "
                f"{name}.{next(iter(part), 'text')}"
            )
        if part is not None and not isinstance(part, str):
            raise RecordError(f"the text in column {name!r} is {part!r:.60}, expected a string")
        parts.append(part or "")
    return "\n".join(parts)
