"""Argument checks of the evaluation functions: labels, weights, scores, probabilities."""

from collections.abc import Iterable
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray, Label, LabelsLike


def label_codes(*arrays: LabelsLike) -> tuple[tuple[Label, ...], list[IntArray]]:
    """The labels that occur in any of the arrays, sorted, and each array as codes.

    Labels that a model has never seen may have another type: numbers come before strings.

    >>> label_codes(["b", "a"], ["b", 3])
    ((3, 'a', 'b'), [array([2, 1]), array([2, 0])])
    """
    lists = [_label_list(array) for array in arrays]
    if len({len(values) for values in lists}) > 1:
        lengths = " and ".join(f"{len(values):,}" for values in lists)
        raise InputError(f"the label arrays have {lengths} rows, expected the same number in each")
    if not lists[0]:
        raise InputError("there are no rows to measure")
    distinct = set[Label]().union(*lists)
    labels = tuple(sorted(distinct, key=lambda label: (isinstance(label, str), label)))
    code = {label: k for k, label in enumerate(labels)}
    return labels, [np.array([code[label] for label in values]) for values in lists]


def class_codes(y: LabelsLike, classes: LabelsLike | None, n_columns: int) -> IntArray:
    """The code of each label, -1 for a label that is not among the classes.

    >>> class_codes(["b", "a", "?"], ["a", "b"], 2)
    array([ 1,  0, -1])
    """
    names: list[Label] = list(range(n_columns)) if classes is None else _label_list(classes)
    if len(names) != n_columns or len(set(names)) != n_columns:
        raise InputError(
            f"there are {n_columns} columns of scores and {len(set(names))} different classes, "
            "expected one class for each column"
        )
    code = {label: k for k, label in enumerate(names)}
    return np.array([code.get(label, -1) for label in _label_list(y)], dtype=np.int64)


def positives(y: LabelsLike) -> NDArray[np.bool_]:
    """Which rows are positive, from booleans or from 0 and 1; both must occur."""
    values = np.asarray(y)
    if values.ndim != 1 or not np.isin(values, (0, 1)).all():
        raise InputError(
            "expected one True or False (1 or 0) per row; for a class, pass y == that class"
        )
    positive = values.astype(bool)
    if positive.all() or not positive.any():
        kind = "positive" if positive.any() else "negative"
        raise InputError(f"all {len(positive):,} rows are {kind}, but a curve needs both kinds")
    return positive


def effective_n(weights: FloatArray) -> float:
    """The number of equally weighted rows whose mean would have the same variance.

    >>> effective_n(np.array([1.0, 1.0, 0.0, 2.0]))
    2.6666666666666665
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def as_probabilities(P: ArrayLike, n_rows: int) -> FloatArray:
    """One row per document, with numbers from 0 to 1 that sum to 1."""
    probabilities = as_floats(P, "the probabilities", n_dims=2)
    if len(probabilities) != n_rows:
        raise InputError(
            f"there are {len(probabilities):,} rows of probabilities for {n_rows:,} labels, "
            "expected one row per label"
        )
    wrong = (probabilities < 0).any(axis=1) | (np.abs(probabilities.sum(axis=1) - 1) > 1e-4)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"row {row} has the probabilities {probabilities[row][:5].tolist()} with the sum "
            f"{probabilities[row].sum():g}, expected numbers of 0 or more with the sum 1"
        )
    return probabilities


def as_floats(values: ArrayLike, name: str, n_dims: int) -> FloatArray:
    """A finite array of doubles with this number of dimensions."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} are not an array of numbers: {error}") from None
    if array.ndim != n_dims:
        raise InputError(f"{name} have the shape {array.shape}, expected {n_dims} dimension(s)")
    if not np.isfinite(array).all():
        raise InputError(f"{name} contain NaN or infinity, expected finite numbers")
    return array


def _label_list(labels: LabelsLike) -> list[Label]:
    """The labels as Python strings, integers and booleans."""
    collections = (list, tuple, set, frozenset)
    if any(isinstance(label, collections) for label in cast(Iterable[object], labels)):
        raise InputError(
            "the rows are multi-label, expected one label per row; measure label sets with "
            "wordplane.evaluation.set_scores.score_sets"
        )
    array = np.asarray(labels, dtype=object)
    if array.ndim != 1:
        raise InputError(f"labels have the shape {array.shape}, expected one label per row")
    return [label.item() if isinstance(label, np.generic) else label for label in array.tolist()]


def check_share(value: float, name: str) -> None:
    """Raise an error unless the value is strictly between 0 and 1."""
    if not (isinstance(value, (int, float, np.floating)) and 0 < value < 1):
        raise InputError(f"{name} is {value!r}, expected a number between 0 and 1")
