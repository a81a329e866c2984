"""A tree of labels, for thousands of them.

Labels that occur with the same words are put together (balanced 2-means, see
support/label_clusters.py): the root has up to `branching` parts, and parts with more than
`max_leaf` labels are nodes of the same kind. Every node learns which of its parts, a leaf which of
its labels, from the rows that belong there alone:

    minimize  1/2 |w|^2 + C sum_i max(0, 1 - y_i w.x_i)^2     for every part c of the node,
              over the rows i that have a label in the node; y_i = +1 if it is in part c

Weights below `cut` are set to 0. A row is scored from the root down, in every level only at the
`beam` best nodes:

    log p(label) = sum of log(1 / (1 + exp(-2 (w_c.x + b_c)))) over the parts on its way

So a row meets a few hundred of the weight vectors, and only what of them is not 0. Rows may have
one label or several. Scores are these log p, but log(p / (1 - p)) if rows have several labels.

References: Prabhu, Kag, Harsola, Agrawal and Varma (2018), Parabel, WWW; Khandagale, Xiao and
Babbar (2020), Bonsai, Machine Learning 109 (for more than two parts); Babbar and Schoelkopf (2017),
DiSMEC, WSDM (for the cut).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, are_label_sets, as_label_sets
from wordplane.common.matrix import take_rows
from wordplane.common.matrix_estimator import check_length
from wordplane.common.pool import pool_map
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    IntArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights
from wordplane.learners.support.base import C_GRID, LinearClassifier
from wordplane.learners.support.label_clusters import label_centroids, part
from wordplane.learners.support.one_vs_rest import OneVsRest
from wordplane.learners.support.parameter_checks import check, is_real, is_whole
from wordplane.learners.support.tree_weights import MAX_BEAM, NodeWeights, TreeWeights
from wordplane.learners.svm import LinearSVM


@dataclass(frozen=True, eq=False)
class _Members:
    """Which rows have which label: those of label k are rows[starts[k] : starts[k + 1]]."""

    rows: IntArray
    starts: IntArray

    @classmethod
    def of(cls, rows: IntArray, codes: IntArray, n_labels: int) -> Self:
        order = np.lexsort([rows, codes])
        starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=n_labels))])
        return cls(rows[order], starts)

    def having(self, labels: IntArray) -> IntArray:
        """The rows with one of the labels, ascending."""
        own = [self.rows[self.starts[k] : self.starts[k + 1]] for k in labels.tolist()]
        return np.unique(np.concatenate(own))


class LabelTree(LinearClassifier):
    """A tree of linear classifiers for thousands of labels.

    Parameters
    ----------
    C : float, default 1.0
        What a unit of loss costs relative to the penalty of the weights, above 0.
    branching : int, default 128
        Most parts of a node, from 2 up. Fewer parts are faster to train and less accurate.
    max_leaf : int, default 100
        Most labels of a leaf, from 2 up.
    beam : int, default 10
        How many nodes of a level a text is scored at. More are slower and more accurate.
    cut : float, default 0.1
        Weights with a smaller absolute value are left out, from 0 up.
    tol : float, default 0.01
        Stop when the duality gap of a node is at most this share of its objective.
    random_state : int, default 0
        Seed of the clusters and of the order of the documents.

    Attributes
    ----------
    classes_
        The labels, sorted.
    tree_
        The fitted tree, a `TreeWeights`.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = LabelTree().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> LabelTree().fit(X, [["a"], ["a", "b"], ["b"], ["b"]]).predict([[1, 0, 0]]).tolist()
    [('a',)]
    """

    name = "tree"
    grid = C_GRID
    kind = "tree"
    learns_sets = True

    tree_: TreeWeights

    def __init__(
        self,
        *,
        C: float = 1.0,
        branching: int = 128,
        max_leaf: int = 100,
        beam: int = 10,
        cut: float = 0.1,
        tol: float = 0.01,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.branching = branching
        self.max_leaf = max_leaf
        self.beam = beam
        self.cut = cut
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """Of one node, whose weights are not sparse yet."""
        n_parts = min(n_classes, max(int(self.branching), int(self.max_leaf)))
        return LinearSVM().fit_bytes(n_docs, n_features, n_parts)

    def fit(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Grow the tree and train its nodes; row i counts sample_weight[i] times."""
        self._check_parameters()
        matrix = self._new_features(X)
        self.has_sets_ = are_label_sets(y)
        if self.has_sets_:
            sets = as_label_sets(y)
            check_length(matrix, sets, "y")
            self.classes_ = sets.classes
            rows, codes = sets.pairs()
        else:
            codes = self._new_labels(matrix, y).astype(np.int64)  # type: ignore[arg-type]
            rows = np.arange(len(codes))
        weights = as_weights(sample_weight, matrix.shape[0])
        counts = weights[rows] > 0
        members = _Members.of(rows[counts], codes[counts], len(self.classes_))
        self.tree_ = self._grow(matrix, members, weights)
        return self

    def why_no_text_model(self) -> str:
        """A text model can be made of it."""
        return ""

    def predict(self, X: MatrixLike) -> LabelArray:
        """The class with the largest score, or the tuple of labels with scores above 0."""
        if not getattr(self, "has_sets_", False):
            return super().predict(X)
        z = self.decision_function(X)
        labels = np.empty(len(z), dtype=object)
        labels[:] = LabelSets.of_member(self.classes_, z > 0).tolist()
        return labels

    def _scores(self, X: _core.Csr) -> FloatArray:
        z = self.tree_.scores(X, thread_count(self.n_jobs), self.has_sets_)
        return z[:, 0] if z.shape[1] == 1 and not self.has_sets_ else z

    def _grow(self, X: _core.Csr, members: _Members, weights: FloatArray) -> TreeWeights:
        threads = thread_count(self.n_jobs)
        n_labels = len(self.classes_)
        occurring = np.flatnonzero(np.diff(members.starts))
        if n_labels < 2 or len(occurring) < 1:
            raise InputError(
                f"y has {n_labels} classes, and rows of {len(occurring)}: a label tree needs two "
                "classes at least"
            )
        parts, targets = self._shape(X, members, occurring, threads)
        root = self._fit_node(X, members, parts[0], weights, threads)
        notify("learning nodes of the tree", 1, len(parts))

        def fit_node(number: int) -> NodeWeights:
            return self._fit_node(X, members, parts[number], weights, 1)

        others = range(1, len(parts))
        nodes = pool_map(fit_node, others, threads, "learning nodes of the tree", len(others))
        return TreeWeights.of_nodes(n_labels, X.shape[1], targets, [root, *nodes], int(self.beam))

    def _shape(
        self, X: _core.Csr, members: _Members, labels: IntArray, threads: int
    ) -> tuple[list[list[IntArray]], list[IntArray]]:
        """The labels of each part of each node, and where the parts lead; a level after another."""
        rng = np.random.default_rng(self.random_state)
        most = int(self.max_leaf)
        centroids = None
        if len(labels) > most:
            centroids = label_centroids(X, members.rows, members.starts, threads)
        parts: list[list[IntArray]] = []
        targets: list[IntArray] = []
        waiting = [labels]
        for own in waiting:  # which grows meanwhile
            if centroids is None or len(own) <= most:
                parts.append([own[k : k + 1] for k in range(len(own))])
                targets.append(own)
                continue
            parts.append(part(centroids, own, most, int(self.branching), rng, threads))
            targets.append(-np.arange(len(waiting), len(waiting) + len(parts[-1])))
            waiting.extend(parts[-1])
            notify("growing the tree", len(parts), len(waiting))
        return parts, targets

    def _fit_node(
        self,
        X: _core.Csr,
        members: _Members,
        parts: list[IntArray],
        weights: FloatArray,
        threads: int,
    ) -> NodeWeights:
        """The weights of one node, by the rows that have a label in it."""
        having = [members.having(labels) for labels in parts]
        rows = np.unique(np.concatenate(having))
        indptr, indices, values = take_rows(X, rows).arrays()
        features, columns = np.unique(indices, return_inverse=True)
        own = _core.Csr(max(len(features), 1), indptr, columns.astype(np.int32), values)
        place = [np.searchsorted(rows, those) for those in having]
        W, b = self._fit_parts(own, place, weights[rows], threads)
        kept_columns, kept_parts = np.nonzero((np.abs(W) >= self.cut) & (W != 0))
        kept = W[kept_columns, kept_parts]
        return NodeWeights(features[kept_columns].astype(np.int64), kept_parts, kept, b)

    def _fit_parts(
        self, X: _core.Csr, having: list[IntArray], weights: FloatArray, threads: int
    ) -> tuple[FloatArray, FloatArray]:
        """W (columns x parts) and b; having[c] are the rows of part c."""
        n_parts = len(having)
        if n_parts == 1:
            return np.zeros((X.shape[1], 1)), np.ones(1)
        svm = LinearSVM(C=self.C, tol=self.tol, n_jobs=threads, random_state=int(self.random_state))
        if sum(map(len, having)) > X.shape[0]:
            member = np.zeros((X.shape[0], n_parts), bool)
            for c, rows in enumerate(having):
                member[rows, c] = True
            sets = LabelSets.of_member(np.arange(n_parts), member)
            machines = OneVsRest(svm, n_jobs=threads).fit(X, sets, weights)
            return machines.coef_.T, machines.intercept_
        codes = np.empty(X.shape[0], np.int32)
        for c, rows in enumerate(having):
            codes[rows] = c
        svm.classes_ = np.arange(n_parts)
        svm.fit_codes(X, codes, weights)
        if n_parts == 2:
            w, b = svm.coef_[0], svm.intercept_[0]
            return np.column_stack([-w, w]), np.array([-b, b])
        return svm.coef_.T, svm.intercept_

    def _check_parameters(self) -> None:
        for name, least, most in (
            ("branching", 2, 2**20),
            ("max_leaf", 2, 2**20),
            ("beam", 1, MAX_BEAM),
        ):
            value = getattr(self, name)
            fits = is_whole(value, least) and value <= most
            check(self, name, fits, f"{least} to {most:,}")
        check(self, "cut", is_real(self.cut, 0), "a finite number from 0 up")
