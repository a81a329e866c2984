"""Rows as a format gives them: one file's next rows, the columns chosen, nothing checked yet."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.columns import Columns


def where(file: str, row: int, line: int | None = None) -> str:
    """How messages name a row: numbers from 1, and the line where that is another number."""
    return f"{file}, row {row}" + (f" (line {line})" if line not in (None, row) else "")


def no_rows(file: str) -> InputError:
    return InputError(f"{file} has no rows")


@dataclass(frozen=True)
class Block:
    """Rows that follow each other in one file.

    columns  the other columns that were chosen, as Python values; None is a missing value
    lines    the line on which each row begins, where that is not its number
    """

    file: str
    first_row: int
    texts: Texts
    columns: dict[str, list[Any]] = field(default_factory=dict)
    lines: array[int] | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.texts)

    def where(self, i: int) -> str:
        return where(self.file, self.first_row + i, self.lines[i] if self.lines else None)


class Table(Protocol):
    """A file that can be read once: first a sample to choose the columns from, then its rows."""

    file: str
    guessed: bool  # whether columns have to be guessed, or the format says what they are

    def sample(self) -> dict[str, list[Any]]:
        """The first rows, by column."""

    def blocks(self, columns: Columns, n_rows: int | None) -> Iterator[Block]:
        """All rows, `n_rows` at a time, or all at once if that is None. At least one row."""
