"""Dual coordinate descent for logistic regression with an l2 penalty.

    min over W, b of  1/2 ||W||^2 + sum_i C_i loss(x_i W + b, y_i)

has, for the binary loss, the dual variables 0 <= a_i <= 1 with w = sum_i s_i C_i a_i x_i and,
at the optimum, a_i = sigmoid(-s_i w.x_i); for the softmax loss a_i on the simplex with
w_k = sum_i C_i (1(y_i = k) - a_ik) x_i and a_i = softmax(x_i W). Starting from w = 0:

    repeat, over the rows in random order:
        minimize the dual over a_i alone (a scalar equation, solved by Newton's method)
        add the change to W

The bias is a feature of value 1 and so penalized. An unpenalized one has the penalty
1/2 (b - c)^2 instead, and c is moved to b after every pass: its pull on b goes to zero (the
method of multipliers for the constraint that the dual variables balance). With small C this takes
many passes, so that b is moved to the best for the current weights whenever the gap is computed.

The duality gap is a sum over the rows, of what loss and conjugate differ by from their common
tangent: log(1 + exp(-m)) + a m + a log a + (1 - a) log(1 - a) with m = s w.x, or
log sum_k exp(z_k) - sum_k a_k z_k + sum_k a_k log a_k. Taken as each row is met it costs
nothing but is a pass old. When it is expected to have fallen to tol times the objective by now
(by half of what it fell in the pass before), the gap itself is computed; if that is so small, the
descent stops. Unless the dual variables balance, a bias that is not penalized adds (b* - b) . pull,
where the optimal bias b* is bounded (see `logistic_bias.py`), not known. If that is too much, it is
the gap of dual variables that balance which counts: of a_i tilted by exp(shift_k). Their W differs,
which adds 1/2 ||change of W||^2.

Any dual variables are allowed with any rows and C, so those of a fit with another C are a start.
From little regularization they differ by a factor mostly: a ~ 1/2 for all rows if C is small, and
a ~ 1 / C if it is so large that w hardly changes any more. So they are first scaled (as steps away
from w = 0) by the factor s <= 1 with the least dual objective, s^2/2 ||W||^2 + sum_i C_i (minus
entropy of a_i), a line search that costs no pass over the features.

Reference: Yu, Huang and Lin (2011), Dual coordinate descent methods for logistic regression
and maximum entropy models, Machine Learning 85; the scalar equations are solved differently here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.progress import notify
from wordplane.learners.support.logistic_bias import (
    best_shift,
    bias_gap,
    bias_without_weights,
    class_masses,
    class_probabilities,
    weighted_sums,
)
from wordplane.optimize.vectors import Floats, dot

VALUES_PER_CALL = 100_000_000
TINY = np.finfo(float).tiny


@dataclass
class DualResult:
    """Weights, dual variables, scores, the number of passes, and the duality gap relative to the
    objective."""

    W: Floats
    b: Floats
    A: Floats
    z: Floats
    n_iter: int
    gap: float
    converged: bool
    softmax: bool


@dataclass
class DualState:
    """Weights and dual variables, which passes change.

    pull       the sum of the dual variables, 0 at the optimum of a free bias
    penalized  whether the bias is
    gap        the duality gap of the last pass, a pass old; 0 before the first
    """

    A: Floats
    W: Floats
    b: Floats
    pull: Floats
    penalized: bool
    gap: float = 0.0

    @classmethod
    def at_zero(
        cls, y: NDArray[np.int32], n_features: int, n_outputs: int, softmax: bool, penalized: bool
    ) -> "DualState":
        """The state in which all weights are 0."""
        A = np.zeros((len(y), n_outputs))
        if softmax:
            A[np.arange(len(y)), y] = 1.0
        b, pull = np.zeros((2, n_outputs))
        return cls(A, np.zeros((n_features, n_outputs)), b.copy(), pull.copy(), penalized)

    def arrays(self) -> dict[str, Floats]:
        """The arrays that a training resumes from."""
        return {"A": self.A, "W": self.W, "b": self.b, "pull": self.pull}

    def run_pass(self, visit: Callable[[Floats], None]) -> tuple[float, float]:
        """The objective, and what the duality gap is expected to be, after `visit` has met all rows
        and added their losses and gaps, by output."""
        center = self.b.copy()
        if not self.penalized:
            self.b += self.pull
        sums = np.zeros((2, len(self.b)))
        visit(sums)
        loss, gap = sums.sum(axis=1).tolist()
        objective = loss + 0.5 * dot(self.W.ravel(), self.W.ravel())
        if self.penalized:
            objective += 0.5 * dot(self.b, self.b)
        else:
            self.pull = self.b - center
        expected = gap * min(2 * gap / self.gap, 1.0) if self.gap else gap
        self.gap = gap
        return objective, expected

    def certify(self, z: Floats, rows: "CertifiedRows", tol: float) -> tuple[float, float]:
        """The objective and the duality gap, given all scores. A bias that is not penalized is
        moved to the best for the weights, in `z` too. The gap may be a coarse bound where that is
        enough, or nothing is."""
        y, C, softmax = rows.y, rows.C, rows.softmax
        masses = class_masses(y, C, z.shape[1])
        if not self.penalized:
            shift = best_shift(z, C, masses, softmax)
            self.b += shift
            z += shift
        losses, gaps = losses_and_gaps(z, self.A, y, softmax)
        gap, objective = dot(C, gaps), dot(C, losses) + 0.5 * dot(self.W.ravel(), self.W.ravel())
        if self.penalized:
            return objective + 0.5 * dot(self.b, self.b), gap
        b0 = bias_without_weights(masses, float(C.sum()), softmax)
        reach = float(np.sqrt(2 * objective * rows.largest_square))
        bound = gap + bias_gap(self.b, self.pull, b0, reach, softmax)
        if gap > tol * objective or bound <= tol * objective:
            return objective, bound
        A, pull = balanced(self.A, y, C, masses, softmax)
        change = np.zeros_like(self.W)
        rows.add_gradient(C[:, None] * signed_steps(A - self.A, y, softmax), change)
        gap = dot(C, losses_and_gaps(z, A, y, softmax)[1])
        gap += 0.5 * dot(change.ravel(), change.ravel())
        return objective, min(gap + bias_gap(self.b, pull, b0, reach, softmax), bound)


@dataclass
class CertifiedRows:
    """The rows of a descent as far as its certificate needs them.

    largest_square  the largest squared norm of a row
    add_gradient    adds X^T U to an array, for U with one row for each of X
    """

    y: NDArray[np.int32]
    C: Floats
    softmax: bool
    largest_square: float
    add_gradient: Callable[[Floats, Floats], None]


def dual_descent(
    rows: _core.LabeledRows,
    *,
    softmax: bool,
    fit_intercept: bool,
    penalize_intercept: bool,
    tol: float,
    max_iter: int,
    random_state: int,
    threads: int,
    start: DualResult | None = None,
) -> DualResult:
    """Minimize 1/2 ||W||^2 + sum_i C_i loss_i, with one output against the rest or softmax.

    rows   whose weights are C
    start  an earlier descent, over as many rows
    """
    X, y, C, n_outputs = rows.X, rows.y, rows.weight, rows.n_outputs
    state = DualState.at_zero(y, X.shape[1], n_outputs, softmax, penalize_intercept)
    if start is not None and start.softmax == softmax and start.A.shape == state.A.shape:
        _start_from(state, start, rows, fit_intercept, threads)
    A, W, b = state.A, state.W, state.b
    dual = _core.LogisticDual(rows, A, W, b, bias=float(fit_intercept), threads=threads)
    descend = dual.softmax_pass if softmax else dual.binary_pass
    rng = np.random.default_rng(random_state)
    certified = CertifiedRows(
        y,
        C,
        softmax,
        0.0 if penalize_intercept else largest_square(X, threads),
        lambda U, out: _core.linear_gradient(X, U, out, threads),
    )

    def visit(loss_and_gap: Floats) -> None:
        for order in _parts(rng.permutation(X.shape[0]).astype(np.int32), X, n_outputs):
            descend(order, loss_and_gap, threads)

    for n_iter in range(1, max_iter + 1):
        objective, expected = state.run_pass(visit)
        notify("dual coordinate descent", n_iter, 0)
        if expected <= tol * objective or n_iter == max_iter:
            z = _core.linear_scores(X, W, b, threads)
            objective, exact = state.certify(z, certified, tol)
            if exact <= tol * objective or n_iter == max_iter:
                break
    gap = exact / max(objective, TINY)
    return DualResult(W, b, A, z, n_iter, gap, exact <= tol * objective, softmax)


def largest_square(X: _core.Csr, threads: int) -> float:
    """The largest squared norm of a row."""
    return float(_core.squared_norms(X, threads).max(initial=0.0))


def _start_from(
    state: DualState,
    start: DualResult,
    rows: _core.LabeledRows,
    fit_intercept: bool,
    threads: int,
) -> None:
    """Move a state from zero to the dual variables of another descent, scaled to suit the rows."""
    softmax, C = start.softmax, rows.weight
    move = start.A - state.A  # away from w = 0
    steps = signed_steps(move, rows.y, softmax)
    _core.linear_gradient(rows.X, C[:, None] * steps, state.W, threads)
    total = C @ steps if fit_intercept else state.pull
    squares = dot(state.W.ravel(), state.W.ravel())
    squares += dot(total, total) if state.penalized else 0.0
    scale = _best_scale(state.A, move, C, squares, softmax)
    state.A, state.W = state.A + scale * move, scale * state.W
    if state.penalized:
        state.b = scale * total
    else:
        state.b, state.pull = start.b.copy(), scale * total


def _best_scale(A: Floats, move: Floats, C: Floats, squares: float, softmax: bool) -> float:
    """The s of 1, 0.8, 0.8^2, ... at which A + s move has the least dual objective; `squares` is
    ||W||^2 at s = 1."""

    def objective(s: float) -> float:
        a = A + s * move
        terms = _x_log_x(a) if softmax else _x_log_x(a) + _x_log_x(1 - a)
        return 0.5 * s * s * squares + dot(C, terms.sum(axis=1))

    scale, value = 1.0, objective(1.0)
    while (less := objective(0.8 * scale)) < value:
        scale, value = 0.8 * scale, less
    return scale


def signed_steps(move: Floats, y: NDArray[np.int32], softmax: bool) -> Floats:
    """How a change of the dual variables changes the outputs of W per C x."""
    return -move if softmax else np.where(_is_own(move, y), move, -move)


def balanced(
    A: Floats, y: NDArray[np.int32], C: Floats, masses: Floats, softmax: bool
) -> tuple[Floats, Floats]:
    """The dual variables, tilted such that they balance, and the pull that is left.

    >>> y, C = np.array([0, 1, 1], np.int32), np.ones(3)
    >>> A, pull = balanced(np.full((3, 1), 0.5), y, C, np.array([2.0]), softmax=False)
    >>> A.ravel().round(3).tolist(), bool(abs(pull[0]) < 1e-9)
    ([0.667, 0.333, 0.333], True)
    """
    own = _is_own(A, y)
    with np.errstate(divide="ignore"):
        log_odds = np.log(A) if softmax else np.log(A) - np.log1p(-A)
    if not softmax:
        log_odds = np.clip(np.where(own, -log_odds, log_odds), -700, 700)
    P = class_probabilities(log_odds + best_shift(log_odds, C, masses, softmax), softmax)
    return (P if softmax else np.where(own, 1 - P, P)), masses - weighted_sums(C, P)


def _is_own(A: Floats, y: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each output is that of the row's class; a single output is that of class 1."""
    outputs = np.array([1]) if A.shape[1] == 1 else np.arange(A.shape[1])
    return np.asarray(y[:, None] == outputs)


