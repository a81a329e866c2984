"""Curves over all thresholds of a score: precision-recall and ROC.

Rows are called positive from a threshold up. Rows with equal scores cross it together, so a curve
has one point for each distinct score, from the highest down:

    precision  P_i = true positives / called positive
    recall     R_i = true positives / positives          (also the true positive rate)
    fall-out   F_i = false positives / negatives         (the false positive rate)

    average precision   sum_i (R_i - R_{i-1}) P_i, R_0 = 0       no interpolation
    AUC                 area under R over F, the trapezoids between points

These are scikit-learn's average_precision_score and roc_auc_score. Intervals and bands come
from resampled rows; a band holds each single point of the curve with 95 %, not all at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordplane.common.errors import InputError
from wordplane.evaluation.arrays import (
    Floats,
    Ints,
    as_floats,
    as_weights,
    class_codes,
    effective_n,
    positives,
)
from wordplane.evaluation.intervals import Interval, share_interval
from wordplane.evaluation.resampling import N_RESAMPLES, check_resamples

GRID = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, eq=False)
class Band:
    """Between `low` and `high` lies the curve at `x` in 95 % of the resamples."""

    x: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Threshold:
    """Call positive what scores at least `threshold`: the precision and recall this had here.

    It was chosen on these rows, so on new rows expect a little less.
    """

    threshold: float
    precision: float
    recall: float

    def __str__(self) -> str:
        return (
            f"score >= {self.threshold:g}: precision {self.precision:.1%}, recall {self.recall:.1%}"
        )


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """The precision-recall curve, one point per distinct score, from the highest down."""

    thresholds: Floats
    precision: Floats
    recall: Floats
    average_precision: float
    interval: Interval
    positive_share: float
    band: Band

    def threshold(
        self, *, precision: float | None = None, recall: float | None = None
    ) -> Threshold:
        """The threshold with the most recall at this precision, or the other way round.

        >>> curve = precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
        >>> print(curve.threshold(precision=0.7))
        score >= 0.6: precision 75.0%, recall 100.0%
        >>> print(curve.threshold(recall=0.5))
        score >= 0.8: precision 100.0%, recall 66.7%
        """
        if (precision is None) == (recall is None):
            raise InputError("give either a precision or a recall")
        name, wanted, of, other = (
            ("recall", recall, self.recall, self.precision)
            if precision is None
            else ("precision", precision, self.precision, self.recall)
        )
        if wanted is None or not 0 < wanted <= 1:
            raise InputError(f"{name} is {wanted!r}, expected a number above 0, at most 1")
        enough = np.flatnonzero(of >= wanted)
        if len(enough) == 0:
            raise InputError(f"no threshold has a {name} of {wanted:g}: the best is {of.max():g}")
        best = enough[np.argmax(other[enough])]
        points = (self.thresholds, self.precision, self.recall)
        return Threshold(*(float(values[best]) for values in points))

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return _plain(self)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"average precision {self.average_precision:.3f} (95 % interval {low:.3f} to "
            f"{high:.3f}); at random it would be {self.positive_share:.3f}"
        )


@dataclass(frozen=True, eq=False)
class Roc:
    """The ROC curve from (0, 0), one point per distinct score, from the highest down."""

    thresholds: Floats
    false_positive_rate: Floats
    true_positive_rate: Floats
    auc: float
    interval: Interval
    band: Band

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; the threshold of the point (0, 0), infinity, is None."""
        return _plain(self)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"AUC {self.auc:.3f} (95 % interval {low:.3f} to {high:.3f}); "
            "at random it would be 0.500"
        )


