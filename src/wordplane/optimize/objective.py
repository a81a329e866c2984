"""The function to minimize: a loss of the weights plus a penalty on them.

    F(w) = loss(w) + penalty(w)

Optimizers see it as an `Objective`: the smooth part (loss and l2) with its gradient, and the
strength of l1 at every coordinate. `as_objective` makes one of a plain callable
w -> (value, gradient).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import take_rows
from wordplane.optimize.losses import CURVATURE, Curvature, Huber, Loss, Pinball, Targets
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.vectors import Floats, dot

Function = Callable[[Floats], tuple[float, Floats]]
Rows = NDArray[np.int32]


class Objective:
    """loss(w) + penalty(w), from a function w -> (loss, gradient).

    `batch(w, rows)` estimates the same on some rows: their mean, times `n_rows`. `hessian(w)`
    returns a function that multiplies by the Hessian of the loss. Both are optional.
    """

    def __init__(
        self,
        loss: Function,
        penalty: Penalty | None = None,
        *,
        batch: Callable[[Floats, Rows], tuple[float, Floats]] | None = None,
        n_rows: int = 1,
        hessian: Callable[[Floats], Callable[[Floats], Floats]] | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty or Penalty()
        self.batch = batch
        self.n_rows = n_rows
        self._hessian = hessian

    def __call__(self, w: Floats) -> tuple[float, Floats]:
        """F(w) and its shortest subgradient, which is 0 only at the optimum."""
        value, gradient = self.smooth(w)
        if not self.penalty.l1:
            return value, gradient
        return value + self.penalty.l1_value(w), self.shortest_subgradient(w, gradient)

    def smooth(self, w: Floats) -> tuple[float, Floats]:
        """Loss and l2, with their gradient."""
        value, gradient = self.loss(w)
        if not self.penalty.l2:
            return value, gradient
        return value + self.penalty.smooth_value(w), gradient + self.penalty.smooth_gradient(w)

    def shortest_subgradient(self, w: Floats, gradient: Floats) -> Floats:
        """The shortest subgradient of F, given the gradient of its smooth part."""
        if not self.penalty.l1:
            return gradient
        l1 = self.penalty.l1_at(w)
        at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0)
        return np.asarray(np.where(w == 0, at_zero, gradient + l1 * np.sign(w)))

    def hessian(self, w: Floats) -> Callable[[Floats], Floats]:
        """v -> (Hessian of the smooth part at w) v."""
        if self._hessian is None:
            raise InputError("Newton's method needs a Hessian, which this objective does not have")
        product = self._hessian(w)
        return lambda v: product(v) + self.penalty.smooth_gradient(v)


def as_objective(function: Function | Objective) -> Objective:
    """The objective itself, or an objective without penalty from a plain callable."""
    return function if isinstance(function, Objective) else Objective(function)


def require_smooth(objective: Objective, method: str) -> None:
    """Raise an error if there is an l1 penalty, which `method` cannot handle."""
    if objective.penalty.l1:
        raise InputError(f"{method} needs a smooth objective, but this one has an l1 penalty")


class LinearObjective(Objective):
    """sum_i weight_i loss(x_i W + b, y_i) + penalty, over w = (W, b).

    w is flat: W (n_features x n_outputs) row by row, then b if `intercept`. `split` and `flat`
    convert between the two forms.
    """

    def __init__(
        self,
        X: _core.Csr,
        y: Targets,
        loss: Loss,
        penalty: Penalty | None = None,
        *,
        n_outputs: int,
        weight: Floats | None = None,
        intercept: bool = True,
        threads: int = 1,
    ) -> None:
        super().__init__(self._sum, penalty, batch=self._batch, n_rows=X.shape[0])
        self.X = X
        self.y = y
        self.row_loss = loss
        self.weight = np.ones(X.shape[0]) if weight is None else weight
        self.n_outputs = n_outputs
        self.intercept = intercept
        self.threads = threads
        self._row_curvature: Curvature | None = CURVATURE.get(loss)
        if isinstance(loss, Huber | Pinball):
            self._row_curvature = loss.curvature
        if self._row_curvature is not None:
            self._hessian = self._curvature

    def start(self) -> Floats:
        """Weights of zero."""
        return np.zeros((self.X.shape[1] + self.intercept) * self.n_outputs)

    def split(self, w: Floats) -> tuple[Floats, Floats]:
        """W and b as views of w."""
        rows = w.reshape(-1, self.n_outputs)
        if not self.intercept:
            return rows, np.zeros(self.n_outputs)
        return rows[:-1], rows[-1]

    def flat(self, W: Floats, b: Floats) -> Floats:
        """w from its parts."""
        return np.concatenate([W.ravel(), b]) if self.intercept else W.ravel()

    def scores(self, w: Floats) -> Floats:
        """XW + b."""
        W, b = self.split(w)
        return _core.linear_scores(self.X, W, b, self.threads)

    def at_scores(self, w: Floats, z: Floats) -> tuple[float, Floats]:
        """The same as a call at w, whose scores z are known already; without l1."""
        value, gradient = self.sum_at(z)
        gradient += self.penalty.smooth_gradient(w)
        return value + self.penalty.smooth_value(w), gradient

    def _sum(self, w: Floats) -> tuple[float, Floats]:
        return self.sum_at(self.scores(w))

    def sum_at(self, z: Floats) -> tuple[float, Floats]:
        """The loss where the scores are z, and its gradient."""
        losses, residuals = self.row_loss(z, self.y)
        return dot(self.weight, losses), self._backpropagate(
            self.X, self.weight[:, None] * residuals
        )

    def _backpropagate(self, X: _core.Csr, residuals: Floats) -> Floats:
        """X' R for the weights, and the sum of R for the bias."""
        gradient = self.start()
        W, b = self.split(gradient)
        _core.linear_gradient(X, np.ascontiguousarray(residuals), W, self.threads)
        b += residuals.sum(axis=0)
        return gradient

    def _batch(self, w: Floats, rows: Rows) -> tuple[float, Floats]:
        X = take_rows(self.X, rows)
        W, b = self.split(w)
        losses, residuals = self.row_loss(_core.linear_scores(X, W, b, 1), self.y[rows])
        weight = self.weight[rows] * (self.n_rows / len(rows))
        return dot(weight, losses), self._backpropagate(X, weight[:, None] * residuals)

    def hessian_product(self, z: Floats, v: Floats) -> Floats:
        """(Hessian of the loss where the scores are z) v."""
        assert self._row_curvature is not None
        residuals = self._row_curvature(z, self.y, self.scores(v))
        return self._backpropagate(self.X, self.weight[:, None] * residuals)

    def _curvature(self, w: Floats) -> Callable[[Floats], Floats]:
        z = self.scores(w)
        return lambda v: self.hessian_product(z, v)
