"""Losses of scores, with their gradients.

z (n x K) has the score of every class and y (n) the true class of every row; each function
returns the loss of every row and its gradient (n x K) with respect to z. A z of one column
has the scores of the second of two classes, the first having 0.

    zero-one               1(argmax_k z_k != y)                    gradient 0 wherever it has one
    perceptron             max_k z_k - z_y
    hinge                  max_k (z_k + cost[y, k]) - z_y          cost 1 off the diagonal
    squared hinge          hinge squared
    logistic               log sum_k exp(z_k) - z_y                gradient softmax(z) - 1_y
    binary logistic        sum_k log(1 + exp(-s_k z_k))            s_k = 1 if k is y, else -1
    joint log-likelihood   -z_y, for z_k = log P(x, k)
    squared error          sum_k (z_k - y_k)^2                     y (n x K) are real numbers

>>> z = np.array([[2.0, 1.0], [0.0, 0.5]])
>>> loss, gradient = hinge(z, np.array([0, 0]))
>>> loss, gradient
(array([0. , 1.5]), array([[ 0.,  0.],
       [-1.,  1.]]))
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.optimize.vectors import Floats

Losses = tuple[Floats, Floats]
Loss = Callable[[Floats, NDArray[Any]], Losses]
Curvature = Callable[[Floats, Floats], Floats]


def zero_one(z: Floats, y: NDArray[Any]) -> Losses:
    """1 where the best class (the lowest among equals) is not the true one."""
    return (_both(z).argmax(axis=1) != y).astype(np.float64), np.zeros_like(z)


def perceptron(z: Floats, y: NDArray[Any]) -> Losses:
    """How much the best class scores above the true one."""
    return hinge(z, y, costs=np.zeros((max(z.shape[1], 2),) * 2))


def hinge(z: Floats, y: NDArray[Any], costs: Floats | None = None) -> Losses:
    """The margin loss; costs[y, k] is what taking k for y costs, by default 1."""
    scores, rows = _both(z), np.arange(len(z))
    if costs is None:
        costs = 1 - np.eye(scores.shape[1])
    raised = scores + costs[y]
    # Among equals the true class, so that no loss has no gradient.
    worst = np.where(raised.max(axis=1) > scores[rows, y], raised.argmax(axis=1), y)
    gradient = np.zeros_like(scores)
    gradient[rows, worst] += 1
    gradient[rows, y] -= 1
    return raised[rows, worst] - scores[rows, y], gradient[:, -z.shape[1] :]


def squared_hinge(z: Floats, y: NDArray[Any], costs: Floats | None = None) -> Losses:
    """The margin loss, squared."""
    loss, gradient = hinge(z, y, costs)
    return loss**2, 2 * loss[:, None] * gradient


def logistic(z: Floats, y: NDArray[Any]) -> Losses:
    """Minus the log-probability of the true class, P = softmax(z)."""
    scores, rows = _both(z), np.arange(len(z))
    top = scores.max(axis=1, keepdims=True)
    p = np.exp(scores - top)
    total = p.sum(axis=1, keepdims=True)
    loss = np.log(total[:, 0]) + top[:, 0] - scores[rows, y]
    p /= total
    p[rows, y] -= 1
    return loss, p[:, -z.shape[1] :]


def logistic_curvature(z: Floats, u: Floats) -> Floats:
    """The Hessian of the logistic loss at z, row by row, times u."""
    scores = _both(z)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = (p / p.sum(axis=1, keepdims=True))[:, -z.shape[1] :]
    return np.asarray(p * (u - (p * u).sum(axis=1, keepdims=True)))


def binary_logistic(z: Floats, y: NDArray[Any]) -> Losses:
    """The logistic losses of every class against the rest, summed."""
    sign = _signs(z, y)
    margin = sign * z
    e = np.exp(-np.abs(margin))
    loss = np.log1p(e) + np.maximum(-margin, 0)
    return loss.sum(axis=1), -sign * np.where(margin > 0, e, 1.0) / (1 + e)


def binary_logistic_curvature(z: Floats, u: Floats) -> Floats:
    """The Hessian of the binary logistic loss at z, row by row, times u."""
    e = np.exp(-np.abs(z))
    return np.asarray(u * e / (1 + e) ** 2)


def joint_log_likelihood(z: Floats, y: NDArray[Any]) -> Losses:
    """Minus the joint log-likelihood of x and y, where z is that of x and each class."""
    scores, rows = _both(z), np.arange(len(z))
    gradient = np.zeros_like(scores)
    gradient[rows, y] = -1
    return -scores[rows, y], gradient[:, -z.shape[1] :]


def squared_error(z: Floats, y: NDArray[Any]) -> Losses:
    """The squared distance of z from y, which has as many columns."""
    apart = z - np.reshape(y, z.shape)
    return (apart**2).sum(axis=1), 2 * apart


def squared_error_curvature(z: Floats, u: Floats) -> Floats:
    """The Hessian of the squared error times u."""
    return 2 * u


CURVATURE: dict[Loss, Curvature] = {
    logistic: logistic_curvature,
    binary_logistic: binary_logistic_curvature,
    squared_error: squared_error_curvature,
}


def _both(z: Floats) -> Floats:
    return np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z


def _signs(z: Floats, y: NDArray[Any]) -> Floats:
    classes = np.array([1]) if z.shape[1] == 1 else np.arange(z.shape[1])
    return np.where(np.asarray(y)[:, None] == classes, 1.0, -1.0)
