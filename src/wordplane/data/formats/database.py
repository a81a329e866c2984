"""The rows of a query to a database, as they come."""

from __future__ import annotations

from collections.abc import Iterator

from wordplane.data.columns import Columns
from wordplane.data.databases import Address, read_rows
from wordplane.data.formats.columnar import ColumnarTable
from wordplane.data.raw_rows import RawRows, no_rows_error


class DatabaseTable(ColumnarTable):
    """Columns are chosen from the first rows that the database sends."""

    def __init__(self, address: str, query: str | None) -> None:
        self.file, self.format = Address.of(address).shown, "rows of a database"
        self._frames = read_rows(address, query)
        first = next((frame for frame in self._frames if len(frame)), None)
        if first is None:
            raise no_rows_error(self.file)
        self._first, self.first_row = first, 1
        self._set_frame(first.lazy())

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        yield from super().batches(columns, batch_size)
        n_rows = len(self._first)
        for frame in self._frames:
            if len(frame) == 0:
                continue
            self.first_row = 1 + n_rows
            self._set_frame(frame.lazy())
            yield from super().batches(columns, batch_size)
            n_rows += len(frame)
