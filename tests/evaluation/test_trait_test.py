"""Tests of wordplane.evaluation.trait_test."""

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.evaluation.trait_test import _fisher, compare_traits

SHARES = np.array([[0.3, 0.1], [0.1, 0.4], [0.2, 0.2], [0.5, 0.5], [0.05, 0.3]] * 6)


def texts(n, rng, shares=SHARES):
    """Traits of n texts of each class, and the classes."""
    codes = np.repeat([0, 1], n)
    return (rng.random((len(codes), len(shares))) < shares.T[codes]).astype(float), codes


def counts_of(X, codes):
    return np.array([X[codes == k].sum(axis=0) for k in (0, 1)]).T.astype(np.int64)


def test_the_difference_by_hand():
    """With one class nothing is taken out: z is the usual one of two shares."""
    X = np.zeros((100, 1))
    X[:40] = 1
    found = compare_traits(np.array([[50]]), np.array([200]), X, np.ones(1))
    both = 90 / 300
    error = np.sqrt(both * (1 - both) * (1 / 100 + 1 / 200))
    assert found.z[0] == pytest.approx((0.4 - 0.25) / error)
    assert found.changed.tolist() == [0]
    assert found.p == pytest.approx(2 * (1 - 0.99622), abs=0.006)


@pytest.mark.slow
def test_other_shares_of_classes_are_no_change():
    rng = np.random.default_rng(1)
    X, codes = texts(300, rng)
    counts, sizes = counts_of(X, codes), np.array([300, 300])
    p = []
    for seed in range(60):
        new, new_codes = texts(200, np.random.default_rng(100 + seed))
        rows = np.concatenate(
            [np.flatnonzero(new_codes == 0)[:20], np.flatnonzero(new_codes == 1)[:180]]
        )
        p.append(compare_traits(counts, sizes, new[rows], np.array([0.2, 0.8])).p)  # nearly right
    assert np.mean(np.array(p) < 0.05) < 0.2
    assert np.median(p) > 0.2
    assert compare_traits(counts, sizes, new[rows], np.array([0.1, 0.9])).before == pytest.approx(
        counts @ (np.array([0.1, 0.9]) / sizes)
    )


def test_a_trait_that_changed_is_found_among_others():
    rng = np.random.default_rng(2)
    X, codes = texts(300, rng)
    changed = SHARES.copy()
    changed[7] += 0.3
    new, _ = texts(100, rng, changed)
    found = compare_traits(counts_of(X, codes), np.array([300, 300]), new, np.array([0.5, 0.5]))
    assert found.p < 0.01
    assert found.changed[0] == 7
    assert found.now[7] - found.before[7] > 0.2


@pytest.mark.slow
def test_false_alarms_are_one_in_twenty():
    alarms, n = 0, 200
    for seed in range(n):
        rng = np.random.default_rng(seed)
        (X, codes), (new, _) = texts(150, rng), texts(100, rng)
        found = compare_traits(counts_of(X, codes), np.array([150, 150]), new, np.array([0.5, 0.5]))
        alarms += found.p < 0.05
    assert 0.02 <= alarms / n <= 0.08


def test_traits_that_are_rare_in_a_small_sample_are_not_compared():
    """Two are expected among 200 new texts, which is far from normal, and 40 among 4,000."""
    shares = np.repeat([0.01, 0.3], [100, 20])
    rng = np.random.default_rng(0)
    counts = rng.binomial(4000, shares)[:, None]
    few, many = ((rng.random((n, len(shares))) < shares).astype(float) for n in (200, 4000))
    z = compare_traits(counts, np.array([4000]), few, np.ones(1)).z
    assert not z[:100].any() and z[100:].all()
    assert (compare_traits(counts, np.array([4000]), many, np.ones(1)).z != 0).mean() > 0.9
    few[:31, 0] = 1  # but they are if they are no longer rare
    found = compare_traits(counts, np.array([4000]), few, np.ones(1))
    assert found.changed.tolist() == [0] and found.p < 0.01


def test_too_few_texts_are_refused():
    with pytest.raises(InputError, match="at least 50 and 25 are needed"):
        compare_traits(np.array([[3]]), np.array([20]), np.zeros((100, 1)), np.ones(1))


@pytest.mark.parametrize("n_new", [50, 200, 1000])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_trait_that_all_or_none_have_now_is_found_with_few_earlier_texts(n_new, share):
    counts, sizes = np.array([[17, 18], [0, 0]]), np.array([17, 18])
    new = np.tile([share, 1 - share], (n_new, 1))
    found = compare_traits(counts, sizes, new, np.array([1.0, 0.0]))
    if share == 0:  # all had the first, none the second
        assert found.p < 1e-6 and set(found.changed) == {0, 1}
    else:
        assert found.p is None


def test_fishers_test_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    for before, n, now, n_new in ((1.0, 17, 0.3, 40), (0.1, 30, 0.8, 25), (0.0, 12, 0.75, 60)):
        few, many = round(n * before), round(n_new * now)
        table = [[few, n - few], [many, n_new - many]]
        side = "greater" if before > now else "less"
        expected = 2 * stats.fisher_exact(table, alternative=side).pvalue
        (found,) = _fisher(np.array([before]), float(n), np.array([now]), n_new)
        assert found == pytest.approx(expected, rel=1e-9)
