"""What the naive Bayes learners share: they count, and everything else follows from the counts.

    class_count_     n_k, the documents of class k, by weight
    feature_count_   what they add up to in every column

Documents can be added to the counts and taken out of them again; either way the model is the one
that `fit` makes of the documents that are left.
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes, as_labels, encode_known
from wordplane.common.matrix_estimator import check_length
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import LinearClassifier, all_or_nothing, row_weights

ROUNDING = 1e-9  # of a count


class CountingClassifier(LinearClassifier):
    """A linear classifier whose weights follow from counts.

    A learner adds `_smooth`, and `_values` if it does not count the values as they are.
    """

    grows = True

    class_count_: FloatArray
    feature_count_: FloatArray

    def _values(self, X: _core.Csr) -> _core.Csr:
        """What is counted."""
        return X

    def _smooth(self) -> None:
        """Set the weights that belong to the counts."""
        raise NotImplementedError

    def _start(self) -> None:
        self.class_count_ = np.zeros(len(self.classes_))
        self.feature_count_ = np.zeros((len(self.classes_), self.n_features_in_))

    def _count(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        """Add rows to the counts."""
        weights = row_weights(X, codes, self.classes_, sample_weight, self.class_weight)
        self._add_counts(X, codes, weights, self.feature_count_)
        self.class_count_ += np.bincount(codes, weights, minlength=len(self.classes_))
        self._smooth()
        return self

    def _add_counts(
        self, X: _core.Csr, codes: Codes, weights: FloatArray, counts: FloatArray
    ) -> None:
        _core.add_class_counts(self._values(X), codes, weights, counts, thread_count(self.n_jobs))

    @all_or_nothing
    def remove(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Take rows out of the counts again."""
        self._check_fitted()
        matrix, labels = self._known_features(X), as_labels(y)
        check_length(matrix, labels, "y")
        codes = encode_known(labels, self.classes_)
        weights = row_weights(matrix, codes, self.classes_, sample_weight, self.class_weight)
        counts = np.zeros_like(self.feature_count_)
        self._add_counts(matrix, codes, weights, counts)
        in_classes = np.bincount(codes, weights, minlength=len(self.classes_)).astype(np.float64)
        self.feature_count_ = _less(self.feature_count_, counts)
        self.class_count_ = _less(self.class_count_, in_classes)
        self._smooth()
        return self

    def fade(self, share: float) -> None:
        """Let all rows so far count (1 - share) as much."""
        self.class_count_ = self.class_count_ * (1 - share)
        self.feature_count_ = self.feature_count_ * (1 - share)
        self._smooth()

    def state_of_first_class(self) -> dict[str, FloatArray]:
        """The counts of both classes together, as those of the first."""
        state = self.get_state()
        for name in ("class_count_", "feature_count_"):
            counts = state[name]
            state[name] = np.stack([counts.sum(axis=0), np.zeros_like(counts[0])])
        return state

    def occurring(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The columns and the classes that have a count."""
        return np.asarray(self.feature_count_.any(axis=0)), self.class_count_ > 0

    def _refill(self, before: dict[str, FloatArray], place: IntArray, kept: IntArray) -> None:
        columns = np.flatnonzero(place >= 0)
        rows = np.flatnonzero(kept >= 0)
        self.class_count_[kept[rows]] = before["class_count_"][rows]
        self.feature_count_[np.ix_(kept[rows], place[columns])] = before["feature_count_"][
            np.ix_(rows, columns)
        ]
        self._smooth()


def _less(counts: FloatArray, taken: FloatArray) -> FloatArray:
    """counts - taken, 0 where only rounding is left."""
    left = counts - taken
    if (left < -ROUNDING * np.maximum(counts, 1.0)).any():
        raise InputError("these texts cannot be removed: the model did not learn from all of them")
    return np.asarray(np.where(left > ROUNDING * np.maximum(counts, 1.0), left, 0.0))
