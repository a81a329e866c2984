"""How reliable probabilities are.

    reliability   rows grouped into bins by confidence; in each bin the mean confidence should
                  equal the share of rows that are right
    raw ECE       sum over bins of (share of rows) |share right - mean confidence|
    ECE           the raw ECE without what chance adds to it
    Brier score   mean of sum_k (P_k - [y = k])^2; with two classes half of it, which is the
                  mean of (P_1 - [y = 1])^2

The bins have equal mass: a row belongs to bin floor(n_bins * m), where m is the share of rows with
less confidence plus half the share of rows with the same confidence; ties share a bin.

Even of a model that is right exactly as often as it says, some rows of a bin are wrong by chance.
The difference d_k of a bin has the error s_k, by about sqrt(2 / pi) s_k of which |d_k| is too large
where the true difference is 0, and by less the larger that is. The ECE is lambda times the raw one
with the lambda for which true differences lambda d_k would have this raw ECE on average; 0 if
chance alone would have more. Its 95 % interval is

    from raw - E - 1.96 S to raw + 1.96 S,     E = sum_k share_k sqrt(2 / pi) s_k,
                                               S^2 = sum_k (share_k s_k)^2

which holds whatever the true differences are, and is cautious. The ECE cannot be told from 0 unless
the raw one is 1.645 standard deviations above what chance alone gives.

References: Brier (1950); Guo et al. (2017), ICML; Nixon et al. (2019) on bins of equal mass;
Bröcker (2012), Climate Dynamics 39, and Kumar, Liang and Ma (2019), NeurIPS, on the bias.
"""

from dataclasses import asdict, dataclass
from math import erf, erfc, pi, sqrt
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.html import html_table
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import (
    as_floats,
    as_probabilities,
    class_codes,
)
from wordplane.evaluation.intervals import Z_95, Interval, wilson_interval


@dataclass(frozen=True)
class Bin:
    """Rows with similar confidence; the interval is that of the share of right rows."""

    weight: float
    confidence: float
    right: float
    interval: Interval


class _CalibrationError(TypedDict):
    ece: float
    ece_interval: Interval
    raw_ece: float
    p_calibrated: float


@dataclass(frozen=True)
class Reliability:
    """The reliability curve, from the least confident bin to the most, and its ECE.

    p_calibrated is the probability that chance alone makes the raw ECE as large.
    """

    bins: tuple[Bin, ...]
    ece: float
    ece_interval: Interval
    raw_ece: float
    p_calibrated: float
    confidence: float
    right: float

    @property
    def is_miscalibrated(self) -> bool:
        """Whether the ECE can be told from 0."""
        return self.p_calibrated < 0.05

    def ece_text(self) -> str:
        """The ECE and its interval in words.

        >>> p = np.tile([0.6, 0.9], 50)
        >>> reliability(np.arange(100) % 10 < 8, p, n_bins=2).ece_text()
        '14.9% (95 % interval 1.3% to 23.7%)'
        """
        low, high = self.ece_interval
        text = f"{self.ece:.1%} (95 % interval {low:.1%} to {high:.1%})"
        return text if self.is_miscalibrated else f"{text}, cannot be told from 0"

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {**asdict(self), "is_miscalibrated": self.is_miscalibrated}

    def _repr_html_(self) -> str:
        """For notebooks."""
        lines = [
            (f"{b.confidence:.1%}", f"{b.right:.1%}", f"{b.interval[0]:.1%} to {b.interval[1]:.1%}")
            for b in self.bins
        ]
        return html_table(["confidence", "right", "95 % interval"], lines, self._caption())

    def _caption(self) -> str:
        shares = f"confidence {self.confidence:.1%}, right {self.right:.1%}"
        return f"{shares}, ECE {self.ece_text()}"

    def __str__(self) -> str:
        lines = [self._caption()]
        for b in self.bins:
            low, high = b.interval
            lines.append(
                f"  confidence {b.confidence:>6.1%}, right {b.right:>6.1%} "
                f"({low:.1%} to {high:.1%})"
            )
        return "\n".join(lines)