def precision_recall(
    y_true: Any,
    scores: Any,
    *,
    sample_weight: Any = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> PrecisionRecall:
    """The precision-recall curve of scores for rows that are positive or not.

    Parameters
    ----------
    y_true
        For each row, whether it is positive: booleans, or 0 and 1. For a class: `y == class`.
    scores
        One number per row, high for positive.
    sample_weight
        How much each row counts.
    n_resamples, random_state
        Of the bootstrap behind interval and band.

    >>> curve = precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    >>> round(curve.average_precision, 4)  # (1 + 1 + 3/4) / 3
    0.9167
    >>> print(curve)
    average precision 0.917 (95 % interval 0.415 to 0.995); at random it would be 0.600
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    rng = np.random.default_rng(random_state)
    draws, lines = [], []
    for tp, fp in ranking.resampled(n_resamples, rng):
        draws.append(_average_precision(tp, fp))
        lines.append(_precision_at(tp, fp))
    tp, fp = ranking.cumulative(np.ones(len(ranking.weights)))
    value = _average_precision(tp, fp)
    return PrecisionRecall(
        thresholds=ranking.thresholds,
        precision=tp / (tp + fp),
        recall=tp / tp[-1],
        average_precision=value,
        interval=share_interval(value, np.array(draws), effective_n(ranking.weights)),
        positive_share=float(tp[-1] / (tp[-1] + fp[-1])),
        band=_band(lines),
    )


def roc(
    y_true: Any,
    scores: Any,
    *,
    sample_weight: Any = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> Roc:
    """The ROC curve of scores for rows that are positive or not; arguments as above.

    >>> curve = roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    >>> round(curve.auc, 4)  # of 3 * 2 pairs, 5 are in order
    0.8333
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    rng = np.random.default_rng(random_state)
    draws, lines = [], []
    for tp, fp in ranking.resampled(n_resamples, rng):
        draws.append(_auc(tp, fp))
        lines.append(np.interp(GRID, *_rates(tp, fp)[::-1]))
    tp, fp = ranking.cumulative(np.ones(len(ranking.weights)))
    tpr, fpr = _rates(tp, fp)
    value = _auc(tp, fp)
    return Roc(
        thresholds=np.concatenate([[np.inf], ranking.thresholds]),
        false_positive_rate=fpr,
        true_positive_rate=tpr,
        auc=value,
        interval=share_interval(value, np.array(draws), effective_n(ranking.weights)),
        band=_band(lines),
    )


def average_precision(y_true: Any, scores: Any, *, sample_weight: Any = None) -> float:
    """sum_i (R_i - R_{i-1}) P_i, without curve and interval.

    >>> average_precision([1, 0, 1], [3, 2, 1])  # (1 + 2/3) / 2
    0.8333333333333333
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    return _average_precision(*ranking.cumulative(np.ones(len(ranking.weights))))


def auc(y_true: Any, scores: Any, *, sample_weight: Any = None) -> float:
    """The share of pairs (positive, negative) in order, a tie as half of one.

    >>> auc([1, 0, 1], [3, 2, 2])
    0.75
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    return _auc(*ranking.cumulative(np.ones(len(ranking.weights))))


def mean_average_precision(
    y_true: Any, scores: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """MAP: the mean of the average precision of each class that some, but not all, rows have.

    `scores` has one column per class, and `classes` says which (0, 1, ... if not given).

    >>> mean_average_precision(["a", "b", "a"], [[3, 1], [2, 2], [1, 3]], classes=["a", "b"])
    0.6666666666666666
    """
    Z = as_floats(scores, "the scores", n_dims=2)
    codes = class_codes(y_true, classes, Z.shape[1])
    n_rows = np.bincount(codes[codes >= 0], minlength=Z.shape[1])
    values = [
        average_precision(codes == k, Z[:, k], sample_weight=sample_weight)
        for k in np.flatnonzero((n_rows > 0) & (n_rows < len(codes)))
    ]
    if not values:
        raise InputError("no class has both rows that are it and rows that are not")
    return float(np.mean(values))


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows from the highest score down; `ends` are the last rows of equal scores."""

    positive: Floats
    weights: Floats
    ends: Ints
    thresholds: Floats

    @classmethod
    def of(cls, y_true: Any, scores: Any, weights: Floats) -> "Ranking":
        """Sort the rows, after a look at them."""
        positive, z = positives(y_true), as_floats(scores, "the scores", n_dims=1)
        if len(z) != len(positive):
            raise InputError(f"{len(z):,} scores for {len(positive):,} rows, expected one each")
        if not (weights[positive].sum() > 0 and weights[~positive].sum() > 0):
            raise InputError("all weight is on one kind of rows: a curve needs both")
        order = np.argsort(-z, kind="stable")
        z = z[order]
        ends = np.append(np.flatnonzero(np.diff(z)), len(z) - 1)
        return cls(positive[order].astype(np.float64), weights[order], ends, z[ends])

    def cumulative(self, counts: Floats) -> tuple[Floats, Floats]:
        """True and false positives at each threshold, if each row were there so often."""
        called = counts * self.weights
        tp = np.cumsum(called * self.positive)[self.ends]
        return tp, np.maximum(np.cumsum(called)[self.ends] - tp, 0.0)

    def resampled(self, n_resamples: int, rng: np.random.Generator) -> Any:
        """The same in each resample of the rows; those without both kinds are drawn again."""
        check_resamples(n_resamples)
        n, drawn, tries = len(self.weights), 0, 0
        while drawn < n_resamples:
            tries += 1
            if tries > 100 * n_resamples:
                raise InputError("too few rows of one kind to resample: nothing can be said")
            rows = rng.integers(0, n, size=n, dtype=np.int32)
            tp, fp = self.cumulative(np.bincount(rows, minlength=n).astype(np.float64))
            if tp[-1] > 0 and fp[-1] > 0:
                drawn += 1
                yield tp, fp


def _average_precision(tp: Floats, fp: Floats) -> float:
    called = tp + fp
    precision = np.divide(tp, called, out=np.ones_like(tp), where=called > 0)
    return float((np.diff(tp, prepend=0.0) * precision).sum() / tp[-1])


def _rates(tp: Floats, fp: Floats) -> tuple[Floats, Floats]:
    """True and false positive rate, from (0, 0)."""
    tpr, fpr = (np.concatenate([[0.0], values / values[-1]]) for values in (tp, fp))
    return tpr, fpr


def _auc(tp: Floats, fp: Floats) -> float:
    new_fp, new_tp = np.diff(fp, prepend=0.0), np.diff(tp, prepend=0.0)
    return float((new_fp * (tp - new_tp / 2)).sum() / (tp[-1] * fp[-1]))


def _precision_at(tp: Floats, fp: Floats) -> Floats:
    """Precision at the first threshold whose recall reaches each value of the grid."""
    called = tp + fp
    precision = np.divide(tp, called, out=np.ones_like(tp), where=called > 0)
    first = np.searchsorted(tp / tp[-1], GRID[1:] - 1e-12)
    return np.asarray(precision[np.concatenate([first[:1], first])])


def _band(lines: list[Floats]) -> Band:
    low, high = np.quantile(np.array(lines), [0.025, 0.975], axis=0)
    return Band(GRID, low, high)


def _plain(result: Any) -> dict[str, Any]:
    return {name: _value(getattr(result, name)) for name in result.__dataclass_fields__}


def _value(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [None if np.isinf(x) else x for x in value.tolist()]
    if hasattr(value, "__dataclass_fields__"):
        return _plain(value)
    return value
