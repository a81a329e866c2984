"""What is learned from the texts of a project without any label: which are alike, where clusters
are, and word vectors. It is prepared once, in the background, from a sample of the texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import WordplaneError
from wordplane.common.types import CsrMatrix, FloatArray, IntArray
from wordplane.features.tfidf import TfidfVectorizer
from wordplane.learners.kmeans import KMeans
from wordplane.model.word_vectors import PoolVectors, learned_vectors
from wordplane.text.analyzer import Analyzer

SAMPLE_TEXTS, SAMPLE_BYTES = 20_000, 20 << 20
CLUSTERED = 4000  # texts
MIN_CLUSTERS, PER_LABEL, MAX_CLUSTERS = 10, 3, 60
CENTRAL = 5  # texts of each cluster
STREAM = 34  # of random numbers: the sample has nothing to do with the random order


@dataclass(frozen=True)
class Pool:
    """What texts without labels say.

    central     rows near the centers of clusters, one of each cluster, then another
    vectors     of words, if they could be learned
    """

    texts: Texts
    vectorizer: TfidfVectorizer | None
    central: list[int]
    vectors: PoolVectors | None

    @classmethod
    def prepare(
        cls, texts: Texts, n_labels: int, *, seed: int = 0, threads: int = 1, vectors: bool = True
    ) -> Pool:
        """Look at a sample of the texts."""
        rows = some_rows(texts, np.random.default_rng([seed, STREAM]), SAMPLE_TEXTS, SAMPLE_BYTES)
        sample = texts.take(rows)
        vectorizer: TfidfVectorizer | None = TfidfVectorizer(min_df=2, sublinear_tf=True)
        learned = None
        try:
            assert vectorizer is not None
            X = vectorizer.fit_transform(sample)
            central = rows[_central(X[:CLUSTERED], n_labels, seed)].tolist()
        except ValueError:  # no word occurs twice
            vectorizer, central = None, []
        if vectors and vectorizer is not None:
            try:
                embeddings = learned_vectors(sample, Analyzer(), threads, seed)[0]
                learned = PoolVectors(embeddings, len(sample))
            except WordplaneError:  # too few words
                learned = None
        return cls(texts, vectorizer, central, learned)

    def similar(self, rows: IntArray, others: IntArray) -> FloatArray:
        """The cosine of the words of rows with those of other rows."""
        if self.vectorizer is None or not len(rows) or not len(others):
            return np.zeros((len(rows), len(others)))
        A, B = (self.vectorizer.transform(self.texts.take(some)) for some in (rows, others))
        return np.asarray((A @ B.T).toarray())


def some_rows(texts: Texts, rng: np.random.Generator, most: int, most_bytes: int) -> IntArray:
    """Rows at random, at most so many, with about so many bytes."""
    n = len(texts)
    rows = rng.permutation(n)[:most] if n <= 4 * most else rng.choice(n, most, replace=False)
    rows = rows.astype(np.int64)
    lengths = [len(texts[row]) for row in rows[:200].tolist()]
    mean = sum(lengths) / max(len(lengths), 1)
    return np.asarray(rows[: max(50, int(most_bytes / max(mean, 1.0)))])


def _central(X: CsrMatrix, n_labels: int, seed: int) -> list[int]:
    """Rows near the centers of clusters: the first of every cluster, then the second ..."""
    k = min(max(MIN_CLUSTERS, PER_LABEL * n_labels), MAX_CLUSTERS, X.shape[0])
    kmeans = KMeans(k, spherical=True, n_init=1, random_state=seed).fit(X)
    distances = kmeans.distances(X)
    cluster_of = distances.argmin(axis=1)
    found = []
    for cluster in np.argsort(-np.bincount(cluster_of, minlength=k)).tolist():
        members = np.flatnonzero(cluster_of == cluster)
        nearest = members[np.argsort(distances[members, cluster], kind="stable")[:CENTRAL]]
        found += [(rank, row) for rank, row in enumerate(nearest.tolist())]
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]
