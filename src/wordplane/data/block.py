"""Rows as a format gives them: one file's next rows, the columns chosen, nothing checked yet."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from wordplane._core import Texts
from wordplane.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from .columns import Columns

SAMPLE_ROWS = 1_000  # what columns are guessed from


def where(file: str, row: int, line: int | None = None) -> str:
    """How messages name a row: numbers from 1, and the line where that is another number."""
    return f"{file}, row {row}" + (f" (line {line})" if line not in (None, row) else "")


def no_rows(file: str) -> InputError:
    return InputError(f"{file} has no rows")


@dataclass(frozen=True)
class Block:
    """Rows that follow each other in one file.

    texts    a list of strings, an Arrow column of strings, or what the core has made of lines
    empty    which of them are empty or white space, counted from 0
    columns  the other columns that were chosen, as Python values; None is a missing value
    """

    file: str
    first_row: int
    n_rows: int
    texts: list[str] | pl.Series | Texts
    empty: list[int]
    columns: dict[str, list[Any]] = field(default_factory=dict)
    lines: array[int] | None = None
    notes: tuple[str, ...] = ()

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


def join_texts(blocks: list[Block]) -> Texts:
    """One column of documents; no Python string is made where a format made none."""
    columns = [Texts(block.texts) for block in blocks]
    return columns[0] if len(columns) == 1 else Texts.join(columns)
