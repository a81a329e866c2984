"""What the online learners share: their rows, epochs in random order, and when to stop.

Training ends after `max_iter` epochs, or earlier
- when an epoch changed nothing (`still_ends`: true of learners that only learn by mistakes),
- with `tol`, when an epoch changed the model little: ||W - W_before|| <= tol ||W||,
- with `early_stopping`, when the accuracy on a held-out part of the rows has not risen for
  `n_iter_no_change` epochs; the best model seen is kept.

Weights are (n_features + 1) x n_outputs, the last row being the bias; with two classes there is one
output, the vector of class 1, and that of class 0 is its negative.
"""

import warnings
from collections.abc import Callable, Iterator
from copy import copy
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.labels import Codes
from wordplane.common.matrix import take_rows
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.data.splits import holdout
from wordplane.learners.support.base import LinearClassifier, best_class, row_weights

Weights = NDArray[np.float64]
Path = list[tuple[NDArray[np.float64], NDArray[np.float64]]]


class Rows(NamedTuple):
    """What a pass reads."""

    X: _core.Csr
    codes: Codes
    weights: NDArray[np.float64]


# Learns from the rows with these numbers, in this order; returns how often it changed.
Pass = Callable[[Rows, NDArray[np.int32]], int]


def first_rows(learner: Any, X: Any, y: Any, sample_weight: Any) -> Rows:
    """The rows of a `fit`, which sets the classes; the learner's parameters are checked."""
    check_online(learner)
    matrix = learner._new_features(X)
    codes = learner._new_labels(matrix, y)
    return Rows(matrix, codes, _row_weights(learner, matrix, codes, sample_weight))


def more_rows(learner: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[Rows, bool]:
    """The rows of a `partial_fit`, and whether it is the first."""
    check_online(learner)
    matrix, codes, first = learner._next_rows(X, y, classes)
    return Rows(matrix, codes, _row_weights(learner, matrix, codes, sample_weight)), first


def zero_weights(learner: LinearClassifier) -> Weights:
    """The weights to start from."""
    n_classes = len(learner.classes_)
    return np.zeros((learner.n_features_in_ + 1, 1 if n_classes == 2 else n_classes))


def run_epochs(
    learner: Any, rows: Rows, one_pass: Pass, weights: Callable[[], Weights], *, still_ends: bool
) -> None:
    """Epochs until it is time to stop; sets the model and how it was reached."""
    rng = np.random.default_rng(learner.random_state)
    learner.n_iter_, learner.mistakes_, learner.converged_ = 0, [], True
    path: Path = []
    train = np.flatnonzero(rows.weights > 0).astype(np.int32)
    held = None
    if learner.early_stopping:
        train, held = _hold_out(learner, rows, train)
    best: dict[str, Any] = {}
    best_accuracy, best_epoch = -1.0, 0
    before = weights()
    change = np.inf
    if len(learner.classes_) > 1:
        learner.converged_ = False
        watched = held is not None or learner.tol is not None or learner.keep_path
        for epoch in range(1, learner.max_iter + 1):
            order = rng.permutation(train) if learner.shuffle else train
            mistakes = sum(one_pass(rows, part) for part in _parts(rows.X, order, before.shape[1]))
            learner.n_iter_ = epoch
            learner.mistakes_.append(mistakes)
            notify("training", epoch, learner.max_iter)
            now = weights().copy() if watched else before
            if learner.keep_path:
                path.append(linear_form(now, len(learner.classes_)))
            if held is not None:
                accuracy = _accuracy(learner, held, now)
                if accuracy > best_accuracy:
                    best, best_accuracy, best_epoch = _state(learner), accuracy, epoch
                learner.converged_ = epoch - best_epoch >= learner.n_iter_no_change
            if learner.tol is not None:
                change = float(np.linalg.norm(now - before))
                learner.converged_ |= bool(change <= learner.tol * np.linalg.norm(now))
            before = now
            learner.converged_ |= still_ends and mistakes == 0
            if learner.converged_:
                break
    if learner.keep_path:
        learner.path_ = path
    vars(learner).update(best)
    set_model(learner, weights())
    if learner.tol is not None and not learner.converged_:
        warnings.warn(
            f"{type(learner).__name__} stopped after max_iter={learner.max_iter} epochs, of which "
            f"the last changed the weights by {change:.3g} (tol={learner.tol}); allow more",
            ConvergenceWarning,
            stacklevel=3,
        )


def run_once(learner: Any, rows: Rows, one_pass: Pass, weights: Callable[[], Weights]) -> None:
    """One epoch over the rows as they come, and the model after it."""
    learner.n_iter_ = getattr(learner, "n_iter_", 0) + 1
    order = np.flatnonzero(rows.weights > 0).astype(np.int32)
    if len(learner.classes_) > 1:
        for part in _parts(rows.X, order, weights().shape[1]):
            one_pass(rows, part)
    set_model(learner, weights())


def _state(learner: LinearClassifier) -> dict[str, Any]:
    """A copy of what the learner goes on from."""
    return {name: copy(getattr(learner, name)) for name in learner.state}


def set_model(learner: LinearClassifier, weights: Weights) -> None:
    """The model with these weights."""
    W, b = linear_form(weights, len(learner.classes_))
    learner._set_weights(W.copy(), b.copy())


def linear_form(weights: Weights, n_classes: int) -> tuple[Weights, NDArray[np.float64]]:
    """W and b: with two classes, one output, the score of class 1 less that of class 0."""
    if n_classes == 2:
        weights = 2 * weights
    return weights[:-1], weights[-1]


def check_online(learner: Any) -> None:
    """The parameters that all online learners have, or an InputError."""
    for name in ("max_iter", "n_iter_no_change"):
        value = getattr(learner, name)
        if not isinstance(value, Integral) or value < 1:
            raise InputError(f"{name} is {value!r}, expected a whole number from 1 up")
    for name in ("averaged", "fit_intercept", "shuffle", "early_stopping", "keep_path"):
        value = getattr(learner, name)
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} is {value!r}, expected True or False")
    if learner.tol is not None:
        check_number(learner, "tol", above=0.0, or_equal=True)
    fraction = learner.validation_fraction
    if not (isinstance(fraction, Real) and 0 < float(fraction) < 1):
        raise InputError(f"validation_fraction is {fraction!r}, expected a number between 0 and 1")


