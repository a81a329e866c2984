"""What is true of some rows, and what a classifier said of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.labels import encode
from wordplane.common.types import FloatArray, IntArray, Label, LabelsLike
from wordplane.evaluation.arrays import label_codes

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The rows that a metric is a number of.

    labels           those that occur and those that the classifier knows
    true, predicted  the number of each row's label; for multi-label rows, which labels each has
                     (n x K)
    probabilities    n x K, with 0 for labels that the classifier does not know; None if only labels
                     are known
    """

    labels: tuple[Label, ...]
    true: IntArray | Bools
    predicted: IntArray | Bools
    probabilities: FloatArray | None = None

    @classmethod
    def of_labels(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        probabilities: FloatArray | None = None,
        classes: Sequence[Label] = (),
    ) -> Self:
        """Of one label per row; `classes` are the columns of the probabilities.

        >>> outcome = Outcome.of_labels(["b", "a"], ["b", "b"])
        >>> outcome.labels, outcome.right
        (('a', 'b'), array([ True, False]))
        """
        labels, (true, predicted, known) = _codes(y_true, y_pred, classes)
        columns = None
        if probabilities is not None:
            columns = np.zeros((len(true), len(labels)))
            columns[:, known] = probabilities
        return cls(labels, true, predicted, columns)

    @classmethod
    def of_sets(
        cls, y_true: LabelSets, y_pred: LabelSets, probabilities: FloatArray | None = None
    ) -> Self:
        """Of sets of labels; the first labels are the columns of the probabilities."""
        labels = tuple(y_true.classes.tolist())
        if probabilities is not None and probabilities.shape[1] < len(labels):
            unknown = np.zeros((len(probabilities), len(labels) - probabilities.shape[1]))
            probabilities = np.hstack([probabilities, unknown])
        return cls(labels, y_true.member, y_pred.member, probabilities)

    def __len__(self) -> int:
        return len(self.true)

    @property
    def multilabel(self) -> bool:
        """Whether rows have sets of labels."""
        return self.true.ndim == 2

    @property
    def right(self) -> Bools:
        """Which rows are predicted right; sets of labels, exactly."""
        same = np.asarray(self.true == self.predicted)
        return np.asarray(same.all(axis=1)) if self.multilabel else same

    @property
    def member(self) -> Bools:
        """Which labels each row has (n x K)."""
        if self.multilabel:
            return self.true.astype(bool)
        return np.asarray(self.true[:, None] == np.arange(len(self.labels)))

    def n_rows(self) -> IntArray:
        """The number of rows of each label."""
        if self.multilabel:
            return np.asarray(self.true.sum(axis=0), dtype=np.int64)
        return np.bincount(self.true, minlength=len(self.labels)).astype(np.int64)

    def take(self, rows: IntArray) -> Self:
        """Some of the rows."""
        P = self.probabilities
        return replace(
            self,
            true=self.true[rows],
            predicted=self.predicted[rows],
            probabilities=None if P is None else P[rows],
        )

    def join(self, other: "Outcome") -> Self:
        """These rows, and those of an outcome with the same labels."""
        P, Q = self.probabilities, other.probabilities
        return replace(
            self,
            true=np.concatenate([self.true, other.true]),
            predicted=np.concatenate([self.predicted, other.predicted]),
            probabilities=None if P is None or Q is None else np.concatenate([P, Q]),
        )


def majority_outcome(y: LabelsOrSets) -> Outcome:
    """What always predicting the most frequent label comes to, with the labels' shares as
    probabilities.

    >>> majority_outcome(np.array(["a", "b", "b"])).right
    array([False,  True,  True])
    """
    if isinstance(y, LabelSets):
        shares = y.member.mean(axis=0)
        always = np.zeros_like(y.member)
        always[:, int(shares.argmax())] = True
        P = np.broadcast_to(shares, y.member.shape)
        return Outcome.of_sets(y, LabelSets.of_member(y.classes, always), P)
    classes, codes = encode(y)
    shares = np.bincount(codes) / len(y)
    constant = np.full(len(y), classes[int(shares.argmax())])
    P = np.broadcast_to(shares, (len(y), len(shares)))
    return Outcome.of_labels(y, constant, P, classes.tolist())


def _codes(
    y_true: LabelsLike, y_pred: LabelsLike, classes: Sequence[Label]
) -> tuple[tuple[Label, ...], tuple[IntArray, IntArray, IntArray]]:
    """All labels, and as numbers the true ones, the predicted ones and the classes."""
    labels, (true, predicted) = label_codes(y_true, y_pred)
    everything = [*labels, *classes]
    every, (numbers, _) = label_codes(everything, everything)
    own = numbers[: len(labels)]
    return every, (own[true], own[predicted], numbers[len(labels) :])


def align(a: Outcome, b: Outcome) -> tuple[Outcome, Outcome]:
    """Two outcomes of the same rows, with the labels of both.

    >>> a, b = align(Outcome.of_labels(["x"], ["x"]), Outcome.of_labels(["x"], ["y"]))
    >>> a.labels == b.labels == ("x", "y")
    True
    """
    if a.labels == b.labels:
        return a, b
    everything = list(a.labels) + list(b.labels)
    labels, (numbers, _) = label_codes(everything, everything)
    return (
        _renumber(a, labels, numbers[: len(a.labels)]),
        _renumber(b, labels, numbers[len(a.labels) :]),
    )


def _renumber(outcome: Outcome, labels: tuple[Label, ...], numbers: IntArray) -> Outcome:
    """The outcome with these labels, of which `numbers` are its own."""

    def widen(columns: FloatArray | Bools) -> NDArray[np.generic]:
        wide = np.zeros((len(columns), len(labels)), columns.dtype)
        wide[:, numbers] = columns
        return wide

    def renumber(values: IntArray | Bools) -> NDArray[np.generic]:
        return widen(values.astype(bool)) if outcome.multilabel else numbers[values]

    P = outcome.probabilities
    return Outcome(
        labels,
        renumber(outcome.true),  # type: ignore[arg-type]
        renumber(outcome.predicted),  # type: ignore[arg-type]
        None if P is None else widen(P),  # type: ignore[arg-type]
    )
