"""Solvers of the calibrators in calibration.py."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wordplane.common.types import FloatArray


def sigmoid(z: FloatArray) -> FloatArray:
    """1 / (1 + exp(-z)), without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def _targets(positive: NDArray[np.bool_], w: FloatArray) -> FloatArray:
    """Platt's targets: 1 and 0, smoothed by one more row of each kind on the wrong side."""
    n_pos, n_neg = float(w[positive].sum()), float(w[~positive].sum())
    return np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))


def fit_sigmoid(z: FloatArray, positive: NDArray[np.bool_], w: FloatArray) -> tuple[float, float]:
    """a and b of 1 / (1 + exp(-(a z + b))): Newton with backtracking (Lin et al. 2007)."""
    target = _targets(positive, w)
    # On standardized scores, Newton's steps are well conditioned.
    center = weighted_mean(z, w)
    scale = float(np.sqrt(weighted_mean((z - center) ** 2, w)))
    scale = scale if scale > 1e-100 else 1.0
    u = (z - center) / scale

    def loss(a: float, b: float) -> float:
        f = a * u + b
        return weighted_mean(np.logaddexp(0.0, f) - target * f, w)

    share = weighted_mean(target, w)
    a, b = 0.0, float(np.log(share / (1 - share)))
    value = loss(a, b)
    for _ in range(100):
        p = sigmoid(a * u + b)
        g_a, g_b = weighted_mean((p - target) * u, w), weighted_mean(p - target, w)
        curvature = p * (1 - p)
        h_aa, h_ab, h_bb = (weighted_mean(curvature * x, w) for x in (u * u, u, 1.0))
        h_aa, h_bb = h_aa + 1e-14, h_bb + 1e-14
        determinant = h_aa * h_bb - h_ab * h_ab
        d_a = (h_bb * g_a - h_ab * g_b) / determinant
        d_b = (h_aa * g_b - h_ab * g_a) / determinant
        decrease, size = g_a * d_a + g_b * d_b, 1.0
        if decrease <= 1e-12:  # the error after this step is of the order of its square
            a, b = a - d_a, b - d_b
            break
        while size > 1e-9 and loss(a - size * d_a, b - size * d_b) > value - 1e-4 * size * decrease:
            size /= 2
        a, b = a - size * d_a, b - size * d_b
        value = loss(a, b)
    return a / scale, b - a / scale * center


def weighted_mean(values: FloatArray, w: FloatArray) -> float:
    """The weighted mean; the order of its sums does not depend on the number of threads."""
    return float((w * values).sum() / w.sum())


def fit_isotonic(
    z: FloatArray, positive: NDArray[np.bool_], w: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The points of the non-decreasing least-squares fit (pool adjacent violators)."""
    keep = w > 0
    x, group = np.unique(z[keep], return_inverse=True)
    weight = np.bincount(group, weights=w[keep])
    mean = np.bincount(group, weights=(w * _targets(positive, w))[keep]) / weight
    blocks: list[tuple[float, float, int]] = []  # mean, weight, number of points
    for m, u in zip(mean.tolist(), weight.tolist(), strict=True):
        n = 1
        while blocks and blocks[-1][0] >= m:
            before, v, k = blocks.pop()
            m, u, n = (before * v + m * u) / (v + u), v + u, n + k
        blocks.append((m, u, n))
    p = np.repeat([b[0] for b in blocks], [b[2] for b in blocks])
    # Points inside a flat stretch are redundant.
    inside = np.zeros(len(p), bool)
    inside[1:-1] = (p[1:-1] == p[:-2]) & (p[1:-1] == p[2:])
    return x[~inside], p[~inside]


def increasing_root(
    function: Callable[[float], tuple[float, float]], low: float, high: float
) -> float:
    """The root of an increasing function: Newton's method, kept inside a shrinking bracket."""
    x = float(np.sqrt(low * high))
    for _ in range(200):
        value, derivative = function(x)
        low, high = (x, high) if value < 0 else (low, x)
        new_x = x - value / derivative if derivative > 0 else low
        if not low < new_x < high:
            new_x = float(np.sqrt(low * high))
        if abs(new_x - x) <= 1e-12 * x:
            return new_x
        x = new_x
    return x
