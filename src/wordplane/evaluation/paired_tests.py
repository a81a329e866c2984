"""Are two systems, run on the same rows, distinguishable?

    McNemar          of the rows on which exactly one of the two is right, each system should have
                     half if they were equally good: a binomial test with p = 1/2. The mid-p
                     version counts half of the probability of what was seen; it keeps the level
                     nearly everywhere and is less timid than the exact test.
    paired bootstrap the difference in resamples of the rows, both systems on the same rows
    randomisation    if the systems were the same, which of its two predictions a row has from
                     which would be a coin toss: p = (1 + r) / (1 + R), r of R tosses of all
                     rows with a difference at least as large as the one seen

Rows with the same true label, the same two predictions and the same weight are alike, so
resamples are drawn as multinomial and tosses as binomial counts of such cells, exactly.

References: McNemar (1947); Noreen (1989); Efron and Tibshirani (1993); Fagerland, Lydersen and
Laake (2013), BMC Medical Research Methodology 13:91.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import erfc, sqrt
from typing import Any

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_paragraph, html_table
from wordplane.evaluation.arrays import Floats, as_weights, check_share, label_codes
from wordplane.evaluation.confusion import Totals, totals_of
from wordplane.evaluation.intervals import Interval, percentile_interval
from wordplane.evaluation.resampling import N_RESAMPLES, Cells, cells_of, resampled_counts

METRICS: dict[str, Callable[[Totals], Floats]] = {
    "accuracy": lambda totals: totals.accuracy(),
    "macro_f1": lambda totals: totals.macro(totals.f()),
}


@dataclass(frozen=True)
class McNemar:
    """The rows on which exactly one system is right, and how surprising the numbers are."""

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
        raise InputError(f"{only_a} and {only_b} rows: expected numbers of 0 or more")
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


def holm(p_values: Any) -> Floats:
    """The p-values of several tests, such that one below 0.05 is seen by chance in no more than
    5 % of such families of tests: the smallest times m, the next times m - 1 ..., never falling.

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
class Comparison:
    """What `compare` found; as a string, one sentence."""

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
        """Whether a difference as large as this is too rare among equals: p < 1 - level."""
        return self.p < 1 - self.level

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {**asdict(self), "distinguishable": self.distinguishable}

    def _repr_html_(self) -> str:
        """For notebooks: the sentence, and both systems."""
        both = zip(self.names, (self.a, self.b), strict=True)
        lines = [(name, f"{value:.1%}") for name, value in both]
        return html_paragraph(str(self)) + html_table(["", self.metric.replace("_", " ")], lines)

    def __str__(self) -> str:
        (a, b), (low, high) = self.names, self.interval
        found = "distinguishable" if self.distinguishable else "not distinguishable"
        return (
            f"{a} and {b} are {found} on {self.n:,} rows: {self.metric.replace('_f1', ' F1')} "
            f"{self.a:.1%} and {self.b:.1%}, difference {100 * self.difference:+.1f} points "
            f"({self.level:.0%} interval {100 * low:+.1f} to {100 * high:+.1f}), "
            f"p = {self.p:.2g} ({self.test})."
        )


def compare(
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    *,
    metric: str = "accuracy",
    sample_weight: Any = None,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> Comparison:
    """Compare the labels that two systems, A and B, predicted for the same rows.

    Parameters
    ----------
    y_true, pred_a, pred_b
        The labels, one per row.
    metric
        "accuracy" or "macro_f1". The verdict is McNemar's mid-p for an accuracy without weights,
        and approximate randomisation for all else.
    sample_weight
        How much each row counts.
    names
        What the sentence calls the systems.
    level
        Of the interval of the difference (B less A), and 1 - level of the verdict.
    n_resamples, random_state
        Of the paired bootstrap and of the randomisation.

    >>> truth = ["spam", "ham"] * 50
    >>> a = ["spam", "ham"] * 40 + ["ham", "spam"] * 10
    >>> b = ["spam", "ham"] * 47 + ["ham", "spam"] * 3
    >>> print(compare(truth, a, b))
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
    cells = cells_of([true, a, b], weights)
    rng = np.random.default_rng(random_state)
    resampled = _resampled_differences(cells, measure, n_classes, n_resamples, rng)
    tossed = _tossed_differences(cells, measure, n_classes, n_resamples, rng)
    below, above = int((resampled <= 0).sum()), int((resampled >= 0).sum())
    as_large = int((np.abs(tossed) >= abs(difference) - 1e-12).sum())
    p_randomisation = (1 + as_large) / (1 + n_resamples)
    right_a, right_b = a == true, b == true
    of_mcnemar = mcnemar(int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum()))
    exact = metric == "accuracy" and sample_weight is None
    return Comparison(
        names=names,
        metric=metric,
        n=len(true),
        a=value_a,
        b=value_b,
        difference=difference,
        interval=percentile_interval(resampled, level),
        p_bootstrap=min(1.0, 2 * (1 + min(below, above)) / (1 + n_resamples)),
        p_randomisation=p_randomisation,
        mcnemar=of_mcnemar,
        test="McNemar, mid-p" if exact else "approximate randomisation",
        p=of_mcnemar.p_mid if exact else p_randomisation,
        level=level,
    )


def _resampled_differences(
    cells: Cells,
    measure: Callable[[Totals], Floats],
    n_classes: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> Floats:
    true, a, b = cells.codes
    differences = []
    for counts in resampled_counts(cells.n_rows, n_resamples, rng):
        weight = counts * cells.weight
        values_a = measure(totals_of(true, a, weight, n_classes))
        differences.append(measure(totals_of(true, b, weight, n_classes)) - values_a)
    return np.concatenate(differences)


def _tossed_differences(
    cells: Cells,
    measure: Callable[[Totals], Floats],
    n_classes: int,
    n_tosses: int,
    rng: np.random.Generator,
) -> Floats:
    """Differences after the two predictions of each row were swapped, or not, by a coin."""
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
