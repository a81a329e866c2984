"""Every metric by name, as a number of what a classifier said of some rows.

In addition to the metrics of predicted labels in `label_metrics`:

    quadratic_kappa   agreement beyond that of chance where labels are numbers, a mistake counting
                      by its square: 1 - mean (t - p)^2 / mean (t - p')^2, p' drawn independently
    log_loss          the mean of -log P(label); multi-label: also the mean over the labels, each
                      had or not
    ap:LABEL          average precision of the rows ranked by the probability of one label
    auc:LABEL         the area under the ROC curve of the same ranking
    precision@K, recall@K, ndcg@K, ndcg, lrap      see `rankings`

`ap` and `auc` alone are those of the rarer of two classes, as `f1` is. For multi-label rows,
accuracy is the share of exact matches; the metrics that compare classes (mcc, kappa,
quadratic_kappa) are for one label per row.

A metric is a function of how often each row counts, so that resamples, and tosses of a coin between
two classifiers, are other counts.

Reference: Cohen (1968), Psychological Bulletin 70(4), for weighted kappa.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.parameters import nearest
from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.confusion import Totals, ratio, totals_of
from wordplane.evaluation.intervals import (
    NO_INTERVAL,
    Interval,
    correlation_interval,
    macro_f1_interval,
    percentile_interval,
    share_interval,
    spread_of_groups,
    wilson_interval,
)
from wordplane.evaluation.label_metrics import F1, METRICS, NamedMetric, numbered_label
from wordplane.evaluation.label_scores import row_losses
from wordplane.evaluation.outcomes import Bools, Outcome
from wordplane.evaluation.ranking_intervals import ranking_interval
from wordplane.evaluation.rankings import (
    label_ranking,
    ndcg_at,
    precision_at,
    ranked_gradient,
    recall_at,
)
from wordplane.evaluation.resampling import N_RESAMPLES, Cells, group_rows, resample_counts

ONE_LABEL = ("mcc", "kappa", "quadratic_kappa")
RANKED = ("ap", "auc")
AT_K = {"precision": precision_at, "recall": recall_at, "ndcg": ndcg_at}
OF_PROBABILITIES = ("log_loss", "lrap", "ndcg")
LOWER_IS_BETTER = ("log_loss",)
NOT_SHARES = ("log_loss", *ONE_LABEL)  # they may be below 0 or above 1
NAMES = (
    *METRICS, "quadratic_kappa", *OF_PROBABILITIES, "f1:LABEL", "ap:LABEL", "auc:LABEL",
    "precision@K", "recall@K", "ndcg@K",
)  # fmt: skip
MIN_RESAMPLES = 200
MAX_NUMBERS = 4e7  # of all resamples together, where every row counts for itself
EPS = float(np.finfo(np.float64).eps)

Counted = Callable[[FloatArray], FloatArray]  # resamples x rows -> one value for each


@frozen
class Metric:
    """A metric for the labels of an outcome: its full name, what it is, and of which label or how
    many of the likeliest.

    >>> Metric.of("ap", Outcome.of_labels(["ham", "ham", "spam"], ["ham"] * 3)).name
    'ap:spam'
    """

    name: str
    kind: str
    label: int | None = None
    k: int | None = None

    @classmethod
    def of(cls, name: str, outcome: Outcome) -> Self:
        """The metric with this name; an error if there is none, or none for such rows."""
        labels, n_rows = np.array(outcome.labels, dtype=object), outcome.n_rows()
        kind, at, number = name.partition("@")
        if at and kind in AT_K:
            return cls(name, f"{kind}@", k=_number_of_labels(name, number, len(labels)))
        kind = name.partition(":")[0]
        if kind in (F1, *RANKED) and (kind == name or ":" in name):
            label = numbered_label(name, kind, labels, n_rows)
            return cls(f"{kind}:{labels[label]}", kind, label)
        if name not in NAMES or ":" in name or "@" in name:
            raise InputError(
                f"`metric` is {name!r}{nearest(name, NAMES)}, expected one of {', '.join(NAMES)}"
            )
        if name in ONE_LABEL and outcome.multilabel:
            raise InputError(
                f"`metric` {name} compares classes, one per text, and these texts are multi-label: "
                "choose micro_f1, macro_f1 or another"
            )
        return cls(name, name)

    @property
    def of_probabilities(self) -> bool:
        """Whether probabilities count, not only the predicted labels."""
        return self.kind in (*OF_PROBABILITIES, *RANKED) or self.k is not None

    @property
    def is_ranking(self) -> bool:
        """Whether rows are ranked, of which the variance has a closed form."""
        return self.kind in RANKED

    def ranked(self, outcome: Outcome) -> tuple[Bools, FloatArray]:
        """Which rows have the label of a ranking, and its probability in each."""
        P = _probabilities(self.name, outcome)
        assert self.label is not None
        return outcome.member[:, self.label], P[:, self.label]

    def gradient(self, outcome: Outcome, weights: FloatArray | None = None) -> FloatArray:
        """How a ranking changes if a row counts more."""
        return ranked_gradient(self.kind, *self.ranked(outcome), weights)

    def bind(self, outcome: Outcome) -> Counted:
        """The metric as a function of how often each row of the outcome counts."""
        if self.kind == "quadratic_kappa":
            return _quadratic_kappa(outcome)
        if self.kind in RANKED:
            return _ranked(self, outcome)
        if not self.of_probabilities:
            return _of_labels(self, outcome)
        values = self.row_values(outcome)
        return lambda counts: ratio(counts @ values, counts.sum(axis=-1))

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean of a value of each row."""
        return self.of_probabilities and not self.is_ranking

    def row_values(self, outcome: Outcome) -> FloatArray:
        """What a metric of probabilities is the mean of."""
        P, member = _probabilities(self.name, outcome), outcome.member
        if self.kind == "log_loss":
            return _losses(outcome, P)
        if self.kind == "lrap":
            return label_ranking(member, P)
        if self.kind == "ndcg":
            return ndcg_at(member, P, P.shape[1])
        assert self.k is not None
        return AT_K[self.kind.rstrip("@")](member, P, self.k)


