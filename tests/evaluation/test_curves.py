"""Precision-recall and ROC curves, average precision, AUC, MAP, thresholds."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs

from wordplane.common.errors import InputError
from wordplane.evaluation.curves import (
    auc,
    average_precision,
    mean_average_precision,
    precision_recall,
    roc,
)


@st.composite
def rankings(draw):
    """Positives and negatives with scores that are often equal, and weights."""
    row = st.tuples(st.booleans(), st.integers(-3, 3), st.integers(1, 3))
    rows = draw(st.lists(row, min_size=2, max_size=30))
    rows += [(True, draw(st.integers(-3, 3)), 1), (False, draw(st.integers(-3, 3)), 1)]
    y, s, w = (np.array(column) for column in zip(*rows, strict=True))
    return y, s.astype(float), w.astype(float)


def test_by_hand():
    # Called positive in the order + + - + -: precision 1, 1, 2/3, 3/4, 3/5.
    y, s = [True, True, False, True, False], [5.0, 4.0, 3.0, 2.0, 1.0]
    curve = precision_recall(y, s, n_resamples=50)
    assert curve.precision == pytest.approx([1, 1, 2 / 3, 3 / 4, 3 / 5])
    assert curve.recall == pytest.approx([1 / 3, 2 / 3, 2 / 3, 1, 1])
    assert curve.average_precision == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert curve.positive_share == pytest.approx(3 / 5)
    assert curve.thresholds.tolist() == s
    other = roc(y, s, n_resamples=50)
    assert other.false_positive_rate.tolist() == [0, 0, 0, 1 / 2, 1 / 2, 1]
    assert other.true_positive_rate == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1, 1])
    assert other.auc == pytest.approx(5 / 6)


@given(rankings(), st.booleans())
def test_equal_to_scikit_learn(rows, weighted):
    y, s, w = rows
    weight = w if weighted else None
    ap = theirs.average_precision_score(y, s, sample_weight=weight)
    area = theirs.roc_auc_score(y, s, sample_weight=weight)
    assert average_precision(y, s, sample_weight=weight) == pytest.approx(ap)
    assert auc(y, s, sample_weight=weight) == pytest.approx(area)
    curve = precision_recall(y, s, sample_weight=weight, n_resamples=10)
    other = roc(y, s, sample_weight=weight, n_resamples=10)
    assert (curve.average_precision, other.auc) == (pytest.approx(ap), pytest.approx(area))
    precision, recall, thresholds = theirs.precision_recall_curve(y, s, sample_weight=weight)
    assert curve.precision[::-1] == pytest.approx(precision[:-1])
    assert curve.recall[::-1] == pytest.approx(recall[:-1])
    assert np.array_equal(curve.thresholds[::-1], thresholds)
    fpr, tpr, thresholds = theirs.roc_curve(y, s, sample_weight=weight, drop_intermediate=False)
    assert other.false_positive_rate == pytest.approx(fpr)
    assert other.true_positive_rate == pytest.approx(tpr)
    assert np.array_equal(other.thresholds, thresholds)


@given(rankings(), st.randoms())
def test_invariances(rows, random):
    y, s, w = rows
    order = list(range(len(y)))
    random.shuffle(order)
    ap, area = average_precision(y, s, sample_weight=w), auc(y, s, sample_weight=w)
    shuffled = y[order], s[order]
    assert average_precision(*shuffled, sample_weight=w[order]) == pytest.approx(ap)
    n = w.astype(int)
    repeated = np.repeat(y, n), np.repeat(s, n)
    assert average_precision(*repeated) == pytest.approx(ap)
    assert auc(*repeated) == pytest.approx(area)
    # Only the order of the scores matters, and the other class has the mirrored curve.
    assert average_precision(y, np.exp(s), sample_weight=w) == pytest.approx(ap)
    assert auc(~y, -s, sample_weight=w) == pytest.approx(area)
    assert auc(y, -s, sample_weight=w) == pytest.approx(1 - area)


@given(rankings(), st.floats(0.01, 1), st.sampled_from(["precision", "recall"]))
def test_threshold_equals_search(rows, wanted, name):
    y, s, w = rows
    curve = precision_recall(y, s, sample_weight=w, n_resamples=2)
    points = []
    for threshold in np.unique(s):
        called = s >= threshold
        hits = w[called & y].sum()
        points.append((threshold, hits / w[called].sum(), hits / w[y].sum()))
    column = ["precision", "recall"].index(name) + 1
    enough = [point for point in points if point[column] >= wanted - 1e-12]
    if not enough:
        with pytest.raises(InputError, match=f"no threshold has a {name}"):
            curve.threshold(**{name: wanted})
        return
    found = curve.threshold(**{name: wanted - 1e-12})
    assert (found.threshold, found.precision, found.recall) in [pytest.approx(p) for p in enough]
    best = max(point[3 - column] for point in enough)
    assert [found.precision, found.recall][2 - column] == pytest.approx(best)


def test_map_is_the_mean_over_classes():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], size=60)
    Z = rng.normal(size=(60, 4))
    classes = ["a", "b", "c", "never"]
    each = [theirs.average_precision_score(y == label, Z[:, k]) for k, label in enumerate("abc")]
    assert mean_average_precision(y, Z, classes=classes) == pytest.approx(np.mean(each))


def test_bands_hold_the_curve():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    s = y + rng.normal(size=400)
    for curve, x, line in [
        (c := roc(y, s), c.false_positive_rate, c.true_positive_rate),
        (c := precision_recall(y, s), c.recall, c.precision),
    ]:
        band = curve.band
        assert (band.low <= band.high).all()
        assert len(band.x) == 101
        middle = np.interp(band.x, x, line)[10:-10]
        assert np.mean((band.low[10:-10] <= middle) & (middle <= band.high[10:-10])) > 0.95
        # About as wide as 300 rows make it, not nothing and not everything.
        assert 0.02 < np.mean(band.high - band.low) < 0.25
        assert json.loads(json.dumps(curve.to_dict()))["band"]["x"][0] == 0
    assert roc(y, s).interval == roc(y, s).interval


def test_text():
    y, s = [1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1]
    assert str(roc(y, s)).startswith("AUC 1.000 (95 % interval 0.386 to 1.000)")
    assert "at random it would be 0.500" in str(precision_recall(y, s))


@pytest.mark.parametrize(
    "y, s, options, message",
    [
        ([1, 1], [0.1, 0.2], {}, "all 2 rows are positive"),
        ([0, 0], [0.1, 0.2], {}, "all 2 rows are negative"),
        (["a", "b"], [0.1, 0.2], {}, "pass y == that class"),
        ([0, 1], [0.1], {}, "1 scores for 2 rows"),
        ([0, 1], [0.1, np.nan], {}, "NaN or infinity"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [0, 1]}, "a curve needs both kinds"),
    ],
)
def test_refused(y, s, options, message):
    with pytest.raises(InputError, match=message):
        roc(y, s, **options)


def test_refused_thresholds():
    curve = precision_recall([1, 0], [1.0, 2.0], n_resamples=5)
    for options in ({}, {"precision": 0.5, "recall": 0.5}, {"recall": 0.0}, {"precision": 1.5}):
        with pytest.raises(InputError):
            curve.threshold(**options)
    with pytest.raises(InputError, match="expected two classes or more"):
        mean_average_precision(["a", "a"], [[1.0, 0.0], [0.0, 1.0]], classes=["a", "b"])
