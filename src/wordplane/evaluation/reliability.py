"""How reliable probabilities are.

    reliability   rows grouped into bins by confidence; in each bin the mean confidence should
                  equal the share of rows that are right
    ECE           sum over bins of (share of rows) |share right - mean confidence|
    Brier score   mean of sum_k (P_k - [y = k])^2; with two classes half of it, which is the
                  mean of (P_1 - [y = 1])^2

The bins have equal mass: a row belongs to bin floor(n_bins * m), where m is the share of rows with
less confidence plus half the share of rows with the same confidence; ties share a bin.

References: Brier (1950); Guo et al. (2017), ICML; Nixon et al. (2019) on bins of equal mass.
"""

from dataclasses import asdict, dataclass

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
from wordplane.evaluation.intervals import Interval, wilson_interval


@dataclass(frozen=True)
class Bin:
    """Rows with similar confidence; the interval is that of the share of right rows."""

    weight: float
    confidence: float
    right: float
    interval: Interval


@dataclass(frozen=True)
class Reliability:
    """The reliability curve, from the least confident bin to the most, and its ECE."""

    bins: tuple[Bin, ...]
    ece: float
    confidence: float
    right: float

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        lines = [
            (f"{b.confidence:.1%}", f"{b.right:.1%}", f"{b.interval[0]:.1%} to {b.interval[1]:.1%}")
            for b in self.bins
        ]
        caption = f"confidence {self.confidence:.1%}, right {self.right:.1%}, ECE {self.ece:.1%}"
        return html_table(["confidence", "right", "95 % interval"], lines, caption)

    def __str__(self) -> str:
        lines = [f"confidence {self.confidence:.1%}, right {self.right:.1%}, ECE {self.ece:.1%}"]
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
    confidence 75.0%, right 75.0%, ECE 10.0%
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
    sums = [np.bincount(which, weights=v, minlength=n_bins) for v in (w, w * p, w * hit, w * w)]
    bins = tuple(
        Bin(
            float(m),
            float(mp / m),
            float(mr / m),
            wilson_interval(min(mr / m, 1.0) * m * m / q, m * m / q),
        )
        for m, mp, mr, q in zip(*sums, strict=True)
        if m > 0
    )
    total = float(w.sum())
    return Reliability(
        bins=bins,
        ece=sum(b.weight * abs(b.right - b.confidence) for b in bins) / total,
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


def _bins(p: FloatArray, w: FloatArray, n_bins: int) -> IntArray:
    _, group = np.unique(p, return_inverse=True)
    mass = np.bincount(group, weights=w)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    codes: IntArray = np.minimum((middle * n_bins).astype(np.int64), n_bins - 1)
    return codes[group]
