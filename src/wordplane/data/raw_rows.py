"""Rows as a format delivers them: the next rows of one file, only the chosen columns, unchecked."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.notes import Note
from wordplane.data.columns import Columns, Sample


def locate_row(file: str, row: int, line: int | None = None) -> str:
    """How messages name a row: numbers start at 1; the line is added if its number differs."""
    return f"{file}, row {row}" + (f" (line {line})" if line not in (None, row) else "")


@frozen
class Problem:
    """Why rows cannot be used, and the options that would help."""

    text: str
    remedy: Mapping[str, object] = field(default_factory=dict)

    def error(self) -> InputError:
        """It alone as an error."""
        return problems_error([self])


def problems_error(problems: Sequence[Problem]) -> InputError:
    """All problems in one error, with what would help against all of them."""
    error = InputError("\n".join(problem.text for problem in problems))
    remedy = {name: value for problem in problems for name, value in problem.remedy.items()}
    error.remedies = (remedy,) if remedy else ()
    return error


class NoRowsError(InputError):
    """A file has no rows."""


class TooManyRowsError(InputError):
    """Files have more rows than are to be read at once."""


def no_rows_error(file: str) -> NoRowsError:
    return NoRowsError(f"{file} has no rows")


@frozen
class RawRows:
    """Consecutive rows of one file.

    columns  the chosen columns other than the texts, as Python values; None is a missing value
    lines    the line on which each row begins, if lines and rows are numbered differently
    problems why rows among these cannot be used
    """

    file: str
    first_row: int
    texts: Texts
    columns: Mapping[str, Sequence[object]] = field(default_factory=dict)
    lines: array[int] | None = None
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.texts)

    def locate(self, i: int) -> str:
        """How messages name row i of these."""
        return locate_row(self.file, self.first_row + i, self.lines[i] if self.lines else None)


class Table(Protocol):
    """A file that is read once: first a sample to choose the columns from, then its rows."""

    file: str
    has_free_columns: bool  # whether columns must be chosen, or the format fixes them

    def style(self) -> dict[str, str]:
        """How the file is written (encoding, delimiter, sheet, header), as far as is known."""

    def sample(self) -> Sample:
        """The first rows, by column."""

    def names(self) -> Collection[str]:
        """The columns; called in place of `sample`."""

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        """All rows, `batch_size` at a time, or all at once if it is None; at least one row."""
