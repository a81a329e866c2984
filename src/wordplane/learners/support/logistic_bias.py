"""The bias of logistic regression that is not penalized: the best for given weights, and how far it
can be from the best of all.

For scores z without the bias, the best bias b makes the classes as probable on average as they are
common: sum_i C_i P(k | z_i + b) = sum_i C_i 1(y_i = k) =: N_k. It is found by Newton's method, each
step of which is shortened to log(1 + r) / r of itself, r = its range: the third derivative of the
loss is at most r times the second, so that the loss falls with every step.

With W = 0 the best bias is known: b0 = log N_k (two classes: log N_1 / N_0). At the optimum W*, b*,
all |x_i w*_k| <= U = R ||W*||, R the largest norm of a row, and ||W*|| <= sqrt(2 P) for the
objective P of any weights. For two classes |b* - b0| <= U, or else a class would be too probable on
all rows. For K classes, order b* - b0: if it had a gap above sqrt(2) U, the classes above the gap
would be too probable on all rows. So its range is at most (K - 1) sqrt(2) U.

Reference: Bach (2010), Self-concordant analysis for logistic regression, Electronic Journal of
Statistics 4, for the steps.
"""

import numpy as np
from numpy.typing import NDArray

from wordplane.optimize.vectors import Floats

MAX_STEPS = 20
ENOUGH = 1e-12  # of the weight of all rows
MAX_EXACT_CLASSES = 100  # a larger Hessian takes longer than passes over the rows


def class_masses(y: NDArray[np.int32], C: Floats, n_outputs: int) -> Floats:
    """N_k: the weight of the rows of each output; a single output is that of class 1."""
    masses = np.bincount(y, weights=C, minlength=max(n_outputs, 2))
    return np.asarray(masses[1:] if n_outputs == 1 else masses)


def bias_without_weights(masses: Floats, total: float, softmax: bool) -> Floats:
    """b0; -inf or inf of a class that no row or every row has."""
    with np.errstate(divide="ignore"):
        rest = 0.0 if softmax else np.log(np.maximum(total - masses, 0.0))
        return np.asarray(np.log(masses) - rest)


def best_shift(z: Floats, C: Floats, masses: Floats, softmax: bool) -> Floats:
    """What to add to the scores such that the classes are as probable as they are common.

    >>> z, C = np.zeros((4, 1)), np.ones(4)
    >>> best_shift(z, C, np.array([1.0]), softmax=False).round(6)  # log(1/3)
    array([-1.098612])
    """
    shift = np.zeros(z.shape[1])
    for _ in range(MAX_STEPS):
        P = class_probabilities(z + shift, softmax)
        expected = weighted_sums(C, P)
        gradient = expected - masses
        if np.abs(gradient).max() <= ENOUGH * C.sum():
            break
        step = _newton_step(P, C, expected, gradient, softmax)
        lengths = np.ptp(step) if softmax else np.abs(step)
        lengths = np.maximum(lengths, np.finfo(float).tiny)
        shift = shift + step * np.log1p(lengths) / lengths
    return shift


def weighted_sums(C: Floats, P: Floats) -> Floats:
    """C P, with the same rounding on any number of processors."""
    return np.asarray(np.einsum("i,ik->k", C, P))


def bias_gap(b: Floats, pull: Floats, b0: Floats, reach: float, softmax: bool) -> float:
    """At most (b* - b) . pull, where `reach` is R sqrt(2 P)."""
    if not np.any(pull):
        return 0.0
    if softmax:
        spread = np.ptp(b - b0) + (len(b) - 1) * np.sqrt(2) * reach
        return float(np.abs(pull).sum() / 2 * spread)
    pulled = pull != 0
    return float((np.abs(pull) * (np.abs(b - b0) + reach))[pulled].sum())


def class_probabilities(z: Floats, softmax: bool) -> Floats:
    """P(k | z) of each row; of each class against the rest, or of all."""
    if softmax:
        E = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(E / E.sum(axis=1, keepdims=True))
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-z)))


def _newton_step(P: Floats, C: Floats, expected: Floats, gradient: Floats, softmax: bool) -> Floats:
    if not softmax:
        curvature = weighted_sums(C, P * (1 - P))
        return np.asarray(-gradient / np.maximum(curvature, np.finfo(float).tiny))
    if len(expected) > MAX_EXACT_CLASSES:
        return np.asarray(-gradient / np.maximum(expected, np.finfo(float).tiny))
    hessian = np.diag(expected) - np.einsum("ij,ik->jk", P, C[:, None] * P)
    return np.asarray(-np.linalg.lstsq(hessian, gradient, rcond=None)[0])
