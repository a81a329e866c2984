"""Intervals that hold at all times at once."""

from functools import cache

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.evaluation.anytime import TotalBound, recent_share, share_sequence
from wordplane.evaluation.intervals import wilson_interval


def test_the_interval_is_where_the_wealth_reaches_the_limit():
    """The formula, one number at a time."""
    k, n = 7, 9
    low, high = share_sequence(k, n, 0.9)
    tilts = [sign * s for s in np.geomspace(0.02, 8.0, 40) for sign in (-1, 1)]
    for edge in (low, high):
        terms = [np.exp(s * k) / (1 - edge + edge * np.exp(s)) ** n for s in tilts]
        assert np.mean(terms) == pytest.approx(10.0, rel=1e-6)


def test_it_contains_the_share_shrinks_and_is_wider_than_one_for_a_fixed_number():
    widths = []
    for n in (10, 100, 1000):
        low, high = share_sequence(n * 8 // 10, n)
        fixed = wilson_interval(n * 8 // 10, n)
        assert low < fixed[0] < 0.8 < fixed[1] < high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert share_sequence(0, 50)[0] == 0 and share_sequence(50, 50)[1] == 1


def test_who_stops_when_they_please_is_not_misled():
    """Wrong at any of 20 looks in at most 5 % of the sessions; an ordinary interval is in many."""
    rng = np.random.default_rng(0)
    n_wrong = n_wrong_fixed = 0
    looks = range(15, 301, 15)
    edges = cache(lambda k, n: (share_sequence(k, n), wilson_interval(k, n)))
    for _ in range(200):
        right = np.cumsum(rng.random(300) < 0.8)
        found = [edges(int(right[n - 1]), n) for n in looks]
        n_wrong += any(not low <= 0.8 <= high for (low, high), _ in found)
        n_wrong_fixed += any(not low <= 0.8 <= high for _, (low, high) in found)
    assert n_wrong <= 0.05 * 200 < n_wrong_fixed


def test_the_latest_half_is_measured():
    outcomes = [False] * 100 + [True] * 100
    right, n, (low, high) = recent_share(outcomes)
    assert (right, n) == (100, 136) and low < 100 / 136 < high
    assert recent_share([]) == (0, 0, (0.0, 1.0))


@pytest.mark.parametrize("wrong", [(5, 4), (-1, 4)])
def test_wrong_counts(wrong):
    with pytest.raises(InputError, match="is not a share"):
        share_sequence(*wrong)


def test_the_bound_on_a_total_holds_in_95_of_100_searches():
    rng = np.random.default_rng(1)
    n_held, n_searches = 0, 200
    for _ in range(n_searches):
        relevant = rng.random(80) < 0.15
        total, found = int(relevant.sum()), 0
        bound = TotalBound(80)
        holds = True
        for unread, is_relevant in zip(range(80, 0, -1), relevant.tolist(), strict=True):
            bound.draw(is_relevant, unread=unread, found=found)
            found += is_relevant
            holds &= bound.most(found=found, unread=unread - 1) >= total
        assert bound.most(found=found, unread=0) == total
        n_held += holds
    assert n_held >= 0.92 * n_searches  # 95 %, up to chance


def test_many_texts_are_bounded_from_above():
    """Between the totals that are tried, the bound is the larger one."""
    bound = TotalBound(1_000_000)
    for unread in range(900_000, 899_000, -1):
        bound.draw(False, unread=unread, found=5000)
    most = bound.most(found=5000, unread=899_000)
    share = (np.log(20) - np.log(0.65)) / 1000  # what 1000 draws without any rule out
    assert 5000 + 0.9 * share * 899_000 < most < 5000 + 1.1 * share * 899_000
