"""Intervals cover what they say they cover; resampled cells are the bootstrap.

Tests of wordplane.evaluation.intervals and wordplane.evaluation.resampling.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.evaluation.curves import precision_recall, roc
from wordplane.evaluation.intervals import (
    fold_interval,
    macro_f1_interval,
    percentile_interval,
    share_interval,
    t_quantile,
    wilson_interval,
)
from wordplane.evaluation.label_scores import log_loss, resample_means, score
from wordplane.evaluation.measures import score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.resampling import class_sums, group_rows, resample_counts
from wordplane.evaluation.set_scores import score_sets


@given(st.integers(1, 500), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_equals_scipy(n, share, level):
    k = round(n * share)
    expected = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert wilson_interval(k, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("n", [10, 50, 200, 1000])
def test_wilson_covers(n):
    """By summing the binomial distribution: no simulation. On average 95 %, and for n >= 200
    between 93 % and 97 % at every share from 0.6 to 0.95."""
    intervals = np.array([wilson_interval(k, n) for k in range(n + 1)])
    coverage = []
    for p in np.linspace(0.6, 0.95, 71):
        inside = (intervals[:, 0] <= p) & (p <= intervals[:, 1])
        coverage.append(stats.binom.pmf(np.arange(n + 1), n, p)[inside].sum())
    assert np.mean(coverage) == pytest.approx(0.95, abs=0.01)
    if n >= 200:
        assert 0.93 <= min(coverage) <= max(coverage) <= 0.97


@pytest.mark.parametrize("k, n, level", [(-1, 5, 0.95), (6, 5, 0.95), (0, 0, 0.95), (1, 2, 1.0)])
def test_wilson_refuses(k, n, level):
    with pytest.raises(InputError):
        wilson_interval(k, n, level)


def test_share_interval_of_an_accuracy_is_wilsons():
    draws = np.random.default_rng(0).binomial(300, 0.9, 200_000) / 300
    assert share_interval(0.9, draws, 300) == pytest.approx(wilson_interval(270, 300), abs=3e-4)


def test_share_interval_takes_off_the_bias_but_holds_the_value():
    draws = np.array([0.68, 0.70, 0.72])  # below 0.8: so the value is itself too low
    low, high = share_interval(0.8, draws, 100)
    assert low == 0.8
    assert high > 0.9


def test_a_perfect_score_of_few_rows_is_not_certain():
    scores = score(["a", "b"] * 5, ["a", "b"] * 5)
    assert scores.macro_f1_interval == scores.interval == wilson_interval(10, 10)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.5, 1.0, 2.0]))))
def test_cells(rows):
    rows = rows or [(0, 0, 1.0)]
    a, b, w = (np.array(column) for column in zip(*rows, strict=True))
    cells = group_rows([a, b], w)
    found = list(zip(*(c.tolist() for c in cells.codes), cells.weight.tolist(), strict=True))
    assert dict(zip(found, cells.n_rows.tolist(), strict=True)) == {
        cell: rows.count(cell) for cell in set(rows)
    }
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("n_rows", [[400, 300, 200, 100], [1, 2, 3, 4]])  # cells drawn; rows drawn
def test_resampled_counts_are_multinomial(n_rows):
    n_rows = np.array(n_rows)
    n, rng = n_rows.sum(), np.random.default_rng(0)
    counts = np.concatenate(list(resample_counts(n_rows, 40_000, rng)))
    assert counts.shape == (40_000, 4)
    assert (counts.sum(axis=1) == n).all()
    p = n_rows / n
    covariance = n * (np.diag(p) - np.outer(p, p))
    assert counts.mean(axis=0) == pytest.approx(n_rows, rel=0.01)
    assert np.cov(counts.T) == pytest.approx(covariance, abs=0.03 * covariance.max())


def test_class_sums_with_absent_classes():
    values = np.arange(6.0).reshape(2, 3)
    assert class_sums(values, np.array([3, 1, 3]), 5).tolist() == [[0, 1, 0, 2, 0], [0, 4, 0, 8, 0]]
    assert class_sums(values[:, :0], np.array([], int), 2).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("weighted", [False, True])
def test_means_are_resampled(weighted):
    rng = np.random.default_rng(1)
    values = rng.exponential(size=200)
    weights = rng.integers(1, 4, 200).astype(float) if weighted else np.ones(200)
    draws = resample_means(values, weights, 4000, rng)
    mean = np.average(values, weights=weights)
    error = np.sqrt(np.sum((weights * (values - mean)) ** 2)) / weights.sum()
    assert draws.mean() == pytest.approx(mean, abs=4 * error / np.sqrt(4000) + 0.003)
    assert draws.std() == pytest.approx(error, rel=0.05)


def test_log_loss_of_many_rows():
    """Above 20,000 rows the interval is normal; rows of weight 0 do not count."""
    rng = np.random.default_rng(3)
    p = rng.beta(2, 1, 20_001)
    P, y = np.column_stack([p, 1 - p]), np.zeros(20_001, int)
    loss, normal = log_loss(y, P)
    _, resampled = log_loss(y, P, sample_weight=np.arange(20_001) > 0)
    assert normal[0] < loss < normal[1]
    assert normal == pytest.approx(resampled, abs=5e-4)


def test_weighted_accuracy_interval():
    """Weights of 1 and no weights are the same thing, up to the bootstrap's own error."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 500)
    p = np.where(rng.random(500) < 0.8, y, (y + 1) % 3)
    plain, weighted = score(y, p), score(y, p, sample_weight=np.ones(500))
    assert weighted.interval == pytest.approx(plain.interval, abs=0.004)
    assert weighted.macro_f1_interval == plain.macro_f1_interval


