"""Reliability curve, ECE, Brier score."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from wordplane.common.errors import InputError
from wordplane.evaluation.intervals import wilson_interval
from wordplane.evaluation.reliability import brier_score, reliability, top_label_reliability


@st.composite
def stated(draw):
    row = st.tuples(st.booleans(), st.integers(0, 10), st.integers(1, 3))
    rows = draw(st.lists(row, min_size=1, max_size=40))
    right, confidence, w = (np.array(column) for column in zip(*rows, strict=True))
    return right, confidence / 10, w.astype(float)


@given(stated(), st.integers(1, 20))
def test_ece_equals_definition(rows, n_bins):
    right, p, w = rows
    bins = {}
    for i in range(len(p)):
        middle = (w[p < p[i]].sum() + w[p == p[i]].sum() / 2) / w.sum()
        bins.setdefault(min(int(n_bins * middle), n_bins - 1), []).append(i)
    ece = sum(
        w[b].sum()
        / w.sum()
        * abs(np.average(right[b], weights=w[b]) - np.average(p[b], weights=w[b]))
        for b in bins.values()
    )
    found = reliability(right, p, sample_weight=w, n_bins=n_bins)
    assert found.raw_ece == pytest.approx(ece, abs=1e-9)
    assert 0 <= found.ece <= found.raw_ece + 1e-12
    low, high = found.ece_interval
    assert 0 <= low <= found.ece + 1e-12
    assert found.ece <= high <= 1
    assert len(found.bins) == len(bins)
    assert sum(b.weight for b in found.bins) == pytest.approx(w.sum())


@given(stated(), st.randoms())
def test_invariances(rows, random):
    right, p, w = rows
    order = list(range(len(p)))
    random.shuffle(order)
    found = reliability(right, p, sample_weight=w)
    shuffled = reliability(right[order], p[order], sample_weight=w[order])
    assert shuffled.ece == pytest.approx(found.ece, abs=1e-9)
    n = w.astype(int)
    repeated = reliability(np.repeat(right, n), np.repeat(p, n))
    assert repeated.raw_ece == pytest.approx(found.raw_ece, abs=1e-12)


def test_bins_have_equal_mass():
    rng = np.random.default_rng(0)
    p = rng.random(1500)
    found = reliability(rng.random(1500) < p, p)
    assert [b.weight for b in found.bins] == [100.0] * 15
    first = found.bins[0]
    assert first.interval == pytest.approx(wilson_interval(round(100 * first.right), 100))
    assert found.raw_ece < 0.06
    assert not found.is_miscalibrated
    assert reliability(rng.random(1500) < p**3, p).ece > 0.15


def test_chance_is_no_calibration_error():
    """Of fifty rows of a calibrated model the raw error is 17 %."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(300):
        p = rng.uniform(0.5, 1, 50)
        found.append(reliability(rng.random(50) < p, p))
    assert np.mean([one.raw_ece for one in found]) > 0.16
    assert np.mean([one.ece for one in found]) < 0.06
    assert 0.01 < np.mean([one.is_miscalibrated for one in found]) < 0.09
    assert np.mean([one.ece_interval[0] == 0 for one in found]) > 0.93
    calm = next(one for one in found if not one.is_miscalibrated)
    assert str(calm).splitlines()[0].endswith("cannot be told from 0")


@pytest.mark.parametrize("n", [60, 400])
def test_the_calibration_error_of_an_overconfident_model(n):
    """Right with 0.5 + 0.4 (p - 0.5): 15 % apart on average."""
    rng = np.random.default_rng(2)
    errors, covered = [], 0
    for _ in range(200):
        p = rng.uniform(0.5, 1, n)
        one = reliability(rng.random(n) < 0.5 + 0.4 * (p - 0.5), p)
        true = 0.6 * (p - 0.5).mean()
        errors.append(one.ece - true)
        covered += one.ece_interval[0] <= true <= one.ece_interval[1]
    assert abs(np.mean(errors)) < 0.02
    assert covered >= 0.93 * 200


def test_top_label():
    P = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
    found = top_label_reliability(["a", "b", "a"], P, classes=["a", "b", "c"], n_bins=1)
    assert found.right == pytest.approx(2 / 3)
    assert found.confidence == pytest.approx((0.7 + 0.8 + 0.4) / 3)
    assert found.raw_ece == pytest.approx(abs(2 / 3 - 1.9 / 3))
    assert "ECE 0.0% (95 % interval 0.0% to" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["bins"][0]["weight"] == 3


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_brier_equals_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    P = rng.dirichlet(np.ones(n_classes), size=50)
    y, w = rng.integers(0, n_classes, 50), rng.random(50)
    theirs = brier_score_loss(
        y, P if n_classes > 2 else P[:, 1], sample_weight=w, labels=np.arange(n_classes)
    )
    assert brier_score(y, P, sample_weight=w) == pytest.approx(theirs)


def test_brier_of_an_unknown_label():
    assert brier_score(["?"], [[0.5, 0.25, 0.25]], classes=list("abc")) == pytest.approx(1.375)


@pytest.mark.parametrize(
    "right, p, options",
    [
        ([1, 2], [0.5, 0.5], {}),
        ([1], [0.5, 0.5], {}),
        ([], [], {}),
        ([1], [1.5], {}),
        ([1], [-0.5], {}),
        ([1], [0.5], {"n_bins": 0}),
    ],
)
def test_refused(right, p, options):
    with pytest.raises(InputError):
        reliability(right, p, **options)
