"""The types that signatures share.

MatrixLike    what users may pass as X: array-like, any SciPy sparse matrix, or a native `Csr`
LabelsLike    what users may pass as y: array-like of strings, integers or booleans
WeightsLike   weights of rows: array-like of numbers, one number for all, or None
Label         one label: a string, an integer or a boolean
LabelArray    labels or class names as NumPy holds them
RowIndex      which rows to take: a slice, row numbers, or a mask
AnyArray      an array of any dtype, such as a file may hold
JsonObject    what `to_dict` returns: strings, numbers, booleans, None, lists and objects of them
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wordplane import _core

AnyArray: TypeAlias = NDArray[Any]
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
    has_canonical_format: bool

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def nnz(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[np.number]: ...
    @property
    def T(self) -> "CsrMatrix": ...  # noqa: N802

    def __getitem__(self, rows_and_features: object) -> "CsrMatrix": ...
    def __add__(self, other: "CsrMatrix") -> "CsrMatrix": ...
    @overload
    def __matmul__(self, other: "CsrMatrix") -> "CsrMatrix": ...
    @overload
    def __matmul__(self, other: ArrayLike) -> FloatArray: ...
    def astype(self, dtype: DTypeLike) -> "CsrMatrix": ...
    def copy(self) -> "CsrMatrix": ...
    def eliminate_zeros(self) -> None: ...
    def mean(self, axis: int) -> NDArray[np.number]: ...
    def sum(self, axis: int | None = None) -> NDArray[np.number]: ...
    def sum_duplicates(self) -> None: ...
    def toarray(self) -> AnyArray: ...  # of its dtype
    def tocsc(self) -> "CsrMatrix": ...
    def tocsr(self) -> "CsrMatrix": ...


MatrixLike: TypeAlias = ArrayLike | SparseMatrix | _core.Csr
LabelsLike: TypeAlias = ArrayLike
TextsLike: TypeAlias = Iterable[str | bytes]
WeightsLike: TypeAlias = ArrayLike | None
JsonObject: TypeAlias = dict[str, object]
