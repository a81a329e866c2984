"""Are two systems distinguishable? Tests of wordplane.evaluation.paired_tests against SciPy,
enumeration and simulation."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wordplane.common.errors import InputError
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import (
    compare_outcomes,
    compare_predictions,
    mcnemar,
    paired_p_value,
)

LABELS = st.sampled_from(["a", "b", "c"])


def macro_f1(y, p):
    """The mean of 2 hits / (true + predicted) over the labels that occur, one by one."""
    labels = set(y.tolist()) | set(p.tolist())
    return np.mean(
        [2 * ((y == k) & (p == k)).sum() / ((y == k).sum() + (p == k).sum()) for k in labels]
    )


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_scipy(b, c):
    test = mcnemar(b, c)
    n = b + c
    if n == 0:
        assert (test.p_exact, test.p_mid, test.p_chi2) == (1, 1, 1)
        return
    exact = stats.binomtest(b, n, 0.5).pvalue
    assert test.p_exact == pytest.approx(exact)
    seen = stats.binom.pmf(min(b, c), n, 0.5)
    assert test.p_mid == pytest.approx(2 * stats.binom.cdf(min(b, c), n, 0.5) - seen)
    assert test.chi2 == pytest.approx(max(abs(b - c) - 1, 0) ** 2 / n)
    assert test.p_chi2 == pytest.approx(stats.chi2.sf(test.chi2, 1))
    assert test.p_mid <= test.p_exact


def test_mcnemar_of_many_rows():
    assert mcnemar(500_000, 502_000).p_exact == pytest.approx(
        stats.binomtest(500_000, 1_002_000, 0.5).pvalue, rel=1e-6
    )
    assert mcnemar(0, 100_000).p_exact == 0.0


@settings(max_examples=15)
@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=7))
def test_randomization_equals_enumeration(rows):
    """All 2^n ways to swap the predictions of rows, against 4,000 tosses."""
    y, a, b = (np.array(column) for column in zip(*rows, strict=True))
    found = compare_predictions(y, a, b, metric="macro_f1", n_resamples=4000)
    seen = abs(macro_f1(y, b) - macro_f1(y, a))
    swaps = [np.array(swap) for swap in itertools.product([False, True], repeat=len(y))]
    as_large = [
        abs(macro_f1(y, np.where(s, a, b)) - macro_f1(y, np.where(s, b, a))) >= seen - 1e-12
        for s in swaps
    ]
    assert found.a == pytest.approx(macro_f1(y, a))
    assert found.difference == pytest.approx(macro_f1(y, b) - macro_f1(y, a))
    assert found.p == found.p_randomization == pytest.approx(np.mean(as_large), abs=0.04)


def test_randomization_of_accuracy_is_exact_mcnemar():
    y = np.zeros(100, int)
    a, b = (np.arange(100) % 10 == 0).astype(int), (np.arange(100) % 5 == 1).astype(int)
    found = compare_predictions(y, a, b, n_resamples=20_000)
    assert (found.mcnemar.only_a, found.mcnemar.only_b) == (20, 10)
    assert found.p_randomization == pytest.approx(found.mcnemar.p_exact, abs=0.01)
    weighted = compare_predictions(y, a, b, n_resamples=20_000, sample_weight=np.full(100, 2.0))
    assert weighted.test == "approximate randomization"
    assert weighted.p == pytest.approx(found.mcnemar.p_exact, abs=0.01)


def test_paired_bootstrap_equals_resampled_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    a = np.where(rng.random(200) < 0.7, y, rng.integers(0, 3, 200))
    b = np.where(rng.random(200) < 0.8, y, a)
    found = compare_predictions(y, a, b, metric="macro_f1", n_resamples=4000)
    slow = []
    for _ in range(1000):
        rows = rng.integers(0, 200, 200)
        slow.append(macro_f1(y[rows], b[rows]) - macro_f1(y[rows], a[rows]))
    assert found.interval == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.015)


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=20), st.randoms())
@settings(max_examples=30)
def test_invariances(rows, random):
    y, a, b = zip(*rows, strict=True)
    found = compare_predictions(y, a, b, n_resamples=50)
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert (
        compare_predictions(*zip(*shuffled, strict=True), n_resamples=50).to_dict()
        == found.to_dict()
    )
    other_way = compare_predictions(y, b, a, n_resamples=50)
    assert other_way.difference == -found.difference
    assert other_way.p == found.p
    same = compare_predictions(y, a, a, n_resamples=50)
    assert (same.difference, same.interval, same.p, same.p_randomization) == (0, (0, 0), 1, 1)
    assert not same.distinguishable


def test_sentence():
    y = [1] * 200
    better, worse = [1] * 190 + [0] * 10, [1] * 150 + [0] * 50
    clear = compare_predictions(y, worse, better, names=("words", "bigrams"))
    assert str(clear).startswith("words and bigrams are distinguishable on 200 rows")
    assert "difference +20.0 points" in str(clear)
    assert clear.interval[0] > 0
    unclear = compare_predictions(y[:20], worse[140:160], better[:10] + worse[:10])
    assert "distinguishable" in str(unclear)
    alike = compare_predictions(y, worse, [1] * 151 + [0] * 49, metric="macro_f1")
    assert "A and B are not distinguishable" in str(alike)
    assert "macro F1" in str(alike)
    assert json.loads(json.dumps(alike.to_dict()))["distinguishable"] is False


def test_refused():
    with pytest.raises(InputError, match="metric` is 'f2'"):
        compare_predictions(["a"], ["a"], ["a"], metric="f2")
    with pytest.raises(InputError, match="1 and 1 and 2 rows"):
        compare_predictions(["a"], ["a"], ["a", "b"])
    with pytest.raises(InputError, match="level is 95"):
        compare_predictions(["a"], ["a"], ["a"], level=95)
    with pytest.raises(InputError, match="-1"):
        mcnemar(-1, 2)


@pytest.mark.soak
def test_level_is_kept():
    """Two systems that are equally good are told apart in about 5 % of 1,000 draws, and the
    interval of their difference holds 0 in about 95 %."""
    rng = np.random.default_rng(0)
    told_apart, outside = {"accuracy": 0, "macro_f1": 0}, 0
    for _ in range(1000):
        y = rng.integers(0, 3, 300)
        a, b = (np.where(rng.random(300) < 0.8, y, (y + 1) % 3) for _ in range(2))
        for metric in told_apart:
            found = compare_predictions(y, a, b, metric=metric, n_resamples=1000)
            told_apart[metric] += found.distinguishable
        outside += not found.interval[0] <= 0 <= found.interval[1]
    assert 30 <= told_apart["accuracy"] <= 70
    assert 30 <= told_apart["macro_f1"] <= 70
    assert 30 <= outside <= 75


def rankings(seed, n=120):
    """Scores of two rankings of the same rows, one better than the other."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    P = [np.stack([1 - z, z], axis=1) for z in (y * w + rng.random(n) for w in (0.6, 0.2))]
    return [Outcome.of_labels(y, y, p / p.sum(axis=1, keepdims=True), [0, 1]) for p in P]


