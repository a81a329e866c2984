"""What the formats that are read record by record have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from wordplane._core import Texts
from wordplane.errors import InputError

from .block import SAMPLE_ROWS, Block, no_rows, where
from .columns import Columns
from .encoding import RecordError, shown

# A record and the line on which it begins. None for a record stands for an empty line.
Record = tuple[int, dict[str, Any]]
RecordOrBlank = tuple[int, dict[str, Any] | None]


class RecordTable(ABC):
    """A file of records; a format is a subclass with the one method `records`."""

    guessed = True

    def __init__(self, path: str, encoding: str) -> None:
        self.path = path
        self.file = shown(path)
        self.encoding = encoding
        self.notes: list[str] = []  # handed over with the next block
        self._blank_lines: list[int] = []
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
        first_row = 1
        while block := self._block(columns, first_row, n_rows):
            yield block
            first_row += block.n_rows

    def _block(self, columns: Columns, first_row: int, n_rows: int | None) -> Block | None:
        texts: list[str] = []
        lines = array("q")
        others: dict[str, list[Any]] = {name: [] for name in columns.others}
        for line, record in islice(self._rows, n_rows):
            lines.append(line)
            try:
                texts.append(_text(record, columns.text))
            except RecordError as problem:
                row = first_row + len(texts)
                raise InputError(f"{where(self.file, row, line)}: {problem}") from None
            for name, values in others.items():
                values.append(record.get(name))
        if not texts:
            return None
        notes = self._take_notes()
        return Block(self.file, first_row, Texts(texts), others, lines, notes)

    def _numbered(self) -> Iterator[Record]:
        row = 0
        # Each row waits for the next one: when it leaves, the empty lines after it are counted.
        waiting: Record | None = None
        try:
            for line, record in self.records():
                if record is None:
                    self._blank_lines.append(line)
                    continue
                row += 1
                if waiting:
                    yield waiting
                waiting = line, record
            if waiting:
                yield waiting
        except RecordError as problem:
            place = where(self.file, row + 1, problem.line)
            raise InputError(f"{place}: {problem}") from None

    def _take_notes(self) -> tuple[str, ...]:
        notes, blank = self.notes, self._blank_lines
        self.notes, self._blank_lines = [], []
        if blank:
            lines = "1 empty line was" if len(blank) == 1 else f"{len(blank):,} empty lines were"
            first = "it is" if len(blank) == 1 else "the first is"
            notes.append(f"{self.file}: {lines} not taken as a row; {first} line {blank[0]}")
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
