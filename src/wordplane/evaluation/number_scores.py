"""How good predicted numbers are.

    MAE        the mean of |y - z|
    RMSE       the root of the mean of (y - z)^2
    R2         1 less the squared errors as a share of those of the mean of y
    Spearman   the correlation of the ranks of y and z; ties have their mean rank

All are functions of sums over the rows, and so are their bootstrap resamples (of rows, or of whole
groups): a resample only weights the sums. Ranks are those among all rows. There are 500 resamples.
"""

from dataclasses import asdict
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray, JsonObject
from wordplane.evaluation.intervals import (
    Interval,
    correlation_interval,
    percentile_interval,
    size_interval,
    spread_of_groups,
)

N_RESAMPLES = 500
AT_ONCE = 2_000_000  # cells of resamples
MEASURES = ("mae", "rmse", "r2", "spearman")


def figure(value: float, sign: str = "") -> str:
    """A number as it is shown: four digits or all before the point, and no power of ten but for
    the smallest; with a `sign` "+", of numbers above 0 too.

    >>> figure(1.23456), figure(123456.0), figure(-9999.7), figure(211.04, "+")
    ('1.235', '123,456', '-10,000', '+211')
    """
    return f"{value:{sign},.0f}" if abs(value) >= 9999.5 else f"{value:{sign}.4g}"


@frozen
class NumberScores:
    """Scores of predicted numbers, with 95 % intervals.

    n           how many rows were measured
    median_mae  the MAE of always predicting the median of y
    spread      the standard deviation of y, the RMSE of always predicting its mean

    >>> scores = NumberScores.of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 2.0, 3.0, 3.5]))
    >>> scores.mae, round(scores.rmse, 3), scores.r2, scores.spearman
    (0.25, 0.354, 0.9, 1.0)
    """

    n: int
    mae: float
    mae_interval: Interval
    rmse: float
    rmse_interval: Interval
    r2: float
    r2_interval: Interval
    spearman: float
    spearman_interval: Interval
    median_mae: float
    spread: float

    @property
    def no_better(self) -> bool:
        """Whether always predicting the median would be as good."""
        return self.mae >= self.median_mae

    @classmethod
    def of(
        cls,
        truth: FloatArray,
        predicted: FloatArray,
        *,
        groups: IntArray | None = None,
        random_state: int = 0,
    ) -> Self:
        """Compare numbers with what they should be; resample whole groups, if there are any."""
        if len(truth) == 0 or len(truth) != len(predicted):
            raise InputError(
                f"{len(truth)} numbers and {len(predicted)} predictions: one each is needed, and "
                "at least one"
            )
        sums = _row_sums(truth, predicted)
        if groups is not None:
            codes = np.unique(groups, return_inverse=True)[1]
            sums = np.stack([np.bincount(codes, column) for column in sums.T], axis=1)
        values = _measures(sums.sum(axis=0)[None])[0].tolist()
        draws = _measures(_resample(sums, random_state))
        found: dict[str, float | Interval] = {}
        for name, value, column in zip(MEASURES, values, draws.T, strict=True):
            low, high = _interval(name, value, column, len(sums), groups is not None)
            found |= {name: value, f"{name}_interval": (min(low, value), max(high, value))}
        return cls(
            n=len(truth),
            median_mae=float(np.abs(truth - np.median(truth)).mean()),
            spread=float(np.std(truth)),
            **found,  # type: ignore[arg-type]
        )

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return asdict(self)


def _interval(name: str, value: float, draws: FloatArray, n: int, grouped: bool) -> Interval:
    if name in ("mae", "rmse"):
        return size_interval(value, draws, n)
    spread = spread_of_groups(draws, n) if grouped else draws
    return (
        correlation_interval(value, spread, n)
        if name == "spearman"
        else percentile_interval(spread)
    )


def _row_sums(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """What each row adds to the sums that the measures are functions of."""
    error, u, v = truth - predicted, _ranks(truth), _ranks(predicted)
    y = truth - truth.mean()  # squares of large numbers would lose digits
    columns = np.ones(len(y)), np.abs(error), error**2, y, y**2, u, v, u * u, v * v, u * v
    return np.stack(columns, axis=1)


def _ranks(values: FloatArray) -> FloatArray:
    """The mean rank of each value, less the mean of all ranks."""
    different, place, n = np.unique(values, return_inverse=True, return_counts=True)
    rank = np.cumsum(n) - (n + 1) / 2
    centered: FloatArray = rank[place] - (len(values) - 1) / 2
    return centered if len(different) else values


def _measures(sums: FloatArray) -> FloatArray:
    """MAE, RMSE, R2 and Spearman's correlation of each row of sums."""
    n = sums[:, :1]
    _, mae, mse, y, y2, u, v, u2, v2, uv = (sums / n).T
    tiny = np.finfo(float).tiny
    spread = np.maximum(y2 - y**2, 0.0)
    r2 = np.where(spread > tiny, 1 - mse / np.maximum(spread, tiny), 0.0)
    of_ranks = np.maximum(u2 - u**2, 0.0) * np.maximum(v2 - v**2, 0.0)
    rho = np.where(of_ranks > tiny, (uv - u * v) / np.sqrt(np.maximum(of_ranks, tiny)), 0.0)
    return np.stack([mae, np.sqrt(mse), r2, np.clip(rho, -1.0, 1.0)], axis=1)


def _resample(sums: FloatArray, seed: int) -> FloatArray:
    """The sums of resamples of all rows."""
    n, rng = len(sums), np.random.default_rng(seed)
    step = max(AT_ONCE // n, 1)
    parts = []
    for begin in range(0, N_RESAMPLES, step):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=min(step, N_RESAMPLES - begin))
        parts.append(np.einsum("rn,nk->rk", drawn.astype(np.float64), sums))
    return np.concatenate(parts)
