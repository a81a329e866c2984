"""One against the rest, for rows with sets of labels: a machine for every label.

    for every label k:   w_k, b_k = the learner on (has label k) against (has it not)

A label that all rows have, or none, needs no machine: w = 0, and b = 1 or -1.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.label_sets import LabelSets
from wordplane.common.pool import pool_map
from wordplane.common.threads import thread_count
from wordplane.learners.support.base import LinearClassifier


class OneVsRest(LinearClassifier):
    """A linear learner for each label; `coef_` has a row for each, also if there are two."""

    def __init__(self, learner: Any, *, n_jobs: int | None = None) -> None:
        self.learner = learner
        self.n_jobs = n_jobs

    def fit(self, X: _core.Csr, y: LabelSets, sample_weight: Any = None) -> Self:
        """Learn every label from rows that have it and rows that have not."""
        self.classes_ = y.classes
        n_features = self._new_features(X).shape[1]
        counts = slice(None) if sample_weight is None else np.asarray(sample_weight) > 0
        params = {**self.learner.get_params(deep=False), "n_jobs": 1}

        def machine(k: int) -> tuple[NDArray[np.float64], float]:
            has_it = y.member[:, k]
            if has_it[counts].all() or not has_it[counts].any():
                return np.zeros(n_features), 1.0 if has_it[counts].any() else -1.0
            model = type(self.learner)(**params).fit(X, has_it, sample_weight=sample_weight)
            return model.coef_[0], float(model.intercept_[0])

        n_labels = len(self.classes_)
        threads = thread_count(self.n_jobs)
        machines = pool_map(machine, range(n_labels), threads, "learning labels", n_labels)
        self.coef_ = np.stack([w for w, _ in machines])
        self.intercept_ = np.array([b for _, b in machines])
        return self
