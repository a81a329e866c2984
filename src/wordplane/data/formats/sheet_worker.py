"""Reads a sheet in a process of its own: `sheet_worker.py FILE SHEET HINT BYTES`.

A small file can claim a table of billions of cells, so the process may take only so much memory;
if it takes more, it ends, and the reader says so. It writes lines of JSON: first an object about
the sheet, then a list for each row that has any cells: the number of the row, its cells, and at
which places they are numbers and dates.

Cells are strings as a spreadsheet shows them, but dates, which are written as 2024-05-31. Cells
that are merged downwards all have the value of the first, unless that repeats far more text than
the file has bytes. An error such as #N/A is an empty cell.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Iterator

import python_calamine

MIDNIGHT = datetime.time()
FREE_REPEATS, REPEATS_PER_BYTE = 1 << 24, 20  # characters

Spans = dict[int, list[tuple[int, int]]]  # by first row of merged cells: their column and last row


def main(path: str, wanted: str, hint: str, max_bytes: int) -> None:
    """Send the rows of the sheet that is wanted, or else of the one hinted at, or of the first."""
    limit_memory(max_bytes)
    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        sheets = book.sheet_names
        usual = hint if hint in sheets else next(iter(visible_sheets(book)), "")
        chosen = wanted or usual
        if chosen not in sheets:
            send({"sheets": sheets, "sheet": None})
            return
        sheet = book.get_sheet_by_name(chosen)
        spans = merged_spans(sheet)
        send({"sheets": sheets, "sheet": chosen, "merged": sum(map(len, spans.values()))})
        most = FREE_REPEATS + REPEATS_PER_BYTE * os.path.getsize(path)  # noqa: PTH202
        for row in rows(sheet, spans, most):
            send(row)
    except MemoryError:
        raise  # the reader says so by the exit code
    except Exception as error:  # whatever the library makes of the file
        send({"error": str(error) or type(error).__name__})


def limit_memory(max_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))


def visible_sheets(book: python_calamine.CalamineWorkbook) -> list[str]:
    """The sheets that are shown, or else all."""
    shown = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible == python_calamine.SheetVisibleEnum.Visible
        and sheet.typ == python_calamine.SheetTypeEnum.WorkSheet
    ]
    return shown or book.sheet_names


def merged_spans(sheet: python_calamine.CalamineSheet) -> Spans:
    """The cells that are merged downwards."""
    spans: Spans = {}
    for (first_row, column), (last_row, _) in sheet.merged_cell_ranges or ():
        if last_row > first_row:
            spans.setdefault(first_row, []).append((column, last_row))
    return spans


def rows(sheet: python_calamine.CalamineSheet, spans: Spans, most: int) -> Iterator[list[object]]:
    """The number of each row, counted from 1, its cells, and where they are numbers and dates;
    merged cells may repeat `most` characters in all."""
    if sheet.start is None:
        return
    first_column = sheet.start[1]
    values: dict[int, tuple[int, str]] = {}  # by column: the last row of a span, and its value
    for index, cells in enumerate(sheet.iter_rows()):  # empty rows at the top are among them
        texts = [text_of(cell) for cell in cells]
        numbers = [at for at, cell in enumerate(cells) if type(cell) in (int, float)]
        dates = [at for at, cell in enumerate(cells) if isinstance(cell, datetime.date)]
        for column, last in spans.get(index, ()):
            at = column - first_column
            if 0 <= at < len(texts):
                values[at] = last, texts[at]
        for at, (last, value) in list(values.items()):
            if index > last:
                del values[at]
            elif not texts[at]:
                texts[at] = value
                most -= len(value)
        if most < 0:
            raise ValueError("its merged cells repeat too much text")
        if any(map(str.strip, texts)):
            yield [index + 1, texts, numbers, dates]


def text_of(cell: object) -> str:
    """A cell as text."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    if isinstance(cell, datetime.datetime):
        return str(cell.date()) if cell.time() == MIDNIGHT else cell.isoformat(" ", "seconds")
    return "" if cell is None else str(cell)


def send(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")


if __name__ == "__main__":
    path, wanted, hint, limit = sys.argv[1:]
    main(path, wanted, hint, int(limit))
