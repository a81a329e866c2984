"""CSV and TSV, read by the standard library's `csv`, which accepts what real exports contain.

Large files without anything unusual are read by polars, several times as fast.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import Columns
from wordplane.data.compression import compression
from wordplane.data.encoding import STDIN, Decoding, RecordError, RowGuard, text_lines
from wordplane.data.formats.plain_csv import Layout, read_plain
from wordplane.data.formats.rows import RowTable
from wordplane.data.formats.table_start import HEAD_CHARACTERS, HEAD_LINES, find_opening
from wordplane.data.raw_rows import RawRows

if TYPE_CHECKING:
    from polars import Expr

# From which size on polars pays: importing it takes as long as the standard library for 16 MB.
LARGE, LARGE_IMPORTED = 1 << 24, 1 << 20


class DelimitedTable(RowTable):
    """A file with a character between the cells of a row.

    delimiter   the character, if it is known
    hint        the character to take if the first line has it
    """

    def __init__(
        self,
        path: str,
        decoding: Decoding,
        skip_bad: bool = False,
        delimiter: str | None = None,
        header: bool = True,
        *,
        hint: str | None = None,
        keep_blank: bool = True,
    ) -> None:
        super().__init__(path, decoding, skip_bad, header, keep_blank=keep_blank)
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise InputError(f"the delimiter is {delimiter!r}, expected one character such as ;")
        self.delimiter, self._hint = delimiter, hint
        self.layout: Layout | None = None  # once the header has been read

    def style(self) -> dict[str, str]:
        known = super().style()
        if self.delimiter not in (None, ","):
            known["delimiter"] = self.delimiter
        return known

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(sys.maxsize)  # the module's own limit is 128 KiB, less than a book
        head, rest = _peek_lines(text_lines(self.path, self.decoding, newline=""))
        if not head:
            try:
                next(rest, "")
            except RecordError as problem:
                place = "header" if self.header else "row 1"
                raise InputError(f"{self.file}, {place}: {problem}") from None
            return
        opening = find_opening(head, self.delimiter, self._hint, self.header)
        if opening.how:
            name = "a tab" if opening.delimiter == "\t" else repr(opening.delimiter)
            text = f"{self.file}: delimiter {name} ({opening.how})"
            self.notes.append(Note("column", text))
        if opening.skips:
            self.note_titles(opening.n_before, opening.title)
        self.delimiter, n_before = opening.delimiter, opening.n_before
        lines, guard = chain(head[n_before:], rest), self.decoding.guard
        yield from _parse(lines, opening.delimiter, n_before + 1, guard)

    def begin(self, names: list[str], line: int) -> None:
        self.layout = Layout(self.delimiter or ",", names, line - 1 + self.header)

    def describe_ragged(self, n: int, expected: int) -> str:
        name = "tab" if self.delimiter == "\t" else self.delimiter
        return (
            f"{n} fields, expected {expected}; put quotes around a field that contains {name!r}, "
            "or if every row is like this, pass the character between fields as `delimiter`"
        )

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        batches = super().batches(columns, batch_size)
        plain = self._read_plain(columns) if batch_size is None else None
        return batches if plain is None else iter([plain])

    def _read_plain(self, columns: Columns) -> RawRows | None:
        """All rows, if the file is large and nothing about it is unusual."""
        layout = self.layout
        if layout is None or self.repeated or self.path == STDIN or compression(self.path):
            return None
        least = LARGE_IMPORTED if "polars" in sys.modules else LARGE
        path = Path(self.path)
        is_simple = self.decoding.name == "utf-8" and layout.delimiter.isascii() and path.is_file()
        if not is_simple or path.stat().st_size < least:
            return None
        import polars as pl

        wanted = list(dict.fromkeys([*columns.text, *columns.others]))
        plain = read_plain(self.path, layout, wanted)
        if plain is None:
            return None
        frame, lines = plain
        if not self.keep_blank and frame.select(_are_blank(wanted)).to_series().any():
            return None
        texts = frame.select(pl.concat_str(list(columns.text), separator="\n")).to_series()
        others = {name: frame[name].to_list() for name in columns.others}
        return RawRows(self.file, 1, Texts(texts), others, lines, self._take_notes())


def _are_blank(names: list[str]) -> Expr:
    """Whether a row may be empty: these columns are."""
    import polars as pl

    return pl.all_horizontal(pl.col(name).str.strip_chars() == "" for name in names)


def _peek_lines(lines: Iterator[str]) -> tuple[list[str], Iterator[str]]:
    """The first lines, and the others; an error among the first is raised by the others."""
    head: list[str] = []
    n_characters = 0
    try:
        for line in lines:
            head.append(line)
            n_characters += len(line)
            if len(head) == HEAD_LINES or n_characters > HEAD_CHARACTERS:
                break
    except RecordError as problem:
        return head, _raise(problem)
    return head, lines


def _raise(problem: RecordError) -> Iterator[str]:
    raise problem
    yield ""


def _parse(
    lines: Iterator[str], delimiter: str, first: int, guard: RowGuard | None
) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins; `first` is the number of the first line."""
    if guard:
        lines = guard.watch(lines, first)
    # Without strict, the module accepts quotes that are not closed or not doubled.
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + first
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                why = "a quote opens a field and is never closed"
            else:
                why = str(error)
            rule = 'a quote inside a quoted field is written twice ("")'
            end = reader.line_num + first - 1
            raise RecordError(f"{why} (read up to line {end}); {rule}", line) from None
        if guard:
            guard.end_row()
            guard.check_columns(len(fields), line)
        yield line, fields
