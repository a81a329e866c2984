"""Duplicates and near-duplicates among texts."""

import signal
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.costs import check_linear
from tests.strategies import sentences, texts
from wordplane import Analyzer, _core


def find(rows, threshold=0.8, threads=1):
    """For each row, the first with the same words, and the first that is nearly the same."""
    pair = _core.find_duplicates(_core.Texts(rows), threshold, threads)
    return [first.tolist() for first in pair]


def words(text):
    return tuple(token.text for token in Analyzer().tokenize(text))


def share(a, b):
    def runs(words):
        n = min(3, len(words))
        return {words[i : i + n] for i in range(len(words) - n + 1) if n}

    a, b = runs(words(a)), runs(words(b))
    return len(a & b) / len(a | b) if a | b else 1.0


@given(st.lists(st.one_of(sentences, texts), max_size=12))
def test_same_words_are_the_same_text(rows):
    first = {}
    expected = [first.setdefault(words(text), i) for i, text in enumerate(rows)]
    same, similar = find(rows)
    assert same == expected
    for i, j in enumerate(similar):
        assert j <= i
        assert similar[j] == j
        linked = [k for k in range(len(rows)) if similar[k] == j and k != i]
        assert i == j or any(share(rows[i], rows[k]) >= 0.8 for k in linked)


def test_all_planted_near_duplicates_are_found():
    rng = np.random.default_rng(0)
    vocabulary = [f"w{i}" for i in range(2000)]
    rows = [" ".join(rng.choice(vocabulary, 60)) for _ in range(500)]
    changed = []
    for text in rows:
        edited = text.split()
        edited[int(rng.integers(60))] = "EDITED"  # 3 of 58 runs differ: a share of 55 / 61
        changed.append(" ".join(edited))
    same, similar = find(rows + changed)
    assert same == list(range(1000))
    assert similar == [*range(500), *range(500)]


def test_threads_change_nothing_and_the_first_row_is_named():
    rows = ["A b c", "x", "a  B c", "", "X", "", "!"] * 30
    same, similar = find(rows)
    assert same[:7] == [0, 1, 0, 3, 1, 3, 6]
    assert (same, similar) == tuple(find(rows, threads=3))


def test_a_phrase_in_all_texts_does_not_take_quadratic_time():
    same, similar = find([f"the same long phrase in every text number {i}" for i in range(20_000)])
    assert len(set(same)) == 20_000
    assert len(set(similar)) == 20_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda n: ["a b c " * (20 * n) + "q", *(f"a b c a b c x{i}" for i in range(n))],
        lambda n: [" ".join(f"w{i}" for i in range(20 * n)), *(f"w{i} w{i + 1}" for i in range(n))],
        lambda n: ["same words in every text " * 9] * n,
    ],
    ids=["one repetitive text", "one long text", "equal texts"],
)
def test_cost_is_linear(make):
    check_linear(make, find, 500)


@pytest.mark.clock
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_looking_for_duplicates_is_interrupted():
    def stop(number, frame):
        raise KeyboardInterrupt

    rows = _core.Texts([" ".join(f"w{i}" for i in range(3000))] * 40_000)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            _core.find_duplicates(rows, 0.8, 2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 3  # half a second, on a machine that is busy
