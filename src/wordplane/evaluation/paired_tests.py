"""Are two systems, run on the same rows, distinguishable?

    McNemar           If the systems are equally good, each should be right on half of the rows on
                      which exactly one of them is right: a binomial test with p = 1/2. The mid-p
                      version counts half of the probability of the observed numbers; it keeps the
                      level nearly everywhere and is less conservative than the exact test.
                      Rows of a group are not independent; there, with d_g the rows of group g that
                      only A gets right minus those that only B does, (sum d_g)^2 / sum d_g^2 is
                      chi-squared. If each group is one row, this is McNemar's (A - B)^2 / (A + B).
    paired bootstrap  The difference in resamples of the rows, with both systems on the same rows.
    randomization     If the systems are the same, a coin could decide which prediction of a row
                      comes from which system: p = (1 + r) / (1 + R), where r of R tosses for all
                      rows have a difference at least as large as the observed one.
    jackknife         Of rankings (AP, AUC): t = difference / its standard error, which is known in
                      closed form (see `ranking_intervals`); of the AUC that is DeLong's test.

To a metric of labels, rows with the same true label, the same two predictions and the same weight
are interchangeable, so resamples are drawn as multinomial and tosses as binomial counts of such
cells, which is exact.

References: McNemar (1947); Noreen (1989); Efron and Tibshirani (1993); Fagerland, Lydersen and
Laake (2013), BMC Medical Research Methodology 13:91; Durkalski et al. (2003), Statistics in
Medicine 22, on groups.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.html import html_paragraph, html_table
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import check_share, label_codes
from wordplane.evaluation.intervals import Interval, percentile_interval, spread_of_groups
from wordplane.evaluation.measures import (
    RANKED,
    Alike,
    Metric,
    difference_text,
    group_outcomes,
    is_higher_better,
    metric_text,
    resamples_for,
)
from wordplane.evaluation.outcomes import Outcome, align
from wordplane.evaluation.ranking_intervals import Spread
from wordplane.evaluation.resampling import N_RESAMPLES, resample_counts

_BATCH_NUMBERS = 1_000_000  # that are in memory at a time


@dataclass(frozen=True)
class McNemar:
    """The numbers of rows on which exactly one system is right, and their p-values."""

    only_a: int
    only_b: int
    p_exact: float
    p_mid: float
    chi2: float
    p_chi2: float


def mcnemar(only_a: int, only_b: int) -> McNemar:
    """McNemar's test: `only_a` rows are right in A only, `only_b` rows in B only.

    chi2 has Edwards' continuity correction.

    >>> test = mcnemar(5, 15)
    >>> round(test.p_exact, 4), round(test.p_mid, 4), test.chi2, round(test.p_chi2, 4)
    (0.0414, 0.0266, 4.05, 0.0442)
    """
    if only_a < 0 or only_b < 0:
        raise InputError(
            f"only_a is {only_a} and only_b is {only_b}, expected numbers of 0 or more"
        )
    n, least = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return McNemar(0, 0, 1.0, 1.0, 0.0, 1.0)
    k = np.arange(1, least + 1)
    log_binomial = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))]) - n * np.log(2.0)
    probability = np.exp(log_binomial)
    exact = min(1.0, 2 * float(probability.sum()))
    mid = min(1.0, 2 * float(probability.sum()) - float(probability[-1]))
    chi2 = max(abs(only_a - only_b) - 1, 0) ** 2 / n
    return McNemar(only_a, only_b, exact, mid, chi2, erfc(sqrt(chi2 / 2)))


def mcnemar_by_groups(
    right_a: NDArray[np.bool_], right_b: NDArray[np.bool_], groups: IntArray
) -> float:
    """The p-value of the chi-squared test by groups, from which rows A and B get right.

    >>> a, b = np.array([1, 1, 1, 0]) > 0, np.array([0, 0, 0, 1]) > 0
    >>> round(mcnemar_by_groups(a, b, np.array([0, 1, 2, 3])), 4)  # (3 - 1)^2 / (3 + 1) = 1
    0.3173
    >>> round(mcnemar_by_groups(a, b, np.array([0, 0, 0, 1])), 4)  # (3 - 1)^2 / (9 + 1) = 0.4
    0.5271
    """
    numbers = np.unique(groups, return_inverse=True)[1]
    d = np.bincount(numbers, right_a.astype(np.float64) - right_b)
    squares = float(d @ d)
    return erfc(sqrt(float(d.sum()) ** 2 / squares / 2)) if squares > 0 else 1.0


def holm(p_values: Sequence[float]) -> FloatArray:
    """The p-values of several tests, adjusted for their number by Holm's method.

    The smallest is multiplied by m, the next by m - 1 and so on, and they never decrease. By
    chance alone, any of them is below 0.05 in at most 5 % of such families of tests.

    Reference: Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


