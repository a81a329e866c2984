"""A chain of machines for multi-label rows: earlier labels are features of later ones.

    for every label k in the order of the chain:
        w_k, b_k, links = the learner on (has label k) against (does not have it),
                          of x and of which of the labels before k the row has

The machines learn from the true labels of the rows, as in the paper; when they score, they get
the decisions of those before them, z > 0 (`common.label_chain`). A label that all rows have, or
none, needs no machine: w = 0, and b = 1 or -1.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_chain import LabelChain
from wordplane.common.label_sets import LabelSets, as_label_sets
from wordplane.common.matrix_estimator import check_length
from wordplane.common.pool import pool_map
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    IntArray,
    Label,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights
from wordplane.learners.support.base import LinearClassifier, bytes_to_fit
from wordplane.learners.support.protocols import (
    LeavesOutFeatures,
    PreparesForLabel,
    TakesGroups,
    copy_unfitted,
)


class ClassifierChain(LinearClassifier):
    """A linear learner for each label, which gets the labels before it too.

    Parameters
    ----------
    learner
        What finds the weights of each label.
    order : labels, default None
        All labels in the order of the chain; None: the most frequent first, ties sorted.

    Attributes
    ----------
    chain_
        The order, and what each label adds to the scores of later ones.
    """

    name = "chain"
    chain_: LabelChain

    def __init__(
        self,
        learner: LinearClassifier,
        *,
        order: Sequence[Label] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.order = order
        self.n_jobs = n_jobs

    def set_groups(self, starts: Sequence[int], n_counted: int, n_features: int) -> None:
        """The columns of the features; those of the labels come after them."""
        self._groups = list(starts), n_counted

    def prepare_for_one_label(self) -> None:
        """Prepare the learner, if it takes that into account."""
        if isinstance(self.learner, PreparesForLabel):
            self.learner.prepare_for_one_label()

    def leaves_out_features(self) -> bool:
        """Whether the learner does."""
        return isinstance(self.learner, LeavesOutFeatures) and self.learner.leaves_out_features()

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """The weights of all labels, and what a learner takes for one of them."""
        inner = bytes_to_fit(self.learner, n_docs, n_features + n_classes, 2)
        return 3 * 8 * n_classes * (n_features + n_classes) + thread_count(self.n_jobs) * inner

    def fit(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Learn every label from the rows that have it and those that do not."""
        sets = as_label_sets(y)
        self.classes_ = sets.classes
        matrix = self._new_features(X)
        check_length(matrix, sets, "y")
        n_features, n_labels = matrix.shape[1], len(self.classes_)
        order = self._chain_order(sets)
        member = sets.member[:, order]
        counts = as_weights(sample_weight, len(sets)) > 0

        def machine(place: int) -> tuple[FloatArray, float]:
            has_it = member[:, place]
            if has_it[counts].all() or not has_it[counts].any():
                nothing = np.zeros(n_features + place)
                return nothing, 1.0 if has_it[counts].any() else -1.0
            model = copy_unfitted(self.learner, 1)
            if hasattr(self, "_groups") and isinstance(model, TakesGroups):
                model.set_groups(*self._groups, n_features + place)
            rows = append_columns(matrix, member[:, :place])
            model.fit(rows, has_it, sample_weight=sample_weight)
            return model.coef_[0], float(model.intercept_[0])

        threads = thread_count(self.n_jobs)
        machines = pool_map(machine, range(n_labels), threads, "learning labels", n_labels)
        self.coef_, self.intercept_ = np.zeros((n_labels, n_features)), np.zeros(n_labels)
        links = np.zeros((n_labels, n_labels))
        for place, (w, b) in enumerate(machines):
            k = order[place]
            self.coef_[k], self.intercept_[k] = w[:n_features], b
            links[order[:place], k] = w[n_features:]
        self.chain_ = LabelChain(order, links)
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every label along the chain."""
        z = super().decision_function(X).reshape(-1, len(self.classes_))
        return self.chain_.follow(z)

    def _chain_order(self, sets: LabelSets) -> IntArray:
        names = sets.classes.tolist()
        if self.order is None:
            return np.argsort(-sets.member.sum(axis=0), kind="stable")
        given = list(self.order)
        if sorted(map(str, given)) != sorted(map(str, names)) or set(given) != set(names):
            raise InputError(
                f"`chain` has the labels {', '.join(map(repr, given[:10]))}, expected each of "
                f"{', '.join(map(repr, names[:10]))} once"
            )
        return np.array([names.index(label) for label in given], np.int64)


def append_columns(X: _core.Csr, member: NDArray[np.bool_]) -> _core.Csr:
    """The matrix with columns of 0 and 1 at its right.

    >>> from wordplane.common.matrix import as_csr
    >>> append_columns(as_csr([[2.0, 0.0], [0.0, 0.0]]), np.array([[True], [True]])).arrays()[1]
    array([0, 2, 2], dtype=int32)
    """
    indptr, indices, values = X.arrays()
    added = member.sum(axis=1)
    before = np.concatenate([[0], np.cumsum(added)])
    new_indptr = np.asarray(indptr + before, np.int64)
    old = np.arange(len(indices)) + np.repeat(before[:-1], np.diff(indptr))
    rows, columns = np.nonzero(member)
    new = np.arange(len(rows)) + indptr[rows + 1]
    all_indices = np.empty(len(indices) + len(rows), np.int32)
    all_values = np.empty(len(all_indices), values.dtype)
    all_indices[old], all_values[old] = indices, values
    all_indices[new], all_values[new] = X.shape[1] + columns, 1.0
    return _core.Csr(X.shape[1] + member.shape[1], new_indptr, all_indices, all_values)