def check_number(learner: Any, name: str, above: float, or_equal: bool = False) -> float:
    """The parameter as a number above (or equal to) a limit; infinity is one."""
    value = getattr(learner, name)
    if isinstance(value, Real) and (float(value) > above or (or_equal and float(value) == above)):
        return float(value)
    raise InputError(
        f"{name} is {value!r}, expected a number {'from' if or_equal else 'above'} {above:g}"
        f"{' up' if or_equal else ''}"
    )


def _row_weights(
    learner: Any, X: _core.Csr, codes: Codes, sample_weight: Any
) -> NDArray[np.float64]:
    return row_weights(X, codes, learner.classes_, sample_weight, learner.class_weight)


def _parts(X: _core.Csr, order: NDArray[np.int32], n_outputs: int) -> Iterator[NDArray[np.int32]]:
    """The order in parts that take less than about a second each, so that Ctrl-C works."""
    per_row = n_outputs * (1 + X.n_values / X.shape[0])
    size = max(1, int(2e8 / per_row))
    for begin in range(0, len(order), size):
        yield order[begin : begin + size]


def _hold_out(learner: Any, rows: Rows, train: NDArray[np.int32]) -> tuple[NDArray[np.int32], Rows]:
    fraction = float(learner.validation_fraction)
    kept, held = holdout(rows.codes[train], fraction, learner.random_state)
    if len(held) == 0:
        raise InputError(
            f"early_stopping: validation_fraction={fraction} of {len(train)} rows holds out none; "
            "give more rows or a larger fraction"
        )
    out = train[held]
    return train[kept], Rows(take_rows(rows.X, out), rows.codes[out], rows.weights[out])


def _accuracy(learner: LinearClassifier, held: Rows, weights: Weights) -> float:
    W, b = linear_form(weights, len(learner.classes_))
    z = _core.linear_scores(held.X, np.ascontiguousarray(W), b, thread_count(learner.n_jobs))
    guesses = best_class(z[:, 0] if z.shape[1] == 1 else z, len(learner.classes_))
    return float(np.average(guesses == held.codes, weights=held.weights))
