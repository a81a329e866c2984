"""Curves over all thresholds of a score: precision-recall and ROC.

Rows with a score of at least the threshold are predicted positive. Rows with equal scores cross
it together, so a curve has one point for each distinct score, from the highest down:

    precision  P_i = true positives / predicted positives
    recall     R_i = true positives / positives          (also the true positive rate)
    fall-out   F_i = false positives / negatives         (the false positive rate)

    average precision   sum_i (R_i - R_{i-1}) P_i, R_0 = 0       no interpolation
    AUC                 area under R over F, by trapezoids between the points

These equal scikit-learn's average_precision_score and roc_auc_score. Their intervals are those of
`ranking_intervals`. Bands come from resampled rows; a band covers each single point of the curve
with 95 %, not all at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import (
    as_floats,
    class_codes,
    positives,
)
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.ranking_intervals import ranking_interval
from wordplane.evaluation.resampling import N_RESAMPLES, check_resamples

GRID = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, eq=False)
class Band:
    """At `x`, the curve lies between `low` and `high` in 95 % of the resamples."""

    x: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class Threshold:
    """Predict positive if the score is at least `threshold`; its precision and recall here.

    The threshold was chosen on these rows, so expect a little less on new rows.
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

    thresholds: FloatArray
    precision: FloatArray
    recall: FloatArray
    average_precision: float
    interval: Interval
    positive_share: float
    band: Band

    def threshold(
        self, *, precision: float | None = None, recall: float | None = None
    ) -> Threshold:
        """The threshold with the highest recall at this precision, or the other way round.

        >>> curve = precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
        >>> print(curve.threshold(precision=0.7))
        score >= 0.6: precision 75.0%, recall 100.0%
        >>> print(curve.threshold(recall=0.5))
        score >= 0.8: precision 100.0%, recall 66.7%
        """
        if (precision is None) == (recall is None):
            raise InputError("pass either `precision` or `recall`")
        name, wanted, values, other = (
            ("recall", recall, self.recall, self.precision)
            if precision is None
            else ("precision", precision, self.precision, self.recall)
        )
        if wanted is None or not 0 < wanted <= 1:
            raise InputError(f"{name} is {wanted!r}, expected a number above 0 and at most 1")
        enough = np.flatnonzero(values >= wanted)
        if len(enough) == 0:
            raise InputError(
                f"no threshold has a {name} of {wanted:g}; the best is {values.max():g}"
            )
        best = enough[np.argmax(other[enough])]
        points = (self.thresholds, self.precision, self.recall)
        return Threshold(*(float(array[best]) for array in points))

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return _to_dict(self)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"average precision {self.average_precision:.3f} (95 % interval {low:.3f} to "
            f"{high:.3f}); at random it would be {self.positive_share:.3f}"
        )


@dataclass(frozen=True, eq=False)
class Roc:
    """The ROC curve from (0, 0), one point per distinct score, from the highest down."""

    thresholds: FloatArray
    false_positive_rate: FloatArray
    true_positive_rate: FloatArray
    auc: float
    interval: Interval
    band: Band

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary; the infinite threshold of (0, 0) is None."""
        return _to_dict(self)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"AUC {self.auc:.3f} (95 % interval {low:.3f} to {high:.3f}); "
            "at random it would be 0.500"
        )


def precision_recall(
    y_true: LabelsLike,
    scores: ArrayLike,
    *,
    sample_weight: WeightsLike = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> PrecisionRecall:
    """The precision-recall curve of scores for rows that are positive or not.

    Parameters
    ----------
    y_true
        Whether each row is positive: booleans, or 0 and 1. For a class: `y == class`.
    scores
        One number per row, higher for positive rows.
    sample_weight
        How much each row counts.
    n_resamples, random_state
        The number of resamples for the band, and their seed.

    >>> curve = precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    >>> round(curve.average_precision, 4)  # (1 + 1 + 3/4) / 3
    0.9167
    >>> print(curve)
    average precision 0.917 (95 % interval 0.000 to 1.000); at random it would be 0.600
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    rng = np.random.default_rng(random_state)
    lines = [_precision_at(tp, fp) for tp, fp in ranking.resample(n_resamples, rng)]
    tp, fp = ranking.cumulative(np.ones(len(ranking.weights)))
    value = _average_precision(tp, fp)
    return PrecisionRecall(
        thresholds=ranking.thresholds,
        precision=tp / (tp + fp),
        recall=tp / tp[-1],
        average_precision=value,
        interval=ranking.interval("ap", value),
        positive_share=float(tp[-1] / (tp[-1] + fp[-1])),
        band=_band(lines),
    )


