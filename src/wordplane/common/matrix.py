"""Converts whatever users pass as X to the one matrix that the core accepts."""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import CsrMatrix, MatrixLike


def as_csr(X: MatrixLike) -> _core.Csr:
    """X as a native matrix, checked.

    >>> as_csr([[0, 2], [1, 0]]).shape
    (2, 2)
    """
    if isinstance(X, _core.Csr):
        return X
    if hasattr(X, "tocsr"):
        return _from_scipy(cast(CsrMatrix, X))
    return _from_dense(_as_real(np.asarray(X)))


def as_scipy(X: MatrixLike, *, copy: bool = True) -> CsrMatrix:
    """X as a SciPy CSR matrix of float32 or float64, checked; explicit zeros are kept.

    With copy=False the result shares memory with X where possible.

    >>> as_scipy([[0, 2], [1, 0]]).data
    array([2., 1.])
    """
    from scipy.sparse import csr_matrix, issparse

    if not issparse(X):
        dense = np.asarray(X)
        _check_shape(dense)
        if dense.dtype not in (np.float32, np.float64):
            dense = _as_real(dense)
        _check_finite(dense)
        return scipy_csr(dense)
    sparse = cast(CsrMatrix, X)
    _check_shape(sparse)
    rows = _checked_rows(sparse)
    values = rows.data
    if values.dtype not in (np.float32, np.float64):
        values = _as_real(values)
    elif rows is sparse and (copy or not values.flags.carray):  # contiguous and writeable
        values = values.copy()
    _check_finite(values)
    if isinstance(X, csr_matrix) and values is sparse.data:
        return sparse
    copy = copy and rows is sparse
    indices = rows.indices.copy() if copy else rows.indices
    indptr = rows.indptr.copy() if copy else rows.indptr
    return scipy_csr((values, indices, indptr), shape=sparse.shape)


def as_rows(X: MatrixLike) -> CsrMatrix:
    """X as a SciPy CSR matrix with values of the same type, to take features from.

    >>> as_rows([[0, 2], [1, 0]]).toarray()
    array([[0, 2],
           [1, 0]])
    """
    if isinstance(X, _core.Csr):
        indptr, indices, values = X.arrays()
        return scipy_csr((values, indices, indptr), shape=X.shape)
    if hasattr(X, "tocsr"):
        return _checked_rows(cast(CsrMatrix, X))
    dense = np.asarray(X)
    return scipy_csr(dense.astype(np.float64) if dense.dtype == object else dense)


def scipy_csr(content: object, shape: tuple[int, int] | None = None) -> CsrMatrix:
    """SciPy's `csr_matrix(content, shape)`."""
    from scipy.sparse import csr_matrix

    matrix: CsrMatrix = csr_matrix(content, shape=shape)
    return matrix


def scipy_as_csr(X: CsrMatrix, threads: int = 1) -> _core.Csr:
    """A native matrix over the arrays of a matrix from `as_scipy`."""
    return _core.Csr(
        X.shape[1],
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        _as_real(X.data),
        threads=threads,
    )


def take_rows(X: _core.Csr, rows: NDArray[np.integer]) -> _core.Csr:
    """The rows with these numbers, in this order; a number may occur more than once.

    >>> take_rows(as_csr([[1, 2], [0, 3]]), np.array([1, 0, 1])).arrays()[2]
    array([3., 1., 2., 3.])
    """
    indptr, indices, values = X.arrays()
    lengths = np.diff(indptr)[rows]
    new_indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    entries = np.arange(new_indptr[-1]) + np.repeat(indptr[rows] - new_indptr[:-1], lengths)
    return _core.Csr(X.shape[1], new_indptr, indices[entries], values[entries])


def stack_rows(X: _core.Csr, below: _core.Csr) -> _core.Csr:
    """The rows of X, then those of `below`, which has the same features.

    >>> stack_rows(as_csr([[1, 2]]), as_csr([[0, 3]])).arrays()[2]
    array([1., 2., 3.])
    """
    indptr, indices, values = X.arrays()
    indptr_below, indices_below, values_below = below.arrays()
    return _core.Csr(
        X.shape[1],
        np.concatenate([indptr, indptr[-1] + indptr_below[1:]]),
        np.concatenate([indices, indices_below]),
        np.concatenate([values, values_below]),
    )


def _checked_rows(X: CsrMatrix) -> CsrMatrix:
    """X as SciPy's CSR. Entries that are not within X are refused, since SciPy would follow them
    wherever they point."""
    _check_entries(X)
    rows = X.tocsr()
    if rows is not X:  # of formats that have no such arrays
        _check_entries(rows)
    return rows


def _check_entries(X: CsrMatrix) -> None:
    coordinates = getattr(X, "coords", ())  # of COO
    within = all(
        len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < size)
        for numbers, size in zip(coordinates, X.shape, strict=False)
    )
    if hasattr(X, "indptr"):
        block = getattr(X, "blocksize", (1, 1))
        n_rows, n_cols = (size // n for size, n in zip(X.shape, block, strict=True))
        if getattr(X, "format", "csr") == "csc":
            n_rows, n_cols = n_cols, n_rows
        starts, columns = X.indptr, X.indices
        within = (
            starts.shape == (n_rows + 1,)
            and starts[0] == 0
            and bool((starts[1:] >= starts[:-1]).all())
            and starts[-1] <= min(len(columns), len(X.data))
        )
        used = columns[: starts[-1]] if within else columns
        within = within and (len(used) == 0 or (used.min() >= 0 and used.max() < n_cols))
    if not within:
        raise InputError(
            f"X is a damaged sparse matrix: row pointers or indices are not within its shape "
            f"{X.shape}; check how its indptr and indices were made"
        )


def _from_scipy(X: CsrMatrix) -> _core.Csr:
    X = _checked_rows(X)
    _check_shape(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    used = slice(int(X.indptr[-1]))  # the arrays may be longer
    values = _as_real(X.data[used])
    try:
        return _core.Csr(
            X.shape[1],
            np.ascontiguousarray(X.indptr, np.int64),
            np.ascontiguousarray(X.indices[used], np.int32),
            np.ascontiguousarray(values),
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def _from_dense(X: NDArray[np.floating]) -> _core.Csr:
    _check_shape(X)
    _check_finite(X)
    rows, columns = np.nonzero(X)
    indptr = np.zeros(X.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=X.shape[0]), out=indptr[1:])
    return _core.Csr(X.shape[1], indptr, columns.astype(np.int32), X[rows, columns])


def _as_real(values: NDArray[np.generic]) -> NDArray[np.floating]:
    if np.iscomplexobj(values):
        raise InputError("Complex data not supported: X has complex values, expected real ones")
    if values.dtype == np.float32:
        return values.astype(np.float32, copy=False)
    try:
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"X has a value that is not a number ({error}); every argument must be a string or a "
            "number that converts to float; turn texts into numbers with a vectorizer first"
        ) from None


def _check_shape(X: NDArray[np.generic] | CsrMatrix) -> None:
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


def _check_finite(values: NDArray[np.number]) -> None:
    with np.errstate(all="ignore"):
        total = values.sum()
    # The sum is quick; it is finite unless a value is not, or many values are huge.
    if not np.isfinite(total) and not np.isfinite(values).all():
        raise InputError(
            "X contains NaN or infinity, expected finite numbers; fill or drop such values first"
        )