def test_same_seed_same_interval():
    y, p = ["a", "b"] * 30, ["a", "a", "b", "b"] * 15
    assert score(y, p).to_dict() == score(y, p).to_dict()
    assert score(y, p).macro_f1_interval != score(y, p, random_state=1).macro_f1_interval


def classifier_table(n_classes, accuracy, falling):
    """P(true, predicted) of a classifier that is right with this probability in every class."""
    shares = 0.5 ** np.arange(n_classes) if falling else np.ones(n_classes)
    shares = shares / shares.sum()
    wrong = (1 - accuracy) / (n_classes - 1)
    table = np.full((n_classes, n_classes), wrong)
    np.fill_diagonal(table, accuracy)
    return table * shares[:, None]


def macro_f1_of(table):
    return np.mean(2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1)))


@pytest.mark.soak
@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("accuracy", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("n", [200, 1000])
def test_intervals_of_macro_f1_cover(n, accuracy, n_classes, falling):
    """4,000 draws, whose own error is a third of a point. (Of accuracy, see above: exactly.)"""
    table = classifier_table(n_classes, accuracy, falling)
    value = macro_f1_of(table)
    rng = np.random.default_rng([n, int(100 * accuracy), n_classes, falling])
    true = np.repeat(np.arange(n_classes), n_classes)
    predicted = np.tile(np.arange(n_classes), n_classes)
    covered = 0
    for counts in rng.multinomial(n, table.ravel(), size=4000):
        y, p = np.repeat(true, counts), np.repeat(predicted, counts)
        low, high = score(y, p, random_state=rng.integers(2**31)).macro_f1_interval
        covered += low <= value <= high
    assert 0.93 <= covered / 4000 <= 0.97


@pytest.mark.soak
@pytest.mark.parametrize("accuracy", [0.6, 0.8, 0.95])
def test_intervals_of_weighted_accuracy_cover(accuracy):
    rng = np.random.default_rng(int(100 * accuracy))
    covered = 0
    for _ in range(2000):
        y, weights = np.zeros(200, int), rng.uniform(0.5, 2.0, 200)
        p = (rng.random(200) >= accuracy).astype(int)
        low, high = score(y, p, sample_weight=weights, n_resamples=1000).interval
        covered += low <= accuracy <= high
    assert 0.93 <= covered / 2000 <= 0.97


@pytest.mark.soak
@pytest.mark.parametrize("shift", [0.5, 1.5])
def test_intervals_of_curves_and_log_loss_cover(shift):
    """Scores of positives N(shift, 1), of negatives N(0, 1): AUC = Phi(shift / sqrt 2)."""
    rng = np.random.default_rng(int(10 * shift))
    many_y = rng.random(1_000_000) < 0.3
    many = rng.normal(size=len(many_y)) + shift * many_y

    def probability(s):
        odds = 0.3 / 0.7 * np.exp(shift * s - shift * shift / 2)
        return odds / (1 + odds)

    p = probability(many)
    true_loss = -np.mean(np.where(many_y, np.log(p), np.log1p(-p)))
    true_auc = stats.norm.cdf(shift / np.sqrt(2))
    order = np.argsort(-many)
    hits = np.cumsum(many_y[order])
    true_ap = np.mean((hits / np.arange(1, len(hits) + 1))[many_y[order]])
    covered = np.zeros(3)
    for _ in range(400):
        y = rng.random(300) < 0.3
        s = rng.normal(size=300) + shift * y
        P = np.column_stack([1 - probability(s), probability(s)])
        found = [
            (roc(y, s, n_resamples=500).interval, true_auc),
            (precision_recall(y, s, n_resamples=500).interval, true_ap),
            (log_loss(y.astype(int), P, n_resamples=500)[1], true_loss),
        ]
        covered += [low <= value <= high for (low, high), value in found]
    assert (covered / 400 >= 0.915).all(), covered
    assert (covered / 400 <= 0.98).all(), covered


def test_percentiles():
    assert percentile_interval(np.arange(1001.0)) == pytest.approx((25, 975))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 10, 99, 5000])
