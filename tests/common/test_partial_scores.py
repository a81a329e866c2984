"""Tests of wordplane.common.partial_scores."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from wordplane.common.partial_scores import MOST, NOT_REACHED, are_partial, candidates

scores = hnp.arrays(
    np.float64, (4, 6), elements=st.sampled_from([-1.0, 0.0, 2.0, 3.5, NOT_REACHED])
).filter(lambda z: (z > NOT_REACHED).any(axis=1).all())


@given(scores, st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_candidates_are_the_best_scores(z, codes):
    best, place = candidates(z, np.array(codes))
    n = min((row > NOT_REACHED).sum() for row in z)
    assert best.shape == (4, n)
    assert np.array_equal(best, -np.sort(-z, axis=1)[:, :n])
    for i, (code, at) in enumerate(zip(codes, place, strict=True)):
        assert 0 <= at < n
        if z[i, code] > best[i, -1]:
            assert best[i, at] == z[i, code]


def test_no_more_than_fifty():
    best, place = candidates(np.arange(200.0)[None], np.array([3]))
    assert best.shape == (1, MOST)
    assert place.tolist() == [MOST - 1]


def test_some_classes_are_missing():
    assert are_partial(np.array([[1.0, NOT_REACHED]]))
    assert not are_partial(np.array([[1.0, 2.0]]))
    assert not are_partial(np.zeros((0, 2)))
