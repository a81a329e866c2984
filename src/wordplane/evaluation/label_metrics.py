"""Metrics of predicted labels by name; `measures` has those of probabilities too.

    accuracy       the share of rows that are right
    micro_f1       F1 of all classes together; with one label per row, the accuracy
    macro_f1       the mean of the classes' F1
    weighted_f1    the same, each class weighted by its rows
    macro_recall   the mean of the classes' recall (balanced accuracy)
    mcc            Matthews' correlation of predicted and true classes
    kappa          Cohen's kappa: agreement beyond that of chance
    f1:LABEL       F1 of one class; `f1` alone is that of the rarer of two classes

All are functions of three totals per class: its rows, the rows predicted as it, and those that are
both. With t, p and h as their shares of all rows,

    mcc    (sum h - sum t p) / sqrt((1 - sum t^2) (1 - sum p^2))
    kappa  (sum h - sum t p) / (1 - sum t p)

0 / 0 counts as 0. These are scikit-learn's values.

References: Gorodkin (2004), Computational Biology and Chemistry 28; Cohen (1960).
"""

from collections.abc import Callable

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.parameters import nearest
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.evaluation.confusion import Totals, ratio


def _weighted_f1(totals: Totals) -> FloatArray:
    return ratio((totals.true * totals.f()).sum(axis=-1), totals.true.sum(axis=-1))


def _beyond_chance(totals: Totals) -> tuple[FloatArray, FloatArray, FloatArray]:
    """sum h - sum t p, t and p."""
    n = totals.true.sum(axis=-1, keepdims=True)
    t, p, h = (ratio(a, n + 0 * a) for a in (totals.true, totals.predicted, totals.hits))
    return np.asarray(h.sum(axis=-1) - (t * p).sum(axis=-1)), t, p


def _mcc(totals: Totals) -> FloatArray:
    beyond, t, p = _beyond_chance(totals)
    spread = (1 - (t * t).sum(axis=-1)) * (1 - (p * p).sum(axis=-1))
    return ratio(beyond, np.sqrt(np.maximum(spread, 0.0)))


def _kappa(totals: Totals) -> FloatArray:
    beyond, t, p = _beyond_chance(totals)
    return ratio(beyond, np.asarray(1 - (t * p).sum(axis=-1)))


METRICS: dict[str, Callable[[Totals], FloatArray]] = {
    "accuracy": Totals.accuracy,
    "micro_f1": lambda totals: totals.micro().f()[..., 0],
    "macro_f1": lambda totals: totals.macro(totals.f()),
    "weighted_f1": _weighted_f1,
    "macro_recall": lambda totals: ratio(
        totals.recall().sum(axis=-1), (totals.true > 0).sum(axis=-1)
    ),
    "mcc": _mcc,
    "kappa": _kappa,
}
F1 = "f1"


@frozen
class NamedMetric:
    """A metric for a model's classes; if it is the F1 of one class, its number.

    >>> metric = NamedMetric.of("f1:spam", np.array(["ham", "spam"]), np.array([8, 2]))
    >>> metric.value(Totals(*np.array([[7.0, 1.0], [8.0, 2.0], [8.0, 2.0]])))
    array(0.5)
    """

    name: str
    class_number: int | None = None

    @classmethod
    def of(cls, name: str, classes: LabelArray, n_rows: IntArray) -> "NamedMetric":
        """The metric with this name; `n_rows` are the rows of each class."""
        if name in METRICS:
            return cls(name)
        if name.partition(":")[0] != F1:
            raise InputError(
                f"`metric` is {name!r}{nearest(name, METRICS)}, expected one of "
                f"{', '.join(METRICS)}, f1 or f1:LABEL, which labels can be decided for"
            )
        number = numbered_label(name, F1, classes, n_rows)
        return cls(f"{F1}:{classes.tolist()[number]}", number)

    def value(self, totals: Totals) -> FloatArray:
        """The metric; leading axes of the totals are kept."""
        if self.class_number is None:
            return np.asarray(METRICS[self.name](totals))
        return np.asarray(totals.f()[..., self.class_number])


def numbered_label(name: str, kind: str, classes: LabelArray, n_rows: IntArray) -> int:
    """The number of the label in a name such as f1:spam; f1 alone means the rarer of two.

    >>> numbered_label("f1", "f1", np.array(["ham", "spam"]), np.array([8, 2]))
    1
    """
    labels = [str(value) for value in classes.tolist()]
    if name == kind:
        if len(labels) != 2:
            raise InputError(
                f"`metric` {kind} is that of the rarer of two classes, and there are "
                f"{len(labels)}: name one ({kind}:LABEL), or choose macro_f1"
            )
        return int(n_rows[1] <= n_rows[0])
    label = name.partition(":")[2]
    if label not in labels:
        raise InputError(
            f"`metric` is {name!r}, but there is no label {label!r}; there are "
            f"{', '.join(map(repr, labels[:10]))}"
        )
    return labels.index(label)
