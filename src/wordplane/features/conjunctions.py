"""Conjunctions: features named and:a&b that are 1 if a text has both feature a and feature b.

The pairs are formed among the chosen features, or between two sets of features; those that occur
in at least `min_df` training texts are kept. With them a linear learner can learn what single
features cannot express, such as XOR.

`Conjunctions` adds them to a matrix. `PairFeatures` are those of an analyzer with `conjoin`: the 1
is divided by the norm of the group in the text, if the analyzer has one, times the weight of the
group "and".
"""

from collections.abc import Iterable
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.feature_names import FeatureNames, feature_names
from wordplane.common.label_sets import LabelsOrSets
from wordplane.common.matrix import scipy_csr
from wordplane.common.types import CsrMatrix, IntArray, LabelsLike, MatrixLike
from wordplane.features.scores import best_features, feature_scores
from wordplane.features.transformer import MatrixTransformer
from wordplane.text.analyzer_spec import AnalyzerSpec

MIN_DF = 2  # of the pairs of an analyzer: a pair of one text alone is only about that text
NO_PAIRS = np.zeros((0, 2), np.int64)


class Conjunctions(MatrixTransformer[CsrMatrix]):
    """Adds a feature for each pair of features that occur together (are not 0).

    Parameters
    ----------
    features : list of int or of str, default None
        The features to pair, by number or, if X is a frame, by name; None means all.
    others : list of int or of str, default None
        If given, each pair has one of `features` and one of these.
    min_df : int, default 1
        Leave out pairs that occur in fewer rows.
    append : bool, default True
        Whether to keep the features of X, before the new ones.

    Attributes
    ----------
    pairs_
        The two feature numbers of every pair, the lower first.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 2, 1], [0, 0, 1]]
    >>> pairs = Conjunctions(min_df=2, append=False).fit(X)
    >>> pairs.transform(X).toarray().ravel()
    array([1., 1., 0.])
    >>> pairs.get_feature_names_out(["not", "good", "film"])
    array(['and:not&good'], dtype=object)
    """

    pairs_: IntArray

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

    def fit(self, X: MatrixLike, y: LabelsLike | None = None) -> Self:
        """Find the pairs that occur in enough rows; y is ignored."""
        if type(self.min_df) is not int or self.min_df < 1:
            raise InputError(f"min_df is {self.min_df!r}, expected a whole number of 1 or more")
        matrix = self._new_rows(X)
        names = feature_names(X)
        first = self._feature_mask("features", self.features, names)
        second = first
        if self.others is not None:
            second = self._feature_mask("others", self.others, names)
        present = _stored_presence(matrix, first | second)
        self.pairs_ = _find_pairs(present, first, second, self.min_df)
        return self

    def transform(self, X: MatrixLike) -> CsrMatrix:
        """X with a feature of 0 and 1 for every pair, as a sparse matrix."""
        from scipy.sparse import hstack

        self._check_fitted()
        matrix = self._known_rows(X, copy=True)
        paired = np.zeros(self.n_features_in_, bool)
        paired[self.pairs_.ravel()] = True
        present = _stored_presence(matrix, paired)
        pairs = _pair_matrix(present, self.pairs_).astype(matrix.dtype)
        return cast(CsrMatrix, hstack([matrix, pairs], format="csr")) if self.append else pairs

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> FeatureNames:
        """The names of the features of X, if they are kept, and and:a&b for every pair."""
        self._check_fitted()
        names = self._names_in(input_features)
        pairs = [pair_name(names[a], names[b]) for a, b in self.pairs_]
        return np.array([*(names if self.append else ()), *pairs], dtype=object)

    def _feature_mask(
        self, parameter: str, wanted: Iterable[int | str] | None, names: FeatureNames | None
    ) -> NDArray[np.bool_]:
        """Which features are wanted."""
        if wanted is None:
            return np.ones(self.n_features_in_, bool)
        mask = np.zeros(self.n_features_in_, bool)
        index_of = {} if names is None else {name: j for j, name in enumerate(names)}
        for feature in wanted:
            j = index_of.get(feature, feature)
            if not isinstance(j, int | np.integer) or not 0 <= j < len(mask):
                raise InputError(
                    f"{parameter} has the feature {feature!r}, expected numbers from 0 to "
                    f"{len(mask) - 1}{' or names of features' if index_of else ''}"
                )
            mask[j] = True
        return mask


