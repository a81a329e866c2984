"""Intervals and tests of the rankings of one label: average precision and AUC.

`rankings.ranked_gradient` says how much each row moves a ranking. With m rows of the label (Kish's
effective number, if rows have weights) and n others, and the sums of squares A and B of their
gradients,

    variance   A m / (m - 1) + B n / (n - 1)                    for the AUC that is DeLong's
    freedom    variance^2 / (a^2 / (m - 1) + b^2 / (n - 1))     Welch and Satterthwaite; a and b are
                                                                the two terms of the variance
    interval   logit(value) -+ t error / (value (1 - value))

A few rows of a label say little about how much such rows vary, hence t. Where the AUC is close to
1, a few rows may all be ranked first by chance, and its interval also contains Newcombe's, whose
variance follows from the AUC itself. The error of the average precision is multiplied by 1 + 2 / m,
which makes up for the curvature that a gradient does not see, and its freedom is m - 1.
docs/measured/intervals.md says how often these intervals contain the true value.

References: DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44(3); Newcombe (2006), Statistics
in Medicine 25(4), method 5; Welch (1947), Biometrika 34.
"""

from math import exp, inf, log, sqrt

import numpy as np

from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.arrays import effective_n
from wordplane.evaluation.intervals import Interval, normal_quantile, wilson_interval
from wordplane.evaluation.outcomes import Bools
from wordplane.evaluation.rankings import ranked_gradient


@frozen
class Spread:
    """The standard error of a ranking, or of the difference of two, its degrees of freedom, and the
    number of rows of the rarer kind."""

    error: float
    freedom: float
    n: float

    @classmethod
    def of_rows(cls, gradient: FloatArray, positive: Bools, weights: FloatArray) -> "Spread":
        """That of independent rows.

        >>> Spread.of_rows(np.array([0.1, -0.1, 0.0, 0.0]), np.arange(4) < 2, np.ones(4))
        Spread(error=0.2, freedom=1.0, n=2.0)
        """
        m, n = (effective_n(weights[kind]) for kind in (positive, ~positive))
        if not gradient.any():
            return cls(0.0, 0.0, min(m, n))
        if min(m, n) <= 1:
            return cls(inf, 0.0, min(m, n))
        a = float((gradient[positive] ** 2).sum()) * m / (m - 1)
        b = float((gradient[~positive] ** 2).sum()) * n / (n - 1)
        freedom = (a + b) ** 2 / (a * a / (m - 1) + b * b / (n - 1))
        return cls(sqrt(a + b), freedom, min(m, n))

    @classmethod
    def of_groups(cls, gradient: FloatArray, positive: Bools, groups: IntArray) -> "Spread":
        """That of rows of which those of a group are not independent. As many groups count as have
        rows of the rarer kind.

        >>> gradient, groups = np.array([0.1, 0.2, -0.3]), np.array([4, 4, 7])
        >>> Spread.of_groups(gradient, np.array([True, False, True]), groups).error
        inf
        """
        sums = np.bincount(np.unique(groups, return_inverse=True)[1], weights=gradient)
        n = min(len(np.unique(groups[kind])) for kind in (positive, ~positive))
        if n < 2:
            return cls(inf, 0.0, n)
        return cls(sqrt(n / (n - 1) * float((sums**2).sum())), n - 1.0, n)

    def half_width(self, level: float) -> float:
        """The quantile of t times the error."""
        from scipy.special import stdtrit

        if self.error in (0.0, inf):
            return self.error
        return self.error * float(stdtrit(self.freedom, (1 + level) / 2))

    def difference_interval(self, difference: float, level: float) -> Interval:
        """The interval of a difference from -1 to 1. Where no row differs from the others of its
        kind, it has the width of Wilson's for a share of 1.

        >>> [round(bound, 2) for bound in Spread(0.0, 0, 5).difference_interval(0.5, 0.95)]
        [0.28, 0.72]
        """
        half = self.half_width(level)
        if self.error == 0:
            half = abs(difference) * (1 - wilson_interval(self.n, self.n, level)[0])
        return max(difference - half, -1.0), min(difference + half, 1.0)

    def p_value(self, difference: float) -> float:
        """That chance alone makes such a difference. Where no row differs from the others of its
        kind, as between a perfect ranking and one of equal scores, by the sign test.

        >>> round(Spread(0.1, 4, 5).p_value(0.2776), 3), Spread(0.0, 0, 5).p_value(0.5)
        (0.05, 0.0625)
        """
        from scipy.special import stdtr

        if self.error == 0:
            return min(2.0 ** (1 - self.n), 1.0) if difference else 1.0
        if self.error == inf:
            return 1.0
        return 2 * float(stdtr(self.freedom, -abs(difference) / self.error))


def ranking_interval(
    kind: str,
    value: float,
    positive: Bools,
    z: FloatArray,
    weights: FloatArray | None = None,
    level: float = 0.95,
) -> Interval:
    """The interval of the average precision ("ap") or the AUC ("auc") of rows with the scores z.

    >>> positive, z = np.array([True, True, False, True, False, False]), np.arange(6.0, 0, -1)
    >>> low, high = ranking_interval("auc", 8 / 9, positive, z)
    >>> round(low, 2), round(high, 2)
    (0.09, 1.0)
    """
    w = np.ones(len(z)) if weights is None else weights
    m, n = effective_n(w[positive]), effective_n(w[~positive])
    spread = Spread.of_rows(ranked_gradient(kind, positive, z, w), positive, w)
    if kind == "auc":
        outer = newcombe_interval(value, m, n, level)
        low, high = _logit_interval(value, spread, level)
        return min(low, outer[0]), max(high, outer[1])
    if not 0 < spread.error < inf:
        return wilson_interval(value * m, m, level)
    return _logit_interval(value, Spread(spread.error * (1 + 2 / m), m - 1, m), level)


def newcombe_interval(value: float, m: float, n: float, level: float = 0.95) -> Interval:
    """All AUCs A that the value is at most z sqrt(V(A)) away from, where V is Hanley and McNeil's
    variance with the mean of m and n for both: Newcombe (2006), method 5.

    >>> [round(bound, 3) for bound in newcombe_interval(1.0, 10, 10)]
    [0.8, 1.0]
    """
    z, more = normal_quantile((1 + level) / 2), max((m + n) / 2 - 1, 0.0)

    def is_outside(a: float) -> bool:
        variance = a * (1 - a) * (1 + more * (1 - a) / (2 - a) + more * a / (1 + a)) / (m * n)
        return abs(value - a) > z * sqrt(max(variance, 0.0))

    bounds = []
    for end in (0.0, 1.0):
        outside, inside = end, value
        for _ in range(60):
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if is_outside(middle) else (outside, middle)
        bounds.append(end if value == end else inside)
    return bounds[0], bounds[1]


def _logit_interval(value: float, spread: Spread, level: float) -> Interval:
    """The value alone where it or its error says nothing."""
    if not (0 < value < 1 and 0 < spread.error < inf):
        return value, value
    half = min(spread.half_width(level) / (value * (1 - value)), 500.0)
    odds = log(value / (1 - value))
    return 1 / (1 + exp(half - odds)), 1 / (1 + exp(-half - odds))
