"""Tests of wordplane.evaluation.label_shift."""

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.evaluation.label_shift import METHODS, LabelShift, likeliest_shares


def sample(counts, rng, noise=1.5):
    """Rows of classes whose probabilities are right for equal shares."""
    codes = np.repeat(np.arange(len(counts)), counts)
    Z = 2.0 * np.eye(len(counts))[codes] + rng.normal(0, noise, (len(codes), len(counts)))
    P = np.exp(Z * 2.0 / noise**2)
    return P / P.sum(axis=1, keepdims=True), codes


def slow_shares(ratios, counts):
    """The likeliest shares of two classes, by trying them all."""
    shares = np.linspace(0, 1, 100_001)
    mixed = ratios[:, :1] * (1 - shares) + ratios[:, 1:] * shares
    best = shares[(counts[:, None] * np.log(mixed)).sum(axis=0).argmax()]
    return [1 - best, best]


@pytest.mark.parametrize("seed", range(5))
def test_em_finds_the_likeliest_shares(seed):
    rng = np.random.default_rng(seed)
    ratios, counts = rng.uniform(0.1, 3, (30, 2)), rng.integers(1, 9, 30).astype(float)
    found = likeliest_shares(ratios, 20_000, counts)
    assert found == pytest.approx(slow_shares(ratios, counts), abs=2e-3)
    repeated = likeliest_shares(np.repeat(ratios, counts.astype(int), axis=0), 20_000)
    assert found == pytest.approx(repeated, abs=1e-9)


def test_adjusted_counts_undo_the_confusion_matrix():
    """Where the solution of the linear equations is inside, it is the likeliest one."""
    table = np.array([[80, 15, 5], [10, 70, 20], [5, 5, 90]])
    codes = np.repeat([0, 1, 2], 100)
    predicted = np.concatenate([np.repeat([0, 1, 2], row) for row in table])
    shift = LabelShift(np.eye(3)[predicted], codes, predicted)
    given = np.array([0.2, 0.3, 0.5]) @ (table / 100)
    assert shift.adjust(1000 * given) == pytest.approx([0.2, 0.3, 0.5], abs=0.02)


def test_ratios_by_hand():
    P = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.4, 0.6]])
    codes, predicted = np.array([0, 0, 1, 0]), np.array([0, 0, 1, 1])
    shift = LabelShift(P, codes, predicted)
    from wordplane.evaluation.label_shift import _Texts

    texts = _Texts(P[:1], predicted[2:3], shift)
    found = shift.ratios("counts", texts, np.array([1.0, 1.0, 2.0, 1.0]), np.array([1.0, 2.0]))
    # Label 1 was given to 1 of 3 of class 0, to 2 of 2 of class 1 (by weight), to 3 of 5 in all.
    expected = [(3 * (1 / 3) / (3 / 5) + 1) / 4, (2 * 1 / (3 / 5) + 2) / 4]
    assert found[0] == pytest.approx(expected)
    kernel = np.exp(-((P[:1] - P) ** 2).sum(axis=1) / (2 * 0.1**2))
    density = [kernel[[0, 1, 3]].sum() / 3, kernel[2]]
    found = shift.ratios("narrow", texts, np.ones(4), np.zeros(2))
    assert found[0] == pytest.approx(np.array(density) / (kernel.sum() / 4))


@pytest.mark.slow
def test_shares_and_accuracy_under_a_shift_are_in_their_intervals():
    rng = np.random.default_rng(3)
    P, codes = sample([150, 150, 150], rng)
    shift = LabelShift(P, codes, P.argmax(axis=1))
    assert set(shift.errors) == set(METHODS)
    assert sum(shift.weights.values()) == pytest.approx(1)
    Q, truth = sample([20, 60, 320], rng)
    predicted = Q.argmax(axis=1)
    found = shift.estimate(Q, predicted)
    true = np.bincount(truth) / len(truth)
    counted = np.bincount(predicted) / len(predicted)
    assert np.abs(found.shares - true).mean() < 0.5 * np.abs(counted - true).mean()
    for share, (low, high) in zip(true, found.intervals, strict=True):
        assert low <= share <= high
    low, high = found.accuracy_interval
    assert low <= np.mean(predicted == truth) <= high
    again = shift.estimate(Q, predicted)
    assert (again.draws == found.draws).all()


def test_a_share_of_all_texts_is_less_certain_than_one_of_these():
    rng = np.random.default_rng(1)
    P, codes = sample([100, 100], rng, noise=0.5)
    shift = LabelShift(P, codes, P.argmax(axis=1))
    Q, _ = sample([50, 50], rng, noise=0.5)
    (low, high), (least, most) = (
        shift.estimate(Q, Q.argmax(axis=1), of_population=every).intervals[0]
        for every in (False, True)
    )
    assert most - least > 2 * (high - low)


def test_one_class_is_refused():
    with pytest.raises(InputError, match="one class only"):
        LabelShift(np.full((3, 2), 0.5), np.zeros(3, np.int64), np.zeros(3, np.int64))
