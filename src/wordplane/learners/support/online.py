"""What the online learners share: all but the rule by which a document changes the weights.

    w = 0
    max_iter times:
        for the documents in random order:   the rule of the learner          (its `_pass`)
        stop if there is reason to
    return the mean of w over all steps, or the last w

Training ends after `max_iter` epochs, or earlier
- when an epoch changed nothing (`ends_without_updates`: of learners that learn by mistakes alone),
- with `tol`, when an epoch changed the model little: ||W - W_before|| <= tol ||W||,
- with `early_stopping`, when the accuracy on a held-out part of the rows has not risen for
  `n_iter_no_change` epochs; the best model seen is kept.

The mean is computed lazily: an update made at step s (from 0) is part of the T - s weight vectors
that follow, so mean = w - u / T with u = sum of s * update.

Weights are (n_features + 1) x n_outputs, the last row being the bias; with two classes there is one
output, the vector of class 1, and that of class 0 is its negative.
"""

import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from numbers import Real
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.forms import Pattern
from wordplane.common.labels import Codes
from wordplane.common.matrix import take_rows
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.data.splits import holdout
from wordplane.learners.support.base import ClassWeight, best_output
from wordplane.learners.support.incremental import IncrementalClassifier, StateValue
from wordplane.learners.support.parameter_checks import (
    check,
    check_flags,
    check_not_negative,
    check_whole,
)
from wordplane.learners.support.row_blocks import RowBlocks, needs_memory

Order: TypeAlias = NDArray[np.int32]
Path: TypeAlias = list[tuple[FloatArray, FloatArray]]

VALUES_PER_CALL = 2e8