def is_higher_better(name: str) -> bool:
    """Whether a higher value of the metric is better."""
    return name not in LOWER_IS_BETTER


def metric_text(name: str, value: float) -> str:
    """The value of a metric as it is shown.

    >>> metric_text("log_loss", 0.25), metric_text("accuracy", 0.25)
    ('0.2500', '25.0%')
    """
    return f"{value:.4f}" if name == "log_loss" else f"{value:.1%}"


def difference_text(name: str, value: float) -> str:
    """A difference of two values as it is shown; in points, except of the log-loss.

    >>> difference_text("log_loss", 0.25), difference_text("accuracy", 0.25)
    ('+0.2500', '+25.0')
    """
    return f"{value:+.4f}" if name == "log_loss" else f"{100 * value:+.1f}"


@frozen
class Score:
    """A metric of some rows, and its 95 % interval; None for the log-loss of a single row or
    group."""

    metric: str
    value: float
    interval: Interval | None

    def __str__(self) -> str:
        if self.interval is None:
            return f"{metric_text(self.metric, self.value)} ({NO_INTERVAL})"
        low, high = (metric_text(self.metric, bound) for bound in self.interval)
        return f"{metric_text(self.metric, self.value)} (95 % interval {low} to {high})"


def score_by(
    name: str, outcome: Outcome, *, groups: IntArray | None = None, random_state: int = 0
) -> Score:
    """A metric of an outcome, with its 95 % interval: by resampling (of whole `groups`, if given),
    except that without groups accuracy has Wilson's, and rankings one of known variance.

    >>> score = score_by("f1", Outcome.of_labels(["ham", "ham", "spam"], ["ham", "spam", "spam"]))
    >>> score.metric, round(score.value, 3)
    ('f1:spam', 0.667)
    """
    metric = Metric.of(name, outcome)
    alike = group_outcomes(metric, [outcome], np.ones(len(outcome)), groups)
    (grouped,) = alike.outcomes
    measure = metric.bind(grouped)
    value = float(measure(alike.counts)[0])
    if not np.isfinite(value):
        raise InputError(f"`metric` {metric.name} needs rows with the label and rows without it")
    if metric.name == "accuracy" and groups is None:
        return Score(metric.name, value, wilson_interval(int(outcome.right.sum()), len(outcome)))
    if metric.is_ranking and groups is None:
        interval = ranking_interval(metric.kind, value, *metric.ranked(outcome))
        return Score(metric.name, value, interval)
    n = len(outcome) if metric.label is None else int(outcome.n_rows()[metric.label])
    rng = np.random.default_rng(random_state)
    resamples = resample_counts(alike.n_rows, resamples_for(metric, grouped), rng, alike.group)
    if metric.name == "macro_f1":
        count = count_labels(grouped)
        totals = count(alike.counts)
        draws = np.concatenate([totals.resampled_macro_f1(count(counts)) for counts in resamples])
    else:
        draws = np.concatenate([measure(counts) for counts in resamples])
    draws = draws[np.isfinite(draws)]
    if groups is not None:
        n = len(np.unique(groups))
        draws = spread_of_groups(draws, n)
    if metric.kind in ONE_LABEL:
        return Score(metric.name, value, correlation_interval(value, draws, n))
    if metric.kind in NOT_SHARES:
        return Score(metric.name, value, percentile_interval(draws) if n > 1 else None)
    if metric.name == "macro_f1":
        scale = n / len(outcome)
        rows = scale * totals.hits[0], scale * totals.either()[0]
        return Score(metric.name, value, macro_f1_interval(value, draws, n, *rows))
    return Score(metric.name, value, share_interval(value, draws, max(n, 1)))


