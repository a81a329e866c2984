"""What is in a cluster: its words, its central texts, and the labels of its texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordplane.common.matrix import as_rows
from wordplane.learners.kmeans import KMeans


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster.

    cluster  its number
    seed     the label of the rows that it was started from, if any
    n        how many rows it has
    words    the features whose mean is most above that of all rows, each with the difference
    central  the rows nearest to its center, nearest first
    labels   how many rows have which label, the commonest first; empty without labels
    """

    cluster: int
    seed: Any
    n: int
    words: list[tuple[str, float]]
    central: list[int]
    labels: dict[Any, int] = field(default_factory=dict)


def summarise(
    kmeans: KMeans,
    X: Any,
    names: Sequence[str],
    labels: Sequence[Any] | None = None,
    *,
    n_words: int = 10,
    n_central: int = 3,
) -> list[ClusterSummary]:
    """All clusters that the rows of X fall into, described by columns called `names`.

    >>> X = [[1, 0], [2, 0], [0, 1]]
    >>> kmeans = KMeans(2).fit(X, seeds=["+", None, "-"])
    >>> for found in summarise(kmeans, X, ["good", "bad"], n_words=1):
    ...     print(found.seed, found.n, found.words[0][0], found.central)
    + 2 good [0, 1]
    - 1 bad [2]
    """
    rows = as_rows(X)
    distances = kmeans.transform(X)
    of_row = distances.argmin(axis=1)
    overall = np.asarray(rows.mean(axis=0)).ravel()
    found = []
    for k in range(len(kmeans.cluster_centers_)):
        members = np.flatnonzero(of_row == k)
        above = -overall
        if len(members):
            above = np.asarray(rows[members].mean(axis=0)).ravel() - overall
        best = np.argsort(-above, kind="stable")[:n_words]
        nearest = np.argsort(distances[members, k], kind="stable")[:n_central]
        known = [] if labels is None else [labels[row] for row in members.tolist()]
        counts = Counter(label for label in known if label is not None)
        found.append(
            ClusterSummary(
                cluster=k,
                seed=kmeans.seeds_[k] if k < len(kmeans.seeds_) else None,
                n=len(members),
                words=[(str(names[j]), float(above[j])) for j in best if above[j] > 0],
                central=members[nearest].tolist(),
                labels=dict(counts.most_common()),
            )
        )
    return found
