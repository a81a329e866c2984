"""Stochastic gradient descent and AdaGrad for logistic regression.

The objective is divided by the sum of the weights of the rows, so that it is a mean of losses
plus l2 / 2 ||w||^2 + l1 ||w||_1. For every row or batch of rows, in random order, t = 0, 1, ...:

    SGD        h = eta0 (1 + t / t0)^-power
    AdaGrad    h_j = eta0 / (eps + sqrt(G_j)), G_j the sum of the squared g_j so far

    w <- sign(v) max(|v| - h l1, 0) / (1 + h l2),   v = w - h g

with g the gradient of the batch's mean loss. Most features of a step have g_j = 0: what
these steps do to them is known in closed form and done when a feature is next met, so that a
step costs as much as its rows have words. The weights are those of the plain loop.

t0 is 1 / (eta0 l2), which makes h fall as 1 / (l2 t) in the long run, or the number of steps
of 5 sqrt(batch size) epochs where there is no l2.

What is returned is the mean of the weights at the ends of the epochs, e = 1, 2, ..., weighted by
about e^2, which is much less noisy than the last of them. A mean is never quite zero: under l1 a
weight is zero if it was at more than a twentieth of those ends, weighted alike.

References: Bottou (2010), COMPSTAT; Shamir and Zhang (2013), ICML; Duchi and Singer (2009),
JMLR 10; Duchi, Hazan and Singer (2011), JMLR 12.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.progress import notify
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.solution import Result
from wordplane.optimize.vectors import Floats, largest

LEAST_PRODUCT = 1e-100
RARELY = 0.05
PART = 2e7  # values times outputs in one native call: a second at most


def stochastic_descent(
    problem: LinearObjective,
    *,
    softmax: bool,
    adaptive: bool,
    batch_size: int,
    eta0: float | None,
    power: float,
    tol: float,
    max_iter: int,
    random_state: int,
) -> Result:
    """Minimize from zero until an epoch changes the objective by at most tol (relative)."""
    X, n_docs = problem.X, problem.n_rows
    total = float(problem.weight.sum())
    weight = problem.weight * (n_docs / total)
    l2, l1 = problem.penalty.l2 / total, problem.penalty.l1 / total
    if eta0 is None:
        largest_row = float((weight * (_core.squared_norms(X, 1) + problem.intercept)).max())
        eta0 = 0.5 if adaptive else 2 * batch_size**0.5 / largest_row
    steps_per_epoch = -(-n_docs // batch_size)
    w = problem.start()
    W, _ = problem.split(w)
    state = _state(problem, w, weight, softmax)
    rule = None
    if adaptive:
        G = np.zeros((X.shape[1] + 1, W.shape[1]))
        rule = _core.AdaGrad(state, G, eta=eta0, eps=1e-10, l1=l1, l2=l2)
    t0 = 1 / (eta0 * l2) if l2 > 0 else 5 * batch_size**0.5 * steps_per_epoch
    per_step = batch_size * W.shape[1] * (1 + X.n_values / n_docs)
    most = max(1, int(max(PART, 3 * W.size) / per_step))

    def run_epoch(order: NDArray[np.int32], first: int) -> None:
        eta = eta0 * (1 + (first + np.arange(steps_per_epoch)) / t0) ** -power
        for part in _parts(eta, l2, most):
            part_order = order[part.start * batch_size : part.stop * batch_size]
            if rule is not None:
                _core.adagrad_pass(state, rule, part_order, batch_size)
            else:
                P, S = shrinkage(eta[part], l1, l2)
                _core.sgd_pass(state, part_order, batch_size, eta[part], P, S)

    rng = np.random.default_rng(random_state)
    mean, zeros = w.copy(), np.zeros_like(w)
    value, gradient = problem(w)
    average, history = w, [value]
    for epoch in range(max_iter):
        run_epoch(rng.permutation(n_docs).astype(np.int32), epoch * steps_per_epoch)
        share = 3 / (epoch + 3)
        mean += (w - mean) * share
        average = mean.copy()
        if l1 > 0:
            zeros += ((w == 0) - zeros) * share
            average[zeros > RARELY] = 0.0
        old = value
        value, gradient = problem(average)
        history.append(value)
        notify("stochastic descent", epoch + 1, 0)
        if abs(old - value) <= tol * abs(value):
            return Result(average, value, largest(gradient), epoch + 1, "change", history)
    return Result(average, value, largest(gradient), max_iter, "max_iter", history)


def _state(
    problem: LinearObjective, w: Floats, weight: Floats, softmax: bool
) -> _core.StochasticState:
    """What the native passes change: the weights w, which stay where they are."""
    y = problem.y.astype(np.int32, copy=False)
    return _core.StochasticState(
        _core.LabeledRows(problem.X, y, weight, max(problem.n_outputs, 2)),
        *problem.split(w),
        softmax=softmax,
        bias=problem.intercept,
        penalized_bias=problem.intercept and problem.penalty.free == 0,
    )


def shrinkage(eta: Floats, l1: float, l2: float) -> tuple[Floats, Floats]:
    """P_t, the product of 1 / (1 + eta_s l2) over s < t, and S_t, the sum of eta_s l1 / P_s."""
    P = np.concatenate([[1.0], np.cumprod(1 / (1 + eta * l2))])
    S = np.concatenate([[0.0], np.cumsum(eta * l1 / P[:-1])])
    return P, S


def _parts(eta: Floats, l2: float, most: int) -> list[slice]:
    """The steps in parts within which P does not come near the smallest number, and which take
    about a second at most, so that Ctrl-C works; to end one costs a look at all weights."""
    fallen = np.cumsum(np.log1p(eta * l2)) // -np.log(LEAST_PRODUCT)
    ends = {*np.flatnonzero(np.diff(fallen)) + 1, *range(most, len(eta), most), len(eta)}
    return [slice(int(a), int(b)) for a, b in pairwise([0, *sorted(ends)])]
