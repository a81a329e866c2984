"""What more labelled texts would bring: a power law through the end of the learning curve.

    error(n) = a + b n^-c,   b >= 0,   0 < c <= 1/2

is drawn through the last four sizes only: curves begin flat, near what guessing gives, and bend
later, so that a law through all sizes promises too little. For each c of a grid, a and b are those
of weighted least squares, and the gain from n to n + m texts is b (n^-c - (n + m)^-c) with the
variance of b, never more than the whole error. The forecast is the mean over the grid, a power
c counting exp(-chi^2 / 2) as much as it fits, and its interval is that of the mixture: it is wide
where curves that bend differently fit alike. Where even the best curve does not fit, the variances
are raised until it does. benchmarks/forecast_coverage.py tells how often forecasts come true.

A point's error is the spread over the folds of what is left after the mean of each fold is taken
off (all sizes of a fold are measured on the same rows), as `evaluation.intervals` has it.

Reference: Hestness et al. (2017), Deep learning scaling is predictable, empirically, on the form.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.evaluation.intervals import Interval

POWERS = np.linspace(0.01, 0.5, 12)
SIZES = 4  # the last of the curve
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Forecast:
    """How much accuracy `n_more` texts would add to that of a model of all texts there are."""

    n_more: int
    gain: float
    interval: Interval

    def __str__(self) -> str:
        low, high = self.interval
        half = 100 * (high - low) / 2
        return f"{self.n_more:,} more labels: {100 * self.gain:+.1f} ± {half:.1f} points"


def forecast(curve: LearningCurve, n_more: int) -> Forecast | None:
    """The gain to expect of `n_more` texts; None if there are too few sizes to say.

    >>> from wordplane.diagnosis.fit_measures import FitMeasures
    >>> points = []
    >>> for n in (100, 200, 400, 800, 1600):
    ...     accuracy = tuple(0.9 - n**-0.5 + e for e in (-0.004, 0.0, 0.004))
    ...     points.append(FitMeasures(n, (1.0,) * 3, accuracy, (0.0,) * 3, (0.5,) * 3))
    >>> print(forecast(LearningCurve(tuple(points), 2000, 0.5), 2000))
    2,000 more labels: +0.7 ± 0.0 points
    """
    from scipy.special import stdtrit

    if n_more < 1:
        raise InputError(f"n_more is {n_more}, expected a number of texts from 1 up")
    errors = 1 - np.array([point.dev_accuracy for point in curve.points])  # sizes x folds
    n_sizes, n_folds = errors.shape
    if n_sizes < SIZES or n_folds < 2:
        return None
    variance = _variances(errors)[-SIZES:]
    error = errors.mean(axis=1)[-SIZES:]
    sizes = np.array([point.at for point in curve.points[-SIZES:]], dtype=np.float64)
    b, var_b, chi2 = np.array([_fit(sizes**-c, error, variance) for c in POWERS]).T
    misfit = max(1.0, chi2.min() / (SIZES - 2))
    weight = np.exp(-(chi2 - chi2.min()) / (2 * misfit))
    weight /= weight.sum()
    n = float(curve.n_docs)
    step = n**-POWERS - (n + n_more) ** -POWERS
    gains = np.minimum(b * step, error[-1])
    gain = float(weight @ gains)
    spread = float(weight @ (var_b * misfit * step**2 + (gains - gain) ** 2))
    half = min(sqrt(spread) * float(stdtrit(n_folds - 1, 0.975)), float(error[-1]))
    return Forecast(n_more, gain, (gain - half, gain + half))


def _variances(errors: Floats) -> Floats:
    """By size, the variance of the mean error that is not the folds' own; half way to the mean
    of all sizes, because a few folds tell little about it."""
    n_sizes, n_folds = errors.shape
    own = errors - errors.mean(axis=1, keepdims=True)
    rest = own - own.mean(axis=0)
    freedom = (n_folds - 1) * (n_sizes - 1) / n_sizes
    variance = (rest**2).sum(axis=1) / freedom * (1 / n_folds + 1 / (n_folds - 1))
    return np.asarray(np.maximum((variance + variance.mean()) / 2, 1e-12))


def _fit(x: Floats, error: Floats, variance: Floats) -> tuple[float, float, float]:
    """b, the variance of b, and chi^2 of error = a + b x with b >= 0."""
    w = 1 / variance
    x_mean, e_mean = np.average(x, weights=w), np.average(error, weights=w)
    square = float((w * (x - x_mean) ** 2).sum())
    b = max(0.0, float((w * (x - x_mean) * (error - e_mean)).sum()) / square)
    a = float(e_mean - b * x_mean)
    return b, 1 / square, float((w * (error - a - b * x) ** 2).sum())
