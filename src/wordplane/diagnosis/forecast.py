"""The gain from more labeled texts, forecast by a power law fitted to the learning curve.

    error(n) = a + b n^-c,   b >= 0,   0 < c <= 1/2

is fitted to the last four sizes only: curves are flat at first, near the error of guessing, and
bend later, so a law fitted to all sizes would promise too little. For each c of a grid, a and b are
the weighted least-squares estimates, and the gain from n to n + m texts is b (n^-c - (n + m)^-c)
with the variance of b, at most the whole error. The forecast is the mean over the grid with the
weights exp(-chi^2 / 2), and its interval that of the mixture: wide if curves that bend differently
fit equally well. If even the best curve does not fit, the variances are raised until it does.
benchmarks/forecast_coverage.py measures how often forecasts come true.

The error of a point is the spread over the folds after the mean of each fold is subtracted (all
sizes of a fold are measured on the same rows), with the factor of `evaluation.intervals`.

Reference: Hestness et al. (2017), Deep learning scaling is predictable, empirically, on the form.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.evaluation.intervals import Interval, t_quantile

POWERS = np.linspace(0.01, 0.5, 12)
N_SIZES = 4  # at the end of the curve


@dataclass(frozen=True)
class Forecast:
    """The accuracy that `n_more` texts would add to a model of all texts."""

    n_more: int
    gain: float
    interval: Interval

    def __str__(self) -> str:
        low, high = self.interval
        half = 100 * (high - low) / 2
        return f"{self.n_more:,} more labels: {100 * self.gain:+.1f} ± {half:.1f} points"


def forecast(curve: LearningCurve, n_more: int) -> Forecast | None:
    """The expected gain from `n_more` texts; None if there are too few sizes or folds.

    >>> from wordplane.diagnosis.fit_measures import FitMeasures
    >>> points = []
    >>> for n in (100, 200, 400, 800, 1600):
    ...     accuracy = tuple(0.9 - n**-0.5 + e for e in (-0.004, 0.0, 0.004))
    ...     points.append(FitMeasures(n, (1.0,) * 3, accuracy, (0.0,) * 3, (0.5,) * 3))
    >>> print(forecast(LearningCurve(tuple(points), 2000, 0.5), 2000))
    2,000 more labels: +0.7 ± 0.0 points
    """
    if n_more < 1:
        raise InputError(f"n_more is {n_more}, expected a number of texts of 1 or more")
    errors = 1 - np.array([point.dev_accuracy for point in curve.points])  # sizes x folds
    n_sizes, n_folds = errors.shape
    if n_sizes < N_SIZES or n_folds < 2:
        return None
    overlap = curve.points[-1].held_to_train or 1 / (n_folds - 1)
    variance = _variances(errors, overlap)[-N_SIZES:]
    error = errors.mean(axis=1)[-N_SIZES:]
    sizes = np.array([point.at for point in curve.points[-N_SIZES:]], dtype=np.float64)
    b, var_b, chi2 = np.array([_fit(sizes**-c, error, variance) for c in POWERS]).T
    misfit = max(1.0, chi2.min() / (N_SIZES - 2))
    weight = np.exp(-(chi2 - chi2.min()) / (2 * misfit))
    weight /= weight.sum()
    n = float(curve.n_docs)
    step = n**-POWERS - (n + n_more) ** -POWERS
    gains = np.minimum(b * step, error[-1])
    gain = float(weight @ gains)
    spread = float(weight @ (var_b * misfit * step**2 + (gains - gain) ** 2))
    half = min(sqrt(spread) * t_quantile(n_folds - 1, 0.975), float(error[-1]))
    return Forecast(n_more, gain, (gain - half, gain + half))


def _variances(errors: FloatArray, overlap: float) -> FloatArray:
    """The variance of the mean error at each size, without the differences between folds.

    Each is averaged with the mean over all sizes, because a few folds estimate it poorly.
    """
    n_sizes, n_folds = errors.shape
    centered = errors - errors.mean(axis=1, keepdims=True)
    rest = centered - centered.mean(axis=0)
    freedom = (n_folds - 1) * (n_sizes - 1) / n_sizes
    variance = (rest**2).sum(axis=1) / freedom * (1 / n_folds + overlap)
    return np.asarray(np.maximum((variance + variance.mean()) / 2, 1e-12))


def _fit(x: FloatArray, error: FloatArray, variance: FloatArray) -> tuple[float, float, float]:
    """b, the variance of b, and chi^2 of error = a + b x with b >= 0."""
    w = 1 / variance
    x_mean, e_mean = np.average(x, weights=w), np.average(error, weights=w)
    square = float((w * (x - x_mean) ** 2).sum())
    b = max(0.0, float((w * (x - x_mean) * (error - e_mean)).sum()) / square)
    a = float(e_mean - b * x_mean)
    return b, 1 / square, float((w * (error - a - b * x) ** 2).sum())
