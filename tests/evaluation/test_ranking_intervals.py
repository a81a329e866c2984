"""Intervals and tests of AUC and average precision, also of labels that few rows have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from wordplane.evaluation.curves import auc, average_precision, roc
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import compare_outcomes, paired_p_value
from wordplane.evaluation.ranking_intervals import (
    Spread,
    newcombe_interval,
    ranking_interval,
)
from wordplane.evaluation.rankings import ranked_gradient

VALUES = {"auc": auc, "ap": average_precision}


def normal_scores(rng, n, n_positive, shift):
    positive = np.arange(n) < n_positive
    return positive, rng.normal(size=n) + shift * positive


def true_ranking(share, shift):
    """AUC and average precision of endless rows with the scores of `normal_scores`."""
    recall = (np.arange(100_000) + 0.5) / 100_000
    fall_out = stats.norm.sf(shift + stats.norm.isf(recall))
    hits = share * recall
    return {
        "auc": stats.norm.cdf(shift / np.sqrt(2)),
        "ap": float((hits / (hits + (1 - share) * fall_out)).mean()),
    }


def test_the_error_of_the_auc_is_delongs():
    """From all pairs of rows, with the divisors m - 1 and n - 1."""
    rng = np.random.default_rng(0)
    positive, z = normal_scores(rng, 30, 7, 1.0)
    z = z.round(1)
    pairs = np.sign(z[positive][:, None] - z[~positive]) / 2 + 0.5
    by_positive, by_negative = (
        pairs.mean(axis=1).var(ddof=1) / 7,
        pairs.mean(axis=0).var(ddof=1) / 23,
    )
    variance = by_positive + by_negative
    spread = Spread.of_rows(ranked_gradient("auc", positive, z), positive, np.ones(30))
    assert spread.error == pytest.approx(np.sqrt(variance), rel=1e-12)
    wanted = variance**2 / (by_positive**2 / 6 + by_negative**2 / 22)
    assert spread.freedom == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("kind", ["ap", "auc"])
def test_the_gradient_of_weighted_rows_is_that_of_small_differences(kind):
    rng = np.random.default_rng(1)
    positive, z = normal_scores(rng, 25, 8, 0.5)
    z, w = z.round(1), rng.integers(0, 4, 25) / 2 + 0.5
    gradient = ranked_gradient(kind, positive, z, w)
    value = VALUES[kind](positive, z, sample_weight=w)
    for i in range(25):
        more = w + 1e-6 * (np.arange(25) == i)
        numeric = (VALUES[kind](positive, z, sample_weight=more) - value) / 1e-6
        assert gradient[i] == pytest.approx(w[i] * numeric, abs=1e-6)


@pytest.mark.parametrize(
    ("value", "m", "n"), [(0.9, 5, 95), (0.5, 20, 20), (1.0, 5, 100), (0, 3, 9)]
)
def test_newcombes_interval_solves_its_equation(value, m, n):
    def error(a):
        q1, q2, extra = a / (2 - a), 2 * a * a / (1 + a), (m + n) / 2 - 1
        return np.sqrt((a * (1 - a) + extra * (q1 - a * a) + extra * (q2 - a * a)) / (m * n))

    z = stats.norm.ppf(0.975)
    low, high = newcombe_interval(value, m, n)
    assert low == (
        0
        if value == 0
        else pytest.approx(brentq(lambda a: value - a - z * error(a), 0, value - 1e-6))
    )
    assert high == (
        1
        if value == 1
        else pytest.approx(brentq(lambda a: a - value - z * error(a), value + 1e-6, 1))
    )


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=12).filter(
        lambda rows: 0 < sum(positive for positive, _ in rows) < len(rows)
    ),
    st.sampled_from(["ap", "auc"]),
    st.sampled_from([0.5, 0.95, 0.999]),
)
def test_an_interval_contains_the_value_and_grows_with_the_level(rows, kind, level):
    positive, z = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    value = VALUES[kind](positive, z)
    low, high = ranking_interval(kind, value, positive, z, level=level)
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1
    wider = ranking_interval(kind, value, positive, z, level=0.9999)
    assert wider[0] <= low + 1e-12
    assert high <= wider[1] + 1e-12
    assert low < high


def test_equal_weights_change_nothing():
    positive, z = normal_scores(np.random.default_rng(3), 40, 9, 1.0)
    once, thrice = roc(positive, z), roc(positive, z, sample_weight=np.full(40, 3.0))
    assert once.interval == pytest.approx(thrice.interval, rel=1e-12)


def coverage(kind, n, n_positive, shift, n_runs, seed):
    rng, true = np.random.default_rng(seed), true_ranking(n_positive / n, shift)[kind]
    covered = 0
    for _ in range(n_runs):
        number = int(np.clip(rng.binomial(n, n_positive / n), 2, n - 2))
        positive, z = normal_scores(rng, n, number, shift)
        low, high = ranking_interval(kind, VALUES[kind](positive, z), positive, z)
        covered += low <= true <= high
    return covered / n_runs


def rejections(kind, n, n_positive, shift, n_runs, seed):
    """How often two equally good scores are told apart; half of their variance is common."""
    rng, told = np.random.default_rng(seed), 0
    for _ in range(n_runs):
        positive, common = np.arange(n) < n_positive, rng.normal(size=n)
        gradients, values = [], []
        for _ in range(2):
            z = (common + rng.normal(size=n)) / np.sqrt(2) + shift * positive
            gradients.append(ranked_gradient(kind, positive, z))
            values.append(VALUES[kind](positive, z))
        spread = Spread.of_rows(gradients[1] - gradients[0], positive, np.ones(n))
        told += spread.p_value(values[1] - values[0]) < 0.05
    return told / n_runs


@pytest.mark.parametrize(("kind", "shift"), [("auc", 1.0), ("auc", 2.0), ("ap", 1.0)])
def test_intervals_of_five_positives_cover(kind, shift):
    assert coverage(kind, 100, 5, shift, 300, seed=1) >= 0.92


def test_the_auc_test_with_five_positives_keeps_its_level():
    assert rejections("auc", 100, 5, 0.5, 300, seed=2) <= 0.085


@pytest.mark.soak
@pytest.mark.parametrize("shift", [0.3, 1.0, 2.0, 3.0])
@pytest.mark.parametrize(
    ("n", "m"), [(100, 5), (1000, 5), (200, 10), (200, 20), (60, 30), (1000, 100)]
)
def test_intervals_and_tests_of_rare_labels(n, m, shift):
    """Three standard errors of 2,000 runs are 1.6 points."""
    for kind in ("auc", "ap"):
        assert coverage(kind, n, m, shift, 2000, seed=m) >= 0.93 - 0.01
        assert rejections(kind, n, m, shift, 2000, seed=m) <= 0.07 + 0.01


def outcomes_of(positive, scores):
    return [
        Outcome.of_labels(
            positive.astype(int), positive.astype(int), np.stack([1 - p, p], axis=1), [0, 1]
        )
        for p in scores
    ]


def test_rows_of_a_group_count_as_one():
    """Rows that are repeated as groups are as informative as one of each."""
    rng = np.random.default_rng(4)
    positive = np.arange(80) < 20
    scores = [stats.norm.cdf(rng.normal(size=80) + shift * positive) for shift in (0.5, 1.5)]
    plain = paired_p_value(*outcomes_of(positive, scores), metric="auc:1")
    rows = np.repeat(np.arange(80), 5)
    repeated = outcomes_of(positive[rows], [score[rows] for score in scores])
    by_groups = paired_p_value(*repeated, metric="auc:1", groups=rows)
    assert by_groups == pytest.approx(plain, rel=0.25)
    assert paired_p_value(*repeated, metric="auc:1") < plain / 10


def test_a_single_positive_tells_nothing_apart():
    positive = np.arange(20) < 1
    a, b = outcomes_of(positive, [np.linspace(0.1, 0.9, 20), np.linspace(0.9, 0.1, 20)])
    found = compare_outcomes(a, b, metric="auc:1")
    assert (found.difference, found.p) == (1.0, 1.0)
    assert found.interval[0] < 0.25


def test_a_perfect_ranking_is_told_from_a_constant():
    positive = np.arange(40) < 20
    a, b = outcomes_of(positive, [np.full(40, 0.5), np.linspace(0.9, 0.1, 40)])
    found = compare_outcomes(a, b, metric="auc:1")
    assert found.distinguishable
    assert 0.3 < found.interval[0] < found.difference == 0.5


def test_weights_count_in_the_comparison_of_rankings():
    rng = np.random.default_rng(5)
    positive = np.arange(60) < 15
    a, b = outcomes_of(
        positive, [stats.norm.cdf(rng.normal(size=60) + s * positive) for s in (0, 1)]
    )
    even = compare_outcomes(a, b, metric="auc:1").p
    assert compare_outcomes(
        a, b, metric="auc:1", sample_weight=np.full(60, 7.0)
    ).p == pytest.approx(even)
    uneven = rng.exponential(size=60) ** 3
    assert compare_outcomes(a, b, metric="auc:1", sample_weight=uneven).p > even
