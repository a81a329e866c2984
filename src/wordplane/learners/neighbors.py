"""k nearest neighbors: a text is what the texts most like it are.

    cosine       d = 1 - q . x / (|q| |x|)                       (1 if either is all zeros)
    euclidean    d = |q - x|
    hamming      d = sum_j w_j 1(q_j != x_j) / sum_j w_j         w_j = 1, given, or "ig"

    p_k = sum of the votes of the k neighbors of class k / sum of all their votes
    votes: 1 ("uniform"), 1 / d ("distance") or 1 / d^2 ("squared"); if some d = 0, theirs alone

A row of weight w counts like w rows at the same place: neighbors are taken until their weights
add up to k, of the last one only what is still missing. A row of weight 0 has no vote.

The search is exact: the neighbors are those with the smallest distances as computed in double
precision, the lower row first among equals (and so is it decided which of equals belong to the k).
Distances of whole numbers, such as counts, that are equal are computed equal, to the last bit.
Among classes with equal votes the first is predicted. With "ig" the weight of a column is what
its presence tells about the class: its information gain.

Reference: Cover and Hart (1967), Nearest neighbor pattern classification. Daelemans and van den
Bosch (2005), Memory-based language processing (for "ig").
"""

from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix_estimator import MatrixEstimator, check_length
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.features.scores import information_gain
from wordplane.learners.support.base import MODEL_OF_ROWS, Classifier, ClassWeight
from wordplane.learners.support.parameter_checks import check_choice, check_whole
from wordplane.learners.support.regressor import Regressor, as_targets

METRICS = ("cosine", "euclidean", "hamming")
MOST_WEIGHT = 1e300  # of all features: sums and products of two are numbers still
VOTES = ("uniform", "distance", "squared")

Rows = NDArray[np.int32]


