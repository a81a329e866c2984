"""Approximate neighbors of dense vectors, such as centroids of embeddings, and how good they are.

The index is a graph in layers (HNSW, of the library usearch): a search walks from node to node
towards the query and sees a small part of the rows. What it finds gets its true distance; what it
misses is given by `recall`, which compares a sample with the exact search.

Reference: Malkov and Yashunin (2020), Efficient and robust approximate nearest neighbor search
using hierarchical navigable small world graphs, IEEE TPAMI 42(4).
"""

from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, WordplaneError, install
from wordplane.common.estimator import Estimator
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, MatrixLike
from wordplane.learners.neighbors import KNeighbors

METRICS = {"cosine": "cos", "euclidean": "l2sq"}

Rows = NDArray[np.int64]


class ApproximateNeighbors(Estimator):
    """Neighbors of dense rows, most of them right, quickly found.

    Parameters
    ----------
    n_neighbors : int, default 5
        How many neighbors are looked for.
    metric : "cosine" or "euclidean", default "cosine"
        The distance, as in `KNeighbors`.
    connectivity : int, default 16
        Edges of every node of the graph: more need memory and find more.
    expansion_add, expansion_search : int, default 128 and 64
        How many candidates are kept while the graph is built and searched: more are slower and
        find more.
    n_jobs : int, default None
        Threads to search with; None and -1 mean all. The graph is built by one, so that it is the
        same every time.
    """

    n_features_in_: int

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        metric: str = "cosine",
        connectivity: int = 16,
        expansion_add: int = 128,
        expansion_search: int = 64,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.connectivity = connectivity
        self.expansion_add = expansion_add
        self.expansion_search = expansion_search
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Build the graph of the rows of X."""
        try:
            from usearch.index import Index
        except ImportError:
            raise WordplaneError(f"approximate neighbors need usearch; {install('ann')}") from None
        if self.metric not in METRICS:
            raise InputError(f"metric is {self.metric!r}, expected one of {', '.join(METRICS)}")
        for name in ("n_neighbors", "connectivity", "expansion_add", "expansion_search"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < (2 if name == "connectivity" else 1):
                raise InputError(f"{name} is {value!r}, expected a whole number from 1 (2) up")
        self._X = _dense(X)
        self.n_features_in_ = self._X.shape[1]
        self._index = Index(
            ndim=self.n_features_in_,
            metric=METRICS[self.metric],
            dtype="f32",
            connectivity=int(self.connectivity),
            expansion_add=int(self.expansion_add),
            expansion_search=int(self.expansion_search),
        )
        self._index.add(np.arange(len(self._X)), self._X.astype(np.float32), threads=1)
        return self

    def kneighbors(self, X: MatrixLike, n_neighbors: int | None = None) -> tuple[FloatArray, Rows]:
        """The distances of rows that are near, and their numbers, nearest first."""
        from usearch.index import BatchMatches

        self._check_fitted()
        Q, k = self._queries(X), self._number(n_neighbors)
        matches = self._index.search(Q.astype(np.float32), k, threads=thread_count(self.n_jobs))
        rows = np.asarray(matches.keys).reshape(len(Q), -1).astype(np.int64)
        few = isinstance(matches, BatchMatches) and bool((np.asarray(matches.counts) < k).any())
        if few or rows.shape[1] < k:  # the walk met too few rows: rare, small data
            return self._exact(Q, k)
        distances = np.stack(
            [self._distances(q, self._X[its]) for q, its in zip(Q, rows, strict=True)]
        )
        order = np.lexsort((rows, distances))
        return np.take_along_axis(distances, order, 1), np.take_along_axis(rows, order, 1)

    def recall(self, X: MatrixLike, n_neighbors: int | None = None) -> float:
        """The share of the true neighbors of the rows of X that are found."""
        self._check_fitted()
        k = self._number(n_neighbors)
        _, nearest = self.kneighbors(X, k)
        _, true = self._exact(self._queries(X), k)
        same = [len(set(a) & set(b)) for a, b in zip(nearest.tolist(), true.tolist(), strict=True)]
        return float(np.mean(same) / k)

    def _exact(self, Q: FloatArray, k: int) -> tuple[FloatArray, Rows]:
        exact = KNeighbors(n_neighbors=k, metric=self.metric, n_jobs=self.n_jobs)
        distances, rows = exact.fit(self._X, np.zeros(len(self._X), int)).kneighbors(Q)
        return distances, rows.astype(np.int64)

    def _distances(self, q: FloatArray, X: FloatArray) -> FloatArray:
        if self.metric == "euclidean":
            return np.asarray(np.sqrt(((X - q) ** 2).sum(axis=1)))
        sizes = np.sqrt((X**2).sum(axis=1) * (q @ q))
        return np.asarray(1 - np.divide(X @ q, sizes, out=np.zeros(len(X)), where=sizes > 0))

    def _queries(self, X: MatrixLike) -> FloatArray:
        Q = _dense(X)
        if Q.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {Q.shape[1]} features, but ApproximateNeighbors is expecting "
                f"{self.n_features_in_} features as input"
            )
        return Q

    def _number(self, n_neighbors: int | None) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral) or not 1 <= k <= len(self._X):
            raise InputError(f"n_neighbors is {k!r}, expected a number from 1 to {len(self._X)}")
        return int(k)


def _dense(X: MatrixLike) -> FloatArray:
    if hasattr(X, "tocsr"):
        raise InputError("X is sparse: KNeighbors finds the exact neighbors of sparse rows")
    dense = np.asarray(X, dtype=np.float64)
    if dense.ndim != 2 or dense.size == 0 or not np.isfinite(dense).all():
        raise InputError(f"X has the shape {dense.shape}, expected rows of finite numbers")
    return dense
