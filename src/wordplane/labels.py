"""Labels: strings, integers or booleans, as classes 0 .. K-1 in sorted order."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.errors import InputError

Codes = NDArray[np.int32]


def as_labels(y: Any) -> NDArray[Any]:
    """y as a one-dimensional array of strings, integers or booleans.

    >>> as_labels(["spam", "ham"])
    array(['spam', 'ham'], dtype='<U4')
    >>> as_labels([1.5])
    Traceback (most recent call last):
    wordplane.errors.InputError: Unknown label type: row 0 has the label 1.5 (float), ...
    """
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_column()
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if labels.dtype.kind == "f" and np.isfinite(labels).all() and (labels % 1 == 0).all():
        # Whole numbers held as floats, as arrays often have them, are integers.
        return labels.astype(np.int64)
    if labels.dtype.kind not in "biuU":
        _check_each(labels)
    elif labels.dtype.kind == "U" and not isinstance(y, np.ndarray):
        _check_not_mixed(y)
    return labels


def encode(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The classes in sorted order, and each label as the number of its class."""
    if labels.dtype != object:
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    classes = np.array(sorted(set(labels)), dtype=object)
    return classes, encode_known(labels, classes)


def encode_known(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Each label as the number of its class; a label that is none of them is an error."""
    number = {label: k for k, label in enumerate(classes.tolist())}
    try:
        return np.array([number[label] for label in labels.tolist()], dtype=np.int32)
    except KeyError as error:
        raise InputError(
            f"the label {error.args[0]!r} is not among the classes {_some(classes)}"
        ) from None


def _check_each(labels: NDArray[Any]) -> None:
    kinds = set()
    for row, label in enumerate(labels.tolist()):
        if not isinstance(label, (str, int, np.integer, np.bool_)):
            raise InputError(
                f"Unknown label type: row {row} has the label {label!r} ({type(label).__name__}), "
                "expected a string, an integer or a boolean"
            )
        kinds.add(isinstance(label, str))
    if len(kinds) > 1:
        raise InputError("some labels are strings and others numbers: use one kind")


def _check_not_mixed(y: Any) -> None:
    # NumPy turns [1, "a"] into strings without a word.
    if isinstance(y, (list, tuple)) and not all(isinstance(label, str) for label in y):
        _check_each(np.array(y, dtype=object))


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
