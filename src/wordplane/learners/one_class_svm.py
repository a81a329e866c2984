"""One-class support vector machine: what the texts of one label have in common, and which do not.

    minimize  1/2 |w|^2 - rho + 1 / (nu n) sum_i max(0, rho - w.x_i)

finds the plane w.x = rho far from 0 with most rows beyond it; at most a share nu of them is on the
near side. Its dual is to minimize 1/2 |sum_i a_i x_i|^2 with sum_i a_i = 1, 0 <= a_i <= 1 / (nu n).

With v = w / rho that is the linear SVM of rows that are all of the same side, without a bias,

    minimize  1/2 |v|^2 + C sum_i max(0, 1 - v.x_i)

whose dual variables, divided by their sum A, are the a_i of nu = A / (C n). That falls as C grows,
so C is found by the method of false position (Illinois) on log C and log nu.

New rows score lower than those that w was fitted to. So the boundary is not rho but the score that
a share nu of rows has not exceeded, each scored by a machine of five folds that has not seen it:
about nu of new rows of the label are rejected. Without rows of other labels there is no probability
of the label. What stands in its place is F / (F + nu), F the share of those rows that score no
higher: 1/2 at the boundary.

Rows of texts should be of the same length, and words that no training text has should count in it:
what has few words of the label scores low. That is why texts are hashed for this learner.

Reference: Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), Estimating the support of a
high-dimensional distribution, Neural Computation 13.
"""

import warnings
from typing import NamedTuple, Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.groups import other_rows
from wordplane.common.matrix import take_rows
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, Label, LabelsLike, MatrixLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.data.splits import stratified_folds
from wordplane.learners.support.one_label import FOLDS, OneLabelClassifier
from wordplane.learners.support.parameter_checks import check, check_positive, check_whole, is_real

MAX_STEPS = 60  # of the search for C
MAX_POINTS = 200  # of F that a model keeps


class _Machine(NamedTuple):
    """v, and the nu and rho of which it is the optimum."""

    v: FloatArray
    nu: float
    rho: float
    converged: bool


