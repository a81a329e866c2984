"""k-means, by scikit-learn's solver, and spherical k-means.

    choose k centers: k-means++, or the means of labeled rows (seeds) and k-means++ for the rest
    repeat until nothing changes:
        every row joins its nearest center      (spherical: that with the largest cosine)
        every center becomes the mean of its rows (spherical: of unit rows, made a unit vector)

k-means minimizes the sum of squared distances of the rows to their centers; spherical k-means
maximizes the sum of cosines, and is what suits texts. Of `n_init` starts the best result is kept.

References: Lloyd (1982), IEEE TIT 28; Arthur and Vassilvitskii (2007), SODA; Dhillon and Modha
(2001), Machine Learning 42; Basu, Banerjee and Mooney (2002), ICML, for seeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.matrix import as_scipy
from wordplane.common.matrix_estimator import MatrixEstimator
from wordplane.common.progress import notify
from wordplane.common.set_output import FrameOutput
from wordplane.common.types import (
    CsrMatrix,
    FloatArray,
    IntArray,
    Label,
    LabelArray,
    MatrixLike,
    SparseMatrix,
)

if TYPE_CHECKING:
    from sklearn.utils import Tags

# Rows as scikit-learn takes them.
Rows: TypeAlias = FloatArray | CsrMatrix
Seed: TypeAlias = Label | tuple[Label, ...]
Seeds: TypeAlias = Iterable[Seed | None]


class KMeans(FrameOutput, MatrixEstimator):
    """Rows of a matrix (texts, or vectors of words) in clusters. Needs scikit-learn, unless
    spherical.

    Parameters
    ----------
    n_clusters : int, default 8
        k.
    spherical : bool, default False
        Whether rows are compared by cosine.
    n_init : int, default 10
        How many starts.
    max_iter : int, default 300
        The most rounds.
    tol : float, default 1e-4
        Stop when the centers move less, relative to the spread of the rows.
    random_state : int, default 0
        Seed of the starts.

    Attributes
    ----------
    labels_
        The cluster of every row.
    cluster_centers_
        One row per cluster.
    seeds_
        The labels of the first clusters, if seeds were given.
    inertia_
        The sum of squared distances to the centers (of unit rows to unit centers if spherical).
    n_iter_
        Rounds of the best start.

    Examples
    --------
    >>> X = [[1, 0], [9, 1], [0, 1], [1, 9]]
    >>> KMeans(2, spherical=True).fit(X, seeds=["east", None, None, "north"]).labels_
    array([0, 0, 1, 1])
    """

    labels_: IntArray
    cluster_centers_: FloatArray
    seeds_: list[Seed]
    inertia_: float
    n_iter_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        spherical: bool = False,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.spherical = spherical
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: object = None, *, seeds: Seeds | None = None) -> Self:
        """Find the clusters of the rows of X; y is not looked at.

        `seeds` has a label for some of the rows and None for the others: the rows of a label
        start a cluster together, after which they are rows like all others.
        """
        self._check_parameters()
        try:
            if not self.spherical:
                import sklearn.cluster  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("k-means needs scikit-learn", "learn") from error
        rows = self._rows(X, new=True)
        if rows.shape[0] < self.n_clusters:
            raise InputError(
                f"there are n_samples={rows.shape[0]} rows for n_clusters={self.n_clusters}: "
                "a cluster needs at least one"
            )
        self.seeds_, seeded = self._seed_centers(rows, seeds)
        rng = np.random.default_rng(self.random_state)
        best: Solution | None = None
        n_starts = 1 if len(seeded) == self.n_clusters else self.n_init
        for start in range(n_starts):
            centers = start_centers(rows, self.n_clusters, seeded, rng)
            solved = self._lloyd(rows, centers)
            if best is None or solved.inertia < best.inertia:
                best = solved
            notify("finding clusters", start + 1, n_starts)
        assert best is not None
        self.cluster_centers_, self.n_iter_ = best.centers, best.n_iter
        self.labels_, distances = self._nearest(rows)
        self.inertia_ = float((distances**2).sum())
        return self

    def fit_predict(
        self, X: MatrixLike, y: object = None, *, seeds: Seeds | None = None
    ) -> IntArray:
        """Find the clusters, and return that of every row."""
        return self.fit(X, seeds=seeds).labels_

    def fit_transform(self, X: MatrixLike, y: object = None) -> FloatArray:
        """Find the clusters, and return the distances of every row from all centers."""
        return self.fit(X).transform(X)

    def predict(self, X: MatrixLike) -> IntArray:
        """The cluster of every row."""
        self._check_fitted()
        return self._nearest(self._rows(X))[0]

    def transform(self, X: MatrixLike) -> FloatArray:
        """The distance of every row from every center (of unit rows if spherical)."""
        return self.distances(X)

    def distances(self, X: MatrixLike) -> FloatArray:
        """The same, always as an array."""
        self._check_fitted()
        return _distances(self._rows(X), self.cluster_centers_)

    def score(self, X: MatrixLike, y: object = None) -> float:
        """Minus the sum of squared distances to the nearest centers."""
        return -float((self.distances(X).min(axis=1) ** 2).sum())

    def get_feature_names_out(self, input_features: object = None) -> LabelArray:
        """kmeans0, kmeans1 and so on: the columns of `transform`."""
        self._check_fitted()
        return np.array([f"kmeans{k}" for k in range(self.n_clusters)], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        tags.input_tags.sparse = True
        return tags

    def _lloyd(self, rows: Rows, centers: FloatArray) -> Solution:
        """The result of rounds from these centers, by scikit-learn's solver unless spherical."""
        if not self.spherical:
            from sklearn.cluster import KMeans as Solver

            solver = Solver(
                self.n_clusters, init=centers, n_init=1, max_iter=self.max_iter, tol=self.tol
            ).fit(rows)
            return Solution(solver.cluster_centers_, solver.n_iter_, solver.inertia_)
        n_iter, change = 0, np.inf
        while n_iter < self.max_iter and change > self.tol * self.n_clusters:
            n_iter += 1
            moved = _spherical_round(rows, centers)
            change = float(((moved - centers) ** 2).sum())
            centers = moved
        inertia = float((_distances(rows, centers).min(axis=1) ** 2).sum())
        return Solution(centers, n_iter, inertia)

    def _nearest(self, rows: Rows) -> tuple[IntArray, FloatArray]:
        distances = _distances(rows, self.cluster_centers_)
        labels = distances.argmin(axis=1)
        return labels, distances[np.arange(len(labels)), labels]

    def _rows(self, X: MatrixLike, new: bool = False) -> Rows:
        """X as the solver takes it, dense or sparse; with unit rows if spherical."""
        sparse = as_scipy(X, copy=False)
        if new:
            self._set_features(X, sparse.shape[1])
        else:
            self._check_features(X, sparse.shape[1])
        is_sparse = isinstance(X, (SparseMatrix, _core.Csr))
        rows = sparse if is_sparse else np.asarray(X, np.float64)
        return unit_rows(rows) if self.spherical else rows

    def _seed_centers(self, rows: Rows, seeds: Seeds | None) -> tuple[list[Seed], FloatArray]:
        """The labels of seeds, sorted, and the means of their rows."""
        if seeds is None:
            return [], np.zeros((0, rows.shape[1]))
        given = list(seeds)
        if len(given) != rows.shape[0]:
            raise InputError(f"{len(given)} seeds for {rows.shape[0]} rows: one each is needed")
        labels = sorted({seed for seed in given if seed is not None})
        if len(labels) > self.n_clusters:
            raise InputError(
                f"the seeds have {len(labels)} different labels, expected at most "
                f"n_clusters={self.n_clusters}"
            )
        means = [
            np.asarray(rows[[i for i, seed in enumerate(given) if seed == label]].mean(axis=0))
            for label in labels
        ]
        centers = np.vstack([np.zeros((0, rows.shape[1])), *means])
        return labels, np.asarray(unit_rows(centers) if self.spherical else centers)

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise InputError(f"{name} is {value!r}, expected a whole number from 1 up")
        if not isinstance(self.tol, int | float) or not self.tol >= 0:
            raise InputError(f"tol is {self.tol!r}, expected a number from 0 up")


