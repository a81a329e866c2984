"""What the functions of evaluation take: labels, weights, scores and probabilities, checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def label_codes(*columns: Any) -> tuple[tuple[Any, ...], list[Ints]]:
    """The labels that occur in any of the columns, sorted, and each column as numbers of them.

    Labels that a model has never seen may be of another kind: numbers come before strings.

    >>> label_codes(["b", "a"], ["b", 3])
    ((3, 'a', 'b'), [array([2, 1]), array([2, 0])])
    """
    lists = [_label_list(column) for column in columns]
    if len({len(values) for values in lists}) > 1:
        lengths = " and ".join(f"{len(values):,}" for values in lists)
        raise InputError(f"labels of {lengths} rows were given, expected as many of each")
    if not lists[0]:
        raise InputError("there are no rows to measure")
    found = set().union(*lists)
    labels = tuple(sorted(found, key=lambda label: (isinstance(label, str), label)))
    number = {label: k for k, label in enumerate(labels)}
    return labels, [np.array([number[label] for label in values]) for values in lists]


def class_codes(y: Any, classes: Any, n_columns: int) -> Ints:
    """Each label as the column of its class, -1 for a label that is none of them.

    >>> class_codes(["b", "a", "?"], ["a", "b"], 2)
    array([ 1,  0, -1])
    """
    names = list(range(n_columns)) if classes is None else _label_list(classes)
    if len(names) != n_columns or len(set(names)) != n_columns:
        raise InputError(
            f"there are {n_columns} columns of scores and {len(set(names))} different classes, "
            "expected one class for each column"
        )
    number = {label: k for k, label in enumerate(names)}
    return np.array([number.get(label, -1) for label in _label_list(y)], dtype=np.int64)


def positives(y: Any) -> NDArray[np.bool_]:
    """Which rows are positive, given as booleans or as 0 and 1; both must occur."""
    values = np.asarray(y)
    if values.ndim != 1 or not np.isin(values, (0, 1)).all():
        raise InputError(
            "expected one True or False (1 or 0) per row: for a class, give y == that class"
        )
    found = values.astype(bool)
    if found.all() or not found.any():
        which = "positive" if found.any() else "negative"
        raise InputError(f"all {len(found):,} rows are {which}: a curve needs rows of both kinds")
    return found


def as_weights(sample_weight: Any, n_rows: int) -> Floats:
    """One finite weight of 0 or more per row, not all 0; without any, all are 1."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = as_floats(sample_weight, "the weights", n_dims=1)
    if len(weights) != n_rows or (weights < 0).any() or not weights.sum() > 0:
        raise InputError(
            f"expected {n_rows:,} weights of 0 or more that are not all 0, "
            f"got {len(weights):,} with the sum {weights.sum():g}"
        )
    return weights


def effective_n(weights: Floats) -> float:
    """The number of rows; with weights, of how many equal ones the mean would be as sure.

    >>> effective_n(np.array([1.0, 1.0, 0.0, 2.0]))
    2.6666666666666665
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def as_probabilities(P: Any, n_rows: int) -> Floats:
    """One row per document of numbers from 0 to 1 with the sum 1."""
    probabilities = as_floats(P, "the probabilities", n_dims=2)
    if len(probabilities) != n_rows:
        raise InputError(f"{len(probabilities):,} rows of probabilities for {n_rows:,} labels")
    wrong = (probabilities < 0).any(axis=1) | (np.abs(probabilities.sum(axis=1) - 1) > 1e-4)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"row {row} has the probabilities {probabilities[row][:5].tolist()} with the sum "
            f"{probabilities[row].sum():g}, expected numbers of 0 or more with the sum 1"
        )
    return probabilities


def as_floats(values: Any, name: str, n_dims: int) -> Floats:
    """A finite array of doubles with so many dimensions."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} are not an array of numbers: {error}") from None
    if array.ndim != n_dims:
        raise InputError(f"{name} have the shape {array.shape}, expected {n_dims} dimension(s)")
    if not np.isfinite(array).all():
        raise InputError(f"{name} hold nan or infinity, expected finite numbers")
    return array


def _label_list(labels: Any) -> list[Any]:
    """The labels as Python's own strings, integers and booleans."""
    if any(isinstance(label, (list, tuple, set, frozenset)) for label in labels):
        raise InputError(
            "rows have sets of labels, expected one label per row; sets are measured by "
            "wordplane.evaluation.set_scores.score_sets"
        )
    column = np.asarray(labels, dtype=object)
    if column.ndim != 1:
        raise InputError(f"labels have the shape {column.shape}, expected one label per row")
    return [label.item() if isinstance(label, np.generic) else label for label in column.tolist()]


def check_share(value: float, name: str) -> None:
    """A number strictly between 0 and 1."""
    if not (isinstance(value, (int, float, np.floating)) and 0 < value < 1):
        raise InputError(f"{name} is {value!r}, expected a number between 0 and 1")