class PairFeatures:
    """Pairs of counted features, the lower first, in ascending order."""

    def __init__(self, spec: AnalyzerSpec, pairs: IntArray, n_counted: int) -> None:
        keys = pairs @ np.array([n_counted, 1]) if pairs.shape[1:] == (2,) else None
        if keys is None or (len(pairs) > 0 and spec.selection.conjoin is None):
            raise InputError("pairs of features are expected with `conjoin` alone")
        inside = len(pairs) == 0 or (pairs.min() >= 0 and pairs.max() < n_counted)
        if not inside or not (pairs[:, 0] < pairs[:, 1]).all() or not (np.diff(keys) > 0).all():
            raise InputError("expected pairs of features in ascending order")
        self.pairs, self.n_counted = pairs, n_counted
        self._norm = spec.weighting.norm
        self._weight = spec.weighting.group_weight("and")

    @classmethod
    def fit(
        cls, spec: AnalyzerSpec, counts: _core.Csr, labels: LabelsOrSets | None, threads: int
    ) -> Self:
        """Find the pairs among the best features of training texts."""
        selection, conjoin = spec.selection.select, spec.selection.conjoin
        if conjoin is None:
            return cls(spec, NO_PAIRS, counts.shape[1])
        score = "ig" if selection is None else selection.score
        paired = best_features(feature_scores(counts, labels, score, threads), conjoin)
        indptr, indices, _ = counts.arrays()
        pairs = _find_pairs(_presence(indptr, indices, paired), paired, paired, MIN_DF)
        return cls(spec, pairs, counts.shape[1])

    def __len__(self) -> int:
        return len(self.pairs)

    def matrix(self, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> _core.Csr:
        """The values in texts with these counted features."""
        if len(self) == 0:
            no_values = np.zeros(0, np.int32), np.zeros(0, np.float32)
            return _core.Csr(0, np.zeros(len(indptr), np.int64), *no_values)
        paired = np.zeros(self.n_counted, bool)
        paired[self.pairs.ravel()] = True
        present = _pair_matrix(_presence(indptr, indices, paired), self.pairs)
        n_pairs = np.diff(present.indptr)
        size = {None: np.ones(len(n_pairs)), "l1": n_pairs, "l2": np.sqrt(n_pairs)}[self._norm]
        value = self._weight / np.maximum(size, 1.0)
        values = np.repeat(value, n_pairs).astype(np.float32)
        return _core.Csr(
            len(self), present.indptr.astype(np.int64), present.indices.astype(np.int32), values
        )


def pair_name(a: str, b: str) -> str:
    """The name of a conjunction."""
    return f"and:{a}&{b}"


def _find_pairs(
    present: CsrMatrix, first: NDArray[np.bool_], second: NDArray[np.bool_], min_df: int
) -> IntArray:
    """The pairs of a feature of `first` and one of `second` in at least `min_df` rows, ascending.

    present  1 where a row has a feature of either
    """
    from scipy.sparse import triu

    together = triu(present.T @ present, k=1).tocoo()
    a, b = together.row.astype(np.int64), together.col.astype(np.int64)
    crossed = (first[a] & second[b]) | (first[b] & second[a])
    keep = crossed & (together.data >= min_df)
    return np.unique(np.column_stack([a[keep], b[keep]]), axis=0)


def _pair_matrix(present: CsrMatrix, pairs: IntArray) -> CsrMatrix:
    """1 where a row has both features of a pair, one column per pair."""
    n_rows, n_features = present.shape
    row, a, b = _pairs_by_row(present)
    keys = pairs @ np.array([n_features, 1])
    index = np.searchsorted(keys, a * n_features + b)
    known = index < len(keys)
    known[known] = keys[index[known]] == (a * n_features + b)[known]
    places = row[known], index[known]
    return scipy_csr((np.ones(len(places[0])), places), shape=(n_rows, len(keys)))


def _stored_presence(matrix: CsrMatrix, features: NDArray[np.bool_]) -> CsrMatrix:
    """1 where these features of the matrix are not 0."""
    stored = matrix.copy()
    stored.sum_duplicates()
    stored.eliminate_zeros()
    return _presence(stored.indptr, stored.indices, features)


def _presence(
    indptr: NDArray[np.integer], indices: NDArray[np.integer], features: NDArray[np.bool_]
) -> CsrMatrix:
    """1 where a row has one of these features; features ascend in each row."""
    wanted = features[indices]
    before = np.concatenate([[0], np.cumsum(wanted)])
    ones = np.ones(int(before[-1]), np.int64)
    shape = len(indptr) - 1, len(features)
    present = scipy_csr((ones, indices[wanted], before[indptr]), shape=shape)
    present.sum_duplicates()  # which sorts the features of each row
    return present


def _pairs_by_row(present: CsrMatrix) -> tuple[IntArray, IntArray, IntArray]:
    """Row, lower and higher feature of all pairs of entries in the same row."""
    ends = present.indptr[1:].astype(np.int64)
    row = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    entry = np.arange(len(row))
    n_after = ends[row] - entry - 1  # entries of the row after this one
    first = np.repeat(entry, n_after)
    start = np.concatenate([[0], np.cumsum(n_after)[:-1]]) if len(row) else n_after
    second = np.arange(len(first)) - np.repeat(start, n_after) + first + 1
    features = present.indices.astype(np.int64)
    return row[first], features[first], features[second]
