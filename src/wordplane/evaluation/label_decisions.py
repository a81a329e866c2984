"""From scores of labels to sets of labels, each label decided by itself.

Label k is given above a threshold, the one with the best F1 = 2 hits / (given + true) on rows that
were not trained on; the learner's own boundary, 0, where it is as good, or where no such row has
the label. Its probability is a sigmoid of its score, fitted on the same rows (Platt scaling).
Sums of the probabilities of a row mean nothing.

Reference: Yang (2001), A study on thresholding strategies for text categorization, SIGIR ("SCut").
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.types import FloatArray, JsonObject, WeightsLike
from wordplane.evaluation.arrays import as_weights
from wordplane.evaluation.calibration import read_header, read_numbers
from wordplane.evaluation.solvers import fit_sigmoid

FOLDS = 5


@dataclass(frozen=True, eq=False)
class LabelDecisions:
    """Of each label: its threshold, and a and b of 1 / (1 + exp(-(a z + b)))."""

    thresholds: FloatArray
    a: FloatArray
    b: FloatArray

    @property
    def n_classes(self) -> int:
        """The number of labels."""
        return len(self.thresholds)

    @classmethod
    def untuned(cls, n_labels: int) -> Self:
        """A label is given if its score is above 0."""
        return cls(np.zeros(n_labels), np.ones(n_labels), np.zeros(n_labels))

    @classmethod
    def fit(cls, z: FloatArray, member: NDArray[np.bool_], weights: WeightsLike = None) -> Self:
        """From the scores and the labels of rows that were not trained on."""
        w = as_weights(weights, len(z))
        columns = [fit_sigmoid(z[:, k], member[:, k], w) for k in range(z.shape[1])]
        a, b = (np.array(values) for values in zip(*columns, strict=True))
        thresholds = [best_threshold(z[:, k], member[:, k], w) for k in range(z.shape[1])]
        return cls(np.array(thresholds), a, b)

    def chosen(self, z: FloatArray) -> NDArray[np.bool_]:
        """Which labels the rows get."""
        return np.asarray(z > self.thresholds)

    def transform(self, z: FloatArray) -> FloatArray:
        """The probability of each label."""
        return _core.sigmoids(z, self.a, self.b)

    def to_dict(self) -> JsonObject:
        """As JSON can hold it."""
        numbers = {name: getattr(self, name).tolist() for name in ("thresholds", "a", "b")}
        return {"kind": "labels", "n_classes": self.n_classes, **numbers}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """What `to_dict` gave, checked."""
        n_labels = read_header(data, "labels", {"thresholds", "a", "b"}, fewest=1)
        return cls(*(read_numbers(data[name], name, n_labels) for name in ("thresholds", "a", "b")))


def best_threshold(z: FloatArray, positive: NDArray[np.bool_], w: FloatArray) -> float:
    """The threshold with the best F1: half way between two scores; 0 where that is as good.

    >>> best_threshold(np.array([-1.0, -3.0, -4.0, -5.0]), np.array([1, 1, 0, 0]) > 0, np.ones(4))
    -3.5
    >>> best_threshold(np.array([2.0, -4.0]), np.array([True, False]), np.ones(2))
    0.0
    """
    if not w[positive].any():
        return 0.0
    order = np.argsort(-z, kind="stable")
    z, hit, w = z[order], positive[order], w[order]
    ends = np.append(z[1:] < z[:-1], True)  # equal scores are on the same side
    hits, given = np.cumsum(w * hit)[ends], np.cumsum(w)[ends]
    f1 = 2 * hits / (given + hits[-1])
    above = z[ends]
    best = f1 >= f1.max() - 1e-12
    if (best & (above > 0) & np.append(above[1:] <= 0, True)).any():
        return 0.0
    below = np.append(above[1:], 2 * above[-1] - above[0] - 1)  # all rows: well below them
    middle = ((above + below) / 2)[best]
    return float(middle[np.argmin(np.abs(middle))])


def cross_decided(
    z: FloatArray, member: NDArray[np.bool_], weights: WeightsLike = None
) -> NDArray[np.bool_]:
    """The labels of rows by thresholds that were tuned on the others of them, in five folds: an
    honest estimate, where those tuned on the rows themselves would flatter."""
    chosen = LabelDecisions.untuned(z.shape[1]).chosen(z)
    w = as_weights(weights, len(z))
    fold_of = np.arange(len(z)) % FOLDS
    for fold in range(min(FOLDS, len(z))):
        held, others = fold_of == fold, fold_of != fold
        if w[others].any():
            chosen[held] = LabelDecisions.fit(z[others], member[others], w[others]).chosen(z[held])
    return chosen
