"""What a multi-label model gets wrong together: numbers of labels, and pairs of labels."""

from dataclasses import dataclass

import numpy as np

from wordplane.common.types import IntArray, Label
from wordplane.evaluation.outcomes import Bools

MAX_PAIRS = 10
MAX_LABELS = 5  # of a text, counted apart; texts with more are counted together


@dataclass(frozen=True)
class Cardinality:
    """How many texts have so many labels, and for how many so many are predicted."""

    n_labels: str
    true: int
    predicted: int
    share: float  # true, of the most frequent number
    predicted_share: float


@dataclass(frozen=True)
class LabelPairs:
    """The most frequent pairs, each with the number of texts.

    confused  the first label was missed and the second predicted wrongly
    missed    both labels were missed
    """

    cardinality: list[Cardinality]
    confused: list[tuple[Label, Label, int]]
    missed: list[tuple[Label, Label, int]]


def label_pairs(labels: list[Label], true: Bools, predicted: Bools) -> LabelPairs:
    """The pairs of labels of these rows (n x K).

    >>> true, predicted = np.array([[1, 1, 0]]) > 0, np.array([[0, 0, 1]]) > 0
    >>> found = label_pairs(["a", "b", "c"], true, predicted)
    >>> found.confused, found.missed
    ([('a', 'c', 1), ('b', 'c', 1)], [('a', 'b', 1)])
    """
    missed, wrong = (part.astype(np.float64) for part in (true & ~predicted, predicted & ~true))
    return LabelPairs(
        cardinality(true, predicted),
        _most_frequent(labels, missed.T @ wrong),
        _most_frequent(labels, np.triu(missed.T @ missed, 1)),
    )


def cardinality(true: Bools, predicted: Bools) -> list[Cardinality]:
    """The texts by the number of their labels."""
    counts: list[IntArray] = [
        np.bincount(np.minimum(part.sum(axis=1), MAX_LABELS), minlength=MAX_LABELS + 1)
        for part in (true, predicted)
    ]
    used = np.flatnonzero(counts[0] + counts[1])
    most = max(int(n.max()) for n in counts)
    return [
        Cardinality(
            f"{k} or more" if k == MAX_LABELS else str(k),
            int(counts[0][k]),
            int(counts[1][k]),
            counts[0][k] / most,
            counts[1][k] / most,
        )
        for k in range(int(used.max(initial=0)) + 1)
    ]


def _most_frequent(
    labels: list[Label], counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> list[tuple[Label, Label, int]]:
    order = np.argsort(-counts, axis=None, kind="stable")[:MAX_PAIRS]
    pairs = zip(*np.unravel_index(order, counts.shape), strict=True)
    return [(labels[a], labels[b], int(counts[a, b])) for a, b in pairs if counts[a, b]]
