"""Parquet, Arrow IPC and frames, read by polars; no Python string is made per document."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.columns import SAMPLE_ROWS, Columns, Sample
from wordplane.data.compression import compression
from wordplane.data.encoding import STDIN, display_name, open_bytes
from wordplane.data.frames import as_series
from wordplane.data.raw_rows import RawRows, TooManyRowsError, no_rows_error

if TYPE_CHECKING:
    from polars import DataFrame, LazyFrame


PATH = "path of the file (Wordplane)"  # hardly the name of a column
ARROW_FILE_MARK = b"ARROW1"  # files begin with it, streams do not


class ColumnarTable:
    has_free_columns = True
    first_row = 1  # its number in messages

    def style(self) -> dict[str, str]:
        return {}

    def __init__(self, path: str, format: str) -> None:
        import polars as pl

        self.file = display_name(path)
        self.format = {"parquet": "Parquet", "arrow": "Arrow IPC"}[format]
        with open_bytes(path) as stream, self._named_errors():
            in_memory = path == STDIN or compression(path)
            head = stream.read(-1 if in_memory else len(ARROW_FILE_MARK))
            if not head:
                raise InputError(f"{self.file}: the file is empty")
            source = io.BytesIO(head) if in_memory else path
            if format == "parquet":
                frame = pl.scan_parquet(source, glob=False)
            elif head.startswith(ARROW_FILE_MARK):
                frame = pl.scan_ipc(source, glob=False)
            else:
                frame = pl.read_ipc_stream(source).lazy()
            self._set_frame(frame)

    def _set_frame(self, frame: LazyFrame) -> None:
        import polars as pl

        as_strings = pl.col(pl.Categorical, pl.Enum, pl.Null).cast(pl.String)
        self.frame = frame.with_columns(as_strings)
        self.schema = self.frame.collect_schema()

    def sample(self) -> Sample:
        with self._named_errors():
            head = self.frame.head(SAMPLE_ROWS).collect()
        if head.is_empty():
            raise no_rows_error(self.file)
        return {column.name: column.to_list() for column in head}

    def names(self) -> Collection[str]:
        return self.schema.names()

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        joined, query = self._query(columns)
        start = 0
        for frame in self._collect(query, batch_size):
            yield _raw_rows(self.file, frame, columns, joined, start + self.first_row)
            start += len(frame)
        if start == 0:
            raise no_rows_error(self.file)

    def _query(self, columns: Columns, *more: str) -> tuple[str, LazyFrame]:
        """The name of the column of texts, and a query for it and other columns."""
        import polars as pl

        for name in columns.text:
            if self.schema[name] == pl.Object:
                self._refuse_mixed(name)
            if self.schema[name] != pl.String:
                raise InputError(
                    f"{self.file}: the text column {name!r} is of type {self.schema[name]}, "
                    "expected strings; cast it, or name another column with `text`"
                )
        parts = [pl.col(name).fill_null("") for name in columns.text]
        texts = parts[0] if len(parts) == 1 else pl.concat_str(parts, separator="\n")
        joined = max(self.schema.names(), key=len) + "+"  # the name of no column
        return joined, self.frame.select(*columns.others, *more, texts.alias(joined))

    def _collect(self, query: LazyFrame, batch_size: int | None) -> Iterator[DataFrame]:
        """The rows of a query, without batches that have none. One slice after another would
        decode the rows before each again."""
        with self._named_errors():
            if batch_size is None:
                batches = iter([query.collect()])
            else:
                batches = query.collect_batches(chunk_size=batch_size, maintain_order=True)
        while True:
            with self._named_errors():
                frame = next(batches, None)
            if frame is None:
                return
            if not frame.is_empty():
                yield frame

    def _refuse_mixed(self, name: str) -> None:
        """A column of texts has values of several types: name the first that is no string."""
        values = self.frame.select(name).collect()[name].to_list()
        others = [row for row, v in enumerate(values) if not isinstance(v, str | None)]
        first = others[0]
        more = f", as in {len(others) - 1:,} more rows" if len(others) > 1 else ""
        raise InputError(
            f"{self.file}, row {first + self.first_row}: the text in column {name!r} is "
            f"{values[first]!r:.60}, expected a string{more}; convert the column with "
            ".astype(str), or name another with `text`"
        )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        import polars as pl

        try:
            yield
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            why = str(error).partition("\n")[0]
            raise InputError(f"{self.file}: cannot be read as {self.format} ({why})") from error


def _raw_rows(file: str, frame: DataFrame, columns: Columns, joined: str, first: int) -> RawRows:
    others = {name: frame[name].to_list() for name in columns.others}
    return RawRows(file, first, Texts(frame[joined]), others)


class ParquetFiles(ColumnarTable):
    """Files of the same columns, which are read at once."""

    def __init__(self, paths: Sequence[str]) -> None:
        import polars as pl

        self.file, self.format, self._paths = display_name(paths[0]), "Parquet", paths
        with self._named_errors():
            frame = pl.scan_parquet(
                list(paths), glob=False, include_file_paths=PATH, extra_columns="ignore"
            )
            self._set_frame(frame)

    def read_each(self, columns: Columns, max_rows: int) -> list[RawRows]:
        """The rows of each file; an error if there are none, or more than so many in all."""
        joined, query = self._query(columns, PATH)
        with self._named_errors():
            frame = query.head(max_rows + 1).collect()
        if len(frame) > max_rows:
            raise TooManyRowsError(f"{self.file} and others: more than {max_rows:,} rows")
        runs, parts, start = frame[PATH].rle(), [], 0
        if len(runs) != len(self._paths):
            raise no_rows_error("one of the files")
        for path, n_rows in zip(self._paths, runs.struct.field("len").to_list(), strict=True):
            part = frame.slice(start, n_rows)
            parts.append(_raw_rows(display_name(path), part, columns, joined, self.first_row))
            start += n_rows
        return parts


class FrameTable(ColumnarTable):
    """A frame of polars, pandas, pyarrow or whatever speaks Arrow, or a mapping of columns.

    What pandas calls missing (NaN, NaT, NA) is missing here too, whatever the type of the column.
    """

    first_row = 0  # as in Python

    def __init__(self, frame: object) -> None:
        import polars as pl

        self.file, self.format = "the frame", "a frame"
        with self._named_errors():
            try:
                if isinstance(frame, pl.LazyFrame):
                    table = frame.collect()
                elif isinstance(frame, Mapping):
                    items = frame.items()
                    table = pl.DataFrame([as_series(str(name), column) for name, column in items])
                elif hasattr(frame, "iloc"):  # pandas; its Arrow interface would need pyarrow
                    names = map(str, frame.columns)  # type: ignore[attr-defined]
                    columns = [(name, frame.iloc[:, k]) for k, name in enumerate(names)]
                    table = pl.DataFrame([as_series(name, column) for name, column in columns])
                elif hasattr(frame, "features") and hasattr(frame, "data"):  # Hugging Face datasets
                    table = pl.DataFrame(frame.with_format("arrow")[:])  # type: ignore[attr-defined]
                else:
                    if type(frame).__module__.startswith("pyarrow"):  # polars trusts its buffers
                        if hasattr(frame, "read_all"):
                            frame = frame.read_all()
                        frame.validate(full=True)  # type: ignore[attr-defined]
                    table = pl.DataFrame(frame)  # type: ignore[arg-type]
            except (TypeError, ValueError) as error:
                why = str(error).partition("\n")[0]
                raise InputError(f"{self.file}: cannot be read ({why})") from error
            self._set_frame(table.lazy())
