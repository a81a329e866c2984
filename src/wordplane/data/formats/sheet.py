"""Spreadsheets (.xlsx, .xls, .xlsb, .ods), read by python-calamine in a process of its own.

The process may take memory in proportion to the file, so that a file that claims billions of
cells, or that expands to many times its size, is an error and nothing more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import IO

from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.files import no_such_file
from wordplane.common.memory import available_memory
from wordplane.common.notes import Note
from wordplane.data.compression import FREE_BYTES, MAX_EXPANSION, compression
from wordplane.data.encoding import STDIN, Decoding
from wordplane.data.formats.rows import RowTable
from wordplane.data.formats.table_start import HEAD_LINES, TableStart
from wordplane.data.sheet_cells import DateCell, NumberCell

WORKER = Path(__file__).with_name("sheet_worker.py")
BASE_BYTES, BYTES_PER_BYTE = 1 << 30, 60  # of memory, for each byte of the file
MAX_GAP = 1_000  # rows without a value, one after another, that are taken to be rows
CHUNK = 1 << 20

Row = tuple[int, list[str]]


class SheetTable(RowTable):
    """A sheet of a spreadsheet.

    sheet  its name; by default the first that is shown
    hint   its name in the file that the model was trained on, taken if there is one
    """

    def __init__(
        self,
        path: str,
        sheet: str | None = None,
        header: bool = True,
        *,
        hint: str | None = None,
        keep_blank: bool = True,
    ) -> None:
        super().__init__(path, Decoding(), header=header, keep_blank=keep_blank)
        self.sheet, self._hint = sheet, hint

    def style(self) -> dict[str, str]:
        return super().style() | ({} if self.sheet is None else {"sheet": self.sheet})

    def rows(self) -> Iterator[Row]:
        self._check()
        with self._worker() as lines:
            about = self._next(lines)
            if not about:
                return  # the process has ended, and says why by its code
            names = about["sheets"]
            assert isinstance(names, list)
            if about["sheet"] is None:
                raise InputError(
                    f"{self.file} has no sheet {self.sheet!r}; its sheets are "
                    f"{', '.join(map(repr, names))}"
                )
            if self.sheet is None and len(names) > 1:
                self.sheet = str(about["sheet"])
                others = [name for name in names if name != self.sheet]
                text = f"sheet {self.sheet!r}; others are {', '.join(map(repr, others))} (`sheet`)"
                self.notes.append(Note("column", f"{self.file}: {text}"))
            if about["merged"]:
                text = f"{about['merged']:,} merged cells: each row has the value of the first"
                self.notes.append(Note("unusual", f"{self.file}: {text}"))
            yield from self._after_titles(self._with_blank_rows(lines))

    def _after_titles(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, without those before the names of the columns."""
        head = list(islice(rows, HEAD_LINES))
        if self.header:
            start = TableStart([(n, fields) for n, (_, fields) in enumerate(head)])
            if start.is_regular and start.skips:
                head = head[start.n_before :]
                line = head[0][0]
                self.note_titles(line - 1, start.title, start.is_second)
                self._blank_rows = [blank for blank in self._blank_rows if blank > line]
        yield from chain(head, rows)

    def _with_blank_rows(self, lines: IO[str]) -> Iterator[Row]:
        """The rows, and between them those without a value."""
        last = 0
        while line := lines.readline():
            said = json.loads(line)
            if isinstance(said, dict):
                raise self._unreadable(said["error"])
            row, fields, numbers, dates = said
            for at in numbers:
                fields[at] = NumberCell(fields[at])
            for at in dates:
                fields[at] = DateCell(fields[at])
            gap = range(last + 1, row) if last else range(0)
            if not self.keep_blank:
                self._blank_rows += gap
            elif len(gap) > MAX_GAP:
                text = f"left out {len(gap):,} empty rows from line {gap[0]} on"
                self.notes.append(Note("left out", f"{self.file}: {text}"))
            else:
                yield from ((number, [""] * len(fields)) for number in gap)
            last = row
            yield row, fields

    def _check(self) -> None:
        """Refuse what cannot be read before a process is started for it."""
        if self.path == STDIN or compression(self.path):
            raise InputError(
                f"{self.file}: a spreadsheet is read from a file that is not compressed"
            )
        path = Path(self.path)
        if not path.is_file():
            raise InputError(no_such_file(self.path))
        if find_spec("python_calamine") is None:
            raise MissingExtraError("spreadsheets need the library python-calamine", "excel")
        if not zipfile.is_zipfile(path):
            return
        most = FREE_BYTES + MAX_EXPANSION * path.stat().st_size
        try:
            is_small = _expands_to_at_most(path, most)
        except Exception as error:  # whatever the library makes of the file
            raise self._unreadable(str(error)) from None
        if not is_small:
            raise InputError(
                f"{self.file}: expands to more than {MAX_EXPANSION} times its size; if that is "
                "right, save it as CSV"
            )

    @contextmanager
    def _worker(self) -> Iterator[IO[str]]:
        """What the process writes that reads the file."""
        size = Path(self.path).stat().st_size
        limit = BASE_BYTES + min(BYTES_PER_BYTE * size, available_memory())
        chosen = [self.path, self.sheet or "", self._hint or "", str(limit)]
        command = [sys.executable, "-P", str(WORKER), *chosen]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, encoding="utf-8") as process:
            assert process.stdout is not None
            try:
                yield process.stdout
                if process.wait() != 0:
                    raise self._too_large(limit)
            finally:
                process.kill()

    def _next(self, lines: IO[str]) -> dict[str, object]:
        """What is said about the sheet."""
        line = lines.readline()
        about: dict[str, object] = json.loads(line) if line else {}
        if "error" in about:
            raise self._unreadable(str(about["error"]))
        return about

    def _too_large(self, limit: int) -> InputError:
        return InputError(
            f"{self.file}: needs more than {limit >> 20:,} MB of memory; delete empty rows and "
            "columns at its end, or save it as CSV"
        )

    def _unreadable(self, why: str) -> InputError:
        return InputError(f"{self.file}: cannot be read as a spreadsheet ({why}); save it as CSV")


def _expands_to_at_most(path: Path, most: int) -> bool:
    """Whether all parts of a zip file have at most so many bytes, whatever it says of them."""
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > most:
            return False
        for entry in archive.infolist():
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise zipfile.BadZipFile(f"{entry.filename} is compressed in an unusual way")
            entry.file_size = sys.maxsize  # read on to the end
            with archive.open(entry) as part:
                while chunk := part.read(CHUNK):
                    most -= len(chunk)
                    if most < 0:
                        return False
    return True