def roc(
    y_true: LabelsLike,
    scores: ArrayLike,
    *,
    sample_weight: WeightsLike = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> Roc:
    """The ROC curve of scores for rows that are positive or not.

    The parameters are those of `precision_recall`.

    >>> curve = roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    >>> round(curve.auc, 4)  # of 3 * 2 pairs, 5 are in order
    0.8333
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    rng = np.random.default_rng(random_state)
    lines = [
        np.interp(GRID, *_rates(tp, fp)[::-1]) for tp, fp in ranking.resample(n_resamples, rng)
    ]
    tp, fp = ranking.cumulative(np.ones(len(ranking.weights)))
    tpr, fpr = _rates(tp, fp)
    value = _auc(tp, fp)
    return Roc(
        thresholds=np.concatenate([[np.inf], ranking.thresholds]),
        false_positive_rate=fpr,
        true_positive_rate=tpr,
        auc=value,
        interval=ranking.interval("auc", value),
        band=_band(lines),
    )


def average_precision(
    y_true: LabelsLike, scores: ArrayLike, *, sample_weight: WeightsLike = None
) -> float:
    """sum_i (R_i - R_{i-1}) P_i, without the curve and the interval.

    >>> average_precision([1, 0, 1], [3, 2, 1])  # (1 + 2/3) / 2
    0.8333333333333333
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    return _average_precision(*ranking.cumulative(np.ones(len(ranking.weights))))


def auc(y_true: LabelsLike, scores: ArrayLike, *, sample_weight: WeightsLike = None) -> float:
    """The share of pairs (positive, negative) that are in order; a tie counts as half.

    >>> auc([1, 0, 1], [3, 2, 2])
    0.75
    """
    ranking = Ranking.of(y_true, scores, as_weights(sample_weight, len(np.asarray(y_true))))
    return _auc(*ranking.cumulative(np.ones(len(ranking.weights))))


def mean_average_precision(
    y_true: LabelsLike,
    scores: ArrayLike,
    *,
    classes: LabelsLike | None = None,
    sample_weight: WeightsLike = None,
) -> float:
    """MAP: the mean of the average precision of each class that some but not all rows have.

    `scores` has one column per class; `classes` are the classes, by default 0, 1, ...

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
        raise InputError("all rows have the same class, expected two classes or more")
    return float(np.mean(values))


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows from the highest score down; `ends` are the last rows of equal scores."""

    positive: FloatArray
    weights: FloatArray
    ends: IntArray
    thresholds: FloatArray

    @classmethod
    def of(cls, y_true: LabelsLike, scores: ArrayLike, weights: FloatArray) -> "Ranking":
        """Check and sort the rows."""
        positive, z = positives(y_true), as_floats(scores, "the scores", n_dims=1)
        if len(z) != len(positive):
            raise InputError(
                f"there are {len(z):,} scores for {len(positive):,} rows, expected one per row"
            )
        if not (weights[positive].sum() > 0 and weights[~positive].sum() > 0):
            raise InputError(
                "all positive or all negative rows have the weight 0, but a curve needs both kinds"
            )
        order = np.argsort(-z, kind="stable")
        z = z[order]
        ends = np.append(np.flatnonzero(np.diff(z)), len(z) - 1)
        return cls(positive[order].astype(np.float64), weights[order], ends, z[ends])

    def cumulative(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """True and false positives at each threshold, with each row counted this often."""
        mass = counts * self.weights
        tp = np.cumsum(mass * self.positive)[self.ends]
        return tp, np.maximum(np.cumsum(mass)[self.ends] - tp, 0.0)

    def interval(self, kind: str, value: float) -> Interval:
        """The 95 % interval of the average precision or the AUC."""
        n_rows = np.diff(self.ends, prepend=-1)
        z = np.repeat(-np.arange(len(n_rows), dtype=np.float64), n_rows)
        return ranking_interval(kind, value, self.positive > 0, z, self.weights)

    def resample(
        self, n_resamples: int, rng: np.random.Generator
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """`cumulative` of each resample of the rows; resamples without both kinds are redrawn."""
        check_resamples(n_resamples)
        n, drawn, tries = len(self.weights), 0, 0
        while drawn < n_resamples:
            tries += 1
            if tries > 100 * n_resamples:
                raise InputError(
                    "too few positive or too few negative rows to resample; measure on more rows"
                )
            rows = rng.integers(0, n, size=n, dtype=np.int32)
            tp, fp = self.cumulative(np.bincount(rows, minlength=n).astype(np.float64))
            if tp[-1] > 0 and fp[-1] > 0:
                drawn += 1
                yield tp, fp


def _average_precision(tp: FloatArray, fp: FloatArray) -> float:
    predicted = tp + fp
    precision = np.divide(tp, predicted, out=np.ones_like(tp), where=predicted > 0)
    return float((np.diff(tp, prepend=0.0) * precision).sum() / tp[-1])


def _rates(tp: FloatArray, fp: FloatArray) -> tuple[FloatArray, FloatArray]:
    """True and false positive rate, from (0, 0)."""
    tpr, fpr = (np.concatenate([[0.0], values / values[-1]]) for values in (tp, fp))
    return tpr, fpr


def _auc(tp: FloatArray, fp: FloatArray) -> float:
    new_fp, new_tp = np.diff(fp, prepend=0.0), np.diff(tp, prepend=0.0)
    return float((new_fp * (tp - new_tp / 2)).sum() / (tp[-1] * fp[-1]))


def _precision_at(tp: FloatArray, fp: FloatArray) -> FloatArray:
    """Precision at the first threshold whose recall reaches each value of the grid."""
    predicted = tp + fp
    precision = np.divide(tp, predicted, out=np.ones_like(tp), where=predicted > 0)
    first = np.searchsorted(tp / tp[-1], GRID[1:] - 1e-12)
    return np.asarray(precision[np.concatenate([first[:1], first])])


def _band(lines: list[FloatArray]) -> Band:
    low, high = np.quantile(np.array(lines), [0.025, 0.975], axis=0)
    return Band(GRID, low, high)


def _to_dict(result: PrecisionRecall | Roc | Band) -> JsonObject:
    return {field.name: _to_json(getattr(result, field.name)) for field in fields(result)}


def _to_json(value: object) -> object:
    if isinstance(value, np.ndarray):
        return [None if np.isinf(x) else x for x in value.tolist()]
    return _to_dict(value) if isinstance(value, Band) else value
