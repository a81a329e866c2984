"""Frames of other libraries: which objects are frames, and answers as a frame of the same library.

Whatever has Arrow's C stream interface is read without a copy of its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

if TYPE_CHECKING:
    from polars import DataFrame, Series

STRUCT = b"+s"  # the format of a table in Arrow's C interface, whose columns are its children


def is_frame(source: object) -> bool:
    """Whether it is a frame or a mapping of columns. Of a lazy frame the columns are not asked for,
    which may take long."""
    if isinstance(source, Mapping) or hasattr(type(source), "columns"):
        return True
    if hasattr(source, "column_names") and hasattr(source, "features"):  # Hugging Face datasets
        return True
    schema = getattr(source, "schema", None)  # of a stream, which can be read only once
    has_stream = hasattr(source, "__arrow_c_stream__")
    return has_stream and hasattr(schema, "__arrow_c_schema__") and _format(schema) == STRUCT


def _format(schema: object) -> bytes:
    """What an Arrow schema is of: the first member of the struct that its capsule points to."""
    import ctypes

    capsule = schema.__arrow_c_schema__()  # type: ignore[attr-defined]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, b"arrow_schema")
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_char_p))[0] or b""


def is_arrow_string(column: object) -> bool:
    """Whether a column of pandas holds its strings as Arrow does.

    >>> is_arrow_string(["a list"])
    False
    """
    return getattr(getattr(column, "dtype", None), "storage", None) == "pyarrow"


def has_same_kind(source: object) -> bool:
    """Whether `same_kind` knows the library."""
    return _library(source) in SAME


def same_kind(frame: DataFrame, source: object) -> object:
    """A frame of polars as one of the library that the source is of.

    >>> import polars as pl
    >>> same_kind(pl.DataFrame({"label": ["a"]}), pl.Series(["text"])).columns
    ['label']
    """
    return SAME[_library(source)](frame, source)


def _library(source: object) -> str:
    return type(source).__module__.partition(".")[0].removeprefix("_")


def _pandas(frame: DataFrame, source: object) -> object:
    import pandas as pd

    index = getattr(source, "index", ())
    same_rows = index if len(index) == len(frame) else None
    return pd.DataFrame({column.name: column.to_list() for column in frame}, index=same_rows)


def _duckdb(frame: DataFrame, source: object) -> object:
    import duckdb

    return duckdb.from_arrow(frame)


def _nanoarrow(frame: DataFrame, source: object) -> object:
    import nanoarrow
    from polars import CompatLevel

    # Without string views, on which nanoarrow 0.9 damages memory.
    return getattr(nanoarrow, type(source).__name__)(
        frame.to_arrow(compat_level=CompatLevel.oldest())
    )


def _datasets(frame: DataFrame, source: object) -> object:
    import datasets

    return datasets.Dataset(frame.to_arrow())


SAME: dict[str, Callable[[DataFrame, object], object]] = {
    "polars": lambda frame, _: frame,
    "pandas": _pandas,
    "pyarrow": lambda frame, _: frame.to_arrow(),
    "duckdb": _duckdb,
    "nanoarrow": _nanoarrow,
    "datasets": _datasets,
}


class PandasColumn(Protocol):
    """What is asked of a column of pandas."""

    def tolist(self) -> list[object]: ...

    def isna(self) -> PandasColumn: ...


def as_series(name: str, column: object) -> Series:
    """A column of a frame or mapping. Values of several types are kept as they are: nobody may ask
    for them, and whoever does is told which row is of another type."""
    import polars as pl

    is_pandas = hasattr(column, "iloc")
    if is_pandas and is_arrow_string(column):
        return pl.Series(name, column)  # type: ignore[arg-type]
    values = _without_missing(cast(PandasColumn, column)) if is_pandas else column
    if isinstance(values, np.ndarray) and values.dtype.kind in "OUST":
        values = values.tolist()  # polars knows fewer kinds of strings than NumPy
    try:
        return pl.Series(name, values)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        if not isinstance(values, Sequence):
            raise
        return pl.Series(name, values, dtype=pl.Object)


def _without_missing(column: PandasColumn) -> list[object]:
    """The values of a column of pandas, None for those that are missing."""
    values, missing = column.tolist(), column.isna().tolist()
    return [None if gone else value for value, gone in zip(values, missing, strict=True)]
