"""What users pass as X, as the one matrix that the core accepts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError


def as_csr(X: Any) -> _core.Csr:
    """X (a native matrix, any SciPy sparse matrix, or something like a 2-D array), checked.

    >>> as_csr([[0, 2], [1, 0]]).shape
    (2, 2)
    """
    if isinstance(X, _core.Csr):
        return X
    if hasattr(X, "tocsr"):
        return _from_scipy(X)
    return _from_dense(_as_real(np.asarray(X)))


def as_scipy(X: Any, *, copy: bool = True) -> Any:
    """X as a SciPy CSR matrix of float32 or float64, checked; the stored entries stay as they are.

    With copy=False the result shares what it can with X.

    >>> as_scipy([[0, 2], [1, 0]]).data
    array([2., 1.])
    """
    from scipy.sparse import csr_matrix, issparse

    if not issparse(X):
        X = np.asarray(X)
        _check_shape(X)
        if X.dtype not in (np.float32, np.float64):
            X = _as_real(X)
        _check_finite(X)
        return csr_matrix(X)
    _check_shape(X)
    rows = X.tocsr()
    values = rows.data
    if values.dtype not in (np.float32, np.float64):
        values = _as_real(values)
    elif rows is X and (copy or not values.flags.carray):  # contiguous and writeable
        values = values.copy()
    _check_finite(values)
    if isinstance(X, csr_matrix) and values is X.data:
        return X
    copy = copy and rows is X
    indices = rows.indices.copy() if copy else rows.indices
    indptr = rows.indptr.copy() if copy else rows.indptr
    return csr_matrix((values, indices, indptr), shape=X.shape)


def as_rows(X: Any) -> Any:
    """X as a SciPy CSR matrix of the same type of values, to take columns from.

    >>> as_rows([[0, 2], [1, 0]]).toarray()
    array([[0, 2],
           [1, 0]])
    """
    from scipy.sparse import csr_matrix

    if isinstance(X, _core.Csr):
        indptr, indices, values = X.arrays()
        return csr_matrix((values, indices, indptr), shape=X.shape)
    if hasattr(X, "tocsr"):
        return X.tocsr()
    dense = np.asarray(X)
    return csr_matrix(dense.astype(np.float64) if dense.dtype == object else dense)


def scipy_as_csr(X: Any, threads: int = 1) -> _core.Csr:
    """The native matrix over the arrays of a matrix that `as_scipy` made."""
    return _core.Csr(
        X.shape[1],
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
        threads=threads,
    )


def take_rows(X: _core.Csr, rows: NDArray[Any]) -> _core.Csr:
    """The rows with these numbers, in this order, as often as they are named.

    >>> take_rows(as_csr([[1, 2], [0, 3]]), np.array([1, 0, 1])).arrays()[2]
    array([3., 1., 2., 3.])
    """
    indptr, indices, values = X.arrays()
    lengths = np.diff(indptr)[rows]
    new_indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    entries = np.arange(new_indptr[-1]) + np.repeat(indptr[rows] - new_indptr[:-1], lengths)
    return _core.Csr(X.shape[1], new_indptr, indices[entries], values[entries])


def stack_rows(X: _core.Csr, below: _core.Csr) -> _core.Csr:
    """The rows of X, then those of `below`, which has the same columns.

    >>> stack_rows(as_csr([[1, 2]]), as_csr([[0, 3]])).arrays()[2]
    array([1., 2., 3.])
    """
    (indptr, *rest), (indptr_below, *rest_below) = X.arrays(), below.arrays()
    joined = [np.concatenate(pair) for pair in zip(rest, rest_below, strict=True)]
    return _core.Csr(X.shape[1], np.concatenate([indptr, indptr[-1] + indptr_below[1:]]), *joined)


def _from_scipy(X: Any) -> _core.Csr:
    X = X.tocsr()
    _check_shape(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    values = _as_real(X.data)
    try:
        return _core.Csr(
            X.shape[1],
            np.ascontiguousarray(X.indptr, np.int64),
            np.ascontiguousarray(X.indices, np.int32),
            np.ascontiguousarray(values),
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def _from_dense(X: NDArray[Any]) -> _core.Csr:
    _check_shape(X)
    _check_finite(X)
    rows, columns = np.nonzero(X)
    indptr = np.zeros(X.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=X.shape[0]), out=indptr[1:])
    return _core.Csr(X.shape[1], indptr, columns.astype(np.int32), X[rows, columns])


def _as_real(values: NDArray[Any]) -> NDArray[Any]:
    if np.iscomplexobj(values):
        raise InputError("Complex data not supported: X has complex values, expected real ones")
    if values.dtype == np.float32:
        return values
    try:
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"X has a value that is no number ({error}); every argument must be a string or a "
            "number that converts to float; texts go through a vectoriser first"
        ) from None


def _check_shape(X: Any) -> None:
    if X.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: "
            "X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) if a single sample."
        )
    n_rows, n_cols = X.shape
    if n_rows < 1:
        raise InputError(
            f"Found array with 0 sample(s) (shape=({n_rows}, {n_cols})) "
            "while a minimum of 1 is required."
        )
    if n_cols < 1:
        raise InputError(
            f"Found array with 0 feature(s) (shape=({n_rows}, {n_cols})) "
            "while a minimum of 1 is required."
        )


def _check_finite(values: NDArray[Any]) -> None:
    with np.errstate(all="ignore"):
        total = values.sum()
    # The sum is quick, and finite unless a value is not or many are huge.
    if not np.isfinite(total) and not np.isfinite(values).all():
        raise InputError("X contains NaN or infinity; fill or drop such values first")
