"""Learners that take rows in parts: `fit` and `partial_fit` over two hooks, and what they resume
from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, Self, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.labels import Codes, as_labels, encode_known
from wordplane.common.matrix_estimator import check_length
from wordplane.common.types import (
    FloatArray,
    IntArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.learners.support.base import LinearClassifier

StateValue: TypeAlias = FloatArray | float | int | None

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(method: Callable[P, R]) -> Callable[P, R]:
    """A method that leaves the learner as it was if it fails."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        learner = vars(args[0])
        before = learner.copy()
        try:
            return method(*args, **kwargs)
        except BaseException:
            learner.clear()
            learner.update(before)
            raise

    return guarded


class IncrementalClassifier(LinearClassifier):
    """A linear classifier that can learn from rows in parts.

    A learner adds `_start` and `_add`. Its `state` names the attributes that `partial_fit` resumes
    from, as `_start` makes them: arrays, numbers, or None; it is empty if a model file cannot hold
    them.
    """

    state: tuple[str, ...] = ()

    @property
    def grows(self) -> bool:
        """Whether `resize` can add columns and classes to what was learned."""
        return False

    def _start(self) -> None:
        """Set what `state` names to what it is before any row is seen; classes and columns are
        known."""
        raise NotImplementedError

    def _add(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        """Learn from rows, after those before them."""
        raise NotImplementedError

    def _prepare(
        self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike, *, are_all: bool
    ) -> None:
        """Set what depends on the first rows, which `_add` gets next: all rows, or a part."""

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from rows and their labels."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        self._start()
        self._prepare(matrix, codes, sample_weight, are_all=True)
        return self._add(matrix, codes, sample_weight)

    @all_or_nothing
    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike | LabelSets,
        classes: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from more rows; the first call names all classes."""
        matrix, codes, first = self._next_rows(X, y, classes)
        if first:
            self._start()
            self._prepare(matrix, codes, sample_weight, are_all=False)
        return self._add(matrix, codes, sample_weight)

    def remove(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Take rows out of what was learned again."""
        raise InputError(f"{type(self).__name__} cannot remove rows: naive Bayes can")

    def fade(self, share: float) -> None:
        """Forget this share of what was learned, before more is."""
        raise InputError(f"{self!r} cannot forget")

    def occurring(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The columns and the classes that rows which were not removed have."""
        return np.ones(self.n_features_in_, bool), np.ones(len(self.classes_), bool)

    def get_state(self) -> dict[str, FloatArray]:
        """What the fitted learner resumes training from: the attributes that `state` names, a
        number as an array of one; what is None or infinite is as `_start` makes it, and left out.
        """
        arrays = {
            name: np.atleast_1d(np.asarray(value, np.float64))
            for name, value in self._state_values().items()
            if value is not None
        }
        return {name: array for name, array in arrays.items() if np.isfinite(array).all()}

    def set_state(
        self, arrays: Mapping[str, FloatArray], classes: LabelArray, n_features: int
    ) -> None:
        """Become the learner whose `get_state` this is. Arrays that do not fit are refused."""
        self.classes_, self.n_features_in_ = classes, n_features
        self._start()
        started = {k: value for k, value in self._state_values().items() if value is not None}
        needed = {name for name, value in started.items() if np.isfinite(value).all()}
        if not needed <= set(arrays) <= set(started):
            raise InputError(
                f"the state of {type(self).__name__} has {', '.join(sorted(arrays)) or 'nothing'}, "
                f"expected {', '.join(sorted(needed)) or 'nothing'}"
            )
        for name, array in arrays.items():
            first = started[name]
            if array.shape != (np.shape(first) or (1,)) or not np.isfinite(array).all():
                raise InputError(
                    f"{name} in the state of {type(self).__name__} has another shape, or a value "
                    "that is not finite"
                )
            if isinstance(first, int) and not (0 <= array[0] < 2**53 and array[0] % 1 == 0):
                raise InputError(
                    f"{name} in the state of {type(self).__name__} is {array[0]}, expected a "
                    "whole number of 0 or more"
                )
            is_array = isinstance(first, np.ndarray)
            setattr(self, name, array.copy() if is_array else type(first)(array[0]))

    def resize(self, place: IntArray, n_features: int, classes: LabelArray) -> None:
        """Continue with other columns and classes: column j becomes place[j], or goes if that is
        -1; what is new has not been seen yet."""
        before = self._state_values()
        number = {label: k for k, label in enumerate(classes.tolist())}
        kept = np.array([number.get(label, -1) for label in self.classes_.tolist()], np.int64)
        self.classes_, self.n_features_in_ = classes, n_features
        self._start()
        self._refill(before, place, kept)

    def _refill(self, before: Mapping[str, StateValue], place: IntArray, kept: IntArray) -> None:
        """Set what `state` names, which `_start` has just made, to what it was `before`; class k
        has become kept[k]."""
        raise InputError(f"{self!r} cannot learn new columns and classes")

    def _state_values(self) -> dict[str, StateValue]:
        return {name: getattr(self, name) for name in self.state}

    def _next_rows(
        self, X: MatrixLike, y: LabelsLike | LabelSets, classes: LabelsLike | None
    ) -> tuple[_core.Csr, Codes, bool]:
        """X and y of a `partial_fit`, and whether it is the first, which sets the classes."""
        if self.class_weight == "balanced":
            raise InputError(
                "class_weight='balanced' needs all rows at once: use fit, or give partial_fit the "
                "weights, n / (n_classes * n_k) for class k"
            )
        first = not hasattr(self, "classes_")
        if first:
            if classes is None:
                raise InputError("classes must be passed on the first call to partial_fit.")
            matrix = self._new_features(X)
            self.classes_ = np.unique(as_labels(classes))
        else:
            matrix = self._known_features(X)
            if classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
                raise InputError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                    f"{self.classes_!r}"
                )
        return matrix, self._known_labels(matrix, y), first

    def _known_labels(self, X: _core.Csr, y: LabelsLike | LabelSets) -> Codes:
        """The numbers of the classes of more rows."""
        if isinstance(y, LabelSets):
            raise InputError(f"{self!r} learns one label per row, and y has sets of labels")
        labels = as_labels(y)
        check_length(X, labels, "y")
        return encode_known(labels, self.classes_)


def can_resume(learner: object) -> TypeGuard[IncrementalClassifier]:
    """Whether a fitted learner can be trained further, also after it was kept in a file."""
    return isinstance(learner, IncrementalClassifier) and bool(learner.state)
