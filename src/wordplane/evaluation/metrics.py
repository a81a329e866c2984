"""Measures of how good predicted labels are."""

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClassScores:
    """Of one class: its rows, and how well they were found."""

    label: Any
    n: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Scores:
    """Accuracy with its 95 % interval, beside that of always guessing the commonest label."""

    n: int
    accuracy: float
    interval: tuple[float, float]
    majority_label: Any
    majority_accuracy: float
    classes: tuple[ClassScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)


def score(y_true: NDArray[Any], y_pred: NDArray[Any]) -> Scores:
    """Compare predicted labels with the true ones.

    >>> scores = score(np.array(["a", "a", "a", "b"]), np.array(["a", "a", "b", "b"]))
    >>> scores.accuracy, scores.majority_accuracy
    (0.75, 0.75)
    >>> scores.classes[1].precision, scores.classes[1].recall
    (0.5, 1.0)
    """
    n = len(y_true)
    right = int(np.sum(y_true == y_pred))
    found = set(y_true.tolist()) | set(y_pred.tolist())
    labels = sorted(found, key=lambda label: (isinstance(label, str), label))
    classes = tuple(_class_scores(label, y_true == label, y_pred == label) for label in labels)
    majority = max(classes, key=lambda c: c.n)  # the first of equals
    return Scores(
        n=n,
        accuracy=right / n,
        interval=wilson_interval(right, n),
        majority_label=majority.label,
        majority_accuracy=majority.n / n,
        classes=classes,
    )


def wilson_interval(successes: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The interval of shares p for which `successes` of `n` is not surprising (95 %).

    All p with |successes / n - p| <= z sqrt(p (1 - p) / n): Wilson (1927).

    >>> low, high = wilson_interval(75, 100)
    >>> round(low, 4), round(high, 4)
    (0.657, 0.8245)
    """
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def _class_scores(label: Any, is_label: Any, said_label: Any) -> ClassScores:
    hits = int(np.sum(is_label & said_label))
    n, said = int(np.sum(is_label)), int(np.sum(said_label))
    return ClassScores(
        label=label,
        n=n,
        precision=hits / said if said else 0.0,
        recall=hits / n if n else 0.0,
        f1=2 * hits / (n + said) if n + said else 0.0,
    )