class OneClassSVM(OneLabelClassifier):
    """Linear one-class SVM: tells rows of one label from the rest without having seen any.

    Parameters
    ----------
    nu : float, default 0.1
        The share of rows of the label that may be rejected, between 0 and 1.
    other : str or int, default None
        What the rest is called. None means "other", or for a number 0 (1 if the label is 0).
    tol : float, default 1e-3
        How near to nu the machine's own share must come, relative to it.
    max_iter : int, default 1000
        Most passes over the data for one C.
    random_state : int, default 0
        The seed of the folds and of the order of rows.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model of two classes: the label and `other`. Up to its sign, `coef_` is w / rho.
    rho_
        rho of the machine fitted to all rows, of which w = rho_ * coef_.
    threshold_
        What w.x / rho must exceed; 1 would be the machine's own plane.
    objective_, converged_
        What was minimized, and whether each C was solved within `max_iter` passes.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [2, 2, 1], [1, 2, 0]] * 5
    >>> model = OneClassSVM(nu=0.2).fit(X, ["sport"] * 20)
    >>> model.predict([[2, 2, 0], [0, 0, 3]])
    array(['sport', 'other'], dtype='<U5')
    """

    name = "oneclass"
    counts_unknown = True
    rho_: float
    threshold_: float

    def __init__(
        self,
        *,
        nu: float = 0.1,
        other: Label | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.nu = nu
        self.other = other
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from X, all of one label y."""
        self._check_parameters()
        rows = self._new_features(X)
        sign = self._new_label(rows, y)
        weights = as_weights(sample_weight, rows.shape[0])
        if rows.shape[0] < 2:
            raise InputError("there is one row, expected at least 2")
        machine = self._solve(rows, weights)
        self.rho_, self.converged_ = machine.rho, machine.converged
        scores = np.empty(rows.shape[0])
        for fold in stratified_folds([0] * len(scores), min(FOLDS, len(scores)), self.random_state):
            others = other_rows(len(scores), fold)
            part = self._solve(take_rows(rows, others), weights[others])
            scores[fold] = self._margins(take_rows(rows, fold), part.v)
        own = self._margins(rows, machine.v)
        hinge = weights @ np.maximum(0.0, 1 - own) / (machine.nu * weights.sum())
        self.objective_ = self.rho_**2 * (machine.v @ machine.v) / 2 + self.rho_ * (hinge - 1)
        if self.objective_ >= 0:  # no better than w = 0
            raise self._inseparable()
        self.threshold_, points = self._cut(scores)
        self._set_model(sign, machine.v, -self.threshold_, *points)
        if not machine.converged:
            warnings.warn(
                f"OneClassSVM stopped after max_iter={self.max_iter} passes; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _cut(self, scores: FloatArray) -> tuple[float, tuple[FloatArray, FloatArray]]:
        """The threshold, and F / (F + nu) at scores less the threshold. It lies between scores, so
        that of equal ones none is rejected; 0 is the score of a row without features."""
        ordered = np.sort(scores)
        n = len(ordered)
        accepted = float(ordered[min(int(self.nu * (n + 1)), n - 1)])
        n_rejected = int(np.searchsorted(ordered, accepted))
        below = float(ordered[n_rejected - 1]) if n_rejected else min(0.0, 2 * accepted)
        threshold = (below + accepted) / 2
        ranks = np.linspace(n, 1, min(n, MAX_POINTS)).astype(np.int64)
        x, first = np.unique(ordered[ranks - 1] - threshold, return_index=True)
        F = ranks[first] + 0.0  # of equal scores the highest rank
        at, off = n_rejected + 0.5, x != 0
        k = int(np.searchsorted(x[off], 0.0))
        x, F = np.insert(x[off], k, 0.0), np.insert(F[off], k, at)
        return threshold, (x, F / (F + at))

    def _margins(self, rows: _core.Csr, v: FloatArray) -> FloatArray:
        V = np.ascontiguousarray(v[:, None])
        return _core.linear_scores(rows, V, np.zeros(1), thread_count(self.n_jobs))[:, 0]

    def _solve(self, rows: _core.Csr, weights: FloatArray) -> _Machine:
        """The machine of `nu`; below 1 / most, every row is short of the plane."""
        total = np.zeros((rows.shape[1], 1))
        _core.linear_gradient(rows, weights[:, None], total, thread_count(self.n_jobs))
        most = float(self._margins(rows, total[:, 0]).max())
        if not most > 0:
            raise InputError("no row has a feature that counts: there is nothing to learn")
        low, high = np.log(1 / most), np.inf
        at_low, at_high = -np.log(float(self.nu)), 0.0
        point, last_side = low + 2.0, 0
        for _ in range(MAX_STEPS):
            machine = self._svm(rows, weights, float(np.exp(point)))
            value = np.log(machine.nu / float(self.nu))
            if abs(value) <= self.tol or high - low < 1e-12:
                return machine
            if value > 0:
                at_high /= 2 if last_side == 1 else 1
                low, at_low, last_side = point, value, 1
            else:
                at_low /= 2 if last_side == -1 else 1
                high, at_high, last_side = point, value, -1
            point = low + 2.0
            if high < np.inf:
                point = low - at_low * (high - low) / (at_high - at_low)
        raise self._inseparable()

    def _inseparable(self) -> InputError:
        return InputError(
            f"nu is {self.nu!r}, but no plane parts so many rows from 0: raise nu, or use features "
            "that are not negative"
        )

    def _svm(self, rows: _core.Csr, weights: FloatArray, C: float) -> _Machine:
        """The SVM of rows on the same side, by its dual."""
        n, threads = rows.shape[0], thread_count(self.n_jobs)
        labeled = _core.LabeledRows(rows, np.ones(n, np.int32), C * weights, 2)
        solver = _core.DualSvm(
            labeled, np.ones(n), squared=False, bias=0.0, scale=None, threads=threads
        )
        rng = np.random.default_rng(self.random_state)
        for _ in range(int(self.max_iter)):
            order = rng.permutation(n).astype(np.int32)[None, :]
            solver.run(order, float(self.tol) / 10, threads)
            if solver.done:
                break
        v = solver.weights()[0][:, 0]
        _, dual, _, done = solver.results(threads)[0]
        A = dual + float(v @ v) / 2  # the dual objective is A - |v|^2 / 2
        return _Machine(v, A / (C * weights.sum()), 1 / A, done)

    def _check_parameters(self) -> None:
        check(self, "nu", is_real(self.nu) and 0 < self.nu < 1, "a number between 0 and 1")
        check_positive(self, "tol")
        check_whole(self, "max_iter")