@pytest.mark.parametrize("metric", ["ap:1", "auc:1"])
def test_copies_of_a_row_are_one_observation_of_a_ranking(metric):
    a, b = rankings(0, 60)
    copies = np.tile(np.arange(60), 4)
    many = [
        Outcome.of_labels(o.true[copies], o.true[copies], o.probabilities[copies], [0, 1])
        for o in (a, b)
    ]
    once = paired_p_value(a, b, metric=metric)
    naive = paired_p_value(*many, metric=metric)
    grouped = paired_p_value(*many, metric=metric, groups=copies)
    assert naive < once / 10
    assert grouped > once / 3


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "log_loss", "ap:1", "auc:1"])
def test_the_verdict_by_groups_is_that_of_compare(metric):
    a, b = rankings(0, 60)
    copies = np.tile(np.arange(60), 4)
    many = [
        Outcome.of_labels(
            o.true[copies],
            (o.probabilities[:, 1] > 0.5)[copies] * 1,
            o.probabilities[copies],
            [0, 1],
        )
        for o in (a, b)
    ]
    rows, grouped = (
        compare_outcomes(*many, metric=metric, groups=groups) for groups in (None, copies)
    )
    assert grouped.p == paired_p_value(*many, metric=metric, groups=copies)
    assert (grouped.a, grouped.b) == (rows.a, rows.b)
    assert "whole groups" in grouped.test and "whole groups" not in rows.test
    # Four copies of a row tell no more than one of them: about twice the width.
    widths = [np.diff(one.interval)[0] for one in (rows, grouped)]
    assert 1.7 < widths[1] / widths[0] < 2.4
    for name in ("p", "p_bootstrap", "p_randomization"):
        assert getattr(grouped, name) >= getattr(rows, name)


@pytest.mark.parametrize("metric", ["macro_f1", "log_loss"])
def test_tosses_by_groups_keep_the_level(metric):
    """Equal systems, whose rows of a group are right or wrong together: p < 0.1 is as rare."""
    rng = np.random.default_rng(0)
    groups, p = np.repeat(np.arange(30), 6), []
    y = np.tile([0, 1], 90)
    for _ in range(150):
        outcomes = []
        for right in rng.random((2, 30)) < 0.7:
            P = np.where((right[groups] == (y == 1))[:, None], [0.3, 0.7], [0.7, 0.3])
            outcomes.append(Outcome.of_labels(y, P.argmax(axis=1), P, [0, 1]))
        options = {"metric": metric, "n_resamples": 200}
        p += [
            compare_outcomes(*outcomes, groups=given, **options).p_randomization
            for given in (None, groups)
        ]
    of_rows, of_groups = (np.mean(np.array(p[k::2]) < 0.1) for k in (0, 1))
    assert of_groups < 0.17 < 0.3 < of_rows


def test_more_variance_makes_every_test_weaker():
    """p of z / sqrt(v), with McNemar's z from its p; the others in the same direction."""
    y = np.array(["a", "b"] * 50)
    pred = [np.where(np.arange(100) < k, np.roll(y, 1), y) for k in (10, 30)]
    a, b = (Outcome.of_labels(y, labels) for labels in pred)
    p = paired_p_value(a, b)
    z = stats.norm.isf(p / 2)
    weaker = 2 * stats.norm.sf(z / np.sqrt(1.6))
    assert paired_p_value(a, b, variance=1.6) == pytest.approx(weaker)
    for metric in ("macro_f1", "mcc"):
        tests = [paired_p_value(a, b, metric=metric, variance=v) for v in (1.0, 4.0)]
        assert tests[0] < tests[1]
    groups = np.arange(100)
    tests = [paired_p_value(a, b, metric="mcc", groups=groups, variance=v) for v in (1.0, 16.0)]
    assert tests[0] < tests[1]
    ranked = rankings(1)
    tests = [paired_p_value(*ranked, metric="auc:1", variance=v) for v in (1.0, 4.0)]
    assert tests[0] < tests[1]
    assert paired_p_value(a, a, variance=1.6) == 1.0
