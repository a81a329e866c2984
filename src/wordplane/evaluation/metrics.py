"""How good predicted labels are, beside what guessing would give, and how sure that is."""

from __future__ import annotations  # NumPy loads its random numbers when they are named

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wordplane.common.html import html_table
from wordplane.evaluation.arrays import (
    Floats,
    Ints,
    as_probabilities,
    as_weights,
    class_codes,
    effective_n,
    label_codes,
)
from wordplane.evaluation.confusion import Totals, totals_of
from wordplane.evaluation.intervals import (
    Z_95,
    Interval,
    percentile_interval,
    share_interval,
    wilson_interval,
)
from wordplane.evaluation.resampling import (
    N_RESAMPLES,
    cells_of,
    check_resamples,
    resampled_counts,
)

MANY_ROWS = 20_000  # from here on, resamples of a mean are normal


@dataclass(frozen=True)
class ClassScores:
    """Of one class: its rows, and how well they were found."""

    label: Any
    n: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Scores:
    """What `score` found. Intervals are of 95 %.

    `majority_` is what always guessing the commonest label would give, `random_` what guessing
    labels as often as they occur would give on average, `prior_log_loss` what saying the shares
    of the classes for every row would give.
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
    majority_label: Any
    majority_accuracy: float
    majority_macro_f1: float
    random_accuracy: float
    random_macro_f1: float
    prior_log_loss: float | None
    classes: tuple[ClassScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """For notebooks: the metrics, and the classes one by one."""
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
        if self.log_loss is not None and self.log_loss_interval is not None:
            low, high = self.log_loss_interval
            prior = f"{self.prior_log_loss:.4f}"
            lines.append(
                ("log-loss", f"{self.log_loss:.4f}", f"{low:.4f} to {high:.4f}", "", prior)
            )
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
        if self.log_loss is not None and self.log_loss_interval is not None:
            low, high = self.log_loss_interval
            lines.append(
                f"{'log-loss':12}{self.log_loss:>8.4f}  {low:.4f} to {high:.4f}"
                f"  shares of the classes: {self.prior_log_loss:.4f}"
            )
        return "\n".join(lines)


def score(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    probabilities: Any = None,
    classes: Any = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> Scores:
    """Compare predicted labels with the true ones.

    Parameters
    ----------
    y_true, y_pred
        The labels, one per row.
    sample_weight
        How much each row counts. Intervals still take a row as one observation.
    probabilities, classes
        For the log-loss: one row per document, one column per class, and what the columns are
        (0, 1, ... if not given).
    n_resamples, random_state
        Of the bootstrap.

    >>> scores = score(["a", "a", "a", "b"], ["a", "a", "b", "b"])
    >>> scores.accuracy, scores.majority_accuracy, scores.random_accuracy
    (0.75, 0.75, 0.625)
    >>> scores.classes[1].precision, scores.classes[1].recall
    (0.5, 1.0)
    >>> print(scores)
                          95 % interval    majority  random
    accuracy       75.0%  30.1% to  95.4%     75.0%   62.5%
    macro F1       73.3%  26.6% to  97.4%     42.9%   50.0%
    """
    labels, (true, predicted) = label_codes(y_true, y_pred)
    weights = as_weights(sample_weight, len(true))
    n, n_classes = len(true), len(labels)
    totals = totals_of(true, predicted, weights, n_classes)
    accuracy = float(totals.accuracy())
    macro_f1 = float(totals.macro(totals.f()))
    effective = effective_n(weights)

    cells = cells_of([true, predicted], weights)
    rng = np.random.default_rng(random_state)
    cell_true, cell_predicted = cells.codes
    accuracies, macros = [], []
    for counts in resampled_counts(cells.n_rows, n_resamples, rng):
        drawn = totals_of(cell_true, cell_predicted, counts * cells.weight, n_classes)
        accuracies.append(drawn.accuracy())
        macros.append(drawn.macro(drawn.f()))
    if sample_weight is None:
        interval = wilson_interval(totals.hits.sum(), n)
    else:
        interval = share_interval(accuracy, np.concatenate(accuracies), effective)

    shares = totals.true / totals.true.sum()
    majority = int(np.argmax(shares))  # the first of equals
    always = _guessed(totals.true, np.arange(n_classes) == majority)
    random = _guessed(totals.true, shares)
    loss, loss_interval, prior = None, None, None
    if probabilities is not None:
        loss, loss_interval = log_loss(
            y_true,
            probabilities,
            sample_weight=sample_weight,
            classes=classes,
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
        macro_f1_interval=share_interval(macro_f1, np.concatenate(macros), effective),
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


def log_loss(
    y_true: Any,
    probabilities: Any,
    *,
    sample_weight: Any = None,
    classes: Any = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> tuple[float, Interval]:
    """The mean of -log P(true class), and its 95 % interval.

    The interval has percentiles of resamples; for more than 20,000 rows, of the normal
    distribution that these have there.

    A probability of 0, also of a label that is none of the classes, counts as 2^-52, a loss
    of 36, as in scikit-learn.

    >>> loss, (low, high) = log_loss(["a", "b"], [[0.5, 0.5], [0.75, 0.25]], classes=["a", "b"])
    >>> round(loss, 4), round(low, 4), round(high, 4)
    (1.0397, 0.6931, 1.3863)
    """
    n = len(np.asarray(y_true))
    P = as_probabilities(probabilities, n)
    weights = as_weights(sample_weight, n)
    losses = row_losses(class_codes(y_true, classes, P.shape[1]), P)[weights > 0]
    weights = weights[weights > 0]
    mean = float((weights * losses).sum() / weights.sum())
    if len(losses) > MANY_ROWS:
        error = float(np.sqrt(((weights * (losses - mean)) ** 2).sum()) / weights.sum())
        return mean, (mean - Z_95 * error, mean + Z_95 * error)
    rng = np.random.default_rng(random_state)
    return mean, percentile_interval(mean_draws(losses, weights, n_resamples, rng))


def row_losses(codes: Ints, P: Floats) -> Floats:
    """-log P(true class) of each row."""
    p = np.where(codes >= 0, P[np.arange(len(P)), codes], 0.0)
    return np.asarray(-np.log(np.clip(p, np.finfo(np.float64).eps, 1.0)))


def mean_draws(
    values: Floats, weights: Floats, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """The weighted mean of the values in each of n_resamples resamples of the rows."""
    check_resamples(n_resamples)
    n, weighted, plain = len(values), values * weights, bool((weights == weights[0]).all())
    draws = np.empty(n_resamples)
    for i in range(n_resamples):
        rows = rng.integers(0, n, size=n, dtype=np.int32)
        draws[i] = values[rows].mean() if plain else weighted[rows].sum() / weights[rows].sum()
    return draws


def _guessed(n_true: Floats, shares: Any) -> Totals:
    """The totals to expect when each label is guessed with its share, whatever the text."""
    return Totals(n_true * shares, n_true, n_true.sum() * shares)


def _class_scores(labels: tuple[Any, ...], n: Ints, totals: Totals) -> tuple[ClassScores, ...]:
    columns = (totals.precision(), totals.recall(), totals.f())
    return tuple(
        ClassScores(label, int(n[k]), *(float(column[k]) for column in columns))
        for k, label in enumerate(labels)
    )


def _line(name: str, value: float, interval: Interval) -> str:
    low, high = interval
    return f"{name:12}{value:>8.1%}  {low:>5.1%} to {high:>6.1%}"


def _cells(name: str, value: float, interval: Interval) -> tuple[str, ...]:
    low, high = interval
    return name, f"{value:.1%}", f"{low:.1%} to {high:.1%}"
