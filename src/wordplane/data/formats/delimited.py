"""CSV and TSV, read by the standard library's `csv`, which accepts what real exports contain.

Large files without anything unusual are read by polars, several times as fast.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.data.columns import Columns
from wordplane.data.compression import compression
from wordplane.data.encoding import STDIN, RecordError, text_lines
from wordplane.data.formats.plain_csv import Layout, read_plain
from wordplane.data.formats.records import RecordOrBlank, RecordTable
from wordplane.data.raw_rows import RawRows

# From which size on polars pays: importing it takes as long as the standard library for 16 MB.
LARGE, LARGE_IMPORTED = 1 << 24, 1 << 20
SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n])\r?\n?", re.IGNORECASE)  # from spreadsheets


class DelimitedTable(RecordTable):
    def __init__(
        self, path: str, encoding: str, skip_bad: bool, delimiter: str | None, header: bool
    ) -> None:
        super().__init__(path, encoding, skip_bad)
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise InputError(f"the delimiter is {delimiter!r}, expected one character such as ;")
        self.delimiter = delimiter
        self.header = header
        self.layout: Layout | None = None  # once the header has been read
        self.repeated: dict[str, int] = {}  # names of several columns, and how many have each

    def records(self) -> Iterator[RecordOrBlank]:
        csv.field_size_limit(sys.maxsize)  # the module's own limit is 128 KiB, less than a book
        lines = text_lines(self.path, self.encoding, newline="")
        try:
            first = next(lines, "")
        except RecordError as problem:
            place = "header" if self.header else "row 1"
            raise InputError(f"{self.file}, {place}: {problem}") from None
        line_number = 1
        if separator := SEPARATOR_LINE.fullmatch(first):
            line_number, first = 2, next(lines, "")
        delimiter = self.delimiter or self._guess_delimiter(
            separator[1] if separator else None, first
        )
        names: list[str] | None = None
        for line, fields in _parse(chain([first], lines), delimiter, line_number):
            if not fields:
                yield line, None
                continue
            if names is None:
                names = self._names(fields)
                self.layout = Layout(delimiter, names, line - 1 + self.header)
                if self.header:
                    continue
            if len(fields) != len(names):
                yield line, RecordError(_describe_ragged(len(fields), len(names), delimiter), line)
                continue
            if self.repeated:
                yield line, _join_repeated(names, fields)
            else:
                yield line, dict(zip(names, fields, strict=True))

    def _guess_delimiter(self, named: str | None, first_line: str) -> str:
        unquoted = re.sub(r'"[^"]*"', "", first_line)
        best = named or max(",;\t|", key=unquoted.count)  # the comma if counts are equal
        if best != ",":
            name = "a tab" if best == "\t" else repr(best)
            how = "as the first line says" if named else "the most frequent in the first line"
            self.notes.append(Note("column", f"{self.file}: delimiter {name} ({how})"))
        return best

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
        plain = self._read_plain(columns) if batch_size is None else None
        return super().batches(columns, batch_size) if plain is None else iter([plain])

    def _read_plain(self, columns: Columns) -> RawRows | None:
        """All rows, if the file is large and nothing about it is unusual."""
        layout = self.layout
        if layout is None or self.repeated or self.path == STDIN or compression(self.path):
            return None
        least = LARGE_IMPORTED if "polars" in sys.modules else LARGE
        path = Path(self.path)
        is_simple = self.encoding == "utf-8" and layout.delimiter.isascii() and path.is_file()
        if not is_simple or path.stat().st_size < least:
            return None
        import polars as pl

        wanted = list(dict.fromkeys([*columns.text, *columns.others]))
        plain = read_plain(self.path, layout, wanted)
        if plain is None:
            return None
        frame, lines = plain
        texts = frame.select(pl.concat_str(list(columns.text), separator="\n")).to_series()
        others = {name: frame[name].to_list() for name in columns.others}
        return RawRows(self.file, 1, Texts(texts), others, lines, self._take_notes())


def _parse(lines: Iterator[str], delimiter: str, first: int) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins; `first` is the number of the first line."""
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
        yield line, fields


def _join_repeated(names: list[str], fields: list[str]) -> dict[str, str]:
    """A record that joins the fields of columns with the same name, so that a guess sees all."""
    record: dict[str, list[str]] = {name: [] for name in names}
    for name, field in zip(names, fields, strict=True):
        record[name].append(field)
    return {name: " ".join(values) for name, values in record.items()}


def _describe_ragged(n: int, expected: int, delimiter: str) -> str:
    name = "tab" if delimiter == "\t" else delimiter
    return (
        f"{n} fields, expected {expected}; put quotes around a field that contains {name!r}, "
        "or if every row is like this, pass the character between fields as `delimiter`"
    )
