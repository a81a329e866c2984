"""Confidence intervals of measured numbers.

A share of n rows has Wilson's interval. A measure from 0 to 1 that is not a plain share (macro F1,
AUC, a weighted accuracy) has Wilson's interval for the n that yields the standard error of the
bootstrap, n = p (1 - p) / se^2, around the value minus its bootstrap bias. For an unweighted
accuracy this n is the number of rows, so both rules agree. Unlike percentiles of resamples, the
interval does not shrink to a point if there are no mistakes;
benchmarks/interval_coverage.py compares it with percentile and BCa intervals.

Where rows belong to groups, whole groups are resampled. The n of these intervals is then smaller
than the number of rows, because the rows of a group are often right or wrong together. The
bootstrap of G groups varies too little, by the factor (G - 1) / G, and few groups say little about
how much they vary; both are made up for, the latter by a quantile of the t distribution with G - 1
degrees of freedom in place of the normal one.

A label with few rows says little about how much its F1 varies: if all of them are right, it does
not vary at all in resamples. The macro F1 of K labels therefore has the variance of the resamples
plus sum (v_k(J'_k) - v_k(J_k)) / K^2. J = h / n is the share of hits among the rows that have the
label or get it, J' = (h + 1) / (n + 2) the same with one hit and one mistake more, and
v(J) = 4 J (1 - J) / ((1 + J)^4 n) the variance of F1 = 2 J / (1 + J) for h hits of n rows. A label
without hits can only be better than it was measured, and one without mistakes only worse: they
widen the interval to that side alone, and the upper end is that for labels without hits at the F1
of J' instead of 0. A resample that lacks a label has its F1 of all rows, since a mean over fewer
labels would be another measure.

A correlation r, such as kappa, has the interval of the share (1 + r) / 2. The mean size of errors
has a t interval on the scale of logarithms, since it varies more to the larger side. Any other
number (log-loss, a difference) has the percentiles of its resamples. Those of a single row or group
do not differ, so the log-loss of one has no interval.

The mean of a measure over J splits, each with n_held rows held out and n_train rows trained on, has
t sqrt(1/J + n_held / n_train) standard deviations on either side, with J - 1 degrees of freedom:
the models share most of their rows, so an interval with 1/J alone would be too narrow. K folds have
1/K + 1/(K-1), and K folds that are drawn R times 1/(K R) + 1/(K-1).

References: Wilson (1927); Efron and Tibshirani (1993), An introduction to the bootstrap; Nadeau
and Bengio (2003), Inference for the generalization error, Machine Learning 52, for folds;
Korn and Graubard (1998) and Franco et al. (2019) on Wilson's interval with an effective n.
"""

from functools import cache
from math import cos, exp, inf, log, pi, sin, sqrt, tan

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.evaluation.arrays import check_share

Interval = tuple[float, float]
Z_95 = 1.959963984540054
NO_INTERVAL = "no interval: one row or group"  # for a number that has no known bounds


def wilson_interval(successes: float, n: float, level: float = 0.95) -> Interval:
    """The interval of shares p for which `successes` of `n` is not surprising.

    All p with |successes / n - p| <= z sqrt(p (1 - p) / n): Wilson (1927).

    >>> low, high = wilson_interval(75, 100)
    >>> round(low, 4), round(high, 4)
    (0.657, 0.8245)
    """
    check_share(level, "level")
    if not (n > 0 and 0 <= successes <= n):
        raise InputError(
            f"{successes} of {n} is not a share, expected 0 <= successes <= n and n > 0"
        )
    z = normal_quantile((1 + level) / 2)
    n, p = float(n), float(successes / n)
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, min(center - half, p)), min(1.0, max(center + half, p))


def share_interval(value: float, draws: FloatArray, n: float, *, most: float = inf) -> Interval:
    """The 95 % interval of a measure from 0 to 1, from its bootstrap resamples.

    `n` is the number of rows; it is used if all resamples are equal. The interval always contains
    the value itself, even if the bias is larger than the error. It is not narrower than that of
    `most` rows that count alike: if only rows of little weight are wrong, resamples hardly differ.

    >>> rng = np.random.default_rng(0)
    >>> low, high = share_interval(0.75, rng.binomial(100, 0.75, 20_000) / 100, 100)
    >>> round(low, 2), round(high, 2)
    (0.66, 0.82)
    >>> low, high = share_interval(1.0, np.ones(2000), 10)
    >>> round(low, 3), high
    (0.722, 1.0)
    """
    spread, variance = value * (1 - value), float(np.var(draws))
    if spread > 0 and variance > 0:
        n = min(spread / variance, most)
    return _without_bias(value, draws, n)


def macro_f1_interval(
    value: float, draws: FloatArray, n: float, hits: FloatArray, n_either: FloatArray
) -> Interval:
    """The 95 % interval of the mean F1 of labels, from its bootstrap resamples.

    n         the number of rows; if all resamples are equal, the interval is not that of more
    draws     `Totals.resampled_macro_f1`
    hits      the rows that have each label and get it
    n_either  the rows that have each label or get it; a label without any is left out of the mean

    >>> rows = np.array([30.0, 4.0])
    >>> low, high = macro_f1_interval(1.0, np.ones(500), 34, rows, rows)  # 4 rows say little
    >>> round(low, 2), high
    (0.81, 1.0)
    """
    h, rows = hits[n_either > 0], n_either[n_either > 0]
    if len(rows) == 0:
        return _without_bias(value, draws, n)
    raised_shares = (h + 1) / (rows + 2)
    plain, raised = (
        4 * shares * (1 - shares) / ((1 + shares) ** 4 * rows)
        for shares in (h / rows, raised_shares)
    )
    more = np.maximum(raised - plain, 0) / len(rows) ** 2
    raised_f1 = 2 * raised_shares / (1 + raised_shares)
    mean, unseen = float(raised_f1.mean()), float(raised_f1[h == 0].sum()) / len(rows)
    most = inf if plain.sum() > 0 and np.var(draws) > 0 else n

    def interval(may_differ: NDArray[np.bool_], shift: float) -> Interval:
        variance = float(np.var(draws) + more[may_differ].sum())
        effective = mean * (1 - mean) / variance if variance > 0 else inf
        return _without_bias(value + shift, draws + shift, min(effective, most))

    return interval(h > 0, 0)[0], interval(h < rows, unseen)[1]


