"""Agreement of people, compared with scikit-learn and worked by hand."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from wordplane.evaluation.agreement import cohen_kappa, compare_people, krippendorff_alpha


def test_kappa_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    a, b = rng.integers(3, size=(2, 60))
    b = np.where(rng.random(60) < 0.6, a, b)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert cohen_kappa(pairs) == pytest.approx(cohen_kappa_score(a, b))


def test_alpha_by_hand():
    # Pairs within texts: 2 of 6 differ. Of the labels a a a b a b: 16 of the 30 ordered pairs do.
    assert krippendorff_alpha(["aa", "ab", "ab"]) == pytest.approx(1 - (4 / 6) / (16 / 30))
    assert np.isnan(krippendorff_alpha(["aa", "aa"]))


def test_everybody_and_every_two():
    ratings = [{"ann": "x", "bob": "x", "eve": "y"}] * 5 + [{"ann": "y", "bob": "y"}] * 5
    ratings += [{"ann": "z"}]
    everybody, ann_bob, ann_eve, bob_eve = compare_people(ratings)
    assert everybody.people == ("ann", "bob", "eve") and everybody.n == 10
    assert ann_bob.people == ("ann", "bob") and ann_bob.value == 1 and ann_bob.share == 1
    assert (ann_eve.share, ann_eve.value, ann_eve.n) == (0, 0, 5) == (bob_eve.share, 0, bob_eve.n)
    low, high = everybody.interval
    assert low <= everybody.value <= high
    assert compare_people([{"ann": "x"}]) == []