def value_by(name: str, outcome: Outcome) -> float:
    """A metric of an outcome, without its interval.

    >>> value_by("kappa", Outcome.of_labels([1, 1, 2, 2], [1, 1, 2, 1]))
    0.5
    """
    measure = Metric.of(name, outcome).bind(outcome)
    return float(measure(np.ones((1, len(outcome))))[0])


def resamples_for(metric: Metric, outcome: Outcome, most: int = N_RESAMPLES) -> int:
    """How many resamples are drawn: fewer if there are very many rows."""
    width = 3 * len(outcome.labels) if outcome.multilabel and not metric.of_probabilities else 1
    if width == 1 and not metric.of_probabilities:
        return most
    work = len(outcome) * (1 + width / 100)  # a product of matrices takes little for each number
    return int(np.clip(MAX_NUMBERS / max(work, 1), MIN_RESAMPLES, most))


@dataclass(frozen=True, eq=False)
class Alike:
    """Outcomes of the same rows, one row for all that are alike in each; how many these are, and
    the weight of one."""

    outcomes: list[Outcome]
    n_rows: IntArray
    weight: FloatArray
    group: IntArray | None = None

    @property
    def counts(self) -> FloatArray:
        """How much all rows count, as `Metric.bind` takes it."""
        return (self.n_rows * self.weight)[None]


def group_outcomes(
    metric: Metric,
    outcomes: list[Outcome],
    weights: FloatArray,
    groups: IntArray | None = None,
) -> Alike:
    """Group the rows that are alike to a metric, and have the same weight (and group)."""
    first = outcomes[0]
    if metric.of_probabilities or first.multilabel:
        group = None if groups is None else np.unique(groups, return_inverse=True)[1]
        return Alike(outcomes, np.ones(len(first), np.int64), weights, group)
    columns = [first.true, *(outcome.predicted for outcome in outcomes)]
    cells: Cells = group_rows(columns, weights, groups)  # type: ignore[arg-type]
    true, *predicted = cells.codes
    grouped = [Outcome(o.labels, true, p) for o, p in zip(outcomes, predicted, strict=True)]
    return Alike(grouped, cells.n_rows, cells.weight, cells.group)


