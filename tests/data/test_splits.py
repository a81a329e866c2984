"""Splits: worked by hand, and the promises of each function for random labels.

Tests of wordplane.data.splits and wordplane.data.group_splits.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.data.splits import holdout, stratified_folds, train_dev_test

LABELS = st.one_of(
    st.lists(st.sampled_from(["pos", "neg", "so so", ""]), max_size=60),
    st.lists(st.integers(0, 6), max_size=60),
    st.lists(st.booleans(), max_size=60),
)
SEEDS = st.integers(0, 2**32 - 1)


def counts(labels, rows):
    found = dict.fromkeys(labels, 0)
    for row in rows:
        found[labels[row]] += 1
    return found


def is_ascending_int64(rows):
    return rows.dtype == np.int64 and (np.diff(rows) > 0).all()


def test_holdout_by_hand():
    # shares of 30 %: a 1.8, b 1.2, c 0.3; in all 3.3 -> 3, so whole parts 1 + 1 + 0 and one
    # more from the largest remainder, a
    labels = ["a"] * 6 + ["b"] * 4 + ["c"]
    train, held = holdout(labels, 0.3)
    assert counts(labels, held) == {"a": 2, "b": 1, "c": 0}
    assert counts(labels, train) == {"a": 4, "b": 3, "c": 1}


def test_holdout_never_takes_the_last_row_of_a_class():
    train, held = holdout(["a", "b", "c", "d"], 0.9)
    assert train.tolist() == [0, 1, 2, 3]
    assert held.tolist() == []
    labels = ["a", "a", "b", "b"]
    assert counts(labels, holdout(labels, 0.9)[0]) == {"a": 1, "b": 1}


def test_holdout_ties_go_to_the_class_seen_first():
    labels = ["b"] * 5 + ["a"] * 5  # 0.5 each, one row in all
    assert counts(labels, holdout(labels, 0.1)[1]) == {"b": 1, "a": 0}


@given(LABELS, st.floats(0, 0.99), SEEDS)
def test_holdout_is_stratified(labels, fraction, seed):
    train, held = holdout(labels, fraction, seed)
    assert is_ascending_int64(train) and is_ascending_int64(held)
    assert sorted([*train, *held]) == list(range(len(labels)))
    assert len(held) <= len(labels) * fraction + 0.5
    total, in_held = counts(labels, range(len(labels))), counts(labels, held)
    for label, n in total.items():
        assert abs(in_held[label] - n * fraction) <= 1
        assert in_held[label] < n


@given(LABELS, st.floats(0, 0.49), st.floats(0, 0.49), SEEDS)
def test_three_parts_cover_every_row_once(labels, dev, test, seed):
    parts = train_dev_test(labels, dev, test, seed)
    assert all(is_ascending_int64(part) for part in parts)
    assert sorted(np.concatenate(parts)) == list(range(len(labels)))
    total = counts(labels, range(len(labels)))
    for part, fraction in zip(parts[1:], (dev, test), strict=True):
        for label, n in counts(labels, part).items():
            assert abs(n - total[label] * fraction) <= 2
    assert all(n >= 1 for n in counts(labels, parts[0]).values())


def test_three_parts_by_hand():
    labels = ["a"] * 50 + ["b"] * 30
    train, dev, test = train_dev_test(labels, dev=0.1, test=0.2)
    assert counts(labels, test) == {"a": 10, "b": 6}
    assert counts(labels, dev) == {"a": 5, "b": 3}
    assert counts(labels, train) == {"a": 35, "b": 21}


@given(LABELS.filter(lambda labels: len(labels) >= 2), st.data(), SEEDS)
def test_folds_are_stratified(labels, data, seed):
    k = data.draw(st.integers(2, len(labels)))
    folds = stratified_folds(labels, k, seed)
    assert len(folds) == k
    assert all(is_ascending_int64(fold) for fold in folds)
    assert sorted(np.concatenate(folds)) == list(range(len(labels)))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for label in set(labels):
        of_label = [counts(labels, fold)[label] for fold in folds]
        assert max(of_label) - min(of_label) <= 1


def test_a_class_with_fewer_rows_than_folds_is_spread():
    labels = ["a"] * 9 + ["b"] * 3
    of_b = [counts(labels, fold)["b"] for fold in stratified_folds(labels, 4)]
    assert sorted(of_b) == [0, 1, 1, 1]


def test_the_seed_decides():
    labels = ["a", "b"] * 50
    first = holdout(labels, 0.2, random_state=1)[1]
    assert np.array_equal(first, holdout(labels, 0.2, random_state=1)[1])
    assert not np.array_equal(first, holdout(labels, 0.2, random_state=2)[1])
    folds = [stratified_folds(labels, 5, random_state=seed)[0].tolist() for seed in (1, 1, 2)]
    assert folds[0] == folds[1] != folds[2]


@pytest.mark.parametrize("k", [-1, 0, 1, 4])
def test_a_wrong_number_of_folds(k):
    with pytest.raises(InputError, match=f"{k} folds of 3 rows"):
        stratified_folds(["a", "b", "a"], k)


@pytest.mark.parametrize("fraction", [-0.1, 1.0, float("nan")])
def test_a_wrong_fraction(fraction):
    with pytest.raises(InputError, match="expected 0 <= fraction < 1"):
        holdout(["a", "b"], fraction)


def test_fractions_that_leave_nothing():
    with pytest.raises(InputError, match=r"dev=0.5 and test=0.5 leave no rows"):
        train_dev_test(["a", "b"], 0.5, 0.5)


@given(LABELS, SEEDS, st.sampled_from([None, object]))
def test_arrays_and_lists_are_split_alike(labels, seed, dtype):
    array = np.array(labels, dtype)
    for ours, theirs in zip(holdout(labels, 0.3, seed), holdout(array, 0.3, seed), strict=True):
        assert np.array_equal(ours, theirs)
    if len(labels) > 1:
        folds = [stratified_folds(given, 2, seed) for given in (labels, array)]
        assert all(np.array_equal(*pair) for pair in zip(*folds, strict=True))


@st.composite
def grouped(draw):
    n = draw(st.integers(4, 60))
    labels = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    return labels, np.array(groups)


@given(grouped(), st.floats(0.05, 0.5), SEEDS)
def test_a_holdout_never_separates_a_group_nor_takes_a_whole_class(rows, fraction, seed):
    labels, groups = rows
    train, held = holdout(labels, fraction, seed, groups)
    assert is_ascending_int64(train)
    assert is_ascending_int64(held)
    assert sorted([*train, *held]) == list(range(len(labels)))
    assert not set(groups[train]) & set(groups[held])
    assert {labels[row] for row in train} == set(labels)
    assert len(held) <= fraction * len(labels) + 0.5 + np.bincount(groups).max()


@given(grouped(), st.integers(2, 5), SEEDS)
def test_folds_never_separate_a_group(rows, k, seed):
    labels, groups = rows
    if len(set(groups)) < k:
        with pytest.raises(InputError, match="folds of whole groups"):
            stratified_folds(labels, k, seed, groups)
        return
    folds = stratified_folds(labels, k, seed, groups)
    assert sorted(row for fold in folds for row in fold) == list(range(len(labels)))
    parts = [set(groups[fold]) for fold in folds]
    assert sum(map(len, parts)) == len(set(groups))


def test_folds_of_many_small_groups_are_as_even_as_folds_of_rows():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(500), 3)
    labels = rng.choice(["a", "a", "a", "b"], 500)[groups].tolist()
    n_rows = counts(labels, range(1500))
    for fold in stratified_folds(labels, 5, 0, groups):
        for label, n in counts(labels, fold).items():
            assert abs(n - n_rows[label] / 5) <= 3


def test_rows_held_out_have_groups_of_all_sizes():
    sizes = np.array([1] * 300 + [10] * 30 + [30] * 10)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.where(groups % 2, "a", "b")
    shares = []
    for seed in range(20):
        _, held = holdout(labels, 0.2, seed, groups)
        assert abs(len(held) - 180) <= 15  # half of the largest group
        shares.append([(sizes[groups[held]] == size).mean() for size in (1, 10, 30)])
    assert np.allclose(np.mean(shares, axis=0), 1 / 3, atol=0.06)
