"""Labels: strings, integers or booleans, as classes 0 .. K-1 in sorted order."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError

Codes = NDArray[np.int32]
SETS = (list, tuple, set, frozenset, np.ndarray)  # of labels, where a row may have several


def as_labels(y: Any) -> NDArray[Any]:
    """y as a one-dimensional array of strings, integers or booleans.

    >>> as_labels(["spam", "ham"])
    array(['spam', 'ham'], dtype=object)
    >>> as_labels([1.5])
    Traceback (most recent call last):
    wordplane.common.errors.InputError: Unknown label type: row 0 has the label 1.5 (float), ...
    """
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None")
    labels = np.asarray(y) if hasattr(y, "__array__") else _as_objects(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_column()
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    kind = labels.dtype.kind
    if kind == "f" and (np.abs(labels) < 2**53).all() and (labels % 1 == 0).all():
        # Whole numbers held as floats, as arrays often have them, are integers.
        return labels.astype(np.int64)
    if kind in "bi":
        return labels
    if kind == "U":
        _check_strings(labels)
        return labels
    if kind == "O" and set(map(type, labels.tolist())) == {str}:
        _check_strings(labels)
        return labels
    return _checked_objects(labels.tolist())


def as_model_labels(labels: list[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Labels of a file whose format has strings only, as the labels that a model knows.

    >>> as_model_labels(["1", "x"], np.array([0, 1]))
    array([1, 'x'], dtype=object)
    """
    if isinstance(classes.tolist()[0], str):
        return np.array([str(label) for label in labels], dtype=object)
    known = {str(label): label for label in classes.tolist()}
    return np.array([known.get(str(label), label) for label in labels], dtype=object)


def encode(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The classes in sorted order, and each label as the number of its class."""
    if labels.dtype != object:
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    classes = classes_among(labels)
    return classes, encode_known(labels, classes)


def classes_among(labels: NDArray[Any]) -> NDArray[Any]:
    """The classes in sorted order."""
    if labels.dtype != object:
        return np.unique(labels)
    return class_array(sorted(set(labels.tolist())))


def class_array(classes: list[Any]) -> NDArray[Any]:
    """The classes as an array: strings of NumPy's own kind, unless that would change them (it
    drops a NUL at the end) or take memory out of proportion (every string as the longest)."""
    if isinstance(classes[0], str):
        size = len(classes) * max(len(label) for label in classes)
        if size > 10_000_000 or any(label.endswith("\0") for label in classes):
            return np.array(classes, dtype=object)
    return np.array(classes)


def encode_known(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Each label as the number of its class; a label that is none of them is an error."""
    number = {label: k for k, label in enumerate(classes.tolist())}
    try:
        return np.fromiter(map(number.__getitem__, labels.tolist()), np.int32, len(labels))
    except KeyError as error:
        raise InputError(
            f"the label {error.args[0]!r} is not among the classes {_some(classes)}"
        ) from None


def _as_objects(y: Any) -> NDArray[Any]:
    values = list(y)
    if any(issubclass(kind, SETS) for kind in set(map(type, values))):
        row = next(row for row, value in enumerate(values) if isinstance(value, SETS))
        raise InputError(
            f"row {row} has the labels {values[row]!r:.60}, expected one label per row; sets of "
            "labels are learned by TextClassifier and `wordplane train`"
        )
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels


def _checked_objects(values: list[Any]) -> NDArray[Any]:
    """Labels checked one by one: an array of integers or booleans, or strings as objects."""
    kinds = set()
    for row, value in enumerate(values):
        label = values[row] = value.item() if isinstance(value, np.generic) else value
        if not isinstance(label, (str, int)):
            raise InputError(
                f"Unknown label type: row {row} has the label {label!r} ({type(label).__name__}), "
                "expected a string, an integer or a boolean"
            )
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise InputError(f"row {row} has the label {label}: integers have at most 64 bits")
        kinds.add(isinstance(label, str))
    if len(kinds) > 1:
        raise InputError("some labels are strings and others numbers: use one kind")
    if kinds == {False}:
        return np.array(values)
    labels = np.array(values, dtype=object)
    _check_strings(labels)
    return labels


def _check_strings(labels: NDArray[Any]) -> None:
    for label in set(labels.tolist()):
        try:
            label.encode()
        except UnicodeEncodeError:
            raise InputError(f"the label {label!r} has a lone surrogate: decode it anew") from None


def _warn_of_column() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected; use y.ravel()",
        DataConversionWarning,
        stacklevel=5,
    )


def _some(classes: NDArray[Any]) -> str:
    shown = ", ".join(repr(label) for label in classes[:10].tolist())
    return shown + (", ..." if len(classes) > 10 else "")


def check_known(labels: list[Any], classes: NDArray[Any], source: str) -> None:
    """Of labels to measure with, some must be the model's."""
    found, known = set(labels), set(classes.tolist())
    if found and found.isdisjoint(known):
        some, expected = (", ".join(sorted(map(repr, held))[:5]) for held in (found, known))
        raise InputError(
            f"{source}: the model knows none of the labels ({some}); it was trained on others "
            f"({expected}): name the right column with --label"
        )