class _Neighbors(MatrixEstimator):
    """The rows of a fit, found by their distance."""

    feature_weights_: FloatArray | None
    _fit_arrays: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.floating]]

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        weights: str = "uniform",
        metric: str = "cosine",
        feature_weights: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.feature_weights = feature_weights
        self.n_jobs = n_jobs

    def kneighbors(self, X: MatrixLike, n_neighbors: int | None = None) -> tuple[FloatArray, Rows]:
        """The distances of the nearest rows of the fit, and their numbers, nearest first."""
        self._check_fitted()
        Q = self._known_features(X)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        n_docs = len(self._fit_arrays[0]) - 1
        if not isinstance(k, Integral) or not 1 <= k <= n_docs:
            raise InputError(
                f"Expected n_neighbors <= n_samples_fit and at least 1: n_neighbors is {k!r}, "
                f"n_samples_fit is {n_docs}, n_samples is {Q.shape[0]}"
            )
        return self._nearest(Q, int(k))

    def _remember(self, X: _core.Csr, labels: LabelArray | None) -> None:
        check_choice(self, "metric", METRICS)
        check_choice(self, "weights", VOTES)
        check_whole(self, "n_neighbors")
        self.feature_weights_ = self._weights_of_features(X, labels)
        indptr, indices, values = X.arrays()
        self._fit_arrays = indptr.copy(), indices.copy(), values.copy()
        self._build()

    def _weights_of_features(self, X: _core.Csr, labels: LabelArray | None) -> FloatArray | None:
        given = self.feature_weights
        if self.metric != "hamming":
            if given is not None:
                raise InputError("`feature_weights` are used only with metric='hamming'")
            return None
        if given is None:
            return np.ones(X.shape[1])
        if isinstance(given, str):
            if given != "ig":
                raise InputError(f"feature_weights is {given!r}, expected None, 'ig' or an array")
            if labels is None:
                raise InputError("feature_weights='ig' needs classes: a regressor has none")
            return information_gain(X, labels, n_jobs=self.n_jobs)
        weights = np.asarray(given, dtype=np.float64)
        fits = (
            weights.shape == (X.shape[1],) and np.isfinite(weights).all() and (weights >= 0).all()
        )
        if not fits or not weights.any():
            raise InputError(
                f"feature_weights: {X.shape[1]} numbers from 0 up are expected, not all 0"
            )
        return weights

    def _build(self) -> None:
        """The index of the remembered rows."""
        X = _core.Csr(self.n_features_in_, *self._fit_arrays)
        if self.metric == "hamming":
            assert self.feature_weights_ is not None
            weights = _summable(self.feature_weights_)
            self._index = _core.NeighborIndex(X, -_row_sums(X, weights), weights, None)
            return
        squares = _squares(X)
        if self.metric == "cosine":
            self._is_zero = squares == 0
            self._index = _core.NeighborIndex(X, np.zeros(X.shape[0]), None, squares)
        else:
            self._index = _core.NeighborIndex(X, -squares / 2, None, None)

    def _nearest(self, Q: _core.Csr, k: int) -> tuple[FloatArray, Rows]:
        n_queries, threads = Q.shape[0], thread_count(self.n_jobs)
        squares = np.zeros(0) if self.metric == "hamming" else _squares(Q)
        # A call takes less than about a second, so that Ctrl-C works.
        step = max(8 * threads, int(4e9 / max(1, len(self._fit_arrays[1]))))
        parts = []
        for begin in range(0, n_queries, step):
            end = min(begin + step, n_queries)
            parts.append(self._index.search(Q, begin, end, k, threads))
            notify("searching neighbors", end, n_queries)
        rows = np.concatenate([part[0] for part in parts])
        gaps = np.concatenate([part[1] for part in parts])
        if self.metric == "cosine":  # |q - x|^2 = 2 - 2 cos for rows of length 1
            distances = gaps / 2
            distances[self._is_zero[rows] | (squares == 0)[:, None]] = 1.0
        elif self.metric == "euclidean":
            distances = np.sqrt(gaps)
        else:
            assert self.feature_weights_ is not None
            total = float(_summable(self.feature_weights_).sum())
            distances = gaps / max(total, np.finfo(float).tiny)
        order = np.argsort(distances, axis=1, kind="stable")  # of equals, the best score first
        return np.take_along_axis(distances, order, 1), np.take_along_axis(rows, order, 1)

    def _votes(self, distances: FloatArray, counted: FloatArray | None = None) -> FloatArray:
        """How much every neighbor counts; each row adds up to 1.

        counted  how much of each neighbor there is; None for one of each
        """
        present = np.ones_like(distances) if counted is None else counted
        if self.weights == "uniform":
            votes = present
        else:
            same = np.where(distances == 0, present, 0.0)
            power = 1 if self.weights == "distance" else 2
            nearest = np.where(present > 0, distances, np.inf).min(axis=1, keepdims=True)
            # Relative to the nearest, powers do not overflow.
            with np.errstate(divide="ignore", invalid="ignore"):
                votes = np.where(present > 0, present * (nearest / distances) ** power, 0.0)
            votes = np.where(same.any(axis=1, keepdims=True), same, votes)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_index"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        if "_fit_arrays" in state:
            self._build()


