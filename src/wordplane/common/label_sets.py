"""Sets of labels: several, one or none per row (multi-label)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.labels import SETS, as_labels, classes_among, encode


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Which of the classes each row has: member[i, k]."""

    classes: NDArray[Any]
    member: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.member)

    def __getitem__(self, rows: Any) -> Self:
        """Some of the rows; the classes stay all."""
        return type(self)(self.classes, self.member[rows])

    def tolist(self) -> list[tuple[Any, ...]]:
        """The labels of each row, sorted.

        >>> as_label_sets([["b", "a"], [], ["b"]]).tolist()
        [('a', 'b'), (), ('b',)]
        """
        names = self.classes.tolist()
        sets: list[list[Any]] = [[] for _ in range(len(self))]
        for row, k in zip(*(part.tolist() for part in np.nonzero(self.member)), strict=True):
            sets[row].append(names[k])
        return [tuple(labels) for labels in sets]

    def strata(self) -> list[int]:
        """What to keep in proportion in a split: the rarest label of each row, -1 if it has none.

        >>> as_label_sets([["b", "a"], [], ["b"]]).strata()
        [0, -1, 1]
        """
        n_rows = np.where(self.member, self.member.sum(axis=0), len(self) + 1)
        rarest = np.where(self.member.any(axis=1), n_rows.argmin(axis=1), -1)
        return [int(k) for k in rarest]

    def over(self, classes: NDArray[Any]) -> "LabelSets":
        """The same sets among these classes, which have all labels that occur.

        >>> as_label_sets([["b"], []]).over(np.array(["a", "b"])).member.tolist()
        [[False, True], [False, False]]
        """
        member = np.zeros((len(self), len(classes)), bool)
        place = {label: k for k, label in enumerate(classes.tolist())}
        for k, label in enumerate(self.classes.tolist()):
            if self.member[:, k].any():
                member[:, place[label]] = self.member[:, k]
        return LabelSets(classes, member)


def labels_of_rows(y: Any) -> NDArray[Any] | LabelSets:
    """y as one label per row, or as sets of them."""
    return as_label_sets(y) if are_label_sets(y) else as_labels(y)


def classes_of(y: NDArray[Any] | LabelSets) -> NDArray[Any]:
    """The labels there are, sorted."""
    return y.classes if isinstance(y, LabelSets) else classes_among(y)


def n_different(rows: Iterable[Any]) -> int:
    """How many labels there are; each row has one, or a tuple of them.

    >>> n_different(["a", "b", "a"]), n_different([("b", "a"), (), ("b",)])
    (2, 2)
    """
    different = set(rows)
    if any(isinstance(row, tuple) for row in different):
        different = {label for row in different for label in row}
    return len(different)


def strata_of(y: NDArray[Any] | LabelSets) -> list[Any]:
    """What to keep in proportion in a split."""
    return y.strata() if isinstance(y, LabelSets) else y.tolist()


def are_label_sets(y: Any) -> bool:
    """Whether rows have sets of labels: a list of lists, or a matrix of 0 and 1.

    >>> are_label_sets([["a"], []]), are_label_sets(["a", "b"]), are_label_sets(np.eye(2))
    (True, False, True)
    """
    if isinstance(y, LabelSets):
        return True
    if getattr(y, "ndim", 1) == 2:
        return bool(y.shape[1] > 1)
    if isinstance(y, np.ndarray) and y.dtype != object:
        return False
    return not isinstance(y, str) and any(
        issubclass(kind, SETS) for kind in set(map(type, _values(y)))
    )


def as_label_sets(y: Any) -> LabelSets:
    """y as sets: collections of strings, integers or booleans; or a matrix with a 1 where row i
    has the label k, which then are 0, 1, ...

    >>> as_label_sets(np.array([[1, 0, 1], [0, 0, 0]])).tolist()
    [(0, 2), ()]
    """
    if isinstance(y, LabelSets):
        return y
    if getattr(y, "ndim", 1) == 2:
        member = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        if not np.isin(member, (0, 1)).all():
            raise InputError(
                f"y is a matrix of shape {member.shape}: it may hold only 0 and 1, which of the "
                "labels a row has; or give each row a list of labels"
            )
        return LabelSets(np.arange(member.shape[1]), member.astype(bool))
    rows = [_checked(labels, row) for row, labels in enumerate(_values(y))]
    flat = [label for labels in rows for label in labels]
    if not flat:
        return LabelSets(np.array([], dtype=object), np.zeros((len(rows), 0), bool))
    try:
        classes, codes = encode(as_labels(flat))
    except InputError:
        for row, labels in enumerate(rows):  # which one is it?
            try:
                as_labels(labels)
            except InputError as error:
                raise InputError(f"in the labels of row {row}: {error}") from None
        raise
    member = np.zeros((len(rows), len(classes)), bool)
    member[np.repeat(np.arange(len(rows)), [len(labels) for labels in rows]), codes] = True
    return LabelSets(classes, member)


def _values(y: Any) -> Iterable[Any]:
    for way in ("to_list", "tolist"):  # of frames' columns and of arrays
        if hasattr(y, way):
            return list(getattr(y, way)())
    return list(y) if isinstance(y, Iterable) else ()


def _checked(labels: Any, row: int) -> list[Any]:
    if not isinstance(labels, SETS):
        raise InputError(
            f"row {row} has the labels {labels!r:.60}, expected a list of labels (it may be empty)"
        )
    return list(labels)