def reliability(
    right: ArrayLike, confidence: ArrayLike, *, sample_weight: WeightsLike = None, n_bins: int = 15
) -> Reliability:
    """The reliability of stated probabilities of being right.

    `right` tells whether each row was right, `confidence` is the probability that was stated.

    >>> print(reliability([1, 0, 1, 1], [0.6, 0.6, 0.9, 0.9], n_bins=2))
    confidence 75.0%, right 75.0%, ECE 0.0% (95 % interval 0.0% to 50.3%), cannot be told from 0
      confidence  60.0%, right  50.0% (9.5% to 90.5%)
      confidence  90.0%, right 100.0% (34.2% to 100.0%)
    """
    p = as_floats(confidence, "the confidences", n_dims=1)
    hit = np.asarray(right, dtype=np.float64)
    if hit.shape != p.shape or not np.isin(hit, (0, 1)).all() or len(p) == 0:
        raise InputError(f"expected one value of 1 (right) or 0 for each of {len(p):,} rows")
    if p.min() < 0 or p.max() > 1 + 1e-9:
        raise InputError(
            f"the confidences are from {p.min():g} to {p.max():g}, expected numbers from 0 to 1"
        )
    if n_bins < 1:
        raise InputError(f"n_bins is {n_bins}, expected 1 or more")
    w = as_weights(sample_weight, len(p))
    which = _bins(p, w, n_bins)
    columns = (w, w * p, w * hit, w * w, w * w * p * (1 - p))
    sums = np.array([np.bincount(which, weights=v, minlength=n_bins) for v in columns])
    sums = sums[:, sums[0] > 0]
    bins = tuple(
        Bin(
            float(m),
            float(mp / m),
            float(mr / m),
            wilson_interval(min(mr / m, 1.0) * m * m / q, m * m / q),
        )
        for m, mp, mr, q in sums[:4].T
    )
    total = float(w.sum())
    return Reliability(
        bins=bins,
        **_calibration_error(sums, total),
        confidence=float((w * p).sum()) / total,
        right=float((w * hit).sum()) / total,
    )


def top_label_reliability(
    y_true: LabelsLike,
    probabilities: ArrayLike,
    *,
    classes: LabelsLike | None = None,
    sample_weight: WeightsLike = None,
    n_bins: int = 15,
) -> Reliability:
    """The reliability of the probability of the most probable class.

    >>> P = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]
    >>> top_label_reliability(["a", "a", "a"], P, classes=["a", "b"], n_bins=1).right
    0.6666666666666666
    """
    P = as_probabilities(probabilities, len(np.asarray(y_true)))
    right = class_codes(y_true, classes, P.shape[1]) == P.argmax(axis=1)
    confidence = np.minimum(P.max(axis=1), 1.0)
    return reliability(right, confidence, sample_weight=sample_weight, n_bins=n_bins)


def brier_score(
    y_true: LabelsLike,
    probabilities: ArrayLike,
    *,
    classes: LabelsLike | None = None,
    sample_weight: WeightsLike = None,
) -> float:
    """The mean squared distance between probabilities and truth, scaled as in scikit-learn.

    >>> brier_score(["a", "b"], [[0.9, 0.1], [0.5, 0.5]], classes=["a", "b"])
    0.13
    """
    P = as_probabilities(probabilities, len(np.asarray(y_true)))
    codes = class_codes(y_true, classes, P.shape[1])
    w = as_weights(sample_weight, len(P))
    own = np.where(codes >= 0, P[np.arange(len(P)), codes], 0.0)
    distance = (P * P).sum(axis=1) - 2 * own + 1
    return float((w * distance).sum() / w.sum()) / (2 if P.shape[1] == 2 else 1)


def _calibration_error(sums: FloatArray, total: float) -> _CalibrationError:
    """The ECE, from the sums of the bins: of weights, weights times confidence, weights times
    right, squared weights, and the variance of a model that is right as often as it says."""
    m, mp, mr, q, chance = sums
    difference = np.abs(mr - mp) / total
    raw = float(difference.sum())
    n = m * m / q
    share = (n * mr / m + 2 * mp / m) / (n + 2)  # right, a little towards what was said
    variance = np.maximum(chance, q * share * (1 - share))
    errors = np.sqrt(np.maximum(variance, 0.0)) / total
    low = raw - sqrt(2 / pi) * float(errors.sum())
    half = Z_95 * float(np.sqrt((errors**2).sum()))
    mean = sqrt(2 / pi) * float(np.sqrt(chance).sum()) / total
    spread = sqrt((1 - 2 / pi) * float(chance.sum())) / total
    p = erfc((raw - mean) / spread / sqrt(2)) / 2 if spread > 0 else float(raw <= 1e-12)
    return {
        "ece": _without_chance(difference, errors) * raw,
        "ece_interval": (max(low - half, 0.0) if p < 0.05 else 0.0, min(raw + half, 1.0)),
        "raw_ece": raw,
        "p_calibrated": p,
    }


def _without_chance(difference: FloatArray, errors: FloatArray) -> float:
    """The factor of the differences at which the mean of the sum of |normal numbers| around them,
    with these errors, is the sum of the differences; by bisection."""
    noisy, exact = errors > 0, float(difference[errors <= 0].sum())
    d, s, wanted = difference[noisy], errors[noisy], float(difference.sum())
    low, high = 0.0, 1.0
    for _ in range(40):
        factor = (low + high) / 2
        ratio = factor * d / s
        inner = np.array([erf(x / sqrt(2)) for x in ratio.tolist()])
        mean = (sqrt(2 / pi) * s * np.exp(-ratio * ratio / 2) + factor * d * inner).sum()
        low, high = (low, factor) if mean + factor * exact > wanted else (factor, high)
    return 0.0 if low == 0.0 else high


def _bins(p: FloatArray, w: FloatArray, n_bins: int) -> IntArray:
    _, group = np.unique(p, return_inverse=True)
    mass = np.bincount(group, weights=w)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    codes: IntArray = np.minimum((middle * n_bins).astype(np.int64), n_bins - 1)
    return codes[group]
