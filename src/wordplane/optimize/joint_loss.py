"""Maximum entropy models over features of (x, y) that the user computes.

    P(y | x) = exp(w . f(x, y)) / sum_y' exp(w . f(x, y'))        f(x, y) a {name: value}

Reference: Berger, Della Pietra and Della Pietra (1996), Computational Linguistics 22(1).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import Label
from wordplane.optimize.losses import logistic
from wordplane.optimize.objective import Function
from wordplane.optimize.vectors import Floats

JointFeatures = Callable[..., Mapping[str, float]]  # of x, whatever that is, and a label


def joint_loss(
    rows: _core.Csr, y: NDArray[np.integer], n_classes: int, weights: Floats
) -> Function:
    """w -> -sum_i a_i log P(y_i | x_i) and its gradient, for rows from `joint_rows`; a_i are the
    weights."""

    def loss(w: Floats) -> tuple[float, Floats]:
        losses, residuals = logistic(_scores(rows, w, n_classes), y)
        return float(weights @ losses), _backpropagate(rows, weights[:, None] * residuals)

    return loss


def _scores(rows: _core.Csr, w: Floats, n_classes: int) -> Floats:
    """w . f(x, y) for every x and y."""
    return _core.linear_scores(rows, w[:, None], np.zeros(1), 1).reshape(-1, n_classes)


def _backpropagate(rows: _core.Csr, residuals: Floats) -> Floats:
    """The sum of f(x, y) times the residual of x and y."""
    gradient = np.zeros((rows.shape[1], 1))
    _core.linear_gradient(rows, residuals.reshape(-1, 1), gradient, 1)
    return gradient[:, 0]


def joint_rows(
    f: JointFeatures,
    xs: Sequence[object],
    classes: Sequence[Label],
    names: Sequence[str] | None = None,
) -> tuple[_core.Csr, list[str]]:
    """One row f(x, y) for every x and, within it, every y; and the names of the features.

    If `names` is given, features with other names are left out.
    """
    index_of = {name: j for j, name in enumerate(names or ())}
    indptr: list[int] = [0]
    indices: list[int] = []
    values: list[float] = []
    for number, x in enumerate(xs):
        for y in classes:
            features = f(x, y)
            if not isinstance(features, Mapping):
                raise InputError(
                    f"the features of row {number} and class {y!r} are {features!r}, expected a "
                    "mapping of names to numbers"
                )
            for name, value in features.items():
                if not (isinstance(value, Real) and math.isfinite(value)):
                    raise InputError(
                        f"the feature {name!r} of row {number} and class {y!r} is {value!r}, "
                        "expected a finite number"
                    )
                if names is None:
                    index_of.setdefault(name, len(index_of))
                if name in index_of:
                    indices.append(index_of[name])
                    values.append(float(value))
            indptr.append(len(indices))
    matrix = _core.Csr(
        len(index_of),
        np.array(indptr, np.int64),
        np.array(indices, np.int32),
        np.array(values, np.float64),
    )
    return matrix, list(index_of)