def _number_of_labels(name: str, number: str, n_labels: int) -> int:
    if not (number.isdecimal() and 1 <= int(number) <= n_labels):
        raise InputError(
            f"`metric` is {name!r}, expected a number of labels from 1 to {n_labels} after the @"
        )
    return int(number)


def _of_labels(metric: Metric, outcome: Outcome) -> Counted:
    named = NamedMetric(metric.name, metric.label)
    if outcome.multilabel and metric.name == "accuracy":
        right = outcome.right.astype(np.float64)
        return lambda counts: ratio(counts @ right, counts.sum(axis=-1))
    if not outcome.multilabel or metric.label is None:
        count = count_labels(outcome)
    else:
        named = NamedMetric(metric.name, 0)
        count = count_labels(outcome, slice(metric.label, metric.label + 1))
    return lambda counts: named.value(count(counts))


def count_labels(outcome: Outcome, columns: slice = slice(None)) -> Callable[[FloatArray], Totals]:
    """The totals of labels (of some columns, if rows have sets of them), by how much rows count."""
    true, predicted = outcome.true, outcome.predicted
    if not outcome.multilabel:
        n = len(outcome.labels)
        return lambda counts: totals_of(true, predicted, counts, n)  # type: ignore[arg-type]
    true, predicted = true[:, columns], predicted[:, columns]
    parts = [a.astype(np.float64) for a in (true & predicted, true, predicted)]
    return lambda counts: Totals(*(counts @ part for part in parts))


def _quadratic_kappa(outcome: Outcome) -> Counted:
    try:
        numbers = np.array([float(label) for label in outcome.labels])
    except ValueError:
        raise InputError(
            "`metric` quadratic_kappa is for labels that are numbers, such as stars: these are "
            f"{', '.join(map(repr, outcome.labels[:5]))}"
        ) from None
    t, p = numbers[outcome.true], numbers[outcome.predicted]
    columns = np.stack([t, p, t * t, p * p, t * p], axis=1)

    def value(counts: FloatArray) -> FloatArray:
        n = counts.sum(axis=-1)
        t, p, tt, pp, tp = np.moveaxis(counts @ columns, -1, 0) / n
        apart = tt + pp - 2 * t * p
        return np.where(apart > 0, 1 - ratio(tt + pp - 2 * tp, apart), 0.0)

    return value


def _ranked(metric: Metric, outcome: Outcome) -> Counted:
    """Average precision or AUC; NaN where all rows have the label or none has it."""
    member, z = metric.ranked(outcome)
    order = np.argsort(-z, kind="stable")
    positive = member[order].astype(np.float64)
    ends = np.append(np.flatnonzero(np.diff(z[order])), len(z) - 1)

    def value(counts: FloatArray) -> FloatArray:
        counts = counts[..., order]
        tp = np.cumsum(counts * positive, axis=-1)[..., ends]
        above = np.cumsum(counts, axis=-1)[..., ends]
        fp, new = above - tp, np.diff(tp, prepend=0.0, axis=-1)
        n_positive, n_negative = tp[..., -1], fp[..., -1]
        if metric.kind == "ap":
            area, whole = (new * ratio(tp, above)).sum(axis=-1), n_positive
        else:
            new_fp = np.diff(fp, prepend=0.0, axis=-1)
            area, whole = (new_fp * (tp - new / 2)).sum(axis=-1), n_positive * n_negative
        defined = (n_positive > 0) & (n_negative > 0)
        return np.where(defined, ratio(area, whole), np.nan)

    return value


def _losses(outcome: Outcome, P: FloatArray) -> FloatArray:
    if not outcome.multilabel:
        return row_losses(outcome.true, P)  # type: ignore[arg-type]
    p = np.where(outcome.true, P, 1 - P)
    return np.asarray(-np.log(np.clip(p, EPS, 1.0)).mean(axis=1))


def _probabilities(name: str, outcome: Outcome) -> FloatArray:
    if outcome.probabilities is None:
        raise InputError(f"`metric` {name} needs probabilities, and only labels are given")
    return outcome.probabilities
