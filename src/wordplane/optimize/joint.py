"""Maximum entropy over features of (x, y) that the user computes.

    P(y | x) = exp(w . f(x, y)) / sum_y' exp(w . f(x, y'))        f(x, y) a {name: value}

Reference: Berger, Della Pietra and Della Pietra (1996), Computational Linguistics 22(1).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import take_rows
from wordplane.optimize.losses import logistic
from wordplane.optimize.objective import Function, Objective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.vectors import Floats

JointFeatures = Callable[[Any, Any], Mapping[str, float]]


def joint_objective(
    f: JointFeatures,
    xs: Sequence[Any],
    ys: Sequence[Any],
    penalty: Penalty | None = None,
) -> tuple[Objective, list[str], list[Any]]:
    """-sum_i log P(y_i | x_i) + penalty, the names of the weights, and the classes in order.

    >>> from wordplane.optimize.lbfgs import lbfgs
    >>> def f(x, y):
    ...     return {f"{word} is {y}": 1.0 for word in x.split()}
    >>> F, names, classes = joint_objective(f, ["good film", "bad film"], ["+", "-"], Penalty(l2=1))
    >>> dict(zip(names, lbfgs(F, np.zeros(len(names))).w.round(2).tolist()))["good is +"]
    0.34
    """
    classes = sorted(set(ys))
    if len(classes) < 2:
        raise InputError(f"the labels have {len(classes)} class, two at least are needed")
    rows, names = joint_rows(f, xs, classes)
    y, n_classes = np.array([classes.index(label) for label in ys]), len(classes)

    def batch(w: Floats, chosen: NDArray[Any]) -> tuple[float, Floats]:
        part = take_rows(rows, (chosen[:, None] * n_classes + np.arange(n_classes)).ravel())
        loss, gradient = joint_loss(part, y[chosen], n_classes)(w)
        return loss * len(y) / len(chosen), gradient * (len(y) / len(chosen))

    def hessian(w: Floats) -> Callable[[Floats], Floats]:
        p = logistic(_scores(rows, w, n_classes), y)[1]
        p[np.arange(len(y)), y] += 1

        def product(v: Floats) -> Floats:
            z = _scores(rows, v, n_classes)
            return _back(rows, p * (z - (p * z).sum(axis=1, keepdims=True)))

        return product

    objective = Objective(
        joint_loss(rows, y, n_classes), penalty, batch=batch, n_rows=len(y), hessian=hessian
    )
    return objective, names, classes


def joint_loss(rows: _core.Csr, y: NDArray[Any], n_classes: int) -> Function:
    """w -> -sum_i log P(y_i | x_i) and its gradient, of rows that `joint_rows` made."""

    def loss(w: Floats) -> tuple[float, Floats]:
        losses, residuals = logistic(_scores(rows, w, n_classes), y)
        return float(losses.sum()), _back(rows, residuals)

    return loss


def _scores(rows: _core.Csr, w: Floats, n_classes: int) -> Floats:
    """w . f(x, y) for every x and y."""
    return _core.linear_scores(rows, w[:, None], np.zeros(1), 1).reshape(-1, n_classes)


def _back(rows: _core.Csr, residuals: Floats) -> Floats:
    """The sum of f(x, y) times the residual of x and y."""
    gradient = np.zeros((rows.shape[1], 1))
    _core.linear_gradient(rows, residuals.reshape(-1, 1), gradient, 1)
    return gradient[:, 0]


def joint_rows(
    f: JointFeatures,
    xs: Sequence[Any],
    classes: Sequence[Any],
    names: Sequence[str] | None = None,
) -> tuple[_core.Csr, list[str]]:
    """One row f(x, y) for every x and, within it, every y, and the names of the columns.

    With `names` given, features of other names are left out.
    """
    column = {name: j for j, name in enumerate(names or ())}
    indptr: list[int] = [0]
    indices: list[int] = []
    values: list[float] = []
    for number, x in enumerate(xs):
        for y in classes:
            found = f(x, y)
            if not isinstance(found, Mapping):
                raise InputError(
                    f"the features of row {number} and class {y!r} are {found!r}, expected a "
                    "mapping of names to numbers"
                )
            for name, value in found.items():
                if not (isinstance(value, Real) and math.isfinite(value)):
                    raise InputError(
                        f"the feature {name!r} of row {number} and class {y!r} is {value!r}, "
                        "expected a finite number"
                    )
                if names is None:
                    column.setdefault(name, len(column))
                if name in column:
                    indices.append(column[name])
                    values.append(float(value))
            indptr.append(len(indices))
    matrix = _core.Csr(
        len(column),
        np.array(indptr, np.int64),
        np.array(indices, np.int32),
        np.array(values, np.float64),
    )
    return matrix, list(column)
