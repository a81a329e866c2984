"""The truncated singular value decomposition X = U D V' of a sparse matrix, computed by SciPy."""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, MissingExtraError, WordplaneError
from wordplane.common.types import CsrMatrix

SOLVERS = ("arpack", "randomized")
MAX_DENSE_ENTRIES = 1_000_000  # up to which a dense decomposition is computed

Matrix = NDArray[np.floating] | CsrMatrix
Svd = tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.floating]]


def truncated_svd(X: Matrix, n_components: int, solver: str, random_state: int) -> Svd:
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
        try:
            from sklearn.utils.extmath import randomized_svd
        except ImportError as error:
            raise MissingExtraError("solver='randomized' needs scikit-learn", "learn") from error
        U, D, Vt = randomized_svd(X, k, n_iter=5, random_state=random_state, flip_sign=False)
    U, D, Vt = U[:, :k], D[:k], Vt[:k]
    largest = np.abs(Vt).argmax(axis=1)
    signs = np.where(Vt[range(k), largest] < 0, -1, 1).astype(Vt.dtype)
    return U * signs, D, Vt * signs[:, None]


def check_solver(n_components: object, solver: str) -> None:
    """Raise an error unless these are a number of components and the name of a solver."""
    if not isinstance(n_components, int | np.integer) or n_components < 1:
        raise InputError(f"n_components is {n_components!r}, expected a whole number of 1 or more")
    if solver not in SOLVERS:
        raise InputError(f"solver is {solver!r}, expected one of {', '.join(SOLVERS)}")


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
