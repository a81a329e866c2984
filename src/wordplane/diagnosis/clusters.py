"""Summaries of clusters: their words, their central texts, and the labels of their texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wordplane.common.matrix import as_rows
from wordplane.common.types import MatrixLike
from wordplane.data.corpus import RowLabels
from wordplane.learners.kmeans import KMeans


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster.

    cluster  the number of the cluster
    seed     the label of the rows that it was started from, if any
    n        the number of rows
    words    the features whose mean exceeds that of all rows the most, each with the difference
    central  the rows nearest to the center, nearest first
    labels   the number of rows of each label, the most frequent first; empty without labels
    """

    cluster: int
    seed: RowLabels
    n: int
    words: list[tuple[str, float]]
    central: list[int]
    labels: dict[RowLabels, int] = field(default_factory=dict)


def summarize_clusters(
    kmeans: KMeans,
    X: MatrixLike,
    names: Sequence[str],
    labels: Sequence[RowLabels] | None = None,
    *,
    n_words: int = 10,
    n_central: int = 3,
) -> list[ClusterSummary]:
    """Summarize all clusters of the rows of X, whose features are called `names`.

    >>> X = [[1, 0], [2, 0], [0, 1]]
    >>> kmeans = KMeans(2).fit(X, seeds=["+", None, "-"])
    >>> for summary in summarize_clusters(kmeans, X, ["good", "bad"], n_words=1):
    ...     print(summary.seed, summary.n, summary.words[0][0], summary.central)
    + 2 good [0, 1]
    - 1 bad [2]
    """
    rows = as_rows(X)
    distances = kmeans.transform(X)
    cluster_of = distances.argmin(axis=1)
    overall = np.asarray(rows.mean(axis=0)).ravel()
    summaries = []
    for k in range(len(kmeans.cluster_centers_)):
        members = np.flatnonzero(cluster_of == k)
        above = -overall
        if len(members):
            above = np.asarray(rows[members].mean(axis=0)).ravel() - overall
        best = np.argsort(-above, kind="stable")[:n_words]
        nearest = np.argsort(distances[members, k], kind="stable")[:n_central]
        known = [] if labels is None else [labels[row] for row in members.tolist()]
        counts = Counter(label for label in known if label is not None)
        summaries.append(
            ClusterSummary(
                cluster=k,
                seed=kmeans.seeds_[k] if k < len(kmeans.seeds_) else None,
                n=len(members),
                words=[(str(names[j]), float(above[j])) for j in best if above[j] > 0],
                central=members[nearest].tolist(),
                labels=dict(counts.most_common()),
            )
        )
    return summaries
