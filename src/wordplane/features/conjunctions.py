"""Conjunctions: 1 if a text has both of two features, named and:a&b.

Of the chosen features, or of two groups one from each, those pairs are features that at least
`min_df` training texts have. A linear learner sees in them what single features cannot show it,
such as XOR.
"""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.feature_names import feature_names
from wordplane.features.transformer import MatrixTransformer


class Conjunctions(MatrixTransformer):
    """Appends columns for pairs of features that are both there (not 0).

    Parameters
    ----------
    features : list of int or of str, default None
        The columns to pair, by number or, if X is a frame, by name; None means all.
    others : list of int or of str, default None
        If given, pairs are of one column of `features` and one of these.
    min_df : int, default 1
        Leave out pairs that fewer rows have.
    append : bool, default True
        Whether the columns of X stay, before the new ones.

    Attributes
    ----------
    pairs_
        The columns of every pair, the lower first.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 2, 1], [0, 0, 1]]
    >>> pairs = Conjunctions(min_df=2, append=False).fit(X)
    >>> pairs.transform(X).toarray().ravel()
    array([1., 1., 0.])
    >>> pairs.get_feature_names_out(["not", "good", "film"])
    array(['and:not&good'], dtype=object)
    """

    pairs_: NDArray[np.int64]

    def __init__(
        self,
        features: Iterable[int | str] | None = None,
        others: Iterable[int | str] | None = None,
        *,
        min_df: int = 1,
        append: bool = True,
    ) -> None:
        self.features = features
        self.others = others
        self.min_df = min_df
        self.append = append

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the pairs that enough rows have; y is not looked at."""
        from scipy.sparse import triu

        if type(self.min_df) is not int or self.min_df < 1:
            raise InputError(f"min_df is {self.min_df!r}, expected a whole number from 1 up")
        matrix = self._new_features(X)
        first = self._chosen("features", self.features, feature_names(X))
        second = (
            first if self.others is None else self._chosen("others", self.others, feature_names(X))
        )
        present = _present(matrix, first | second)
        together = triu(present.T @ present, k=1).tocoo()
        a, b = together.row.astype(np.int64), together.col.astype(np.int64)
        crossed = (first[a] & second[b]) | (first[b] & second[a])
        keep = crossed & (together.data >= self.min_df)
        self.pairs_ = np.unique(np.column_stack([a[keep], b[keep]]), axis=0)
        return self

    def transform(self, X: Any) -> Any:
        """X with a column of 0 and 1 for every pair, as a sparse matrix."""
        from scipy.sparse import csr_matrix, hstack

        self._check_fitted()
        matrix = self._known_rows(X, copy=True)
        paired = np.zeros(self.n_features_in_, bool)
        paired[self.pairs_.ravel()] = True
        row, a, b = _pairs_by_row(_present(matrix, paired))
        keys = self.pairs_ @ [self.n_features_in_, 1]
        found = np.searchsorted(keys, a * self.n_features_in_ + b)
        known = found < len(keys)
        known[known] = keys[found[known]] == (a * self.n_features_in_ + b)[known]
        places = row[known], found[known]
        ones = np.ones(len(places[0]), matrix.dtype)
        both = csr_matrix((ones, places), shape=(matrix.shape[0], len(keys)))
        return hstack([matrix, both], format="csr") if self.append else both

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns of X, if they stay, and and:a&b for every pair."""
        self._check_fitted()
        names = self._names_in(input_features)
        pairs = [f"and:{names[a]}&{names[b]}" for a, b in self.pairs_]
        return np.array([*(names if self.append else ()), *pairs], dtype=object)

    def _chosen(self, what: str, wish: Any, names: Any) -> NDArray[np.bool_]:
        """Flags of the columns that are wished for."""
        flags = np.zeros(self.n_features_in_, bool)
        if wish is None:
            flags[:] = True
            return flags
        number = {} if names is None else {name: column for column, name in enumerate(names)}
        for column in wish:
            j = number.get(column, column)
            if not isinstance(j, int | np.integer) or not 0 <= j < len(flags):
                raise InputError(
                    f"{what} names the column {column!r}, expected numbers from 0 to "
                    f"{len(flags) - 1}{' or names of columns' if number else ''}"
                )
            flags[j] = True
        return flags


def _present(matrix: Any, columns: NDArray[np.bool_]) -> Any:
    """1 where these columns of the matrix are not 0; columns ascend in each row."""
    present = matrix.copy()
    present.sum_duplicates()
    present.data[~columns[present.indices]] = 0
    present.eliminate_zeros()
    present.data = np.ones(len(present.data), np.int64)
    return present


def _pairs_by_row(present: Any) -> tuple[NDArray[np.int64], ...]:
    """Row, lower and higher column of all pairs of entries in the same row."""
    ends = present.indptr[1:].astype(np.int64)
    row = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    entry = np.arange(len(row))
    behind = ends[row] - entry - 1  # entries of the row after this one
    first = np.repeat(entry, behind)
    start = np.concatenate([[0], np.cumsum(behind)[:-1]]) if len(row) else behind
    second = np.arange(len(first)) - np.repeat(start, behind) + first + 1
    columns = present.indices.astype(np.int64)
    return row[first], columns[first], columns[second]
