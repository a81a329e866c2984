"""Summaries of clusters: their words, their central texts, and the labels of their texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wordplane.common.matrix import as_rows
from wordplane.common.types import CsrMatrix, FloatArray, IntArray, MatrixLike
from wordplane.data.corpus import RowLabels
from wordplane.learners.kmeans import KMeans
from wordplane.text.stop_words import ENGLISH

# Words of grammar and negations, also as they are cut at an apostrophe.
CONTRACTED = (
    "ain't aren't couldn't didn't doesn't don't hadn't hasn't haven't isn't i'll you're shouldn't "
    "i've wasn't weren't wouldn't"
)
PIECES = [piece for word in (*ENGLISH, *CONTRACTED.split()) for piece in word.split("'")]
STOP_WORDS = frozenset(
    [*ENGLISH, *(piece for piece in PIECES if len(piece) > 1), "no", "nor", "not"]
)


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster.

    cluster  the number of the cluster
    seed     the label of the rows that it was started from, if any
    n        the number of rows
    words    the features that tell it from the other clusters, each with its class-based tf-idf:
             its share of the features of the cluster times log(1 + A / f), f the number of its
             rows in all clusters, A the mean number of features of a cluster. Left out are English
             stop words, and what is not in a larger share of its rows than of all
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
    distances = kmeans.distances(X)
    cluster_of = distances.argmin(axis=1)
    typical = _class_tfidf(as_rows(X), cluster_of, len(kmeans.cluster_centers_))
    typical[:, [j for j, name in enumerate(names) if _is_stop_word(name)]] = 0.0
    summaries = []
    for k in range(len(kmeans.cluster_centers_)):
        members = np.flatnonzero(cluster_of == k)
        best = np.argsort(-typical[k], kind="stable")[:n_words].tolist()
        nearest = np.argsort(distances[members, k], kind="stable")[:n_central]
        known = [] if labels is None else [labels[row] for row in members.tolist()]
        counts = Counter(label for label in known if label is not None)
        summaries.append(
            ClusterSummary(
                cluster=k,
                seed=kmeans.seeds_[k] if k < len(kmeans.seeds_) else None,
                n=len(members),
                words=[(str(names[j]), float(typical[k, j])) for j in best if typical[k, j] > 0],
                central=members[nearest].tolist(),
                labels=dict(counts.most_common()),
            )
        )
    return summaries


def _class_tfidf(rows: CsrMatrix, cluster_of: IntArray, n_clusters: int) -> FloatArray:
    """How typical every feature is of every cluster."""
    frequency = np.zeros((n_clusters, rows.shape[1]))
    n_rows, columns = np.diff(rows.indptr), rows.indices[rows.data != 0]
    of_value = np.repeat(cluster_of, n_rows)[rows.data != 0]
    np.add.at(frequency, (of_value, columns), 1.0)
    n_texts = np.bincount(cluster_of, minlength=n_clusters)[:, None]
    sizes, in_all = frequency.sum(axis=1, keepdims=True), frequency.sum(axis=0)
    tfidf = frequency / np.maximum(sizes, 1.0) * np.log1p(sizes.mean() / np.maximum(in_all, 1.0))
    is_above = frequency * len(cluster_of) > in_all * n_texts * (1 + 1e-9)
    return np.where(is_above, tfidf, 0.0)


def _is_stop_word(name: str) -> bool:
    """Whether a feature is made of words of grammar only."""
    return all(word in STOP_WORDS for word in name.split(" "))