def _without_bias(value: float, draws: FloatArray, n: float) -> Interval:
    """Wilson's 95 % interval around the value minus the bias of its resamples."""
    center = min(max(2 * value - float(np.mean(draws)), 0.0), 1.0)
    n = max(n, 1e-6)  # next to nothing is known of rows that weigh next to nothing
    low, high = wilson_interval(center * n, n)
    return min(low, value), max(high, value)


def correlation_interval(value: float, draws: FloatArray, n: float) -> Interval:
    """The 95 % interval of a measure from -1 to 1, from its bootstrap resamples.

    >>> low, high = correlation_interval(1.0, np.ones(500), 30)
    >>> round(low, 2), high
    (0.77, 1.0)
    """
    low, high = share_interval((1 + value) / 2, (1 + draws) / 2, n)
    return 2 * low - 1, 2 * high - 1


def size_interval(value: float, draws: FloatArray, n: int) -> Interval:
    """The 95 % interval of a measure above 0, from its bootstrap resamples of n rows or groups:
    2 log(value) - mean(log(draws)) +- t sqrt(n / (n - 1)) standard deviations of log(draws).

    >>> rng = np.random.default_rng(0)
    >>> low, high = size_interval(2.0, rng.normal(2.0, 0.1, 5000), 100)
    >>> round(low, 2), round(high, 2)
    (1.81, 2.21)
    """
    if n < 2 or min(value, float(draws.min())) <= 0:
        return percentile_interval(draws)
    logs = np.log(draws)
    center = 2 * log(value) - float(logs.mean())
    half = t_quantile(n - 1, 0.975) * float(logs.std()) * sqrt(n / (n - 1))
    return min(exp(center - half), value), max(exp(center + half), value)


def spread_of_groups(draws: FloatArray, n_groups: int) -> FloatArray:
    """Resamples of so many whole groups, spread out for a 95 % interval by the normal distribution.

    >>> spread_of_groups(np.array([0.4, 0.6]), 6).round(3).tolist()  # t = 2.571
    [0.356, 0.644]
    """
    if n_groups < 2:
        return draws
    freedom, z = n_groups - 1, Z_95
    # Abramowitz and Stegun 26.7.5: within 1 % for 3 degrees of freedom or more
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    mean = draws.mean()
    return np.asarray(mean + (draws - mean) * sqrt(n_groups / freedom) * t / z)


def percentile_interval(draws: FloatArray, level: float = 0.95) -> Interval:
    """The central part of the resamples.

    >>> percentile_interval(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    check_share(level, "level")
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def fold_interval(
    values: FloatArray, held_to_train: float | None = None, level: float = 0.95
) -> Interval:
    """The interval of the mean of a measure over folds.

    held_to_train  the number of rows held out to that of rows trained on; None means that every
                   row is held out once, 1 / (K - 1)

    >>> low, high = fold_interval(np.array([0.80, 0.82, 0.81, 0.79, 0.83]))
    >>> round(low, 3), round(high, 3)
    (0.781, 0.839)
    """
    check_share(level, "level")
    n, mean = len(values), float(np.mean(values))
    if n < 2:
        return -np.inf, np.inf
    overlap = 1 / (n - 1) if held_to_train is None else held_to_train
    error = float(np.std(values, ddof=1)) * sqrt(1 / n + overlap)
    half = error * t_quantile(n - 1, (1 + level) / 2)
    return mean - half, mean + half


@cache
def t_quantile(freedom: int, p: float) -> float:
    """A quantile of the t distribution, p from 0.5 on; to load SciPy for it takes a third of a
    second.

    With t = sqrt(freedom) tan(a), P(|T| < t) is a sum of freedom / 2 powers of cos(a) (Abramowitz
    and Stegun 26.7.3 and 26.7.4), which grows with a.

    >>> round(t_quantile(4, 0.975), 4), round(t_quantile(1, 0.75), 4)
    (2.7764, 1.0)
    """
    is_odd = freedom % 2
    k = np.arange(2 + is_odd, freedom, 2.0)  # the next factor of the sum is (k - 1) / k cos(a)^2
    factors = (k - 1) / k
    low, high = 0.0, pi / 2
    for _ in range(60):
        a = (low + high) / 2
        powers = 1 + float(np.cumprod(factors * cos(a) ** 2).sum())
        inside = sin(a) * powers
        if is_odd:
            inside = 2 / pi * (a + (sin(a) * cos(a) * powers if freedom > 1 else 0.0))
        low, high = (a, high) if inside < 2 * p - 1 else (low, a)
    return sqrt(freedom) * tan(low)


def normal_quantile(p: float) -> float:
    """A quantile of the normal distribution; `statistics` is loaded only for unusual levels."""
    if p == 0.975:
        return Z_95
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)