class KNeighbors(_Neighbors, Classifier):
    """k nearest neighbors as a classifier.

    Parameters
    ----------
    n_neighbors : int, default 5
        How many neighbors vote.
    weights : "uniform", "distance" or "squared", default "uniform"
        Each neighbor counts 1, 1 / d or 1 / d^2.
    metric : "cosine", "euclidean" or "hamming", default "cosine"
        The distance d.
    feature_weights : None, "ig" or one number per feature, default None
        How much each column counts in "hamming"; "ig" is its information gain.
    class_weight : "balanced" or mapping, default None
        The weight of each class; "balanced" makes all classes count alike.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    classes_
        The labels, sorted.
    feature_weights_
        The weights of the columns in "hamming".
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = KNeighbors(n_neighbors=3).fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> distances, rows = model.kneighbors([[0, 0, 1]])
    >>> rows
    array([[3, 2, 0]], dtype=int32)
    """

    kind = "neighbors"

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        weights: str = "uniform",
        metric: str = "cosine",
        feature_weights: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            weights=weights,
            metric=metric,
            feature_weights=feature_weights,
            n_jobs=n_jobs,
        )
        self.class_weight = class_weight

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Remember the rows, their labels and weights."""
        matrix, self._codes, weights = self._weighted_rows(X, y, sample_weight)
        self._weights = None if (weights == 1).all() else weights
        self._remember(matrix, self.classes_[self._codes])
        return self

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """The share of the votes of every class."""
        self._check_fitted()
        distances, rows = self.kneighbors(X, self._n_to_find())
        counted = self._counted(rows)
        shares = np.zeros((len(rows), len(self.classes_)))
        number = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
        np.add.at(shares, (number, self._codes[rows]), self._votes(distances, counted))
        return shares

    def _n_to_find(self) -> int:
        """How many rows to find, so that the weights of the nearest add up to n_neighbors."""
        if self._weights is None:
            return self.n_neighbors
        least = np.cumsum(np.sort(self._weights))
        enough = int(np.searchsorted(least, self.n_neighbors)) + 1
        return min(enough, len(least))

    def _counted(self, rows: Rows) -> FloatArray | None:
        """How much of each row is among the n_neighbors nearest."""
        if self._weights is None:
            return None
        weights = self._weights[rows]
        before = np.cumsum(weights, axis=1) - weights
        return np.asarray(np.clip(self.n_neighbors - before, 0.0, weights))

    def predict(self, X: MatrixLike) -> LabelArray:
        """The class with the most votes, the first of them if several have it."""
        shares = self.predict_proba(X).round(12)  # equal but for the rounding of sums is equal
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def why_no_text_model(self) -> str:
        """It keeps training rows."""
        return MODEL_OF_ROWS.format(type(self).__name__)


class KNeighborsRegressor(_Neighbors, Regressor):
    """The mean of y over the k nearest neighbors, by their votes.

    Parameters
    ----------
    n_neighbors, weights, metric, feature_weights, n_jobs
        As in `KNeighbors`; feature_weights may not be "ig", which needs classes.

    Examples
    --------
    >>> model = KNeighborsRegressor(n_neighbors=2, metric="euclidean")
    >>> model.fit([[0], [1], [3]], [1, 2, 9]).predict([[0.4], [2.9]])
    array([1.5, 5.5])
    """

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Remember the rows and their numbers; y may have several columns."""
        if isinstance(self.feature_weights, str):
            raise InputError("feature_weights='ig' needs classes, and regression has none")
        matrix = self._new_features(X)
        self._targets = as_targets(y)
        check_length(matrix, self._targets, "y")
        self._remember(matrix, None)
        return self

    def predict(self, X: MatrixLike) -> FloatArray:
        """The mean over the neighbors."""
        distances, rows = self.kneighbors(X)
        return np.asarray(np.einsum("ik,ik...->i...", self._votes(distances), self._targets[rows]))


def _squares(X: _core.Csr) -> FloatArray:
    """The squared lengths of the rows."""
    squares = _core.squared_norms(X, 1)
    if not np.isfinite(squares).all():
        raise InputError("X has values whose squares are too large for distances: scale them down")
    return squares


def _summable(weights: FloatArray) -> FloatArray:
    """The weights rounded to multiples of a unit so small that it does not show, and so large that
    sums are exact: the same weights in another order have the same sum."""
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if total > MOST_WEIGHT:
        raise InputError("feature_weights are too large for distances: scale them down")
    unit = 2.0 ** (np.ceil(np.log2(max(total, np.finfo(float).tiny))) - 50)
    return np.asarray(np.round(weights / unit) * unit)


def _row_sums(X: _core.Csr, weights: FloatArray) -> FloatArray:
    """The weights of the columns that are not 0, for every row."""
    indptr, indices, values = X.arrays()
    present = _core.Csr(X.shape[1], indptr, indices, (values != 0).astype(np.float64))
    return _core.linear_scores(present, weights[:, None], np.zeros(1), 1)[:, 0]
