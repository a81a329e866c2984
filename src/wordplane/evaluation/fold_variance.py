"""Intervals and tests of rows that models of folds predicted.

The share of n rows that one model gets right varies by p (1 - p) / n. If the rows were predicted by
models of folds, each was also learned from, and what is measured varies with that too: to first
order, the mean of e_i + h_i over the rows, where e_i is the error of row i and h_i what the row
does to the errors of the others as a training text. No estimate of its variance from the folds of
one data set is without bias (Bengio and Grandvalet 2004). In simulations with known truth and in
draws from real data, it is 0.9 to 1.6 times that of the rows alone for differences of two learners
and 0.5 to 1.9 times for accuracies: most with few texts and steep learning curves. So tests
of differences take it to be 1.6 times as large (n rows count as n / 1.6), and intervals 1.9 times.
`tests/selection/test_fold_coverage.py` measures how often intervals then cover the truth and how
often equal learners are told apart.

References: Bengio and Grandvalet (2004), No unbiased estimator of the variance of k-fold
cross-validation, JMLR 5; Bates, Hastie and Tibshirani (2024), Cross-validation: what does it
estimate and how well does it do it?, JASA 119.
"""

from dataclasses import replace
from math import sqrt
from typing import overload

from wordplane.evaluation.intervals import Z_95, Interval, wilson_interval
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.measures import NOT_SHARES, Score
from wordplane.evaluation.set_scores import SetScores

DIFFERENCE_VARIANCE = 1.6  # to that of the rows alone
SCORE_VARIANCE = 1.9


def widen_share(value: float, interval: Interval, n: float) -> Interval:
    """The interval of a measure from 0 to 1 with SCORE_VARIANCE times its variance; n is the
    number of rows.

    >>> low, high = widen_share(0.75, (0.657, 0.825), 100)
    >>> round(low, 3), round(high, 3)
    (0.62, 0.846)
    """
    error = sqrt(SCORE_VARIANCE) * (interval[1] - interval[0]) / (2 * Z_95)
    # At 0 and 1 the width of the interval is not that of a spread: rows are counted.
    alike = value * (1 - value) / error**2 if 0 < value < 1 and error > 0 else n / SCORE_VARIANCE
    low, high = wilson_interval(value * alike, alike)
    return min(low, interval[0]), max(high, interval[1])


def widen_score(score: Score, n: int) -> Score:
    """The same for a metric."""
    if score.interval is None:
        return score
    if score.metric.partition(":")[0] not in NOT_SHARES:
        return replace(score, interval=widen_share(score.value, score.interval, n))
    return replace(score, interval=_widen(score.value, score.interval))


def _widen(value: float, interval: Interval) -> Interval:
    low, high = (value + sqrt(SCORE_VARIANCE) * (end - value) for end in interval)
    return low, high


@overload
def widen_scores(scores: Scores, n: int) -> Scores: ...
@overload
def widen_scores(scores: SetScores, n: int) -> SetScores: ...
def widen_scores(scores: Scores | SetScores, n: int) -> Scores | SetScores:
    """The same for all intervals that are shown of scores."""
    macro = widen_share(scores.macro_f1, scores.macro_f1_interval, n)
    if isinstance(scores, Scores):
        own, loss = widen_share(scores.accuracy, scores.interval, n), scores.log_loss_interval
        if loss is not None and scores.log_loss is not None:
            loss = _widen(scores.log_loss, loss)
        return replace(scores, interval=own, macro_f1_interval=macro, log_loss_interval=loss)
    return replace(
        scores,
        macro_f1_interval=macro,
        micro_f1_interval=widen_share(scores.micro_f1, scores.micro_f1_interval, n),
        subset_accuracy_interval=widen_share(
            scores.subset_accuracy, scores.subset_accuracy_interval, n
        ),
        hamming_loss_interval=widen_share(scores.hamming_loss, scores.hamming_loss_interval, n),
    )
