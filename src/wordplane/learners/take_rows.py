"""Some rows of the native matrix."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core


def take_rows(X: _core.Csr, rows: NDArray[Any]) -> _core.Csr:
    """The rows with these numbers, in this order, as often as they are named.

    >>> from wordplane.features.matrix import as_csr
    >>> take_rows(as_csr([[1, 2], [0, 3]]), np.array([1, 0, 1])).arrays()[2]
    array([3., 1., 2., 3.])
    """
    indptr, indices, values = X.arrays()
    lengths = np.diff(indptr)[rows]
    new_indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    entries = np.arange(new_indptr[-1]) + np.repeat(indptr[rows] - new_indptr[:-1], lengths)
    return _core.Csr(X.shape[1], new_indptr, indices[entries], values[entries])