class Solution(NamedTuple):
    """What rounds from some centers came to."""

    centers: FloatArray
    n_iter: int
    inertia: float


def _spherical_round(rows: Rows, centers: FloatArray) -> FloatArray:
    """The sums of the unit rows that join each center, as unit vectors. A center that no row joins
    becomes one of the rows that are farthest from theirs."""
    from scipy.sparse import csr_array

    cosines = np.asarray(rows @ centers.T)
    joined = cosines.argmax(axis=1)
    n_rows, n_clusters = cosines.shape
    empty = np.flatnonzero(np.bincount(joined, minlength=n_clusters) == 0)
    joined[np.argsort(cosines.max(axis=1), kind="stable")[: len(empty)]] = empty
    member = csr_array((np.ones(n_rows), (joined, np.arange(n_rows))), shape=(n_clusters, n_rows))
    sums = member @ rows
    return np.asarray(unit_rows(sums.toarray() if hasattr(sums, "toarray") else sums))


def start_centers(
    rows: Rows, n_clusters: int, seeded: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """k-means++ after the given centers: each further one is a row, drawn with a probability in
    proportion to its squared distance from the nearest center so far."""
    centers = list(seeded)
    nearest = np.full(rows.shape[0], np.inf)
    for center in centers:
        nearest = np.minimum(nearest, _distances(rows, center[None])[:, 0] ** 2)
    while len(centers) < n_clusters:
        known = np.isfinite(nearest).all() and nearest.sum() > 0
        row = rng.choice(len(nearest), p=nearest / nearest.sum() if known else None)
        picked = rows[[row]]
        centers.append((picked.toarray() if hasattr(picked, "toarray") else picked)[0])
        nearest = np.minimum(nearest, _distances(rows, centers[-1][None])[:, 0] ** 2)
    return np.array(centers, np.float64)


def unit_rows(X: Rows) -> Rows:
    """Every row divided by its length; rows of 0 stay."""
    lengths = np.sqrt(_squared_lengths(X))
    lengths[lengths == 0] = 1.0
    if isinstance(X, np.ndarray):
        return np.asarray(X / lengths[:, None])
    unit = X.astype(np.float64)
    unit.data = X.data / np.repeat(lengths, np.diff(X.indptr))
    return unit


def _distances(rows: Rows, centers: FloatArray) -> FloatArray:
    squared = (
        _squared_lengths(rows)[:, None]
        - 2 * np.asarray(rows @ centers.T)
        + _squared_lengths(centers)
    )
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


def _squared_lengths(X: Rows) -> FloatArray:
    if isinstance(X, np.ndarray):
        return np.asarray((X * X).sum(axis=1))
    n_rows = X.shape[0]
    row_of = np.repeat(np.arange(n_rows), np.diff(X.indptr))
    return np.asarray(np.bincount(row_of, X.data**2, n_rows), np.float64)
