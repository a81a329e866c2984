"""Tests of wordplane.evaluation.number_scores and wordplane.evaluation.number_intervals."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from wordplane.common.errors import InputError
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.evaluation.number_scores import NumberScores, figure


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 8, n).astype(float)
    return y, np.round(y + 2 * rng.normal(size=n), 1)


def test_equals_scikit_learn_and_scipy():
    y, z = numbers(300)
    found = NumberScores.of(y, z)
    assert found.mae == pytest.approx(mean_absolute_error(y, z))
    assert found.rmse == pytest.approx(root_mean_squared_error(y, z))
    assert found.r2 == pytest.approx(r2_score(y, z))
    assert found.spearman == pytest.approx(spearmanr(y, z).statistic)


def test_intervals_cover_the_truth_about_as_often_as_they_should():
    y, z = numbers(200_000, seed=1)
    true = {
        "mae": mean_absolute_error(y, z),
        "rmse": root_mean_squared_error(y, z),
        "r2": r2_score(y, z),
        "spearman": spearmanr(y, z).statistic,
    }
    covered = dict.fromkeys(true, 0)
    for seed in range(60):
        found = NumberScores.of(*numbers(150, seed=100 + seed))
        for name in covered:
            low, high = getattr(found, f"{name}_interval")
            covered[name] += low <= true[name] <= high
    assert all(n >= 50 for n in covered.values()), covered


def test_groups_widen_intervals():
    y, z = numbers(50)
    alone = NumberScores.of(np.repeat(y, 8), np.repeat(z, 8)).mae_interval
    together = NumberScores.of(
        np.repeat(y, 8), np.repeat(z, 8), groups=np.repeat(np.arange(50), 8)
    ).mae_interval
    plain = NumberScores.of(y, z).mae_interval
    assert np.ptp(together) > 2 * np.ptp(alone)
    assert np.ptp(together) == pytest.approx(np.ptp(plain), rel=0.2)


def test_numbers_that_do_not_vary():
    found = NumberScores.of(np.ones(5), np.ones(5))
    assert (found.mae, found.r2, found.spearman) == (0.0, 0.0, 0.0)
    with pytest.raises(InputError, match="0 numbers"):
        NumberScores.of(np.zeros(0), np.zeros(0))


def test_intervals_hold_the_share_of_new_errors():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(400):
        errors = rng.exponential(size=100)
        low, high = NumberIntervals.fit(errors[:99]).margins(0.8)
        covered.append(low <= errors[99] <= high)
    assert 0.75 < np.mean(covered) < 0.85


def test_at_most_a_thousand_errors_are_kept():
    errors = np.random.default_rng(0).normal(size=5000)
    kept = NumberIntervals.fit(errors)
    assert len(kept.errors) == 1000
    assert kept.margins(0.9) == pytest.approx(np.quantile(errors, [0.05, 0.95]), abs=0.02)
    assert NumberIntervals.from_dict(kept.to_dict()).errors.tolist() == kept.errors.tolist()


@pytest.mark.parametrize(
    ("value", "sign", "shown"),
    [(-21_104.4, "", "-21,104"), (9999.7, "+", "+10,000"), (2110.4, "+", "+2110")],
)
def test_figures_have_no_powers_of_ten(value, sign, shown):
    assert figure(value, sign) == shown
