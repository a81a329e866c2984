"""Shifts of scores for a metric, beside trying every one."""

import numpy as np
import pytest

from wordplane.evaluation.calibration import Platt
from wordplane.evaluation.confusion import Totals, totals_of
from wordplane.evaluation.decision_shift import (
    SMOOTHING,
    best_shift,
    predict_out_of_fold,
    predict_shifted,
)
from wordplane.evaluation.label_metrics import METRICS, NamedMetric


def rare_rows(seed, n=60, share=0.2):
    """Scores and classes of rows of which few are of class 1, and these score too low."""
    rng = np.random.default_rng(seed)
    codes = (rng.random(n) < share).astype(np.int64)
    codes[:2] = 0, 1
    return (rng.normal(size=n) + 1.5 * codes - 2)[:, None], codes


def uneven_rows(seed, n=2000):
    """Rows of four uneven classes, of which the first scores too high."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(4, n, p=[0.8, 0.1, 0.07, 0.03])
    z = rng.normal(size=(n, 4))
    z[np.arange(n), codes] += 1.5
    z[:, 0] += 2
    return z, codes


def slow_value(z, codes, metric, shift):
    """The metric at one shift, rows counting as members by their class and probabilities."""
    n = np.bincount(codes)[codes][:, None]
    P = Platt.fit(z[:, 0], codes).transform(z[:, 0])
    member = (n * np.eye(2)[codes] + SMOOTHING * P) / (n + SMOOTHING)
    predicted = (z[:, 0] + shift > 0).astype(int)
    hits = np.array([member[predicted == k, k].sum() for k in range(2)])
    n_predicted = np.array([(predicted == k).sum() for k in range(2)], float)
    return float(metric.value(Totals(hits, member.sum(axis=0), n_predicted)))


@pytest.mark.parametrize("name", [*METRICS, "f1"])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_shift_of_two_classes_is_better(name, seed):
    z, codes = rare_rows(seed)
    metric = NamedMetric.of(name, np.array(["no", "yes"]), np.bincount(codes))
    ordered = np.sort(z[:, 0])
    every = [0.0, *(-(ordered[1:] + ordered[:-1]) / 2)]
    best = max(slow_value(z, codes, metric, shift) for shift in every)
    found = slow_value(z, codes, metric, best_shift(z, codes, metric)[0])
    assert found == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", ["macro_f1", "macro_recall", "mcc", "kappa"])
def test_shifts_help_on_new_rows_of_several_classes(name):
    metric, n_classes = NamedMetric(name), 4
    z, codes = uneven_rows(0)
    shift = best_shift(z, codes, metric)
    new_z, new_codes = uneven_rows(1)
    ones = np.ones(len(new_z))
    plain, shifted = (
        float(metric.value(totals_of(new_codes, predict_shifted(new_z, s), ones, n_classes)))
        for s in (np.zeros(4), shift)
    )
    assert shifted > plain + 0.05


def test_f1_of_one_class_shifts_that_class_alone():
    z, codes = uneven_rows(0)
    shift = best_shift(z, codes, NamedMetric("f1:c", 2))
    assert shift[2] > 0
    assert shift[[0, 1, 3]].tolist() == [0, 0, 0]


def test_boundaries_that_are_best_already_stay():
    z = np.array([[-3.0], [-2.0], [2.0], [3.0]] * 50)
    assert best_shift(z, np.array([0, 0, 1, 1] * 50), NamedMetric("macro_f1")).tolist() == [0.0]


def test_a_label_is_decided_by_the_other_rows():
    z, codes = rare_rows(0, n=100)
    metric = NamedMetric("f1:yes", 1)
    others = predict_out_of_fold(z, codes, metric)
    rest = np.arange(100) % 5 != 0
    shift = best_shift(z[rest], codes[rest], metric)
    assert (others[::5] == predict_shifted(z[::5], shift)).all()
    changed = codes.copy()
    changed[::5] = 1 - changed[::5]  # the first fold
    assert (predict_out_of_fold(z, changed, metric)[::5] == others[::5]).all()


def test_rows_of_weight_0_do_not_count():
    z, codes = rare_rows(0, n=200)
    weights = (np.arange(200) < 120).astype(float)
    metric = NamedMetric("macro_f1")
    few = best_shift(z[:120], codes[:120], metric)
    all_rows = best_shift(z, codes, metric, weights)
    ones = np.ones(120)
    values = [
        float(metric.value(totals_of(codes[:120], predict_shifted(z[:120], s), ones, 2)))
        for s in (few, all_rows)
    ]
    assert values[1] == pytest.approx(values[0], abs=0.05)
