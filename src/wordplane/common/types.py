"""The types that signatures share.

MatrixLike   what users may pass as X: array-like, any SciPy sparse matrix, or a native `Csr`
LabelsLike   what users may pass as y: array-like of strings, integers or booleans
WeightsLike  weights of rows: array-like of numbers, one number for all, or None
LabelArray   labels or class names as NumPy holds them
JsonObject   what `to_dict` returns: strings, numbers, booleans, None, lists and objects of them
"""

from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core


@runtime_checkable
class SparseMatrix(Protocol):
    """A sparse matrix of SciPy's, which is imported only if a user has one."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> "SparseMatrix": ...


FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
LabelArray: TypeAlias = NDArray[np.generic]
MatrixLike: TypeAlias = ArrayLike | SparseMatrix | _core.Csr
LabelsLike: TypeAlias = ArrayLike
WeightsLike: TypeAlias = ArrayLike | None
JsonObject: TypeAlias = dict[str, object]