@dataclass(frozen=True)
class PairedComparison:
    """The result of `compare_predictions` and `compare_outcomes`; as a string, one sentence."""

    names: tuple[str, str]
    metric: str
    n: int
    a: float
    b: float
    difference: float
    interval: Interval
    p_bootstrap: float
    p_randomization: float
    mcnemar: McNemar
    test: str
    p: float
    level: float

    @property
    def distinguishable(self) -> bool:
        """Whether so large a difference is too rare for equal systems: p < 1 - level."""
        return self.p < 1 - self.level

    @property
    def is_worse(self) -> bool:
        """Whether B is distinguishably worse than A."""
        gain = self.difference if is_higher_better(self.metric) else -self.difference
        return self.distinguishable and gain < 0

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {**asdict(self), "distinguishable": self.distinguishable}

    def _repr_html_(self) -> str:
        """For notebooks: the sentence, and both systems."""
        both = zip(self.names, (self.a, self.b), strict=True)
        lines = [(name, metric_text(self.metric, value)) for name, value in both]
        return html_paragraph(str(self)) + html_table(["", self.metric.replace("_", " ")], lines)

    def __str__(self) -> str:
        a, b = self.names
        low, difference, high = (
            difference_text(self.metric, value)
            for value in (self.interval[0], self.difference, self.interval[1])
        )
        points = "" if self.metric == "log_loss" else " points"
        verdict = "distinguishable" if self.distinguishable else "not distinguishable"
        values = " and ".join(metric_text(self.metric, value) for value in (self.a, self.b))
        return (
            f"{a} and {b} are {verdict} on {self.n:,} rows: {self.metric.replace('_f1', ' F1')} "
            f"{values}, difference {difference}{points} "
            f"({self.level:.0%} interval {low} to {high}), "
            f"p = {self.p:.2g} ({self.test})."
        )


