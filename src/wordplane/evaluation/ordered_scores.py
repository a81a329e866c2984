"""How far predicted numbers are from the true ones, such as stars.

    MAE               the mean of |true - predicted|, in steps of the labels
    quadratic kappa   1 - D / E: D the mean of (true - predicted)^2, E the same if predictions were
                      dealt out to the rows at random; 1 is right, 0 is chance

The baseline is to predict the median always, which no other single number beats by MAE. Intervals
are 95 % intervals from resampled rows, or whole groups.

Reference: Cohen (1968), Psychological Bulletin 70.
"""

from __future__ import annotations  # NumPy loads its random numbers when they are named

from dataclasses import asdict

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray, JsonObject
from wordplane.evaluation.intervals import Interval, percentile_interval, spread_of_groups
from wordplane.evaluation.measures import score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.resampling import N_RESAMPLES, group_rows, resample_counts


@frozen
class OrderedScores:
    """The result of `score_ordered`."""

    n: int
    mae: float
    mae_interval: Interval
    quadratic_kappa: float
    quadratic_kappa_interval: Interval
    median_mae: float

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return asdict(self)


def score_ordered(
    true: FloatArray,
    predicted: FloatArray,
    *,
    groups: IntArray | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> OrderedScores:
    """Compare predicted numbers with the true ones.

    >>> scores = score_ordered(np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 2, 3, 4, 3]))
    >>> scores.mae, scores.median_mae, round(scores.quadratic_kappa, 3)
    (0.4, 1.2, 0.75)
    """
    if len(true) == 0 or len(true) != len(predicted):
        raise InputError(f"there are {len(true)} true and {len(predicted)} predicted numbers")
    values, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    cells = group_rows([codes[: len(true)], codes[len(true) :]], np.ones(len(true)), groups)
    t, p = (values[column] for column in cells.codes)
    distance = np.abs(t - p)
    rng = np.random.default_rng(random_state)
    resamples = resample_counts(cells.n_rows, n_resamples, rng, cells.group)
    draws = np.concatenate([counts @ distance / counts.sum(axis=1) for counts in resamples])
    if groups is not None:
        draws = spread_of_groups(draws, len(np.unique(groups)))
    outcome = Outcome.of_labels(true, predicted)
    kappa = score_by("quadratic_kappa", outcome, groups=groups, random_state=random_state)
    assert kappa.interval is not None  # only log-losses lack one
    return OrderedScores(
        n=len(true),
        mae=float(np.abs(true - predicted).mean()),
        mae_interval=percentile_interval(draws),
        quadratic_kappa=kappa.value,
        quadratic_kappa_interval=kappa.interval,
        median_mae=float(np.abs(true - np.median(true)).mean()),
    )
