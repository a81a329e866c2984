"""The common part of the formats whose rows are cells below a row of names: CSV, TSV, sheets."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator

from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import Columns
from wordplane.data.encoding import Decoding, RecordError
from wordplane.data.formats.records import RecordOrBlank, RecordTable
from wordplane.data.raw_rows import RawRows


class RowTable(RecordTable):
    """A table of cells.

    header      whether the first row has the names of the columns
    keep_blank  whether a row of empty cells is a row
    """

    def __init__(
        self,
        path: str,
        decoding: Decoding,
        skip_bad: bool = False,
        header: bool = True,
        *,
        keep_blank: bool = True,
    ) -> None:
        super().__init__(path, decoding, skip_bad)
        self.header = header
        self.keep_blank = keep_blank
        self.repeated: dict[str, int] = {}  # names of several columns, and how many have each
        self._blank_rows: list[int] = []

    def style(self) -> dict[str, str]:
        return super().style() | ({} if self.header else {"header": "none"})

    @abstractmethod
    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows, that of the names first, each with its line; without a cell: an empty line."""

    def begin(self, names: list[str], line: int) -> None:
        """Called with the names of the columns, and the line of the first row."""

    def describe_ragged(self, n: int, expected: int) -> str:
        """What is wrong with a row of n cells."""
        return f"{n} cells, expected {expected}"

    def records(self) -> Iterator[RecordOrBlank]:
        names: list[str] | None = None
        for line, fields in self.rows():
            if not fields:
                yield line, None
                continue
            if names is None:
                names = self._names(fields)
                self.begin(names, line)
                if self.header:
                    continue
            if len(fields) != len(names):
                if len(fields) < len(names) or any(map(str.strip, fields[len(names) :])):
                    yield line, RecordError(self.describe_ragged(len(fields), len(names)), line)
                    continue
                fields = fields[: len(names)]  # only empty cells follow
            if not (self.keep_blank or any(map(str.strip, fields))):
                self._blank_rows.append(line)
            elif self.repeated:
                yield line, _join_repeated(names, fields)
            else:
                yield line, dict(zip(names, fields, strict=True))

    def _names(self, fields: list[str]) -> list[str]:
        if not self.header:
            return [str(number) for number in range(1, len(fields) + 1)]
        if sum(not name.strip() for name in fields) > 1:  # spreadsheets leave empty columns
            fields = [name if name.strip() else f"Unnamed: {n}" for n, name in enumerate(fields, 1)]
        self.repeated = {name: n for name, n in Counter(fields).items() if n > 1}
        return fields

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        for name, n in self.repeated.items():
            if name in (*columns.text, *columns.others):
                raise InputError(
                    f"{self.file}: the header has {n} columns called {name!r}; "
                    "rename them, or pass `header=False` if the first line is data"
                )
            text = f"{self.file}: {n} columns called {name!r} were left out"
            self.notes.append(Note("left out", text))
        return super().batches(columns, batch_size)

    def note_titles(self, n_before: int, title: str, is_second: bool) -> None:
        """Say which lines before the names were left out, and how to change that."""
        lines = "1 line" if n_before == 1 else f"{n_before} lines"
        shown = f" ({title!r:.60})" if title else ""
        text = f"{self.file}: left out {lines} before the header{shown}"
        if is_second:
            text += (
                f"; the names of the columns are those in line {n_before + 1}. If that line is "
                "data, rename the columns above it to 'text' and 'label'"
            )
        self.notes.append(Note("left out", text))

    def _take_notes(self) -> tuple[Note, ...]:
        if blank := self._blank_rows:
            rows = "1 empty row" if len(blank) == 1 else f"{len(blank):,} empty rows, the first"
            text = f"{self.file}: skipped {rows} in line {blank[0]}"
            self.notes.append(Note("left out", text))
            self._blank_rows = []
        return super()._take_notes()


def _join_repeated(names: list[str], fields: list[str]) -> dict[str, str]:
    """A record that joins the fields of columns with the same name, so that a guess sees all."""
    record: dict[str, list[str]] = {name: [] for name in names}
    for name, field in zip(names, fields, strict=True):
        record[name].append(field)
    return {name: " ".join(values) for name, values in record.items()}
