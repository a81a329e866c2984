"""Positive-unlabeled learning: texts of one label, and texts of which nobody knows whether they
have it.

    s = 1 for the rows with the label, 0 for the unlabeled ones
    z = the score of a classifier of s, out of fold for every row
    g(x) = P(s = 1 | x), a non-decreasing function of z (isotonic regression)

    P(y = 1 | x) = min(1, g(x) / c),   c = P(s = 1 | y = 1)

holds if the rows with the label are a random draw of all that should have it: an unlabeled row with
the same words is as likely to have been drawn. The weights are those of the classifier fitted to
all rows; its bias is moved to where g(x) / c is 1/2.

c follows from the share a of positives among the n_u unlabeled rows, c = n_p / (n_p + a n_u). With
P(z >= t) = q_p(t) among the rows with the label and q_u(t) among the others, a q_p(t) <= q_u(t) for
every t, and these are equal where only positives score t or more. So

    a = q_u(t) / q_p(t),   t where (q_u(t) + slack) / q_p(t) is least

with the slack by which chance may shift q_u and q_p (Dvoretzky-Kiefer-Wolfowitz). If the others
look like positives at every t, a is too large, by an amount that no data can tell: the share has an
upper bound, but no lower one. The bound is the upper limit of the ratio of two shares, made from
Wilson's limits of both (the method of variance estimates recovery). Their level is 99.5 %, because
t is the best of many thresholds, which together are like ten that are independent.

Elkan and Noto estimate c by the mean of g(x) over positives, which is too low wherever the classes
overlap: on SMS with a fifth of the spam labeled, a would be 0.22 by that with a logistic g. It is
0.13 here, and 0.11 in truth.

References: Elkan and Noto (2008), Learning classifiers from only positive and unlabeled data, KDD;
Garg, Wu, Smola, Balakrishnan and Lipton (2021), Mixture proportion estimation and PU learning: a
modern approach, NeurIPS (the best bin); Donner and Zou (2012), Statistical Methods in Medical
Research 21 (the limit of a ratio).
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows
from wordplane.common.matrix import stack_rows, take_rows
from wordplane.common.types import (
    FloatArray,
    JsonObject,
    Label,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights
from wordplane.data.splits import stratified_folds
from wordplane.evaluation.arrays import effective_n
from wordplane.evaluation.intervals import wilson_interval
from wordplane.evaluation.solvers import fit_isotonic
from wordplane.learners.logistic import LogisticRegression
from wordplane.learners.support.base import LinearClassifier, inner_tuning_grid
from wordplane.learners.support.one_label import FOLDS, OneLabelClassifier
from wordplane.learners.support.protocols import copy_unfitted

LEVEL = 0.99  # of the two-sided limits of one threshold
SLACK = 0.1  # the probability that q_u or q_p is further off than the slack


class PositiveUnlabeled(OneLabelClassifier):
    """Any linear learner, taught by rows of one label and by unlabeled rows.

    Parameters
    ----------
    learner : learner, default None
        The classifier of labeled against unlabeled rows, a linear one; it is copied, not changed.
        None means LogisticRegression(class_weight="balanced").
    other : str or int, default None
        What the rest is called. None means "other", or for a number 0 (1 if the label is 0).
    random_state : int, default 0
        The seed of the folds.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model of two classes: the label and `other`.
    share_, share_bound_
        The share of unlabeled rows that have the label, and what it is at most, with 95 %
        confidence. Where classes overlap, both are too large.
    label_frequency_
        c, the share of rows that were labeled among those that should be.
    predicted_share_
        The share of unlabeled rows that get the label, each from a classifier that has not seen it.

    Examples
    --------
    >>> X = [[1, 0], [2, 0], [3, 1], [2, 1]]
    >>> unlabeled = [[2, 0], [0, 3], [1, 2], [0, 1], [0, 2], [3, 1], [0, 4], [1, 5]]
    >>> model = PositiveUnlabeled().fit(X, ["sport"] * 4, unlabeled=unlabeled)
    >>> model.predict([[2, 0], [0, 2]]).tolist(), model.share_
    (['sport', 'other'], 0.375)
    """

    name = "pu"
    share_: float
    share_bound_: float
    label_frequency_: float
    predicted_share_: float

    def __init__(
        self,
        learner: LinearClassifier | None = None,
        *,
        other: Label | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.other = other
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def reads_binary(self) -> bool:
        """As the learner."""
        return self.learner is not None and self.learner.reads_binary

    @property
    def reads_counts(self) -> bool:
        """As the learner."""
        return self.learner is not None and self.learner.reads_counts

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """That of the learner."""
        return inner_tuning_grid(self.learner)

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
    ) -> Self:
        """Learn from X, all of one label y, and from `unlabeled` rows, which count 1 each."""
        matrix = self._new_features(X)
        sign = self._new_label(matrix, y)
        if unlabeled is None:
            raise InputError(
                "PositiveUnlabeled needs texts without labels too (`unlabeled`); with texts of one "
                "label alone, use OneClassSVM (`learner=oneclass`)"
            )
        rest = self._known_features(unlabeled)
        rows = stack_rows(matrix, rest)
        labeled = np.arange(rows.shape[0]) < matrix.shape[0]
        given = as_weights(sample_weight, matrix.shape[0])
        weights = np.concatenate([given, np.ones(rest.shape[0])])
        z = self._out_of_fold(rows, labeled, weights)
        self._estimate_share(z[labeled], given, z[~labeled])
        zero = self._boundary(*self._probability_points(z, labeled, weights))
        self.predicted_share_ = float((z[~labeled] > zero).mean())
        whole = self._fit_copy(rows, labeled, weights)
        points = self._probability_points(z - zero, labeled, weights)
        self._set_model(sign, whole.coef_[0], float(whole.intercept_[0]) - zero, *points)
        return self

    def chosen_parameters(self) -> JsonObject:
        """The shares, and c."""
        shares = {"share": self.share_, "share_bound": self.share_bound_}
        rest = {"predicted_share": self.predicted_share_, "c": self.label_frequency_}
        return {**shares, **rest}

    def _out_of_fold(
        self, rows: _core.Csr, labeled: NDArray[np.bool_], weights: FloatArray
    ) -> FloatArray:
        """The score of every row by a classifier that has not seen it."""
        n_folds = int(min(FOLDS, labeled.sum(), (~labeled).sum()))
        if n_folds < 2:
            raise InputError(
                f"there are {labeled.sum()} rows with the label and {(~labeled).sum()} without, "
                "expected at least 2 of each"
            )
        z = np.empty(len(labeled))
        for fold in stratified_folds(labeled, n_folds, self.random_state):
            others = other_rows(len(labeled), fold)
            part = self._fit_copy(take_rows(rows, others), labeled[others], weights[others])
            new = _as_new(take_rows(rows, fold), take_rows(rows, others))
            z[fold] = part.decision_function(new)
        return z

    def _fit_copy(
        self, rows: _core.Csr, labeled: NDArray[np.bool_], weights: FloatArray
    ) -> LinearClassifier:
        learner = self.learner
        if learner is None:
            learner = LogisticRegression(class_weight="balanced")
        if not isinstance(learner, LinearClassifier) or learner.kind != "linear":
            raise InputError(f"`learner` is {learner!r}, expected one of our linear learners")
        copy = copy_unfitted(learner, self.n_jobs)
        return copy.fit(rows, labeled.astype(np.int64), sample_weight=weights)

    def _estimate_share(self, z_p: FloatArray, weights: FloatArray, z_u: FloatArray) -> None:
        """a and c, from the scores of labeled and unlabeled rows."""
        n_p, n_u = len(z_p), len(z_u)
        thresholds, place = np.unique(z_p, return_inverse=True)
        below = np.searchsorted(thresholds, z_u, side="right")  # how many thresholds are at most z
        u = np.bincount(below, minlength=len(thresholds) + 1)
        deviation = np.sqrt(np.log(4 / SLACK) / 2)
        slack = deviation * (1 / np.sqrt(n_p) + 1 / np.sqrt(n_u))
        q_p, q_u = _best_bin(np.bincount(place, weights), u, slack)
        self.share_ = min(q_u / q_p, 1.0)
        self.share_bound_ = _ratio_bound(q_u, n_u, q_p, effective_n(weights))
        self.label_frequency_ = weights.sum() / (weights.sum() + self.share_ * n_u)

    def _probability_points(
        self, z: FloatArray, labeled: NDArray[np.bool_], weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Scores, ascending, and P(y = 1 | x) there."""
        x, g = fit_isotonic(z, labeled, weights)
        n_p = labeled.sum()
        return x, np.minimum(g / self.label_frequency_, (n_p + 1) / (n_p + 2))  # no label is sure

    def _boundary(self, x: FloatArray, p: FloatArray) -> float:
        """The score from which on a positive is more likely than not."""
        span = float(x[-1] - x[0]) + 1.0
        k = int(np.searchsorted(p, 0.5))
        if k in (0, len(p)):  # all rows are on one side
            return float(x[0]) - span if k == 0 else float(x[-1]) + span
        return float(np.interp(0.5, p[k - 1 : k + 1], x[k - 1 : k + 1]))


