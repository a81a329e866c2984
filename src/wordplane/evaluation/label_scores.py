"""Scores of predicted labels, with intervals, and the scores of guessing."""

from __future__ import annotations  # NumPy loads its random numbers when they are named

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane.common.frozen import frozen
from wordplane.common.types import (
    FloatArray,
    IntArray,
    JsonObject,
    Label,
    LabelsLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import (
    as_probabilities,
    class_codes,
    effective_n,
    label_codes,
)
from wordplane.evaluation.confusion import Totals, totals_of
from wordplane.evaluation.intervals import (
    NO_INTERVAL,
    Z_95,
    Interval,
    macro_f1_interval,
    percentile_interval,
    share_interval,
    spread_of_groups,
    wilson_interval,
)
from wordplane.evaluation.resampling import (
    N_RESAMPLES,
    Cells,
    check_resamples,
    group_rows,
    resample_counts,
)

RESAMPLED_ROWS = 1 << 16  # at a time
MAX_BOOTSTRAP_ROWS = 20_000  # with more rows, resamples of a mean are normally distributed


@frozen
class ClassScores:
    """The number of rows of one class, and how well they were predicted."""

    label: Label
    n: int
    precision: float
    recall: float
    f1: float


@frozen
class Scores:
    """The result of `score`. Intervals are 95 % intervals.

    `majority_` is the result of always predicting the most frequent label, `random_` the expected
    result of guessing labels as often as they occur, `prior_log_loss` that of predicting the
    shares of the classes for every row.
    """

    n: int
    accuracy: float
    interval: Interval
    macro_precision: float
    macro_recall: float
    macro_f1: float
    macro_f1_interval: Interval
    micro_f1: float
    log_loss: float | None
    log_loss_interval: Interval | None
    majority_label: Label
    majority_accuracy: float
    majority_macro_f1: float
    random_accuracy: float
    random_macro_f1: float
    prior_log_loss: float | None
    classes: tuple[ClassScores, ...]

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return asdict(self)

    def log_loss_ends(self) -> str:
        """The ends of the interval of the log-loss, or that it has none."""
        if self.log_loss_interval is None:
            return NO_INTERVAL
        return "{:.4f} to {:.4f}".format(*self.log_loss_interval)

    def _repr_html_(self) -> str:
        """For notebooks: the metrics, and each class."""
        from wordplane.common.html import html_table

        lines = [
            (
                *_cells("accuracy", self.accuracy, self.interval),
                f"{self.majority_accuracy:.1%}",
                f"{self.random_accuracy:.1%}",
            ),
            (
                *_cells("macro F1", self.macro_f1, self.macro_f1_interval),
                f"{self.majority_macro_f1:.1%}",
                f"{self.random_macro_f1:.1%}",
            ),
        ]
        if self.log_loss is not None:
            prior = f"{self.prior_log_loss:.4f}"
            lines.append(("log-loss", f"{self.log_loss:.4f}", self.log_loss_ends(), "", prior))
        always = f"always {self.majority_label!r}"
        by_class = [
            (c.label, f"{c.n:,}", f"{c.precision:.1%}", f"{c.recall:.1%}", f"{c.f1:.1%}")
            for c in self.classes
        ]
        return html_table(
            ["", "value", "95 % interval", always, "guessing"], lines, f"{self.n:,} rows"
        ) + html_table(["class", "rows", "precision", "recall", "F1"], by_class)

    def __str__(self) -> str:
        lines = [
            f"{'':20}  {'95 % interval':15}  majority  random",
            _line("accuracy", self.accuracy, self.interval)
            + f"  {self.majority_accuracy:>8.1%}  {self.random_accuracy:>6.1%}",
            _line("macro F1", self.macro_f1, self.macro_f1_interval)
            + f"  {self.majority_macro_f1:>8.1%}  {self.random_macro_f1:>6.1%}",
        ]
        if self.log_loss is not None:
            lines.append(
                f"{'log-loss':12}{self.log_loss:>8.4f}  {self.log_loss_ends()}"
                f"  shares of the classes: {self.prior_log_loss:.4f}"
            )
        return "\n".join(lines)


def score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    sample_weight: WeightsLike = None,
    probabilities: ArrayLike | None = None,
    classes: LabelsLike | None = None,
    groups: IntArray | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> Scores:
    """Compare predicted labels with the true ones.

    Parameters
    ----------
    y_true, y_pred
        The labels, one per row.
    sample_weight
        How much each row counts. For intervals, a row is still one observation.
    probabilities, classes
        For the log-loss: one row per document, one column per class; and the classes, by
        default 0, 1, ...
    groups
        The number of the group of each row, such as its thread: intervals then come from whole
        groups, since rows of the same group are often right or wrong together.
    n_resamples, random_state
        The number of bootstrap resamples, and their seed.

    >>> scores = score(["a", "a", "a", "b"], ["a", "a", "b", "b"])
    >>> scores.accuracy, scores.majority_accuracy, scores.random_accuracy
    (0.75, 0.75, 0.625)
    >>> scores.classes[1].precision, scores.classes[1].recall
    (0.5, 1.0)
    >>> print(scores)
                          95 % interval    majority  random
    accuracy       75.0%  30.1% to  95.4%     75.0%   62.5%
    macro F1       73.3%  28.8% to  97.5%     42.9%   50.0%
    """
    labels, (true, predicted) = label_codes(y_true, y_pred)
    weights = as_weights(sample_weight, len(true))
    n, n_classes = len(true), len(labels)
    totals = totals_of(true, predicted, weights, n_classes)
    accuracy, macro_f1 = float(totals.accuracy()), float(totals.macro(totals.f()))
    n_groups = 0 if groups is None else len(np.unique(groups))
    cells = group_rows([true, predicted], weights, groups)
    draws = [
        spread_of_groups(drawn, n_groups)
        for drawn in _resample(cells, totals, n_resamples, random_state)
    ]
    effective = effective_n(weights)
    effective = min(effective, n_groups or effective)
    if sample_weight is None and groups is None:
        interval = wilson_interval(totals.hits.sum(), n)
    else:
        interval = share_interval(accuracy, draws[0], effective, most=n)

    scale = effective / weights.sum()
    macro_interval = macro_f1_interval(
        macro_f1, draws[1], effective, scale * totals.hits, scale * totals.either()
    )
    shares = totals.true / totals.true.sum()
    majority = int(np.argmax(shares))  # the first if there are ties
    always = _guessing_totals(totals.true, np.arange(n_classes) == majority)
    random = _guessing_totals(totals.true, shares)
    loss, loss_interval, prior = None, None, None
    if probabilities is not None:
        loss, loss_interval = log_loss(
            y_true,
            probabilities,
            sample_weight=sample_weight,
            classes=classes,
            groups=groups,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        prior = float(sum(p * np.log(1 / p) for p in shares if p > 0))
    return Scores(
        n=n,
        accuracy=accuracy,
        interval=interval,
        macro_precision=float(totals.macro(totals.precision())),
        macro_recall=float(totals.macro(totals.recall())),
        macro_f1=macro_f1,
        macro_f1_interval=macro_interval,
        micro_f1=float(totals.micro().f()[0]),
        log_loss=loss,
        log_loss_interval=loss_interval,
        majority_label=labels[majority],
        majority_accuracy=float(always.accuracy()),
        majority_macro_f1=float(always.macro(always.f())),
        random_accuracy=float(random.accuracy()),
        random_macro_f1=float(random.macro(random.f())),
        prior_log_loss=prior,
        classes=_class_scores(labels, np.bincount(true, minlength=n_classes), totals),
    )


def _resample(
    cells: Cells, totals: Totals, n_resamples: int, random_state: int
) -> tuple[FloatArray, FloatArray]:
    """Accuracy and macro F1 in each resample of the rows."""
    rng = np.random.default_rng(random_state)
    true, predicted = cells.codes
    accuracies, macros = [], []
    for counts in resample_counts(cells.n_rows, n_resamples, rng, cells.group):
        drawn = totals_of(true, predicted, counts * cells.weight, len(totals.true))
        accuracies.append(drawn.accuracy())
        macros.append(totals.resampled_macro_f1(drawn))
    return np.concatenate(accuracies), np.concatenate(macros)


def log_loss(
    y_true: LabelsLike,
    probabilities: ArrayLike,
    *,
    sample_weight: WeightsLike = None,
    classes: LabelsLike | None = None,
    groups: IntArray | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> tuple[float, Interval | None]:
    """The mean of -log P(true class), and its 95 % interval; None for a single row or group.

    The interval consists of percentiles of resamples; with more than 20,000 rows, of percentiles
    of the normal distribution that resamples then follow. With `groups`, whole groups are drawn.

    As in scikit-learn, a probability of 0 counts as 2^-52, a loss of 36; so does that of a label
    that is not among the classes.

    >>> loss, (low, high) = log_loss(["a", "b"], [[0.5, 0.5], [0.75, 0.25]], classes=["a", "b"])
    >>> round(loss, 4), round(low, 4), round(high, 4)
    (1.0397, 0.6931, 1.3863)
    """
    n = len(np.asarray(y_true))
    P = as_probabilities(probabilities, n)
    weights = as_weights(sample_weight, n)
    losses = row_losses(class_codes(y_true, classes, P.shape[1]), P)[weights > 0]
    if groups is not None:
        groups = groups[weights > 0]
    weights = weights[weights > 0]
    if groups is not None:  # each becomes one row, with its mean and its weight
        numbers = np.unique(groups, return_inverse=True)[1]
        by_group = np.bincount(numbers, weights * losses)
        weights = np.bincount(numbers, weights).astype(np.float64)
        losses = by_group / weights
    mean = float((weights * losses).sum() / weights.sum())
    if len(losses) < 2:  # which do not tell how much losses vary
        return mean, None
    if len(losses) > MAX_BOOTSTRAP_ROWS:
        error = float(np.sqrt(((weights * (losses - mean)) ** 2).sum()) / weights.sum())
        return mean, (mean - Z_95 * error, mean + Z_95 * error)
    rng = np.random.default_rng(random_state)
    return mean, percentile_interval(resample_means(losses, weights, n_resamples, rng))


def row_losses(codes: IntArray, P: FloatArray) -> FloatArray:
    """-log P(true class) of each row."""
    p = np.where(codes >= 0, P[np.arange(len(P)), codes], 0.0)
    return np.asarray(-np.log(np.clip(p, np.finfo(np.float64).eps, 1.0)))


def resample_means(
    values: FloatArray, weights: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """The weighted mean of the values in each of n_resamples resamples of the rows."""
    check_resamples(n_resamples)
    n, weighted, plain = len(values), values * weights, bool((weights == weights[0]).all())
    draws = np.empty(n_resamples)
    step = max(1, RESAMPLED_ROWS // n)
    for begin in range(0, n_resamples, step):
        end = min(begin + step, n_resamples)
        rows = rng.integers(0, n, size=(end - begin, n), dtype=np.int32)
        draws[begin:end] = (
            values[rows].mean(axis=1)
            if plain
            else weighted[rows].sum(axis=1) / weights[rows].sum(axis=1)
        )
    return draws


def _guessing_totals(n_true: FloatArray, shares: FloatArray | NDArray[np.bool_]) -> Totals:
    """The expected totals if each label is guessed with the probability `shares`."""
    return Totals(n_true * shares, n_true, n_true.sum() * shares)


def _class_scores(
    labels: Sequence[Label], n: NDArray[np.intp], totals: Totals
) -> tuple[ClassScores, ...]:
    measures = (totals.precision(), totals.recall(), totals.f())
    return tuple(
        ClassScores(label, int(n[k]), *(float(values[k]) for values in measures))
        for k, label in enumerate(labels)
    )


def _line(name: str, value: float, interval: Interval) -> str:
    low, high = interval
    return f"{name:12}{value:>8.1%}  {low:>5.1%} to {high:>6.1%}"


def _cells(name: str, value: float, interval: Interval) -> tuple[str, ...]:
    low, high = interval
    return name, f"{value:.1%}", f"{low:.1%} to {high:.1%}"
