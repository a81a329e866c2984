"""Losses of scores, with their gradients.

z (n x K) has the score of every class and y (n) the true class of every row; each function
returns the loss of every row and its gradient (n x K) with respect to z. If z has one column,
it holds the scores of the second of two classes, and the first class has the score 0.

    zero-one               1(argmax_k z_k != y)                    gradient 0 where it exists
    perceptron             max_k z_k - z_y
    hinge                  max_k (z_k + cost[y, k]) - z_y          cost 1 off the diagonal
    squared hinge          hinge squared
    logistic               log sum_k exp(z_k) - z_y                gradient softmax(z) - 1_y
    binary logistic        sum_k log(1 + exp(-s_k z_k))            s_k = 1 if k is y, else -1
    binary squared hinge   sum_k max(0, 1 - s_k z_k)^2
    joint log-likelihood   -z_y, for z_k = log P(x, k)
    squared error          sum_k (z_k - y_k)^2                     y (n x K) are real numbers
    Huber                  the same, but 2 d |z_k - y_k| - d^2 where it is more than d away
    pinball                sum_k q r_k or (q - 1) r_k, whichever is more, r = y - z: its mean is
                           least at the quantile q; smoothed where |r_k| is below a width

>>> z = np.array([[2.0, 1.0], [0.0, 0.5]])
>>> loss, gradient = hinge(z, np.array([0, 0]))
>>> loss, gradient
(array([0. , 1.5]), array([[ 0.,  0.],
       [-1.,  1.]]))
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.frozen import frozen
from wordplane.optimize.vectors import Floats

Losses = tuple[Floats, Floats]
Targets = NDArray[np.number]  # class numbers, or real numbers for the squared error
Loss = Callable[[Floats, Targets], Losses]
Curvature = Callable[[Floats, Targets, Floats], Floats]


def zero_one(z: Floats, y: Targets) -> Losses:
    """1 where the best class (the first if there are ties) is not the true one."""
    return (_two_columns(z).argmax(axis=1) != y).astype(np.float64), np.zeros_like(z)


def perceptron(z: Floats, y: Targets) -> Losses:
    """How far the score of the best class is above that of the true one."""
    return hinge(z, y, costs=np.zeros((max(z.shape[1], 2),) * 2))


def hinge(z: Floats, y: Targets, costs: Floats | None = None) -> Losses:
    """The margin loss; costs[y, k] is the cost of predicting k for y, by default 1."""
    scores, rows, codes = _two_columns(z), np.arange(len(z)), _codes(y)
    if costs is None:
        costs = 1 - np.eye(scores.shape[1])
    raised = scores + costs[codes]
    # Ties go to the true class, so that the gradient is 0 where the loss is 0.
    worst = np.where(raised.max(axis=1) > scores[rows, codes], raised.argmax(axis=1), codes)
    gradient = np.zeros_like(scores)
    gradient[rows, worst] += 1
    gradient[rows, codes] -= 1
    return raised[rows, worst] - scores[rows, codes], gradient[:, -z.shape[1] :]


def squared_hinge(z: Floats, y: Targets, costs: Floats | None = None) -> Losses:
    """The margin loss, squared."""
    loss, gradient = hinge(z, y, costs)
    return loss**2, 2 * loss[:, None] * gradient


def logistic(z: Floats, y: Targets) -> Losses:
    """Minus the log-probability of the true class, P = softmax(z)."""
    scores, rows, codes = _two_columns(z), np.arange(len(z)), _codes(y)
    top = scores.max(axis=1, keepdims=True)
    p = np.exp(scores - top)
    total = p.sum(axis=1, keepdims=True)
    loss = np.log(total[:, 0]) + top[:, 0] - scores[rows, codes]
    p /= total
    p[rows, codes] -= 1
    return loss, p[:, -z.shape[1] :]


def logistic_curvature(z: Floats, y: Targets, u: Floats) -> Floats:
    """The Hessian of the logistic loss at z, row by row, times u."""
    scores = _two_columns(z)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = (p / p.sum(axis=1, keepdims=True))[:, -z.shape[1] :]
    return np.asarray(p * (u - (p * u).sum(axis=1, keepdims=True)))


def binary_logistic(z: Floats, y: Targets) -> Losses:
    """The sum of the logistic losses of every class against the rest."""
    sign = _signs(z, y)
    margin = sign * z
    e = np.exp(-np.abs(margin))
    loss = np.log1p(e) + np.maximum(-margin, 0)
    return loss.sum(axis=1), -sign * np.where(margin > 0, e, 1.0) / (1 + e)


def binary_logistic_curvature(z: Floats, y: Targets, u: Floats) -> Floats:
    """The Hessian of the binary logistic loss at z, row by row, times u."""
    e = np.exp(-np.abs(z))
    return np.asarray(u * e / (1 + e) ** 2)


def binary_squared_hinge(z: Floats, y: Targets) -> Losses:
    """The sum of the squared margin losses of every class against the rest.

    >>> binary_squared_hinge(np.array([[0.5], [0.0]]), np.array([1, 0]))
    (array([0.25, 1.  ]), array([[-1.],
           [ 2.]]))
    """
    sign = _signs(z, y)
    margin = np.maximum(1 - sign * z, 0)
    return (margin**2).sum(axis=1), -2 * sign * margin


def binary_squared_hinge_curvature(z: Floats, y: Targets, u: Floats) -> Floats:
    """The generalized Hessian of the binary squared hinge at z, row by row, times u."""
    return np.where(_signs(z, y) * z < 1, 2 * u, 0.0)


def joint_log_likelihood(z: Floats, y: Targets) -> Losses:
    """Minus the joint log-likelihood of x and y; z is that of x and each class."""
    scores, rows, codes = _two_columns(z), np.arange(len(z)), _codes(y)
    gradient = np.zeros_like(scores)
    gradient[rows, codes] = -1
    return -scores[rows, codes], gradient[:, -z.shape[1] :]


def squared_error(z: Floats, y: Targets) -> Losses:
    """The squared distance between z and y, which has the same number of columns."""
    difference = z - cast(Floats, np.reshape(y, z.shape))
    return (difference**2).sum(axis=1), 2 * difference


def squared_error_curvature(z: Floats, y: Targets, u: Floats) -> Floats:
    """The Hessian of the squared error times u."""
    return 2 * u


@frozen
class Huber:
    """The squared error up to `delta` from the target, and its tangent beyond.

    >>> Huber(1.0)(np.array([[0.5], [3.0]]), np.array([0.0, 0.0]))
    (array([0.25, 5.  ]), array([[1.],
           [2.]]))
    """

    delta: float

    def __call__(self, z: Floats, y: Targets) -> Losses:
        difference = z - cast(Floats, np.reshape(y, z.shape))
        near = np.clip(difference, -self.delta, self.delta)
        return (near * (2 * difference - near)).sum(axis=1), 2 * near

    def curvature(self, z: Floats, y: Targets, u: Floats) -> Floats:
        """The generalized Hessian at z, row by row, times u."""
        difference = z - cast(Floats, np.reshape(y, z.shape))
        return np.where(np.abs(difference) < self.delta, 2 * u, 0.0)


@frozen
class Pinball:
    """The loss that a quantile minimizes, with a parabola in place of its corner: at most width / 4
    above it, where the target is less than `width` away.

    >>> Pinball(0.9, 0.5)(np.array([[0.0], [3.0]]), np.array([1.0, 1.0]))
    (array([0.9, 0.2]), array([[-0.9],
           [ 0.1]]))
    """

    quantile: float
    width: float

    def __call__(self, z: Floats, y: Targets) -> Losses:
        r = cast(Floats, np.reshape(y, z.shape)) - z
        near = np.clip(r / self.width, -1.0, 1.0)
        # |r| / 2, or where it is near (r^2 / width + width) / 4, and (q - 1/2) r
        size = near * r / 2 + self.width * (1 - near**2) / 4
        tilt = self.quantile - 0.5
        return (size + tilt * r).sum(axis=1), -(near / 2 + tilt)

    def curvature(self, z: Floats, y: Targets, u: Floats) -> Floats:
        """The generalized Hessian at z, row by row, times u."""
        r = cast(Floats, np.reshape(y, z.shape)) - z
        return np.where(np.abs(r) < self.width, u / (2 * self.width), 0.0)


CURVATURE: dict[Loss, Curvature] = {
    logistic: logistic_curvature,
    binary_logistic: binary_logistic_curvature,
    binary_squared_hinge: binary_squared_hinge_curvature,
    squared_error: squared_error_curvature,
}


def _codes(y: Targets) -> NDArray[np.intp]:
    return cast(NDArray[np.intp], y)


def _two_columns(z: Floats) -> Floats:
    """z with a column of zeros for the first of two classes, if it has only the second."""
    return np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z


def _signs(z: Floats, y: Targets) -> Floats:
    classes = np.array([1]) if z.shape[1] == 1 else np.arange(z.shape[1])
    return np.where(np.asarray(y)[:, None] == classes, 1.0, -1.0)
