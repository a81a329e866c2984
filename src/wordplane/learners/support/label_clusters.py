"""Labels that occur with the same words, put together: balanced 2-means of their centroids.

The centroid of a label is the mean of the normalized rows that have it, normalized. Labels are
parted into two halves by

    m_1, m_2 = two labels at random
    until the sum of the cosines with the own mean no longer grows:
        the half of the labels with the largest c . (m_1 - m_2) goes to m_1, the others to m_2
        m_1, m_2 = the normalized sums of their centroids

Reference: Prabhu, Kag, Harsola, Agrawal and Varma (2018), Parabel, WWW.
"""

import numpy as np

from wordplane import _core
from wordplane.common.matrix import take_rows
from wordplane.common.types import IntArray

MAX_ROUNDS = 50
GAIN = 1e-4  # of the mean cosine, below which halves are left as they are
MAX_ENTRIES = 5_000_000  # of rows that are added up at once


def label_centroids(X: _core.Csr, rows: IntArray, starts: IntArray, threads: int) -> _core.Csr:
    """A row for each label: those of label k are rows[starts[k] : starts[k + 1]] of X."""
    lengths = np.sqrt(_core.squared_norms(X, threads))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    sizes = np.diff(X.arrays()[0])
    ends = np.concatenate([[0], np.cumsum(sizes[rows])])[starts]  # entries before each label
    indptr, indices, values = [np.zeros(1, np.int64)], [], []
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(ends, ends[first] + MAX_ENTRIES, side="right")) - 1
        last = max(last, first + 1)
        own = rows[starts[first] : starts[last]]
        label = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        _, columns, x = take_rows(X, own).arrays()
        key = np.repeat(label, sizes[own]) * X.shape[1] + columns
        different, place = np.unique(key, return_inverse=True)
        sums = np.bincount(place, x * np.repeat(scale[own], sizes[own]), len(different))
        label, column = np.divmod(different, X.shape[1])
        length = np.sqrt(np.bincount(label, sums**2, last - first))
        indptr.append(indptr[-1][-1] + np.cumsum(np.bincount(label, minlength=last - first)))
        indices.append(column.astype(np.int32))
        values.append(np.divide(sums, length[label], out=sums, where=length[label] > 0))
        first = last
    parts = np.concatenate(indptr), np.concatenate(indices), np.concatenate(values)
    return _core.Csr(X.shape[1], *parts)


def halve(
    centroids: _core.Csr, labels: IntArray, rng: np.random.Generator, threads: int
) -> tuple[IntArray, IntArray]:
    """Two halves of some labels, each sorted."""
    C = take_rows(centroids, labels)
    n_labels, n_features = C.shape
    in_first = np.zeros(n_labels, bool)
    at_random = rng.permutation(n_labels)
    weights = np.zeros((n_labels, 2))
    weights[at_random[0], 0] = weights[at_random[1], 1] = 1.0
    before = -1.0
    for _ in range(MAX_ROUNDS):
        means = np.zeros((n_features, 2))
        _core.linear_gradient(C, weights, means, threads)
        lengths = np.linalg.norm(means, axis=0)
        means /= np.where(lengths > 0, lengths, 1.0)
        cosines = _core.linear_scores(C, means, np.zeros(2), threads)
        order = np.argsort(cosines[:, 1] - cosines[:, 0], kind="stable")
        in_first[:] = False
        in_first[order[: (n_labels + 1) // 2]] = True
        mean = float(np.where(in_first, cosines[:, 0], cosines[:, 1]).mean())
        if mean <= before + GAIN:
            break
        before = mean
        weights = np.column_stack([in_first, ~in_first]).astype(np.float64)
    return labels[in_first], labels[~in_first]


def part(
    centroids: _core.Csr,
    labels: IntArray,
    most: int,
    n_parts: int,
    rng: np.random.Generator,
    threads: int,
) -> list[IntArray]:
    """The labels in at most n_parts parts, halved as long as there are more than `most` in one."""
    parts: list[IntArray] = [labels]
    while len(parts[0]) > most and 2 * len(parts) <= n_parts:
        parts = [half for whole in parts for half in halve(centroids, whole, rng, threads)]
    return parts
