"""Gradient descent, on all rows at once or on batches of rows.

    for every batch of an epoch, t = 1, 2, ...:
        v <- momentum v - eta_t g          g: gradient of the objective, estimated on the batch
        w <- prox(w + v)                   prox: the l1 part of the penalty, if there is one

Batches of all rows are batch gradient descent, batches of one row are stochastic gradient
descent. The step eta_t is fixed, decays as eta0 (1 + (t - 1) / t0)^-a with a in (1/2, 1], or is
the first of 2 eta, eta, eta/2, ... for which the objective decreases enough (Armijo; all rows
only).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.progress import notify
from wordplane.optimize.line_search import C1
from wordplane.optimize.objective import Function, Objective, as_objective
from wordplane.optimize.solution import Result, is_stalled
from wordplane.optimize.vectors import Floats, dot, largest

Rows = NDArray[np.int32]

STEPS = ("armijo", "fixed", "decay")
STOPS = ("objective", "running_loss")


def batches(
    n_rows: int, batch_size: int | None, rng: np.random.Generator | None
) -> Iterator[Rows | None]:
    """The rows of every batch of an epoch, in order or (with rng) in random order.

    None stands for all rows at once.

    >>> [rows.tolist() for rows in batches(5, 2, None)]
    [[0, 1], [2, 3], [4]]
    """
    if batch_size is None or batch_size >= n_rows:
        yield None
        return
    order = np.arange(n_rows) if rng is None else rng.permutation(n_rows)
    for begin in range(0, n_rows, batch_size):
        yield order[begin : begin + batch_size].astype(np.int32)


def check_batches(F: Objective, batch_size: int | None) -> None:
    """Raise an error if the objective cannot be evaluated on batches of rows."""
    if batch_size is not None and F.batch is None:
        raise InputError(
            f"batch_size is {batch_size}, but the objective is not a sum over rows; "
            "pass `batch_size=None`"
        )


def check_stop(F: Objective, batch_size: int | None, stop: str) -> bool:
    """Whether the running loss of an epoch says when to stop."""
    if stop not in STOPS:
        raise InputError(f"stop is {stop!r}, expected one of {', '.join(STOPS)}")
    if stop == "running_loss" and (batch_size is None or batch_size >= F.n_rows):
        raise InputError("stop is 'running_loss', which needs batches: give a `batch_size`")
    return stop == "running_loss"


def gradient_descent(
    objective: Function | Objective,
    w: Floats,
    *,
    batch_size: int | None = None,
    shuffle: bool = True,
    step: str = "armijo",
    eta0: float = 1.0,
    power: float = 1.0,
    t0: float = 1.0,
    momentum: float = 0.0,
    stop: str = "objective",
    tol: float = 1e-6,
    max_iter: int = 1000,
    random_state: int = 0,
) -> Result:
    """Minimize, starting from w.

    It stops when the largest component of the gradient (with batches: the relative change of the
    objective in an epoch) is at most tol, or after max_iter epochs.

    stop  "objective", or with batches "running_loss": the change from epoch to epoch of the loss
          that rows had when their batch came up, plus the penalty after the epoch. No pass over
          the data is spent on it; `history` has it after the objective at the start.
    step  "armijo", "fixed" (eta0) or "decay" (eta0 (1 + (t - 1) / t0)^-power); batches need one
          of the last two
    """
    F = as_objective(objective)
    whole = batch_size is None or batch_size >= F.n_rows
    _check_steps(F, batch_size, step, power, whole)
    by_running_loss = check_stop(F, batch_size, stop)
    rng = np.random.default_rng(random_state) if shuffle else None
    value, gradient = F.smooth(w)
    value += F.penalty.l1_value(w)
    history, v, t, eta = [value], np.zeros_like(w), 0, eta0
    reason = "max_iter"
    while True:
        ends = reason != "max_iter" or len(history) > max_iter or not np.isfinite(value)
        if ends and by_running_loss:
            value, gradient = F.smooth(w)
            value += F.penalty.l1_value(w)
        slope = largest(F.shortest_subgradient(w, gradient))
        if whole and slope <= tol:
            reason, ends = "gradient", True
        if ends:
            return Result(w, value, slope, len(history) - 1, reason, history)
        old = value
        if step == "armijo":
            point = _backtrack(F, w, value, gradient, momentum * v, 2 * eta)
            if point is None or is_stalled(history):
                reason = "step"
                continue
            v = point[0] - w
            w, value, gradient, eta = point
        else:
            running = 0.0
            for rows in batches(F.n_rows, batch_size, rng):
                t += 1
                eta = eta0 * ((1 + (t - 1) / t0) ** -power if step == "decay" else 1.0)
                loss, gradient = (0.0, gradient) if rows is None else _batch(F, w, rows)
                running += loss
                v = momentum * v - eta * gradient
                w = F.penalty.proximal(w + v, eta, l2=False)
            if by_running_loss:
                value = running + F.penalty.value(w)
            else:
                value, gradient = F.smooth(w)
                value += F.penalty.l1_value(w)
            first = by_running_loss and len(history) == 1
            if not whole and not first and abs(old - value) <= tol * abs(value):
                reason = "change"
        history.append(value)
        notify("gradient descent", len(history) - 1, 0)


def _check_steps(
    F: Objective, batch_size: int | None, step: str, power: float, whole: bool
) -> None:
    check_batches(F, batch_size)
    if step not in STEPS:
        raise InputError(f"step is {step!r}, expected one of {', '.join(STEPS)}")
    if not 0.5 < power <= 1:
        raise InputError(f"power is {power!r}, expected more than 1/2 and at most 1")
    if not whole and step == "armijo":
        raise InputError(
            f"step is 'armijo', which needs all rows, but batch_size is {batch_size}; "
            'pass `step="fixed"` or `step="decay"`'
        )


def _batch(F: Objective, w: Floats, rows: Rows) -> tuple[float, Floats]:
    """What a batch adds to the loss, and the gradient that it estimates."""
    assert F.batch is not None, "checked before"
    loss, gradient = F.batch(w, rows)
    return loss * len(rows) / F.n_rows, gradient + F.penalty.smooth_gradient(w)


def _backtrack(
    F: Objective, w: Floats, value: float, gradient: Floats, carried: Floats, eta: float
) -> tuple[Floats, float, Floats, float] | None:
    """The first step d, halved from eta on, with a descent of at least C1 ||d||^2 / eta.

    Along d the gradient may change by at most 3/2 ||d|| / eta: this rejects a step that is too
    long even where the descent is lost in rounding errors.
    """
    noise = 4 * np.finfo(float).eps * abs(value)
    for push in (carried, np.zeros_like(w)) if carried.any() else (carried,):
        size = eta
        for _ in range(60):
            point = F.penalty.proximal(w + push - size * gradient, size, l2=False)
            d = point - w
            moved = dot(d, d) / size
            new_value, new_gradient = F.smooth(point)
            new_value += F.penalty.l1_value(point)
            enough = new_value <= value - C1 * moved + noise
            if enough and moved > 0 and dot(new_gradient - gradient, d) <= 1.5 * moved:
                return point, new_value, new_gradient, size
            size /= 2
    return None
