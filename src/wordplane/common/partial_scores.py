"""Scores of a few of many classes: those that a search reached. The others have none."""

import numpy as np

from wordplane.common.types import FloatArray, IntArray

NOT_REACHED = -1e90  # stands for the score of a class that was not reached
LEAST_LOGIT = -50.0  # the same, of a label among several that a row may have
MOST = 50  # classes of a row that say how sure it is


def are_partial(z: FloatArray) -> bool:
    """Whether some classes were not reached."""
    return bool(z.size > 0 and z.min() <= NOT_REACHED)


def candidates(z: FloatArray, codes: IntArray) -> tuple[FloatArray, IntArray]:
    """The best scores of each row, as many as all rows have and at most 50, best first, and which
    of them is that of the row's own class. Where that is not among them, it takes the last place.

    >>> z = np.array([[1.0, 3.0, 2.0], [5.0, NOT_REACHED, 4.0]])
    >>> [part.tolist() for part in candidates(z, np.array([2, 1]))]
    [[[3.0, 2.0], [5.0, 4.0]], [1, 1]]
    """
    n = min(MOST, int((z > NOT_REACHED).sum(axis=1).min()))
    few = np.argpartition(-z, n - 1, axis=1)[:, :n]
    order = np.argsort(-np.take_along_axis(z, few, 1), axis=1, kind="stable")
    best = np.take_along_axis(few, order, 1)
    is_own = best == codes[:, None]
    place = np.where(is_own.any(axis=1), is_own.argmax(axis=1), n - 1)
    return np.take_along_axis(z, best, 1), place