class OnlineClassifier(IncrementalClassifier):
    """A linear classifier that takes a step for every document.

    A learner adds `_pass`, and `_start` if it has parameters of its own or another state.

    Parameters
    ----------
    averaged : bool
        Take the mean of the weights over all steps, which generalizes far better than the last.
    fit_intercept : bool
        Whether there is a bias, learned like the weight of a word that all documents have.
    max_iter : int
        The most epochs.
    tol : float
        Stop when an epoch changes the weights by no more than this share of their norm.
    shuffle : bool
        A new random order for every epoch; False takes the rows as they are.
    early_stopping : bool
        Hold out rows, stop when their accuracy no longer rises, and keep the best model.
    validation_fraction : float
        The share of rows that `early_stopping` holds out.
    n_iter_no_change : int
        How many epochs without a rise `early_stopping` waits.
    keep_path : bool
        Keep W and b after every epoch, in `path_`.
    class_weight : None, "balanced" or mapping
        What multiplies the steps by documents of each class.
    n_jobs : int
        Threads to use; None and -1 mean all. Steps are taken one after the other; two threads can
        share each, every one owning half of the features.
    random_state : int
        The seed of the orders.

    Attributes
    ----------
    n_iter_, mistakes_
        The number of epochs, and the updates made in each.
    converged_
        Whether training ended before `max_iter` epochs were over.
    path_
        With `keep_path`, W and b after each epoch.
    """

    state: tuple[str, ...] = ("_w", "_u", "_step")
    faded: tuple[str, ...] = ("_w", "_u")  # what forgetting shrinks
    ends_without_updates = True
    shuffles_rows = True
    learns_from_sums = False
    grows = True

    averaged: bool
    fit_intercept: bool
    max_iter: int
    tol: float | None
    shuffle: bool
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    keep_path: bool
    class_weight: ClassWeight
    random_state: int

    n_iter_: int
    mistakes_: list[int]
    converged_: bool
    path_: Path

    _w: FloatArray
    _u: FloatArray | None
    _step: int

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from rows and their labels, in epochs."""
        self._check_parameters()
        rows = self._labeled(*self._weighted_rows(X, y, sample_weight))
        self._start()
        self._prepare_rule(rows.y, rows.weight)
        self._run_epochs(rows)
        self._finish([rows])
        return self

    @property
    def learns_from_blocks(self) -> bool:
        """Whether epochs go on until they are over or one changes nothing."""
        return not (self.early_stopping or self.keep_path or self.tol is not None)

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """The same on rows in blocks: an epoch meets the blocks in random order, and the rows of
        each in random order."""
        self._check_parameters()
        if not self.learns_from_blocks:
            raise needs_memory(self)
        codes, weights = self._weighted_blocks(rows, y, sample_weight)
        self._start()
        self._prepare_rule(codes, weights)

        def read(blocks: Iterable[int]) -> Iterator[_core.OnlineRows]:
            for block, X in rows.read(list(blocks)):
                part = rows.part(block)
                yield self._labeled(X, codes[part], weights[part])

        arrays, others = self._split_state()
        kinds: dict[str, Pattern] = dict.fromkeys(others, (int, float, None))
        _, state, facts = rows.last_pass(arrays.items(), {**kinds, "mistakes": [int]})
        vars(self).update(state)
        vars(self).update({name: facts[name] for name in others if name in facts})
        rng = np.random.default_rng(self.random_state)
        self.mistakes_: list[int] = list(facts.get("mistakes", ()))
        n_before = len(self.mistakes_)
        self.n_iter_, self.converged_ = 0, len(self.classes_) == 1
        while not self.converged_ and self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            blocks = rng.permutation(len(rows)) if self.shuffle else np.arange(len(rows))
            trains = (_weighted_numbers(weights[rows.part(block)]) for block in blocks)
            orders = (rng.permutation(train) if self.shuffle else train for train in trains)
            if self.n_iter_ <= n_before:
                deque(orders, maxlen=0)  # drawn before
            else:
                steps = zip(read(blocks), orders, strict=True)
                self.mistakes_.append(sum(self._run_steps(*step) for step in steps))
                self._keep_pass(rows)
                notify("training", self.n_iter_, self.max_iter)
            self.converged_ = self.ends_without_updates and self.mistakes_[self.n_iter_ - 1] == 0
        self._set_weights(*self._model())
        self._finish(read(range(len(rows))))
        return self

    def _split_state(self) -> tuple[dict[str, FloatArray], dict[str, StateValue]]:
        """The arrays of the state, and the rest."""
        known = self._state_values()
        arrays = {name: value for name, value in known.items() if isinstance(value, np.ndarray)}
        return arrays, {name: value for name, value in known.items() if name not in arrays}

    def _keep_pass(self, rows: RowBlocks) -> None:
        arrays, facts = self._split_state()
        rows.keep_pass(self.n_iter_, arrays.items(), {**facts, "mistakes": self.mistakes_})

    def _prepare(
        self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike, *, are_all: bool
    ) -> None:
        self._check_parameters()
        self._prepare_rule(codes, self._row_weights(X, codes, sample_weight))

    def _add(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        """One pass over more rows, in their order."""
        self._check_parameters()
        rows = self._labeled(X, codes, self._row_weights(X, codes, sample_weight))
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        if len(self.classes_) > 1:
            self._run_steps(rows, _weighted_numbers(rows.weight))
        self._set_weights(*self._model())
        return self

    def fade(self, share: float) -> None:
        """Shrink the weights, and what their mean is computed from, to (1 - share) of theirs."""
        for name in self.faded:
            value = getattr(self, name)
            if value is not None:
                setattr(self, name, value * (1 - share))
        self._set_weights(*self._model())

    def _refill(self, before: Mapping[str, StateValue], place: IntArray, kept: IntArray) -> None:
        rows = np.append(np.flatnonzero(place >= 0), len(place))  # the last is the bias
        new_rows = np.append(place[rows[:-1]], self.n_features_in_)
        for name, value in before.items():
            if not isinstance(value, np.ndarray):
                setattr(self, name, value)
                continue
            if value.shape[1] == 1 and len(self.classes_) > 2:
                value = self._outputs_of_two(name, value)
            into = getattr(self, name)
            columns = np.zeros(1, np.int64) if value.shape[1] == 1 else kept
            into[np.ix_(new_rows, columns)] = value[rows]
        self._set_weights(*self._model())

    def _outputs_of_two(self, name: str, value: FloatArray) -> FloatArray:
        """What two classes share in a part of the state, as the vectors of both."""
        return np.hstack([-value, value])

    def _pass(self, rows: _core.OnlineRows, order: Order) -> int:
        """The rule, from step `_step` on, for the rows in this order; returns the updates made."""
        raise NotImplementedError

    def _start(self) -> None:
        """Check the parameters of the rule and begin with zero weights."""
        self._w, self._step = self._zeros(), 0
        self._u = self._zeros() if self.averaged else None

    def _prepare_rule(self, y: Codes, weights: FloatArray) -> None:
        """Set what depends on the classes and weights of the first rows."""

    def _finish(self, blocks: Iterable[_core.OnlineRows]) -> None:
        """Measure the model on the rows of a `fit`."""

    def _weights(self) -> FloatArray:
        """The weights of the model: the mean, or the last."""
        return self._w if self._u is None else self._w - self._u / max(self._step, 1)

    def _zeros(self) -> FloatArray:
        n_classes = len(self.classes_)
        return np.zeros((self.n_features_in_ + 1, 1 if n_classes == 2 else n_classes))

    def _labeled(self, X: _core.Csr, codes: Codes, weights: FloatArray) -> _core.OnlineRows:
        rows = _core.LabeledRows(X, codes, weights, len(self.classes_))
        return _core.OnlineRows(rows, bias=float(self.fit_intercept))

    def _run_epochs(self, rows: _core.OnlineRows) -> None:
        """Epochs until it is time to stop; sets the model and how it was reached."""
        rng = np.random.default_rng(self.random_state)
        train, held_out = _weighted_numbers(rows.weight), None
        if self.early_stopping:
            train, held_out = self._hold_out(rows, train)
        best_accuracy, best_epoch = -1.0, 0
        best_state: dict[str, object] = {}
        weights: FloatArray | float = 0.0
        change = np.inf
        path: Path = []
        self.n_iter_, self.mistakes_, self.converged_ = 0, [], len(self.classes_) == 1
        while not self.converged_ and self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            order = rng.permutation(train) if self.shuffle else train
            self.mistakes_.append(self._run_steps(rows, order))
            notify("training", self.n_iter_, self.max_iter)
            self.converged_ = self.ends_without_updates and self.mistakes_[-1] == 0
            if self.keep_path:
                path.append(self._model())
            if held_out is not None:
                accuracy = self._accuracy(held_out)
                if accuracy > best_accuracy:
                    best_accuracy, best_epoch = accuracy, self.n_iter_
                    best_state = {name: copy(getattr(self, name)) for name in self.state}
                self.converged_ |= self.n_iter_ - best_epoch >= self.n_iter_no_change
            if self.tol is not None:
                before, weights = weights, self._weights().copy()
                change = float(np.linalg.norm(weights - before))
                self.converged_ |= bool(change <= self.tol * np.linalg.norm(weights))
        vars(self).update(best_state)
        if self.keep_path:
            self.path_ = path
        self._set_weights(*self._model())
        if self.tol is not None and not self.converged_:
            warnings.warn(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} epochs, of which "
                f"the last changed the weights by {change:.3g} (tol={self.tol}); allow more",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _run_steps(self, rows: _core.OnlineRows, order: Order) -> int:
        """A step for each of the rows; returns how many changed the weights."""
        updates = 0
        for part in _parts(rows.X, order, self._w.shape[1]):
            updates += self._pass(rows, part)
            self._step += len(part)
        return updates

    def _hold_out(self, rows: _core.OnlineRows, train: Order) -> tuple[Order, _core.LabeledRows]:
        fraction = float(self.validation_fraction)
        kept, held_out = holdout(rows.y[train], fraction, self.random_state)
        if len(held_out) == 0:
            raise InputError(
                f"early_stopping: validation_fraction={fraction} of {len(train)} rows holds out "
                "none; give more rows or a larger fraction"
            )
        out = train[held_out]
        X = take_rows(rows.X, out)
        return train[kept], _core.LabeledRows(X, rows.y[out], rows.weight[out], rows.n_classes)

    def _accuracy(self, rows: _core.LabeledRows) -> float:
        W, b = self._model()
        z = _core.linear_scores(rows.X, W, b, thread_count(self.n_jobs))
        return float(np.average(best_output(z, rows.n_classes) == rows.y, weights=rows.weight))

    def _model(self) -> tuple[FloatArray, FloatArray]:
        """W and b: with two classes, one output, the score of class 1 less that of class 0."""
        weights = self._weights() * (2.0 if len(self.classes_) == 2 else 1.0)
        return weights[:-1], weights[-1]

    def _check_parameters(self) -> None:
        """The parameters that all online learners have."""
        check_whole(self, "max_iter", "n_iter_no_change")
        check_flags(self, "averaged", "fit_intercept", "shuffle", "early_stopping", "keep_path")
        if self.tol is not None:
            check_not_negative(self, "tol")
        fraction = self.validation_fraction
        holds = isinstance(fraction, Real) and 0 < float(fraction) < 1
        check(self, "validation_fraction", holds, "a number between 0 and 1")


def _weighted_numbers(weights: FloatArray) -> Order:
    """The rows that have a weight, in their order."""
    return np.flatnonzero(weights > 0).astype(np.int32)


def _parts(X: _core.Csr, order: Order, n_outputs: int) -> Iterator[Order]:
    """The order in parts that take less than about a second each, so that Ctrl-C works."""
    per_row = n_outputs * (1 + X.n_values / X.shape[0])
    size = max(1, int(VALUES_PER_CALL / per_row))
    for begin in range(0, len(order), size):
        yield order[begin : begin + size]
