"""CSV and TSV, read by the standard library's `csv`, which accepts what real exports contain.

Rows without anything unusual are read by the core, several times as fast.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import Columns
from wordplane.data.encoding import Decoding, RecordError, RowGuard, text_lines
from wordplane.data.formats.plain_csv import Layout, read_plain
from wordplane.data.formats.records import join_texts
from wordplane.data.formats.rows import RowTable
from wordplane.data.formats.table_start import HEAD_CHARACTERS, HEAD_LINES, find_opening
from wordplane.data.raw_rows import RawRows


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
        self._has_quotes = True  # around fields

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
            self.note_titles(opening.n_before, opening.title, opening.is_second)
        self.delimiter, n_before = opening.delimiter, opening.n_before
        self._has_quotes = opening.delimiter != "\t" or not _has_loose_quotes(head[n_before:])
        if not self._has_quotes:
            text = "quotes are read as parts of the fields, since they do not enclose whole ones"
            self.notes.append(Note("column", f"{self.file}: {text}"))
        lines, guard = chain(head[n_before:], rest), self.decoding.guard
        yield from _parse(lines, opening.delimiter, n_before + 1, guard, self._has_quotes)

    def begin(self, names: list[str], line: int) -> None:
        if self._has_quotes:
            self.layout = Layout(self.delimiter or ",", names, line - 1 + self.header)

    def describe_ragged(self, n: int, expected: int) -> str:
        name = "tab" if self.delimiter == "\t" else self.delimiter
        return (
            f"{n} fields, expected {expected}; put quotes around a field that contains {name!r}, "
            "or if every row is like this, pass the character between fields as `delimiter`"
        )

    def plain_batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows | None]:
        layout = self.layout
        if layout is None or self.repeated or not layout.delimiter.isascii():
            return
        wanted = list(dict.fromkeys([*columns.text, *columns.others]))
        first_row = 1
        for plain in read_plain(Path(self.path), layout, wanted, batch_size):
            if plain is None or (not self.keep_blank and _have_blank(plain.columns)):
                yield None
                return
            texts = join_texts([plain.columns[name] for name in columns.text])
            others = {name: list(plain.columns[name]) for name in columns.others}
            yield RawRows(self.file, first_row, texts, others, plain.lines)
            first_row += len(texts)


def _have_blank(columns: Mapping[str, Texts]) -> bool:
    """Whether a row is blank in all of these columns."""
    return bool(set.intersection(*(set(texts.blank()) for texts in columns.values())))


def _has_loose_quotes(lines: list[str]) -> bool:
    """Whether tabs divide lines evenly, and quotes in them stand elsewhere than around fields."""
    n_tabs = {line.count("\t") for line in lines}
    if len(n_tabs) != 1 or n_tabs == {0}:
        return False
    try:
        rows = list(csv.reader(lines, delimiter="\t", strict=True))
    except csv.Error:
        return True
    return len(rows) < len(lines)


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
    lines: Iterator[str], delimiter: str, first: int, guard: RowGuard | None, quotes: bool
) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins; `first` is the number of the first line."""
    if guard:
        lines = guard.watch(lines, first)
    # Without strict, the module accepts quotes that are not closed or not doubled.
    if quotes:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
    else:
        reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=csv.QUOTE_NONE)
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
