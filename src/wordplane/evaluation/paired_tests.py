"""Are two systems, run on the same rows, distinguishable?

    McNemar           If the systems are equally good, each should be right on half of the rows on
                      which exactly one of them is right: a binomial test with p = 1/2. The mid-p
                      version counts half of the probability of the observed numbers; it keeps the
                      level nearly everywhere and is less conservative than the exact test.
    paired bootstrap  The difference in resamples of the rows, with both systems on the same rows.
    randomization     If the systems are the same, a coin could decide which prediction of a row
                      comes from which system: p = (1 + r) / (1 + R), where r of R tosses for all
                      rows have a difference at least as large as the observed one.

Rows with the same true label, the same two predictions and the same weight are interchangeable, so
resamples are drawn as multinomial and tosses as binomial counts of such cells, which is exact.

References: McNemar (1947); Noreen (1989); Efron and Tibshirani (1993); Fagerland, Lydersen and
Laake (2013), BMC Medical Research Methodology 13:91.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import erfc, sqrt

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_paragraph, html_table
from wordplane.common.types import FloatArray, JsonObject, LabelsLike, WeightsLike
from wordplane.evaluation.arrays import as_weights, check_share, label_codes
from wordplane.evaluation.confusion import Totals, totals_of
from wordplane.evaluation.intervals import Interval, percentile_interval
from wordplane.evaluation.resampling import N_RESAMPLES, Cells, group_rows, resample_counts

METRICS: dict[str, Callable[[Totals], FloatArray]] = {
    "accuracy": lambda totals: totals.accuracy(),
    "macro_f1": lambda totals: totals.macro(totals.f()),
}


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
    """The result of `compare_predictions`; as a string, one sentence."""

    names: tuple[str, str]
    metric: str
    n: int
    a: float
    b: float
    difference: float
    interval: Interval
    p_bootstrap: float
    p_randomisation: float
    mcnemar: McNemar
    test: str
    p: float
    level: float

    @property
    def distinguishable(self) -> bool:
        """Whether so large a difference is too rare for equal systems: p < 1 - level."""
        return self.p < 1 - self.level

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {**asdict(self), "distinguishable": self.distinguishable}

    def _repr_html_(self) -> str:
        """For notebooks: the sentence, and both systems."""
        both = zip(self.names, (self.a, self.b), strict=True)
        lines = [(name, f"{value:.1%}") for name, value in both]
        return html_paragraph(str(self)) + html_table(["", self.metric.replace("_", " ")], lines)

    def __str__(self) -> str:
        (a, b), (low, high) = self.names, self.interval
        verdict = "distinguishable" if self.distinguishable else "not distinguishable"
        return (
            f"{a} and {b} are {verdict} on {self.n:,} rows: {self.metric.replace('_f1', ' F1')} "
            f"{self.a:.1%} and {self.b:.1%}, difference {100 * self.difference:+.1f} points "
            f"({self.level:.0%} interval {100 * low:+.1f} to {100 * high:+.1f}), "
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
        "accuracy" or "macro_f1". The verdict comes from McNemar's mid-p for accuracy without
        weights, and from approximate randomization otherwise.
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
    if metric not in METRICS:
        raise InputError(f"metric is {metric!r}, expected one of {', '.join(METRICS)}")
    check_share(level, "level")
    labels, (true, a, b) = label_codes(y_true, pred_a, pred_b)
    weights = as_weights(sample_weight, len(true))
    measure, n_classes = METRICS[metric], len(labels)
    value_a, value_b = (float(measure(totals_of(true, p, weights, n_classes))) for p in (a, b))
    difference = value_b - value_a
    cells = group_rows([true, a, b], weights)
    rng = np.random.default_rng(random_state)
    resampled = _bootstrap_differences(cells, measure, n_classes, n_resamples, rng)
    tossed = _randomized_differences(cells, measure, n_classes, n_resamples, rng)
    below, above = int((resampled <= 0).sum()), int((resampled >= 0).sum())
    as_large = int((np.abs(tossed) >= abs(difference) - 1e-12).sum())
    p_randomisation = (1 + as_large) / (1 + n_resamples)
    right_a, right_b = a == true, b == true
    test = mcnemar(int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum()))
    exact = metric == "accuracy" and sample_weight is None
    return PairedComparison(
        names=names,
        metric=metric,
        n=len(true),
        a=value_a,
        b=value_b,
        difference=difference,
        interval=percentile_interval(resampled, level),
        p_bootstrap=min(1.0, 2 * (1 + min(below, above)) / (1 + n_resamples)),
        p_randomisation=p_randomisation,
        mcnemar=test,
        test="McNemar, mid-p" if exact else "approximate randomization",
        p=test.p_mid if exact else p_randomisation,
        level=level,
    )


def _bootstrap_differences(
    cells: Cells,
    measure: Callable[[Totals], FloatArray],
    n_classes: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    true, a, b = cells.codes
    differences = []
    for counts in resample_counts(cells.n_rows, n_resamples, rng):
        weight = counts * cells.weight
        values_a = measure(totals_of(true, a, weight, n_classes))
        differences.append(measure(totals_of(true, b, weight, n_classes)) - values_a)
    return np.concatenate(differences)


def _randomized_differences(
    cells: Cells,
    measure: Callable[[Totals], FloatArray],
    n_classes: int,
    n_tosses: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Differences after a coin has decided for each row whether to swap its two predictions."""
    true, a, b = cells.codes
    twice, first, second = (np.concatenate(pair) for pair in ((true, true), (a, b), (b, a)))
    differences = []
    step = max(1, 1_000_000 // len(true))
    for start in range(0, n_tosses, step):
        size = (min(step, n_tosses - start), len(true))
        swapped = rng.binomial(cells.n_rows, 0.5, size=size)
        counts = np.concatenate([cells.n_rows - swapped, swapped], axis=1)
        weight = counts * np.concatenate([cells.weight, cells.weight])
        values_a = measure(totals_of(twice, first, weight, n_classes))
        differences.append(measure(totals_of(twice, second, weight, n_classes)) - values_a)
    return np.concatenate(differences)