def _best_bin(p: NDArray[np.number], u: NDArray[np.integer], slack: float) -> tuple[float, float]:
    """q_p and q_u at the threshold where their ratio is the share, from what labeled rows weigh and
    how many unlabeled rows there are at each threshold; u begins with those below all of them."""
    q_p = np.cumsum(p[::-1])[::-1] / p.sum()
    q_u = np.cumsum(u[:0:-1])[::-1] / u.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.nanargmin((q_u + slack) / q_p)
    return float(q_p[best]), float(q_u[best])


def _ratio_bound(q_u: float, n_u: float, q_p: float, n_p: float) -> float:
    """The upper limit of the ratio of two shares, at most 1.

    >>> round(_ratio_bound(0.1, 1000, 0.5, 100), 3)
    0.291
    """
    high, low = (
        wilson_interval(q * n, n, LEVEL)[end] for q, n, end in ((q_u, n_u, 1), (q_p, n_p, 0))
    )
    if q_u == 0:
        return min(high / low, 1.0)
    distance = np.hypot(np.log(high / q_u), np.log(q_p / low))
    return float(min(q_u / q_p * np.exp(distance), 1.0))


def _as_new(rows: _core.Csr, known: _core.Csr) -> _core.Csr:
    """The rows as they would be if they came after the known ones: without the columns that these
    do not have, and scaled to the same length, if all rows are."""
    indptr, indices, values = rows.arrays()
    is_known = np.zeros(rows.shape[1], bool)
    is_known[known.arrays()[1]] = True
    kept = is_known[indices]
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(indptr))
    before, after = (np.bincount(row_of, w, rows.shape[0]) for w in (values**2, kept * values**2))
    if np.ptp(before[before > 0]) < 1e-5 * before.max():
        values = values * np.sqrt(before / np.where(after > 0, after, 1.0))[row_of]
    ends = np.cumsum(np.bincount(row_of[kept], minlength=rows.shape[0]))
    starts = np.concatenate([np.zeros(1, np.int64), ends])
    return _core.Csr(rows.shape[1], starts, indices[kept], values[kept])
