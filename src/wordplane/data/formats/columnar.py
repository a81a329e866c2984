"""Parquet, Arrow IPC and frames, read by polars; no Python string is made per document."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data.columns import SAMPLE_ROWS, Columns, Sample
from wordplane.data.compression import compression
from wordplane.data.encoding import STDIN, display_name, open_bytes
from wordplane.data.raw_rows import RawRows, no_rows_error

if TYPE_CHECKING:
    from polars import LazyFrame

ARROW_FILE_MARK = b"ARROW1"  # files begin with it, streams do not


class ColumnarTable:
    has_free_columns = True

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

        self.n_rows = int(frame.select(pl.len()).collect().item())
        if self.n_rows == 0:
            raise no_rows_error(self.file)
        as_strings = pl.col(pl.Categorical, pl.Enum, pl.Null).cast(pl.String)
        self.frame = frame.with_columns(as_strings)
        self.schema = self.frame.collect_schema()

    def sample(self) -> Sample:
        with self._named_errors():
            head = self.frame.head(SAMPLE_ROWS).collect()
        return {column.name: column.to_list() for column in head}

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        import polars as pl

        for name in columns.text:
            if self.schema[name] != pl.String:
                raise InputError(
                    f"{self.file}: the text column {name!r} is of type {self.schema[name]}, "
                    "expected strings; cast it, or name another column with `text`"
                )
        texts = pl.concat_str([pl.col(name).fill_null("") for name in columns.text], separator="\n")
        step = batch_size or self.n_rows
        for start in range(0, self.n_rows, step):
            with self._named_errors():
                rows = self.frame.slice(start, step)
                frame = rows.select(*columns.others).collect()
                text = rows.select(texts.alias("text")).collect()["text"]
            others = {name: frame[name].to_list() for name in columns.others}
            yield RawRows(self.file, start + 1, Texts(text), others)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        import polars as pl

        try:
            yield
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            why = str(error).partition("\n")[0]
            raise InputError(f"{self.file}: cannot be read as {self.format} ({why})") from error


class FrameTable(ColumnarTable):
    """A frame of polars, pandas, pyarrow or whatever speaks Arrow, or a mapping of columns."""

    def __init__(self, frame: object) -> None:
        import polars as pl

        self.file, self.format = "the frame", "a frame"
        with self._named_errors():
            try:
                if isinstance(frame, Mapping):
                    table = pl.DataFrame(dict(frame))
                elif isinstance(frame, pl.LazyFrame):
                    table = frame.collect()
                elif hasattr(frame, "iloc"):  # pandas; its Arrow interface would need pyarrow
                    table = pl.DataFrame({str(name): frame[name].tolist() for name in frame})  # type: ignore[index, attr-defined]
                else:
                    table = pl.DataFrame(frame)  # type: ignore[arg-type]
            except (TypeError, ValueError) as error:
                why = str(error).partition("\n")[0]
                raise InputError(f"{self.file}: cannot be read ({why})") from error
            self._set_frame(table.lazy())
