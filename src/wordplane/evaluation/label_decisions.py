"""Multi-label decisions: from the scores of labels to label sets, one label at a time.

Label k is predicted above a threshold that is tuned on rows that were not trained on. With n such
rows that have the label, it is

    t_k = (n best_k + 50 best) / (n + 50)

where best_k has the best F1 = 2 hits / (predicted + true) for the label, and best has the best F1
of all labels together (micro-F1). A few rows say little about where to cut: alone, they would give
a rare label to most texts. Either is 0, the learner's own boundary, if that is as good.
The probability is a sigmoid of the score, fitted on the same rows
(Platt scaling). More than 1,000 labels, most of them rare, have one threshold and one sigmoid, and
so have labels that a search did not reach for some rows (common/partial_scores.py): what stands for
their scores would bend the sigmoids. The probabilities of a row do not sum to 1.

Reference: Yang (2001), A study on thresholding strategies for text categorization, SIGIR ("SCut").
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.partial_scores import LEAST_LOGIT
from wordplane.common.types import FloatArray, IntArray, JsonObject, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.calibration import read_header, read_numbers
from wordplane.evaluation.solvers import fit_sigmoid

N_FOLDS = 5
MANY_LABELS = 1000  # above which all have the same threshold
SHRINKAGE = 50  # rows with the label that count as much as all labels together


@dataclass(frozen=True, eq=False)
class LabelDecisions:
    """The threshold of each label, and a and b of 1 / (1 + exp(-(a z + b)))."""

    thresholds: FloatArray
    a: FloatArray
    b: FloatArray

    @property
    def n_classes(self) -> int:
        """The number of labels."""
        return len(self.thresholds)

    @classmethod
    def untuned(cls, n_labels: int) -> Self:
        """A label is predicted if its score is above 0."""
        return cls(np.zeros(n_labels), np.ones(n_labels), np.zeros(n_labels))

    @classmethod
    def fit(cls, z: FloatArray, member: NDArray[np.bool_], weights: WeightsLike = None) -> Self:
        """Fit on the scores and labels of rows that were not trained on."""
        w = as_weights(weights, len(z))
        thresholds = best_thresholds(z, member, w)
        if are_alike(z):
            rows, labels = np.nonzero(z > LEAST_LOGIT)
            one = fit_sigmoid(z[rows, labels], member[rows, labels], w[rows])
            return cls(thresholds, *(np.full(z.shape[1], value) for value in one))
        columns = [fit_sigmoid(z[:, k], member[:, k], w) for k in range(z.shape[1])]
        a, b = (np.array(values) for values in zip(*columns, strict=True))
        return cls(thresholds, a, b)

    def take(self, labels: IntArray) -> Self:
        """Those of some labels."""
        return type(self)(self.thresholds[labels], self.a[labels], self.b[labels])

    def place(self, columns: IntArray, n_labels: int) -> Self:
        """The decisions about n_labels labels, of which these are at `columns`; the others are
        untuned.

        >>> LabelDecisions.untuned(1).place(np.array([1]), 2).thresholds
        array([0., 0.])
        """
        wide = type(self).untuned(n_labels)
        for into, own in zip(
            (wide.thresholds, wide.a, wide.b), (self.thresholds, self.a, self.b), strict=True
        ):
            into[columns] = own
        return wide

    def predict(self, z: FloatArray) -> NDArray[np.bool_]:
        """Which labels are predicted for each row."""
        return np.asarray(z > self.thresholds)

    def transform(self, z: FloatArray) -> FloatArray:
        """The probability of each label."""
        return _core.sigmoids(z, self.a, self.b)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        numbers = {name: getattr(self, name).tolist() for name in ("thresholds", "a", "b")}
        return {"kind": "labels", "n_classes": self.n_classes, **numbers}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """The inverse of `to_dict`; the data are checked."""
        n_labels = read_header(data, "labels", {"thresholds", "a", "b"}, min_classes=1)
        return cls(*(read_numbers(data[name], name, n_labels) for name in ("thresholds", "a", "b")))


def are_alike(z: FloatArray) -> bool:
    """Whether all labels share a threshold and a sigmoid, found on those that were reached: there
    are many labels, or some rows have no scores of some."""
    return bool(z.shape[1] > MANY_LABELS or z.min(initial=0.0) <= LEAST_LOGIT)


def best_thresholds(z: FloatArray, member: NDArray[np.bool_], w: FloatArray) -> FloatArray:
    """The threshold of each label: between its own best and that of all labels together."""
    if are_alike(z):
        rows, labels = np.nonzero((z > LEAST_LOGIT) | member)
        return np.full(z.shape[1], best_threshold(z[rows, labels], member[rows, labels], w[rows]))
    own = np.array([best_threshold(z[:, k], member[:, k], w) for k in range(z.shape[1])])
    common = best_threshold(z.ravel(), member.ravel(), np.repeat(w, z.shape[1]))
    n = member.sum(axis=0)
    return np.asarray((n * own + SHRINKAGE * common) / (n + SHRINKAGE))


def best_threshold(z: FloatArray, positive: NDArray[np.bool_], w: FloatArray) -> float:
    """The threshold with the best F1, halfway between two scores; 0 if that is as good.

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
    hits, predicted = np.cumsum(w * hit)[ends], np.cumsum(w)[ends]
    f1 = 2 * hits / (predicted + hits[-1])
    above = z[ends]
    best = f1 >= f1.max() - 1e-12
    if (best & (above > 0) & np.append(above[1:] <= 0, True)).any():
        return 0.0
    below = np.append(above[1:], 2 * above[-1] - above[0] - 1)  # below all rows
    middle = ((above + below) / 2)[best]
    return float(middle[np.argmin(np.abs(middle))])


def predict_out_of_fold(
    z: FloatArray, member: NDArray[np.bool_], weights: WeightsLike = None
) -> NDArray[np.bool_]:
    """The labels of each row by thresholds that were tuned on the other folds, of five.

    Thresholds tuned on the rows themselves would look better than they are.
    """
    predicted = LabelDecisions.untuned(z.shape[1]).predict(z)
    w = as_weights(weights, len(z))
    fold_of = np.arange(len(z)) % N_FOLDS
    for fold in range(min(N_FOLDS, len(z))):
        test, train = fold_of == fold, fold_of != fold
        if w[train].any():
            predicted[test] = z[test] > best_thresholds(z[train], member[train], w[train])
    return predicted