def compare_predictions(
    y_true: LabelsLike,
    pred_a: LabelsLike,
    pred_b: LabelsLike,
    *,
    metric: str = "accuracy",
    sample_weight: WeightsLike = None,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> PairedComparison:
    """Compare the labels that two systems, A and B, predicted for the same rows.

    Parameters
    ----------
    y_true, pred_a, pred_b
        The labels, one per row.
    metric
        One of predicted labels, such as "accuracy", "macro_f1", "mcc" or "f1:spam". The verdict
        comes from McNemar's mid-p for accuracy without weights, and from approximate
        randomization otherwise.
    sample_weight
        How much each row counts.
    names
        The names of the systems in the sentence.
    level
        The level of the interval of the difference (B minus A); the verdict uses 1 - level.
    n_resamples, random_state
        The number of bootstrap resamples and of tosses, and their seed.

    >>> truth = ["spam", "ham"] * 50
    >>> a = ["spam", "ham"] * 40 + ["ham", "spam"] * 10
    >>> b = ["spam", "ham"] * 47 + ["ham", "spam"] * 3
    >>> print(compare_predictions(truth, a, b))
    A and B are distinguishable on 100 rows: accuracy 80.0% and 94.0%, difference +14.0 points
    (95% interval +7.0 to +21.0), p = 6.1e-05 (McNemar, mid-p).
    """
    labels, (true, a, b) = label_codes(y_true, pred_a, pred_b)
    return compare_outcomes(
        Outcome(labels, true, a),
        Outcome(labels, true, b),
        metric=metric,
        sample_weight=sample_weight,
        names=names,
        level=level,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def compare_outcomes(
    a: Outcome,
    b: Outcome,
    *,
    metric: str = "accuracy",
    sample_weight: WeightsLike = None,
    groups: IntArray | None = None,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> PairedComparison:
    """The same for what two systems said of the same rows, by any metric: see `measures`.

    With `groups`, whole groups are resampled and tossed for; the verdict comes from McNemar's test
    by groups for accuracy without weights, and otherwise from the bootstrap of groups. Then
    `mcnemar` still counts rows, and is not what the verdict is by.

    With many rows, a metric of probabilities has fewer resamples and tosses. Rankings (AP, AUC) are
    compared by the jackknife, and have neither.

    >>> P = np.array([[0.9, 0.1], [0.4, 0.6]] * 30)
    >>> sure = Outcome.of_labels([0, 1] * 30, [0, 1] * 30, P, [0, 1])
    >>> unsure = Outcome.of_labels([0, 1] * 30, [0, 1] * 30, P / 2 + 0.25, [0, 1])
    >>> compare_outcomes(sure, unsure, metric="log_loss").is_worse
    True
    """
    check_share(level, "level")
    a, b = align(a, b)
    named = Metric.of(metric, a)
    weights = as_weights(sample_weight, len(a))
    alike = group_outcomes(named, [a, b], weights, groups)
    n_resamples = resamples_for(named, a, n_resamples)
    value_a, value_b = _values(alike, named)
    if not np.isfinite(value_a - value_b):
        raise InputError(f"`metric` {named.name} needs rows with the label and rows without it")
    difference = value_b - value_a
    test = _mcnemar_of(a, b)
    if named.is_ranking:
        spread = _difference_spread(a, b, named, weights, groups)
        p = p_bootstrap = p_randomization = spread.p_value(difference)
        interval = spread.difference_interval(difference, level)
    else:
        rng = np.random.default_rng(random_state)
        resampled = _bootstrap_differences(alike, named, n_resamples, rng)
        tossed = _randomized_differences(alike, named, n_resamples, rng)
        p_randomization = _share_as_large(tossed, difference)
        p_bootstrap = _share_of_other_sign(resampled, n_resamples)
        p = p_randomization if groups is None else p_bootstrap
        if groups is not None:
            resampled = spread_of_groups(resampled, len(np.unique(groups)))
        interval = percentile_interval(resampled, level)
    weighted = sample_weight is not None
    if named.name == "accuracy" and not weighted:
        p = test.p_mid if groups is None else mcnemar_by_groups(a.right, b.right, groups)
    return PairedComparison(
        names=names,
        metric=named.name,
        n=len(a),
        a=value_a,
        b=value_b,
        difference=difference,
        interval=interval,
        p_bootstrap=p_bootstrap,
        p_randomization=p_randomization,
        mcnemar=test,
        test=name_of_test(named.name, by_groups=groups is not None, weighted=weighted),
        p=p,
        level=level,
    )


def name_of_test(metric: str, *, by_groups: bool = False, weighted: bool = False) -> str:
    """How the verdict of `compare_outcomes` comes about.

    >>> name_of_test("accuracy"), name_of_test("ap:spam"), name_of_test("mcc")
    ('McNemar, mid-p', 'jackknife', 'approximate randomization')
    """
    if metric == "accuracy" and not weighted:
        return "McNemar, whole groups" if by_groups else "McNemar, mid-p"
    is_ranking = metric.partition(":")[0] in RANKED
    if by_groups:
        return f"{'jackknife' if is_ranking else 'bootstrap'} of whole groups"
    return "jackknife" if is_ranking else "approximate randomization"


def paired_p_value(
    a: Outcome,
    b: Outcome,
    *,
    metric: str = "accuracy",
    groups: IntArray | None = None,
    variance: float = 1.0,
    random_state: int = 0,
) -> float:
    """That of the verdict of `compare_outcomes`, and no more. With `groups`, McNemar's test of
    whole groups, or twice the share of resampled groups whose difference has the other sign. The
    difference is taken to vary so many times (`variance`) as much as the rows alone make it vary.

    >>> outcome = Outcome.of_labels([1, 2, 2], [1, 2, 1])
    >>> paired_p_value(outcome, outcome, metric="macro_f1")
    1.0
    """
    if metric == "accuracy" and groups is not None:
        return _weaken(mcnemar_by_groups(a.right, b.right, groups), variance)
    if metric == "accuracy":
        return _weaken(_mcnemar_of(a, b).p_mid, variance)
    a, b = align(a, b)
    named = Metric.of(metric, a)
    alike = group_outcomes(named, [a, b], np.ones(len(a)), groups)
    value_a, value_b = _values(alike, named)
    if named.is_ranking:
        spread = _difference_spread(a, b, named, groups=groups)
        return replace(spread, error=sqrt(variance) * spread.error).p_value(value_b - value_a)
    n_tosses, rng = resamples_for(named, a), np.random.default_rng(random_state)
    if groups is not None:
        resampled = _bootstrap_differences(alike, named, n_tosses, rng)
        center = resampled.mean()
        wider = center + sqrt(variance) * (resampled - center)
        return _share_of_other_sign(wider, len(wider))
    tossed = sqrt(variance) * _randomized_differences(alike, named, n_tosses, rng)
    return _share_as_large(tossed, value_b - value_a)


def _mcnemar_of(a: Outcome, b: Outcome) -> McNemar:
    return mcnemar(int((a.right & ~b.right).sum()), int((b.right & ~a.right).sum()))


def _values(alike: Alike, metric: Metric) -> tuple[float, float]:
    """The metric of both systems."""
    a, b = (float(metric.bind(outcome)(alike.counts)[0]) for outcome in alike.outcomes)
    return a, b


def _weaken(p: float, variance: float) -> float:
    """The p-value of a normal deviate whose variance is so many times as large."""
    if variance == 1 or p >= 1:
        return p
    from scipy.special import erfcinv

    return erfc(float(erfcinv(p)) / sqrt(variance))


def _share_as_large(tossed: FloatArray, difference: float) -> float:
    """The p-value of a difference, given those after tosses."""
    as_large = int((np.abs(tossed) >= abs(difference) - 1e-12).sum())
    return (1 + as_large) / (1 + len(tossed))


def _share_of_other_sign(resampled: FloatArray, n_resamples: int) -> float:
    """Twice the share of resamples whose difference has the other sign."""
    other = min(int((resampled <= 0).sum()), int((resampled >= 0).sum()))
    return min(1.0, 2 * (1 + other) / (1 + n_resamples))


def _difference_spread(
    a: Outcome,
    b: Outcome,
    metric: Metric,
    weights: FloatArray | None = None,
    groups: IntArray | None = None,
) -> Spread:
    """The error of the difference of two rankings of the same rows."""
    change = metric.gradient(b, weights) - metric.gradient(a, weights)
    positive = metric.ranked(a)[0]
    if groups is not None:
        return Spread.of_groups(change, positive, groups)
    return Spread.of_rows(change, positive, np.ones(len(a)) if weights is None else weights)


def _bootstrap_differences(
    alike: Alike, metric: Metric, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    of_a, of_b = (metric.bind(outcome) for outcome in alike.outcomes)
    differences = []
    for counts in resample_counts(alike.n_rows, n_resamples, rng, alike.group):
        weight = counts * alike.weight
        differences.append(of_b(weight) - of_a(weight))
    drawn = np.concatenate(differences)
    return drawn[np.isfinite(drawn)]


def _randomized_differences(
    alike: Alike, metric: Metric, n_tosses: int, rng: np.random.Generator
) -> FloatArray:
    """Differences after a coin has decided for each row, or for each group, whether to swap its two
    predictions."""
    a, b = alike.outcomes
    if metric.is_mean:
        gain = (metric.row_values(b) - metric.row_values(a)) * alike.weight / alike.weight.sum()
        if alike.group is not None:
            gain = np.bincount(alike.group, gain)
        return _signed_sums(gain, n_tosses, rng)
    measure, n_rows = metric.bind(a.join(b)), alike.n_rows
    weight = np.concatenate([alike.weight, alike.weight])
    differences = []
    step = max(1, _BATCH_NUMBERS // len(n_rows))
    for start in range(0, n_tosses, step):
        n = min(step, n_tosses - start)
        if alike.group is None:
            swapped = rng.binomial(n_rows, 0.5, size=(n, len(n_rows)))
        else:
            coins = rng.integers(0, 2, size=(n, int(alike.group.max()) + 1))
            swapped = coins[:, alike.group] * n_rows
        first = measure(np.concatenate([n_rows - swapped, swapped], axis=1) * weight)
        second = measure(np.concatenate([swapped, n_rows - swapped], axis=1) * weight)
        differences.append(second - first)
    return np.concatenate(differences)


def _signed_sums(values: FloatArray, n_tosses: int, rng: np.random.Generator) -> FloatArray:
    """The sum of the values after a coin has decided the sign of each."""
    sums, step = [], max(1, 8 * _BATCH_NUMBERS // len(values))
    for start in range(0, n_tosses, step):
        n = min(step, n_tosses - start)
        tosses = rng.integers(0, 256, size=(n, -(-len(values) // 8)), dtype=np.uint8)
        heads = np.unpackbits(tosses, axis=1, count=len(values)).astype(np.float64)
        sums.append(values.sum() - 2 * (heads @ values))
    return np.concatenate(sums)
