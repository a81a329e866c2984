"""Labels: strings, integers or booleans, encoded as classes 0 .. K-1 in sorted order."""

import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, time
from decimal import Decimal
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import Label, LabelArray, LabelsLike

BETWEEN_WORDS = re.compile(r"(?<=\w)(?![\s_]+-\d)[\s_-]+(?=\w)|\s+")  # not the sign of a number
Codes = NDArray[np.int32]
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)  # what holds the labels of one row
VALUES = (float, Decimal, date, time)  # what a file of text holds as strings
MOST_RATINGS = 20  # different numbers that may well be classes, such as stars from 0.5 to 5
MAX_CLASS_CHARACTERS = 10_000_000  # of all classes, each padded to the length of the longest


def as_labels(y: LabelsLike | Iterable[object] | None) -> LabelArray:
    """y as a one-dimensional array of strings, integers or booleans.

    >>> as_labels(["spam", "ham"])
    array(['spam', 'ham'], dtype=object)
    >>> as_labels([1.5])
    Traceback (most recent call last):
    wordplane.common.errors.InputError: Unknown label type: row 0 has the label 1.5 (float), ...
    """
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None")
    labels = np.asarray(y) if hasattr(y, "__array__") else _as_objects(as_rows(y))
    if labels.ndim == 2 and labels.shape[1] == 1:
        warn_of_column_vector()
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    kind = labels.dtype.kind
    if kind == "f" and (np.abs(labels) < 2**53).all() and (labels % 1 == 0).all():
        # Arrays often store whole numbers as floats: treat these as integers.
        return labels.astype(np.int64)
    if kind in "bi":
        return labels
    if kind == "U":
        _check_strings(labels)
        return labels
    if kind == "O" and set(map(type, labels.tolist())) == {str}:
        _check_strings(labels)
        return labels
    return _check_objects(labels.tolist())


def as_rows(y: object) -> LabelsLike | Iterable[object]:
    """y if it has a label for each row and can be read more than once.

    >>> as_rows("abc")
    Traceback (most recent call last):
    wordplane.common.errors.InputError: the labels are 'abc', expected a list of labels
    """
    is_one = isinstance(y, (str, bytes)) or not (isinstance(y, Iterable) or hasattr(y, "tolist"))
    if is_one or isinstance(y, (Mapping, Set)):  # these have no order
        raise InputError(f"the labels are {y!r:.60}, expected a list of labels")
    return list(y) if isinstance(y, Iterator) else cast(LabelsLike, y)


def name_values(y: LabelsLike | Iterable[object] | None) -> LabelsLike | Iterable[object] | None:
    """The labels with dates as strings, and whole numbers as integers; others are refused."""
    if y is None or (hasattr(y, "dtype") and getattr(y.dtype, "kind", "") in "biuU"):
        return y
    values = np.asarray(y).tolist() if hasattr(y, "__array__") else list(cast(Iterable[object], y))
    if not any(issubclass(kind, VALUES) for kind in set(map(type, values))):
        return y
    return [_name_value(value, row) for row, value in enumerate(values)]


def _name_value(value: object, row: int) -> object:
    if not isinstance(value, VALUES):
        return value
    if value != value:
        raise InputError(f"row {row} has the label NaN, expected a label: leave out such rows")
    if not isinstance(value, float):
        return str(value)
    if abs(value) < 2**53 and value % 1 == 0:
        return int(value)
    raise InputError(
        f"row {row} has the label {value!r}, a number with decimals, expected a string, an integer "
        "or a boolean: `TextRegressor` learns to predict numbers; if every number is a class of "
        "its own, pass them as strings"
    )


def as_model_labels(labels: Iterable[object], classes: LabelArray) -> LabelArray:
    """Labels read from a format that has only strings, as the labels that a model knows.

    >>> as_model_labels(["1", "x"], np.array([0, 1]))
    array([1, 'x'], dtype=object)
    """
    if isinstance(classes.tolist()[0], str):
        return np.array([str(label) for label in labels], dtype=object)
    by_name = {str(label): label for label in classes.tolist()}
    return np.array([by_name.get(str(label), label) for label in labels], dtype=object)


def encode(labels: LabelArray) -> tuple[LabelArray, Codes]:
    """The classes in sorted order, and for each label the number of its class."""
    if labels.dtype != object:
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    classes = classes_among(labels)
    return classes, encode_known(labels, classes)


def classes_among(labels: LabelArray) -> LabelArray:
    """The classes in sorted order."""
    if labels.dtype != object:
        return np.unique(labels)
    return class_array(sorted(set(labels.tolist())))