@pytest.mark.parametrize("p", [0.5, 0.6, 0.975, 0.9995])
def test_quantiles_of_t_are_those_of_scipy(freedom, p):
    assert t_quantile(freedom, p) == pytest.approx(stats.t.ppf(p, freedom), rel=1e-9, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=10), st.sampled_from([0.8, 0.95]))
def test_fold_interval_is_the_corrected_t_interval(values, level):
    k, sd = len(values), np.std(values, ddof=1)
    error = np.sqrt((1 / k + 1 / (k - 1)) * sd**2)
    low, high = stats.t.interval(level, k - 1, np.mean(values), error if sd > 0 else 1e-300)
    assert fold_interval(np.array(values), level=level) == pytest.approx((low, high), abs=1e-9)
    given = fold_interval(np.array(values), 1 / (k - 1), level)
    assert given == pytest.approx((low, high), abs=1e-9)
    wide = fold_interval(np.array(values), 1.0, level)  # K folds drawn anew have a ratio of less
    assert wide[0] <= low + 1e-12 and high <= wide[1] + 1e-12


def test_one_fold_tells_nothing():
    assert fold_interval(np.array([0.5])) == (-np.inf, np.inf)


def test_macro_f1_interval_by_hand():
    """Two labels: 8 of 10 rows right, and 2 of 2, which do not vary in resamples."""
    draws = 0.9 + 0.04 * np.array([-1.0, 1.0] * 50)
    value = (2 * 8 / 18 + 1) / 2
    plain = 4 * 0.8 * 0.2 / (1.8**4 * 10)
    raised = 4 * (9 / 12) * (3 / 12) / ((1 + 9 / 12) ** 4 * 10)
    of_two = 4 * (3 / 4) * (1 / 4) / ((1 + 3 / 4) ** 4 * 2)
    mean = (2 * 9 / (12 + 9) + 2 * 3 / (4 + 3)) / 2
    more = max(raised - plain, 0) / 4, of_two / 4
    wide, narrow = (mean * (1 - mean) / (0.04**2 + extra) for extra in (sum(more), more[0]))
    center = 2 * value - 0.9
    low, high = wilson_interval(center * wide, wide)[0], wilson_interval(center * narrow, narrow)[1]
    rows = np.array([8.0, 2.0, 0.0]), np.array([10.0, 2.0, 0.0])  # the third does not occur
    assert macro_f1_interval(value, draws, 12, *rows) == pytest.approx((low, max(high, value)))
    plainly = share_interval(value, draws, 12)
    assert value - low > 1.5 * (value - plainly[0])


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("n", [100, 1000])
def test_a_label_that_is_never_right_does_not_lower_the_interval(n, swap):
    """One row gets a third label that no row has, or has one that no row gets: the F1 of that label
    is 0 and may be higher, that of the two others is as certain as before."""
    true = np.arange(n) % 2
    predicted = np.where(np.arange(n) % 20 < 2, 1 - true, true)
    mistaken = np.where(np.arange(n) == n // 2, 2, predicted)
    scores = score(mistaken, true) if swap else score(true, mistaken)
    two, (low, high) = score(true, predicted).macro_f1_interval, scores.macro_f1_interval
    assert low == pytest.approx(2 / 3 * two[0], abs=0.04)
    assert 2 / 3 * two[1] < high < 1
    sets = [LabelSets.of_member(np.arange(3), np.eye(3, dtype=bool)[y]) for y in (true, mistaken)]
    outcome = Outcome.of_labels(true, mistaken)
    for other in (score_sets(*sets).macro_f1_interval, score_by("macro_f1", outcome).interval):
        assert other == pytest.approx(score(true, mistaken).macro_f1_interval, abs=0.02)
