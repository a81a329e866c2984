"""Multi-label data: each row has several labels, one, or none."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.labels import (
    COLLECTIONS,
    as_labels,
    as_rows,
    classes_among,
    encode,
    name_values,
)
from wordplane.common.types import (
    IntArray,
    Label,
    LabelArray,
    LabelsLike,
    RowIndex,
    SparseMatrix,
    WeightsLike,
)
from wordplane.common.weights import as_weights


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Which of the classes each row has: row i has codes[starts[i] : starts[i + 1]], ascending."""

    classes: LabelArray
    starts: IntArray
    codes: IntArray

    @classmethod
    def of_member(cls, classes: LabelArray, member: NDArray[np.bool_]) -> Self:
        """From a matrix: member[i, k] if row i has class k."""
        rows, codes = np.nonzero(member)
        return cls(classes, _starts(rows, len(member)), codes)

    @classmethod
    def of_pairs(cls, classes: LabelArray, n_rows: int, rows: IntArray, codes: IntArray) -> Self:
        """From the rows and codes of all pairs that there are; a pair may be there twice."""
        pairs = np.unique(rows.astype(np.int64) * max(len(classes), 1) + codes)
        rows, codes = np.divmod(pairs, max(len(classes), 1))
        return cls(classes, _starts(rows, n_rows), codes)

    @cached_property
    def member(self) -> NDArray[np.bool_]:
        """The matrix; rows times classes in size."""
        member = np.zeros((len(self), len(self.classes)), bool)
        member[self.pairs()] = True
        return member

    def pairs(self) -> tuple[IntArray, IntArray]:
        """The row and the code of every label that a row has."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts)), self.codes

    def sizes(self) -> IntArray:
        """How many rows each class has."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, rows: RowIndex) -> Self:
        """Some of the rows; all classes stay."""
        own = np.arange(len(self))[rows]
        sizes = np.diff(self.starts)[own]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        places = np.arange(starts[-1]) + np.repeat(self.starts[own] - starts[:-1], sizes)
        return type(self)(self.classes, starts, self.codes[places])

    def tolist(self) -> list[tuple[Label, ...]]:
        """The labels of each row, sorted.

        >>> as_label_sets([["b", "a"], [], ["b"]]).tolist()
        [('a', 'b'), (), ('b',)]
        """
        names = self.classes.tolist()
        sets: list[list[Label]] = [[] for _ in range(len(self))]
        for row, k in zip(*(part.tolist() for part in self.pairs()), strict=True):
            sets[row].append(names[k])
        return [tuple(labels) for labels in sets]

    def strata(self) -> list[int]:
        """What a split keeps in proportion: the rarest label of each row, -1 if it has none.

        >>> as_label_sets([["b", "a"], [], ["b"]]).strata()
        [0, -1, 1]
        """
        rows, codes = self.pairs()
        order = np.lexsort([codes, self.sizes()[codes], rows])
        rarest = np.full(len(self), -1)
        has_any = np.diff(self.starts) > 0
        rarest[has_any] = codes[order][self.starts[:-1][has_any]]
        return [int(k) for k in rarest]

    def with_classes(self, classes: LabelArray) -> "LabelSets":
        """The same label sets over other classes, which must include every label that occurs.

        >>> as_label_sets([["b"], []]).with_classes(np.array(["a", "b"])).member.tolist()
        [[False, True], [False, False]]
        """
        code = {label: k for k, label in enumerate(classes.tolist())}
        occurs = self.sizes() > 0
        new = np.array(
            [
                code[label] if o else -1
                for label, o in zip(self.classes.tolist(), occurs, strict=True)
            ],
            np.int64,
        )
        rows, codes = self.pairs()
        return LabelSets.of_pairs(classes, len(self), rows, new[codes])

    def accuracy(self, y: object, weights: WeightsLike = None) -> float:
        """The share of rows (by weight) whose label set is exactly that of y.

        >>> as_label_sets([["a", "b"], []]).accuracy([["a", "b"], ["a"]])
        0.5
        """
        true = as_label_sets(y)
        n_labels = len(true.classes)
        if getattr(y, "ndim", 1) == 2:  # columns in the order of the classes
            true = LabelSets(self.classes, true.starts, true.codes)
        if len(true) != len(self) or n_labels > len(self.classes):
            raise InputError(
                f"{len(self)} texts and sets of {n_labels} labels for {len(true)}: "
                f"the model has {len(self.classes)} labels"
            )
        right = [a == b for a, b in zip(self.tolist(), true.tolist(), strict=True)]
        return float(np.average(right, weights=as_weights(weights, len(right))))


