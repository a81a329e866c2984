"""The truncated singular value decomposition X = U D V' of a sparse matrix.

"arpack" is SciPy's and as exact as rounding allows. "randomized" multiplies a few more random
vectors than are asked for by X and X' in turn, all of them at once and on all threads:

    Q            random, n_features x (k + 20)
    three times  Q <- orth(X' orth(X Q))
    X Q = U D W', V = Q W

Products with X stay in its precision. Columns are made orthonormal by Cholesky's decomposition of
their products, and the last decomposition is that of (X Q)' (X Q): both multiply matrices, which
is the fastest that a processor does.

The strongest directions are found as exactly; of the weakest asked for, a little is mixed with
those that follow.

Reference: Halko, Martinsson and Tropp (2011), SIAM Review 53(2), algorithms 4.4 and 5.1.
"""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.matrix import as_csr
from wordplane.common.types import CsrMatrix
from wordplane.text.checks import check_choice

SOLVERS = ("arpack", "randomized")
MAX_DENSE_ENTRIES = 1_000_000  # up to which a dense decomposition is computed
OVERSAMPLING = 20  # further vectors
N_ITER = 3
SMALL_SQUARE = 1e-5  # a squared singular value relative to the largest, where rounding shows

Matrix = NDArray[np.floating] | CsrMatrix
Svd = tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.floating]]


def truncated_svd(
    X: Matrix, n_components: int, solver: str, random_state: int, threads: int = 1
) -> Svd:
    """U, D (descending) and V' of the largest singular values; fewer if X has fewer.

    The largest entry of each row of V' is above 0, which fixes the signs.

    >>> U, D, Vt = truncated_svd(np.diag([1.0, 3.0, 2.0]), 2, "arpack", 0)
    >>> D.tolist(), Vt.tolist()
    ([3.0, 2.0], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """
    check_solver(n_components, solver)
    k = min(n_components, *X.shape)
    if k == min(X.shape) or X.shape[0] * X.shape[1] <= MAX_DENSE_ENTRIES:
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        U, D, Vt = np.linalg.svd(cast(NDArray[np.float64], dense), full_matrices=False)
    elif solver == "arpack":
        U, D, Vt = _arpack(X, k, random_state)
    else:
        U, D, Vt = _randomized(X, k, random_state, threads)
    U, D, Vt = U[:, :k], D[:k], Vt[:k]
    largest = np.abs(Vt).argmax(axis=1)
    signs = np.where(Vt[range(k), largest] < 0, -1, 1).astype(Vt.dtype)
    return U * signs, D, Vt * signs[:, None]


def check_solver(n_components: object, solver: str) -> None:
    """Raise an error unless these are a number of components and the name of a solver."""
    if not isinstance(n_components, int | np.integer) or n_components < 1:
        raise InputError(f"n_components is {n_components!r}, expected a whole number of 1 or more")
    check_choice("solver", solver, SOLVERS)


def _arpack(X: Matrix, k: int, random_state: int) -> Svd:
    from scipy.sparse.linalg import ArpackNoConvergence, svds

    start = np.random.default_rng(random_state).uniform(-1, 1, min(X.shape))
    try:
        U, D, Vt = svds(X, k, v0=start.astype(X.dtype))
    except ArpackNoConvergence as error:
        raise WordplaneError(
            f'the decomposition did not converge ({error}); try `solver="randomized"`'
        ) from None
    return U[:, ::-1], D[::-1], Vt[::-1]


def _randomized(X: Matrix, k: int, random_state: int, threads: int) -> Svd:
    rows, columns = as_csr(X), as_csr(X.T)

    def product(A: _core.Csr, Q: NDArray[np.floating]) -> NDArray[np.floating]:
        result = np.empty((A.shape[0], Q.shape[1]), Q.dtype)
        _core.dense_product(A, np.ascontiguousarray(Q), result, threads)
        return result

    n_vectors = min(k + OVERSAMPLING, *X.shape)
    Q = np.random.default_rng(random_state).standard_normal((X.shape[1], n_vectors)).astype(X.dtype)
    for _ in range(N_ITER):
        Q = _orthonormal(product(columns, _orthonormal(product(rows, Q))))
    Q = _orthonormal(Q)  # the first time left what rounding does to directions nearly the same
    U, D, Wt = _thin_svd(product(rows, Q), k)
    return U, D, Wt @ Q.T


def _orthonormal(A: NDArray[np.floating]) -> NDArray[np.floating]:
    """Orthonormal columns with the span of A's: A L'^-1 where L L' = A' A (Cholesky's), which is
    a tenth of the work of Householder's QR; that if columns are too nearly dependent."""
    try:
        L = np.linalg.cholesky(A.T @ A)
    except np.linalg.LinAlgError:
        return np.linalg.qr(A)[0]
    return np.asarray(A @ np.linalg.inv(L).T)


def _thin_svd(A: NDArray[np.floating], k: int) -> Svd:
    """The k largest singular values of a tall matrix and their vectors, by A' A = V D^2 V'; if
    they are too small for the square, by NumPy."""
    squares, V = np.linalg.eigh(A.T @ A)
    squares, V = squares[::-1][:k], V[:, ::-1][:, :k]
    if not squares[-1] > SMALL_SQUARE * squares[0]:
        return np.linalg.svd(A, full_matrices=False)
    D = np.sqrt(squares)
    return A @ (V / D), D, V.T
