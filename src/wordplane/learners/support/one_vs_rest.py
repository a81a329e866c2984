"""One against the rest, for multi-label rows: a machine for every label.

    for every label k:   w_k, b_k = the learner on (has label k) against (does not have it)

A label that all rows have, or none, needs no machine: w = 0, and b = 1 or -1.
"""

from typing import Self

import numpy as np

from wordplane.common.label_sets import LabelSets, as_label_sets
from wordplane.common.pool import pool_map
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import copy_unfitted


class OneVsRest(LinearClassifier):
    """A linear learner for each label; `coef_` has a row for each, also if there are two."""

    def __init__(self, learner: LinearClassifier, *, n_jobs: int | None = None) -> None:
        self.learner = learner
        self.n_jobs = n_jobs

    def fit(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Learn every label from the rows that have it and those that do not."""
        sets = as_label_sets(y)
        self.classes_ = sets.classes
        matrix = self._new_features(X)
        n_features = matrix.shape[1]
        counts = slice(None) if sample_weight is None else np.asarray(sample_weight) > 0

        def machine(k: int) -> tuple[FloatArray, float]:
            has_it = sets.member[:, k]
            if has_it[counts].all() or not has_it[counts].any():
                return np.zeros(n_features), 1.0 if has_it[counts].any() else -1.0
            model = copy_unfitted(self.learner, 1).fit(matrix, has_it, sample_weight=sample_weight)
            return model.coef_[0], float(model.intercept_[0])

        n_labels = len(self.classes_)
        threads = thread_count(self.n_jobs)
        machines = pool_map(machine, range(n_labels), threads, "learning labels", n_labels)
        self.coef_ = np.stack([w for w, _ in machines])
        self.intercept_ = np.array([b for _, b in machines])
        return self
