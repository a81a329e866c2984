"""The documents most like a text, by the cosine of their features as the model weighs them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents


class Neighbor(NamedTuple):
    """A row, and how much it is alike: 1 for the same features in the same proportions."""

    row: int
    cosine: float


def nearest(
    model: TextModel, documents: Documents, others: Documents, n: int, threads: int
) -> list[Neighbor]:
    """The n of `others` that are most like the first document, the most alike first; those that
    share no feature with it are left out."""
    _, columns, values = model.features.transform(documents.take(np.array([0])), 1).arrays()
    x = np.zeros((model.features.n_features, 1))
    x[columns, 0] = values
    X = model.features.transform(others, threads)
    dots = _core.linear_scores(X, x, np.zeros(1), threads)[:, 0]
    lengths = _row_lengths(X) * float(np.linalg.norm(x))
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    best = np.argsort(-cosines, kind="stable")[:n]
    return [Neighbor(row, float(cosines[row])) for row in best.tolist() if cosines[row] > 0]


def _row_lengths(X: _core.Csr) -> NDArray[np.float64]:
    indptr, _, values = X.arrays()
    sums = np.concatenate([[0.0], np.cumsum(values.astype(np.float64) ** 2)])
    return np.asarray(np.sqrt(sums[indptr[1:]] - sums[indptr[:-1]]))