def losses_and_gaps(
    z: Floats, A: Floats, y: NDArray[np.int32], softmax: bool
) -> tuple[Floats, Floats]:
    """The loss of each row, and what it adds to the duality gap, for C = 1."""
    if softmax:
        top = z.max(axis=1)
        log_sum = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
        gaps = log_sum - (A * z).sum(axis=1) + _x_log_x(A).sum(axis=1)
        return np.asarray(log_sum - z[np.arange(len(z)), y]), np.asarray(gaps)
    m = np.where(_is_own(z, y), z, -z)
    softplus = np.maximum(-m, 0) + np.log1p(np.exp(-np.abs(m)))
    gaps = (softplus + A * m + _x_log_x(A) + _x_log_x(1 - A)).sum(axis=1)
    return np.asarray(softplus.sum(axis=1)), np.asarray(gaps)


def _x_log_x(x: Floats) -> Floats:
    return np.asarray(x * np.log(np.where(x > 0, x, 1.0)))


def _parts(order: NDArray[np.int32], X: _core.Csr, n_outputs: int) -> Iterator[NDArray[np.int32]]:
    """The order in parts, such that a pass over each takes less than a second."""
    n_parts = 1 + X.n_values * n_outputs // VALUES_PER_CALL
    yield from np.array_split(order, min(n_parts, max(len(order), 1)))
