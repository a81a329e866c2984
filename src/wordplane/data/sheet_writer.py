"""Writes a table as a spreadsheet (.xlsx) with XlsxWriter, row by row.

Strings are written as strings, whatever they begin with: no formula, link or number is made of
them. What was a number or a date in the spreadsheet that was read is one again. A warning says how
many texts are longer than a cell can be, and are cut.
"""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.files import draft_folder
from wordplane.data.sheet_cells import DateCell, NumberCell

if TYPE_CHECKING:
    import xlsxwriter
    from xlsxwriter.format import Format

MAX_ROWS, MAX_COLUMNS, MAX_CHARACTERS = 1_048_576, 16_384, 32_767  # that Excel can hold
FIRST_YEAR = 1900  # that Excel knows
EXACT = 2**53  # larger integers are written as text
WIDE, NARROW = 60, 14  # columns of long texts, and others, in characters

Table = Mapping[str, Sequence[object]]


class Sheet(Protocol):
    """What is used of XlsxWriter."""

    def write_string(self, row: int, column: int, value: str) -> int: ...

    def write_number(self, row: int, column: int, value: float) -> int: ...

    def write_datetime(self, row: int, column: int, value: datetime, style: Format) -> int: ...

    def write_boolean(self, row: int, column: int, value: bool) -> int: ...


def write_sheet(batches: Iterable[Table], path: Path, name: str) -> None:
    """Write all rows to a file; `name` is what messages call it."""
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("spreadsheets need the library XlsxWriter", "excel") from None
    batches = iter(batches)
    first = next(batches, {})  # an error in the input comes before any file
    with (
        TemporaryDirectory(prefix="wordplane-sheet-") as folder,
        draft_folder(Path(folder), partial(shutil.rmtree, ignore_errors=True)),
    ):
        options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        book = xlsxwriter.Workbook(str(path), {**options, "tmpdir": folder})
        _fill(book, first, batches, name)


def _fill(book: xlsxwriter.Workbook, first: Table, batches: Iterator[Table], name: str) -> None:
    """Write the rows to the one sheet of a book, and close it."""
    sheet = book.add_worksheet()
    bold = book.add_format({"bold": True})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    minute = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    if len(first) > MAX_COLUMNS:
        raise InputError(f"{name}: a sheet holds {MAX_COLUMNS:,} columns, and there are more")
    for column, (title, values) in enumerate(first.items()):
        sheet.set_column(column, column, WIDE if _are_long(values) else NARROW)
        sheet.write_string(0, column, title, bold)
    sheet.freeze_panes(1, 0)
    n_rows, n_cut = 1, 0
    for batch in chain([first], batches):
        for row in zip(*batch.values(), strict=True):
            if n_rows >= MAX_ROWS:
                book.close()
                raise InputError(
                    f"{name}: a sheet holds {MAX_ROWS - 1:,} rows, and there are more; write .csv"
                )
            for column, value in enumerate(row):
                if isinstance(value, DateCell) and value.time.year >= FIRST_YEAR:
                    style = day if len(value) == len("2024-05-31") else minute
                    sheet.write_datetime(n_rows, column, value.time, style)
                else:
                    _write_cell(sheet, n_rows, column, value)
                    n_cut += isinstance(value, str) and len(value) > MAX_CHARACTERS
            n_rows += 1
    if first:
        sheet.autofilter(0, 0, max(n_rows - 1, 1), len(first) - 1)
    book.close()
    if n_cut:
        cells = "1 cell was" if n_cut == 1 else f"{n_cut:,} cells were"
        warnings.warn(
            f"{name}: {cells} cut, since Excel holds {MAX_CHARACTERS:,} characters in each; .csv "
            "keeps them whole",
            stacklevel=3,
        )


def _are_long(values: Sequence[object]) -> bool:
    return any(isinstance(value, str) and len(value) > WIDE for value in values[:100])


def _write_cell(sheet: Sheet, row: int, column: int, value: object) -> None:
    if value is None or value == "":
        return
    if isinstance(value, NumberCell):
        value = value.number
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and math.isfinite(value) and abs(value) <= EXACT:
        sheet.write_number(row, column, value)
    else:
        sheet.write_string(row, column, str(value)[:MAX_CHARACTERS])
