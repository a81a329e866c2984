"""Ordinal logistic regression: labels that are numbers or steps, such as stars.

One vector of weights and K - 1 thresholds between the K labels in their order:

    f = w . x          the label is the r-th (from 0) if r thresholds are below f

    minimize   1/2 ||w||^2 + C sum_i weight_i sum_j log(1 + exp(-s_ij (f_i - t_j)))

with s_ij = 1 if the label of row i is above threshold j, else -1 (all thresholds count: a row that
is far off pays for each threshold in between, so mistakes by many steps cost more than those by
one). The objective is convex, and its minimum has its thresholds in order.

As a linear model with a score for every label: the r-th has r f - (t_1 + ... + t_r), less the mean
over the labels. The scores of two neighbors differ by f - t, so the largest belongs to the label
above.

References: Rennie and Srebro (2005), Loss functions for preference levels; Pedregosa, Bach and
Gramfort (2017), On the consistency of ordinal regression methods, JMLR 18.
"""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    IntArray,
    Label,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.learners.support.base import C_GRID, ClassWeight, LinearClassifier, Tables
from wordplane.learners.support.parameter_checks import check_not_negative, check_positive
from wordplane.optimize.lbfgs import lbfgs


class OrdinalLogistic(LinearClassifier):
    """Logistic regression for labels that have an order.

    Parameters
    ----------
    C : float, default 1
        How much the losses count against the size of the weights.
    order : sequence of labels, default None
        The labels from the lowest to the highest; None means that they are numbers, or strings
        that read as numbers (or that there are only two).
    tol : float, default 1e-4
        Stop when no component of the gradient is larger than this times C and the sum of the
        weights of the rows.
    max_iter : int, default 1000
        The most iterations of L-BFGS.
    class_weight : None, "balanced" or mapping, default None
        What multiplies the loss of rows of each label.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two labels.
    direction_, thresholds_
        w, and t in ascending order.
    objective_, gradient_norm_
        What was minimized, and the largest component of its gradient at the end.
    n_iter_, converged_
        The number of iterations, and whether `tol` was reached.

    Examples
    --------
    >>> X = [[0, 3], [1, 2], [2, 2], [3, 1], [4, 0]]
    >>> model = OrdinalLogistic(C=10).fit(X, [1, 2, 3, 4, 5])
    >>> model.predict([[0, 2], [5, 0]]).tolist()
    [1, 5]
    >>> bool((np.diff(model.thresholds_) > 0).all())
    True
    """

    name = "ordinal"
    grid = C_GRID
    text_defaults: Mapping[str, object] = {"C": 3.0}

    direction_: FloatArray
    thresholds_: FloatArray
    gradient_norm_: float

    def __init__(
        self,
        *,
        C: float = 1.0,
        order: Sequence[Label] | None = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.order = order
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def tables(self) -> Tables:
        """On which side of every step a row is, is scored, and how far that is off."""
        return Tables(weights=2, rows=4)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective."""
        check_positive(self, "C", may_be_infinite=True)
        check_not_negative(self, "tol")
        C, tol = float(self.C), float(self.tol)
        matrix, codes, weights = self._weighted_rows(X, y, sample_weight)
        rank_of = np.argsort(np.argsort(self.label_values(self.classes_)))
        ranks, n_steps = rank_of[codes], len(self.classes_) - 1
        if n_steps < 1 or len(np.unique(ranks[weights > 0])) < 2:
            raise InputError("ordinal regression needs two labels, and all rows have one class")
        above = np.where(ranks[:, None] > np.arange(n_steps), 1.0, -1.0)
        threads = thread_count(self.n_jobs)

        def objective(v: FloatArray) -> tuple[float, FloatArray]:
            w, t = v[:-n_steps], v[-n_steps:]
            f = _core.linear_scores(matrix, np.ascontiguousarray(w[:, None]), np.zeros(1), threads)
            margin = above * (f - t)
            e = np.exp(-np.abs(margin))
            loss = np.log1p(e) + np.maximum(-margin, 0)
            slope = -above * np.where(margin > 0, e, 1.0) / (1 + e) * (C * weights)[:, None]
            gradient = np.zeros((matrix.shape[1], 1))
            _core.linear_gradient(
                matrix, np.ascontiguousarray(slope.sum(axis=1, keepdims=True)), gradient, threads
            )
            value = float(w @ w / 2 + C * (weights @ loss.sum(axis=1)))
            return value, np.concatenate([gradient[:, 0] + w, -slope.sum(axis=0)])

        start = np.concatenate([np.zeros(matrix.shape[1]), self._first_thresholds(ranks, weights)])
        result = lbfgs(objective, start, tol=tol * C * weights.sum(), max_iter=self.max_iter)
        self.n_iter_, self.converged_ = result.n_iter, result.converged
        self.objective_, self.gradient_norm_ = result.loss, result.gradient_norm
        result.warn_unless_converged("lbfgs", self.tol, 3)
        self.direction_, self.thresholds_ = result.w[:-n_steps], np.sort(result.w[-n_steps:])
        self._set_scores(rank_of)
        return self

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """P(k | x) for every class: differences of the P(above t_j) = sigmoid(f - t_j)."""
        self._check_fitted()
        matrix = self._known_features(X)
        w = np.ascontiguousarray(self.direction_[:, None])
        f = _core.linear_scores(matrix, w, np.zeros(1), thread_count(self.n_jobs))
        beyond = 1 / (1 + np.exp(self.thresholds_ - f))
        ends = np.hstack([np.ones_like(f), beyond, np.zeros_like(f)])
        rank_of = np.argsort(np.argsort(self.label_values(self.classes_)))
        return np.asarray((ends[:, :-1] - ends[:, 1:])[:, rank_of])

    def label_values(self, classes: LabelArray) -> FloatArray:
        """The numbers that the labels are, or their places in `order`."""
        names = classes.tolist()
        if self.order is not None:
            place = {label: float(number) for number, label in enumerate(self.order)}
            missing = [label for label in names if label not in place]
            if missing:
                raise InputError(f"`order` does not name the label {missing[0]!r}")
            return np.array([place[label] for label in names])
        try:
            return np.array([float(label) for label in names])
        except ValueError:
            if len(names) == 2:  # two are in either order
                return np.array([0.0, 1.0])
            raise InputError(
                f"the labels {', '.join(map(repr, names[:5]))} are not numbers: name them from the "
                "lowest to the highest with `order`"
            ) from None

    def _first_thresholds(self, ranks: IntArray, weights: FloatArray) -> FloatArray:
        """The thresholds that are best if all weights are 0: the log-odds of being below."""
        shares = np.bincount(ranks, weights, minlength=len(self.classes_)) / weights.sum()
        below = np.clip(np.cumsum(shares)[:-1], 1e-6, 1 - 1e-6)
        return np.asarray(np.log(below / (1 - below)))

    def _set_scores(self, rank_of: IntArray) -> None:
        """Fold direction and thresholds into a score for every label."""
        steps = np.arange(len(rank_of), dtype=np.float64)
        b = -np.concatenate([[0.0], np.cumsum(self.thresholds_)])
        if len(rank_of) > 2:
            steps, b = steps - steps.mean(), b - b.mean()
        W = self.direction_[:, None] * steps[rank_of]
        self._set_weights(W, b[rank_of])