LabelsOrSets = LabelArray | LabelSets


def as_labels_or_sets(y: LabelsLike | Iterable[object] | LabelSets | None) -> LabelsOrSets:
    """y as one label per row, or as label sets if it is multi-label.

    Dates become strings, as they are in a file of text, and whole numbers integers.

    >>> as_labels_or_sets([1.0, 2.0]).tolist()
    [1, 2]
    """
    if y is not None and not isinstance(y, LabelSets) and getattr(y, "ndim", 1) == 1:
        y = as_rows(y)
    return as_label_sets(y) if are_label_sets(y) else as_labels(name_values(cast(LabelsLike, y)))


def classes_of(y: LabelsOrSets) -> LabelArray:
    """The classes in sorted order."""
    return y.classes if isinstance(y, LabelSets) else classes_among(y)


def count_classes(rows: Iterable[Label | tuple[Label, ...] | None]) -> int:
    """The number of different labels; each row has one label, or a tuple of labels.

    >>> count_classes(["a", "b", "a"]), count_classes([("b", "a"), (), ("b",)])
    (2, 2)
    """
    different = set(rows)
    if any(isinstance(row, tuple) for row in different):
        return len({label for row in different if isinstance(row, tuple) for label in row})
    return len(different)


def strata_of(y: LabelsOrSets) -> list[Label]:
    """What a split keeps in proportion."""
    return [*y.strata()] if isinstance(y, LabelSets) else y.tolist()


def are_label_sets(y: object) -> bool:
    """Whether y is multi-label: a list of lists, or a matrix of 0 and 1.

    >>> are_label_sets([["a"], []]), are_label_sets(["a", "b"]), are_label_sets(np.eye(2))
    (True, False, True)
    """
    if isinstance(y, LabelSets):
        return True
    if getattr(y, "ndim", 1) == 2:
        return bool(cast(SparseMatrix, y).shape[1] > 1)
    if isinstance(y, np.ndarray) and y.dtype != object:
        return False
    return not isinstance(y, str) and any(
        issubclass(kind, COLLECTIONS) for kind in set(map(type, _as_list(y)))
    )


def as_label_sets(y: object) -> LabelSets:
    """y as label sets.

    y is a collection of labels per row, or a matrix with a 1 where row i has label k; the labels
    of a matrix are 0, 1, ...

    >>> as_label_sets(np.array([[1, 0, 1], [0, 0, 0]])).tolist()
    [(0, 2), ()]
    """
    if isinstance(y, LabelSets):
        return y
    if getattr(y, "ndim", 1) == 2:
        member = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        if not np.isin(member, (0, 1)).all():
            raise InputError(
                f"y is a matrix of shape {member.shape} with values other than 0 and 1; "
                "put a 1 where a row has a label, or pass a list of labels for each row"
            )
        return LabelSets.of_member(np.arange(member.shape[1]), member.astype(bool))
    rows = [_check_collection(labels, row) for row, labels in enumerate(_as_list(y))]
    flat = [label for labels in rows for label in labels]
    if not flat:
        return LabelSets.of_member(np.array([], dtype=object), np.zeros((len(rows), 0), bool))
    try:
        classes, codes = encode(as_labels(flat))
    except InputError:
        for row, labels in enumerate(rows):  # which row is it?
            try:
                as_labels(labels)
            except InputError as error:
                raise InputError(f"in the labels of row {row}: {error}") from None
        raise
    row_of = np.repeat(np.arange(len(rows)), [len(labels) for labels in rows])
    return LabelSets.of_pairs(classes, len(rows), row_of, codes.astype(np.int64))


def _starts(rows: IntArray, n_rows: int) -> IntArray:
    """Where each row begins among all pairs, by the rows of the pairs."""
    sizes = np.bincount(rows, minlength=n_rows)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def _as_list(y: object) -> list[object]:
    for method in ("to_list", "tolist"):  # of frames' columns and of arrays
        if hasattr(y, method):
            return list(getattr(y, method)())
    return list(y) if isinstance(y, Iterable) else []


def _check_collection(labels: object, row: int) -> list[object]:
    if not isinstance(labels, COLLECTIONS):
        raise InputError(
            f"row {row} has the labels {labels!r:.60}, expected a list of labels (it may be empty)"
        )
    return list(labels)
