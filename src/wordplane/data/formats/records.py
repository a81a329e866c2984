"""What the formats that are read record by record have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.columns import SAMPLE_ROWS, Columns
from wordplane.data.encoding import RecordError, shown
from wordplane.data.raw_rows import Block, no_rows, where

# A record and the line on which it begins. None for a record stands for an empty line, an error
# for one that cannot be read, though what follows can.
Record = tuple[int, dict[str, Any]]
RowAndText = tuple[int, str, dict[str, Any]]
RecordOrBlank = tuple[int, dict[str, Any] | RecordError | None]


class RecordTable(ABC):
    """A file of records; a format is a subclass with the one method `records`."""

    guessed = True

    def __init__(self, path: str, encoding: str, skip_bad: bool = False) -> None:
        self.path = path
        self.file = shown(path)
        self.encoding = encoding
        self.skip_bad = skip_bad
        self.notes: list[str] = []  # handed over with the next block
        self._blank_lines: list[int] = []
        self._bad: list[RecordError] = []
        self._rows = self._numbered()

    @abstractmethod
    def records(self) -> Iterator[RecordOrBlank]:
        """The records in order; RecordError for one that cannot be read."""

    def sample(self) -> dict[str, list[Any]]:
        head = list(islice(self._rows, SAMPLE_ROWS))
        if not head:
            raise no_rows(self.file)
        self._rows = chain(head, self._rows)
        names = dict.fromkeys(name for _, record in head for name in record)
        return {name: [record.get(name) for _, record in head] for name in names}

    def blocks(self, columns: Columns, n_rows: int | None) -> Iterator[Block]:
        rows = self._with_texts(columns.text)
        first_row = 1
        while block := self._block(rows, columns.others, first_row, n_rows):
            yield block
            first_row += block.n_rows

    def _block(
        self, rows: Iterator[RowAndText], names: list[str], first_row: int, n_rows: int | None
    ) -> Block | None:
        texts: list[str] = []
        lines = array("q")
        others: dict[str, list[Any]] = {name: [] for name in names}
        for line, text, record in islice(rows, n_rows):
            lines.append(line)
            texts.append(text)
            for name, values in others.items():
                values.append(record.get(name))
        if not texts:
            return None
        notes = self._take_notes()
        return Block(self.file, first_row, Texts(texts), others, lines, notes)

    def _with_texts(self, names: tuple[str, ...]) -> Iterator[RowAndText]:
        row = 0
        # Each row waits for the next: when it leaves, the lines after it that are none are counted.
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

    def _numbered(self) -> Iterator[Record]:
        row = 1
        try:
            for line, record in self.records():
                if isinstance(record, dict):
                    yield line, record
                    row += 1
                elif record is None:
                    self._blank_lines.append(line)
                else:
                    self._skip(record, row)
        except RecordError as problem:
            raise InputError(f"{where(self.file, row, problem.line)}: {problem}") from None

    def _skip(self, problem: RecordError, row: int) -> None:
        """Pass over a row that cannot be read, if that is wished."""
        if not self.skip_bad:
            place = where(self.file, row, problem.line)
            raise InputError(f"{place}: {problem}; --skip-bad leaves out such rows") from None
        self._bad.append(problem)

    def _take_notes(self) -> tuple[str, ...]:
        notes, blank = self.notes, self._blank_lines
        bad = sorted(self._bad, key=lambda problem: problem.line or 0)
        self.notes, self._blank_lines, self._bad = [], [], []
        if blank:
            lines = "1 empty line was" if len(blank) == 1 else f"{len(blank):,} empty lines were"
            first = "it is" if len(blank) == 1 else "the first is"
            notes.append(f"{self.file}: {lines} not taken as a row; {first} line {blank[0]}")
        if bad:
            lines = "1 row" if len(bad) == 1 else f"{len(bad):,} rows, the first"
            notes.append(f"{self.file}: left out {lines} in line {bad[0].line}: {bad[0]}")
        return tuple(notes)


def _text(record: dict[str, Any], names: tuple[str, ...]) -> str:
    parts = []
    for name in names:
        part = record.get(name)
        if part is not None and not isinstance(part, str):
            found = f"{part!r:.60}"
            raise RecordError(f"the text in column {name!r} is {found}, expected a string")
        parts.append(part or "")
    return "\n".join(parts)