def class_array(classes: Sequence[Label]) -> LabelArray:
    """The classes as an array.

    Strings are stored in NumPy's own string type, unless that would change them (it drops a
    trailing NUL) or take too much memory (every string takes as much as the longest).
    """
    strings = [label for label in classes if isinstance(label, str)]
    if strings:
        size = len(strings) * max(map(len, strings))
        if size > MAX_CLASS_CHARACTERS or any(label.endswith("\0") for label in strings):
            return np.array(classes, dtype=object)
    return np.array(classes)


def encode_known(labels: LabelArray, classes: LabelArray) -> Codes:
    """For each label the number of its class; a label that is not a class is an error."""
    code = {label: k for k, label in enumerate(classes.tolist())}
    try:
        return np.fromiter(map(code.__getitem__, labels.tolist()), np.int32, len(labels))
    except KeyError as error:
        raise InputError(
            f"the label {error.args[0]!r} is not among the classes {list_some(classes.tolist())}"
        ) from None


def check_known(labels: Iterable[Label], classes: LabelArray, source: str) -> None:
    """Raise an error if a model that is to be measured on these labels knows none of them."""
    present, known = set(labels), set(classes.tolist())
    if present and present.isdisjoint(known):
        first, expected = (", ".join(sorted(map(repr, some))[:5]) for some in (present, known))
        advice = "name the column with these labels as `label`"
        if not set(map(_plain, known)).isdisjoint(map(_plain, present)):
            advice = "write them alike: they differ in a decimal point or in their type"
        raise InputError(
            f"{source}: the model knows none of the labels ({first}); it was trained on "
            f"{expected}; {advice}"
        )


def _plain(label: Label) -> str:
    """Without the point of numbers such as 1.0, as columns of them with empty cells are written."""
    return re.sub(r"(?<=\d)\.0$", "", str(label))


def _as_objects(y: Iterable[object] | LabelsLike) -> NDArray[np.object_]:
    values = list(cast(Iterable[object], y))
    if any(issubclass(kind, COLLECTIONS) for kind in set(map(type, values))):
        row = next(row for row, value in enumerate(values) if isinstance(value, COLLECTIONS))
        raise InputError(
            f"row {row} has the labels {values[row]!r:.60}, expected one label per row; use "
            "TextClassifier or `wordplane train` for multi-label data"
        )
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels


def _check_objects(values: list[object]) -> LabelArray:
    """Check labels one by one; an array of integers or booleans, or of strings as objects."""
    kinds = set()
    for row, value in enumerate(values):
        label = values[row] = value.item() if isinstance(value, np.generic) else value
        if not isinstance(label, (str, int)):
            raise InputError(
                f"Unknown label type: row {row} has the label {label!r} ({type(label).__name__}), "
                "expected a string, an integer or a boolean"
            )
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise InputError(
                f"row {row} has the label {label}, expected an integer of at most 64 bits; "
                "pass such labels as strings"
            )
        kinds.add(isinstance(label, str))
    if len(kinds) > 1:
        raise InputError("some labels are strings and others numbers; use one type for all")
    if kinds == {False}:
        return np.array(values)
    labels = np.array(values, dtype=object)
    _check_strings(labels)
    return labels


def _check_strings(labels: LabelArray) -> None:
    for label in set(labels.tolist()):
        check_label(label)


def check_label(label: str) -> None:
    """Refuse a label that no file can hold."""
    try:
        label.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"the label {label!r} has a lone surrogate, which is not valid Unicode; "
            "decode it with the right encoding"
        ) from None


def spelling_of(label: Label) -> Label:
    """What labels have in common that differ only in case, in white space, `_` or `-` between their
    words, or in how their letters are composed.

    >>> spelling_of("On  HOLD") == spelling_of("on-hold") == spelling_of("on_hold"), spelling_of(3)
    (True, 3)
    >>> spelling_of("-1") == spelling_of("1"), spelling_of("score -1") == spelling_of("score 1")
    (False, False)
    """
    if not isinstance(label, str):
        return label
    plain = unicodedata.normalize("NFC", label.casefold()).strip()
    return BETWEEN_WORDS.sub(" ", plain)


def warn_of_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected; use y.ravel()",
        DataConversionWarning,
        stacklevel=5,
    )


def list_some(labels: Sequence[Label]) -> str:
    """The first labels, and how many others there are.

    >>> list_some(range(12))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more'
    """
    listed = ", ".join(map(repr, labels[:10]))
    return listed + (f" and {len(labels) - 10:,} more" if len(labels) > 10 else "")
