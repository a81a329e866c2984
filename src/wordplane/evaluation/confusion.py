"""The confusion matrix, and the scores of each class that follow from it.

    precision  P = hits / predicted      of the rows predicted as k, the share that is k
    recall     R = hits / true           of the rows of class k, the share predicted as k
    F_beta     (1 + beta^2) P R / (beta^2 P + R) = (1 + beta^2) hits / (beta^2 true + predicted)
    macro      the mean over the classes that occur, as true or predicted
    micro      the same formulas applied to sums over classes; over all classes this is accuracy

0 / 0 counts as 0. These are scikit-learn's values with zero_division=0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import (
    FloatArray,
    IntArray,
    JsonObject,
    Label,
    LabelsLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import label_codes
from wordplane.evaluation.resampling import class_sums


@dataclass(frozen=True, eq=False)
class Totals:
    """Per class (last axis): the total weight of its rows, of rows predicted as it, and of both.

    Leading axes, such as one of resamples, are kept.
    """

    hits: FloatArray
    true: FloatArray
    predicted: FloatArray

    def precision(self) -> FloatArray:
        """Of the rows predicted as each class, the share that is right."""
        return ratio(self.hits, self.predicted)

    def recall(self) -> FloatArray:
        """Of the rows of each class, the share that was predicted right."""
        return ratio(self.hits, self.true)

    def f(self, beta: float = 1.0) -> FloatArray:
        """F_beta of each class; recall counts beta times as much as precision."""
        _check_beta(beta)
        b2 = beta * beta
        return ratio((1 + b2) * self.hits, b2 * self.true + self.predicted)

    def either(self) -> FloatArray:
        """The rows of each class, and the others predicted as it."""
        return np.asarray(self.true + self.predicted - self.hits)

    def macro(self, values: FloatArray) -> FloatArray:
        """The mean of values per class over the classes that occur."""
        occurs = self.true + self.predicted > 0
        return ratio((values * occurs).sum(axis=-1), occurs.sum(axis=-1))

    def resampled_macro_f1(self, drawn: "Totals") -> FloatArray:
        """The macro F1 of resamples over the same classes as that of all rows: one that is not
        drawn keeps its F1, so that the mean does not jump.

        >>> every = Totals(np.array([9., 0.]), np.array([9., 0.]), np.array([9., 1.]))
        >>> drawn = Totals(np.array([[9., 0.]]), np.array([[9., 0.]]), np.array([[9., 0.]]))
        >>> every.resampled_macro_f1(drawn), drawn.macro(drawn.f())
        (array([0.5]), array([1.]))
        """
        return self.macro(np.where(drawn.true + drawn.predicted > 0, drawn.f(), self.f()))

    def micro(self) -> "Totals":
        """The totals summed over all classes."""
        return Totals(
            *(a.sum(axis=-1, keepdims=True) for a in (self.hits, self.true, self.predicted))
        )

    def accuracy(self) -> FloatArray:
        """The share of rows that were predicted right."""
        return ratio(self.hits.sum(axis=-1), self.true.sum(axis=-1))


def totals_of(true: IntArray, predicted: IntArray, weight: FloatArray, n_classes: int) -> Totals:
    """Totals of cells with these codes; `weight` may have leading axes."""
    right = np.flatnonzero(true == predicted)
    return Totals(
        hits=class_sums(weight[..., right], true[right], n_classes),
        true=class_sums(weight, true, n_classes),
        predicted=class_sums(weight, predicted, n_classes),
    )


@dataclass(frozen=True, eq=False)
class Confusion:
    """matrix[t, p]: the weight of the rows of class t that were predicted as p.

    >>> table = confusion(["a", "a", "a", "b"], ["a", "a", "b", "b"])
    >>> table.matrix
    array([[2., 1.],
           [0., 1.]])
    >>> table.totals().precision(), table.totals().recall().round(2)
    (array([1. , 0.5]), array([0.67, 1.  ]))
    >>> print(table)
    true \\ predicted  a  b
    a                 2  1
    b                 0  1
    """

    labels: tuple[Label, ...]
    matrix: FloatArray

    def totals(self, labels: Sequence[Label] | None = None) -> Totals:
        """The totals of all classes, or of the given classes in their order.

        >>> few = confusion(["a", "b", "c"], ["a", "c", "c"]).totals(labels=["a", "b"])
        >>> few.micro().f()  # over only some classes, micro is not accuracy
        array([0.66666667])
        """
        m = self.matrix
        keep = [self._index(label) for label in (self.labels if labels is None else labels)]
        return Totals(np.diag(m)[keep], m.sum(axis=1)[keep], m.sum(axis=0)[keep])

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {"labels": list(self.labels), "matrix": self.matrix.tolist()}

    def _repr_html_(self) -> str:
        """For notebooks."""
        from wordplane.common.html import html_table

        rows = zip(self.labels, self.matrix.tolist(), strict=True)
        lines = [(label, *(f"{value:g}" for value in row)) for label, row in rows]
        return html_table(["true \\ predicted", *self.labels], lines)

    def __str__(self) -> str:
        head = "true \\ predicted"
        names = [str(label) for label in self.labels]
        rows = [[f"{value:g}" for value in row] for row in self.matrix]
        first = max(len(head), *(len(name) for name in names))
        width = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        lines = [[head, *names], *([name, *row] for name, row in zip(names, rows, strict=True))]
        return "\n".join(
            line[0].ljust(first)
            + "".join(f"  {cell:>{w}}" for cell, w in zip(line[1:], width, strict=True))
            for line in lines
        )

    def _index(self, label: Label) -> int:
        if label not in self.labels:
            raise InputError(
                f"the label {label!r} is not in the confusion matrix, whose labels are "
                f"{', '.join(map(repr, self.labels[:10]))}"
            )
        return self.labels.index(label)


def confusion(
    y_true: LabelsLike, y_pred: LabelsLike, *, sample_weight: WeightsLike = None
) -> Confusion:
    """The confusion matrix over all labels that occur, true or predicted."""
    labels, (true, predicted) = label_codes(y_true, y_pred)
    weights = as_weights(sample_weight, len(true))
    n = len(labels)
    totals = np.bincount(true * n + predicted, weights=weights, minlength=n * n)
    return Confusion(labels, totals.astype(np.float64).reshape(n, n))


def most_confused(
    y_true: LabelsLike, y_pred: LabelsLike, n: int = 10, *, sample_weight: WeightsLike = None
) -> list[tuple[Label, Label, float]]:
    """The most frequent mistakes: true label, predicted label, weight of the rows.

    >>> most_confused(["a", "a", "a", "b"], ["b", "a", "b", "a"])
    [('a', 'b', 2.0), ('b', 'a', 1.0)]
    """
    labels, (true, predicted) = label_codes(y_true, y_pred)
    wrong = true != predicted
    pairs, which = np.unique((true * len(labels) + predicted)[wrong], return_inverse=True)
    weight = np.bincount(which, weights=as_weights(sample_weight, len(true))[wrong])
    order = np.argsort(-weight, kind="stable")[:n]
    mistakes = []
    for i in order:
        t, p = divmod(int(pairs[i]), len(labels))
        mistakes.append((labels[t], labels[p], float(weight[i])))
    return mistakes


def ratio(a: FloatArray, b: FloatArray | NDArray[np.integer]) -> FloatArray:
    """a / b; 0 where b is 0."""
    return np.asarray(np.divide(a, b, out=np.zeros(np.shape(a)), where=np.asarray(b) > 0))


def _check_beta(beta: float) -> None:
    if not (isinstance(beta, (int, float)) and 0 < beta < float("inf")):
        raise InputError(f"beta is {beta!r}, expected a finite number above 0")
