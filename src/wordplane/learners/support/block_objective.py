"""The objective of a linear model over rows in blocks: one `sum` over them per step of a solver.

    F(w) = sum_i weight_i loss(x_i (d W) + d_b b, y_i) + penalty(w)

d multiplies features: the scale of NBSVM, and the value of the constant feature whose weight is b.
The blocks see v = d w, and what they sum is multiplied by d again, so their rows stay as they are.

The scores of the rows stay where the blocks are, from the gradient at w to the products with the
Hessian there. Sums are added in order of the blocks, so whoever computes them, the bits are the
same.

References: Lin, Weng and Keerthi (2008), Trust region Newton method for large-scale logistic
regression; Zhuang, Chin, Juan and Lin (2015), Distributed Newton method for regularized logistic
regression.
"""

from collections.abc import Callable

import numpy as np

from wordplane import _core
from wordplane.common.labels import Codes
from wordplane.common.types import FloatArray
from wordplane.learners.support.row_blocks import RowBlocks, Sums
from wordplane.optimize.losses import Loss
from wordplane.optimize.objective import LinearObjective, Objective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.vectors import Floats


class BlockObjective(Objective):
    """`LinearObjective` over rows in blocks, for `newton`.

    factor  d, flat as w is; None means 1

    >>> from wordplane.common.matrix import as_csr
    >>> from wordplane.optimize.losses import binary_squared_hinge
    >>> rows = RowBlocks(np.array([0, 1, 2]), 2, [as_csr([[1, 0]]), as_csr([[0, 2]])].__getitem__)
    >>> F = BlockObjective(rows, np.array([1, 0]), binary_squared_hinge, Penalty(l2=1.0),
    ...                    n_outputs=1, weight=np.ones(2))
    >>> F(np.array([0.5, 0.0, 0.0]))
    (1.375, array([-0.5,  4. ,  1. ]))
    """

    def __init__(
        self,
        rows: RowBlocks,
        codes: Codes,
        loss: Loss,
        penalty: Penalty,
        *,
        n_outputs: int,
        weight: FloatArray,
        intercept: bool = True,
        factor: FloatArray | None = None,
    ) -> None:
        super().__init__(self._sum, penalty, n_rows=rows.shape[0], hessian=self._products)
        self.rows, self.n_outputs, self.intercept = rows, n_outputs, intercept
        self._given = loss, n_outputs, intercept
        self._codes, self._weight = rows.split(codes), rows.split(weight)
        self._factor = np.ones(1) if factor is None else factor
        self._w: Floats | None = None
        self._z: list[object] = []

    def start(self) -> Floats:
        """Weights of zero."""
        return np.zeros((self.rows.shape[1] + self.intercept) * self.n_outputs)

    def split(self, w: Floats) -> tuple[Floats, Floats]:
        """What multiplies the features, d W, and d_b b."""
        v = (self._factor * w).reshape(-1, self.n_outputs)
        return (v[:-1], v[-1]) if self.intercept else (v, np.zeros(self.n_outputs))

    def _sum(self, w: Floats) -> tuple[float, Floats]:
        self._move(w)
        sums = np.zeros(1), np.zeros(len(w))
        parts = self._codes, self._weight, self._z
        loss, slope = self.rows.sum(gradient, sums, self._given, *parts)
        return float(loss[0]), self._factor * slope

    def _products(self, w: Floats) -> Callable[[Floats], Floats]:
        if w is not self._w:
            self._move(w)

        def product(v: Floats) -> Floats:
            shared = (*self._given, self._factor * v)
            parts = self._codes, self._weight, self._z
            (found,) = self.rows.sum(hessian_product, (np.zeros(len(v)),), shared, *parts)
            return self._factor * found

        return product

    def _move(self, w: Floats) -> None:
        """Compute the scores at w."""
        self._w = w
        self._z = self.rows.map(scores, (*self._given[1:], self._factor * w))


def scores(X: _core.Csr, threads: int, n_outputs: int, intercept: bool, v: Floats) -> FloatArray:
    """The scores of the rows of a block."""
    W = v.reshape(-1, n_outputs)
    b = W[-1] if intercept else np.zeros(n_outputs)
    return _core.linear_scores(X, W[: X.shape[1]], b, threads)


def gradient(
    sums: Sums,
    X: _core.Csr,
    threads: int,
    loss: Loss,
    n_outputs: int,
    intercept: bool,
    codes: Codes,
    weight: FloatArray,
    z: FloatArray,
) -> None:
    """Add the loss of a block and its gradient."""
    part = LinearObjective(
        X, codes, loss, n_outputs=n_outputs, weight=weight, intercept=intercept, threads=threads
    )
    value, slope = part.sum_at(z)
    sums[0][0] += value
    sums[1][:] += slope


def hessian_product(
    sums: Sums,
    X: _core.Csr,
    threads: int,
    loss: Loss,
    n_outputs: int,
    intercept: bool,
    v: Floats,
    codes: Codes,
    weight: FloatArray,
    z: FloatArray,
) -> None:
    """Add the product of the Hessian of a block with v."""
    part = LinearObjective(
        X, codes, loss, n_outputs=n_outputs, weight=weight, intercept=intercept, threads=threads
    )
    sums[0][:] += part.hessian_product(z, v)
