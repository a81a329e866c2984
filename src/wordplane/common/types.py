"""The types that signatures share.

MatrixLike    what users may pass as X: array-like, any SciPy sparse matrix, or a native `Csr`
LabelsLike    what users may pass as y: array-like of strings, integers or booleans
WeightsLike   weights of rows: array-like of numbers, one number for all, or None
Label         one label: a string, an integer or a boolean
LabelArray    labels or class names as NumPy holds them
RowIndex      which rows to take: a slice, row numbers, or a mask
JsonObject    what `to_dict` returns: strings, numbers, booleans, None, lists and objects of them
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Label: TypeAlias = str | int | bool
LabelArray: TypeAlias = NDArray[np.generic]
RowIndex: TypeAlias = slice | Sequence[int] | NDArray[np.integer] | NDArray[np.bool_]


@runtime_checkable
class SparseMatrix(Protocol):
    """A sparse matrix of SciPy's, which is imported only if a user has one."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> "SparseMatrix": ...


class CsrMatrix(SparseMatrix, Protocol):
    """SciPy's sparse matrices by row or by column: the part of them that Wordplane uses."""

    data: NDArray[np.number]
    indices: NDArray[np.integer]
    indptr: NDArray[np.integer]

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[np.number]: ...
    @property
    def has_canonical_format(self) -> bool: ...
    @property
    def T(self) -> "CsrMatrix": ...  # noqa: N802

    def __getitem__(self, rows_and_features: object) -> "CsrMatrix": ...
    def __matmul__(self, other: ArrayLike) -> FloatArray: ...
    def astype(self, dtype: np.typing.DTypeLike) -> "CsrMatrix": ...
    def copy(self) -> "CsrMatrix": ...
    def sum_duplicates(self) -> None: ...
    def toarray(self) -> NDArray[np.number]: ...
    def tocsr(self) -> "CsrMatrix": ...
    def tocsc(self) -> "CsrMatrix": ...
    def mean(self, axis: int) -> NDArray[np.number]: ...


MatrixLike: TypeAlias = ArrayLike | SparseMatrix | _core.Csr
LabelsLike: TypeAlias = ArrayLike
WeightsLike: TypeAlias = ArrayLike | None
JsonObject: TypeAlias = dict[str, object]
