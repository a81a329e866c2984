"""Tests of wordplane.features.subset_search."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from wordplane import MultinomialNB
from wordplane.common.errors import InputError
from wordplane.common.progress import listen
from wordplane.features.subset_search import dev_error, search_subsets

METHODS = ["hill_climbing", "beam", "annealing"]


@st.composite
def landscapes(draw):
    """A loss for every subset of a few candidates."""
    names = "abcd"[: draw(st.integers(1, 4))]
    subsets = [s for n in range(len(names) + 1) for s in itertools.combinations(names, n)]
    losses = draw(st.lists(st.integers(0, 6), min_size=len(subsets), max_size=len(subsets)))
    return names, dict(zip(subsets, losses, strict=True))


def neighbors(subset, names):
    return [tuple(c for c in names if (c in subset) != (c == toggled)) for toggled in names]


def better(loss, one, other, names):
    key = lambda s: (loss[s], len(s), [names.index(c) for c in s])  # noqa: E731
    return key(one) < key(other)


@given(landscapes(), st.sampled_from(METHODS), st.sampled_from(["none", "all"]), st.integers(0, 9))
def test_every_search(landscape, method, start, seed):
    names, loss = landscape
    asked = []

    def evaluate(subset):
        asked.append(subset)
        return loss[subset]

    options = {"method": method, "start": start, "random_state": seed, "steps": 20}
    result = search_subsets(names, evaluate, **options)
    assert len(asked) == len(set(asked)), "each subset once"
    assert asked[0] == (tuple(names) if start == "all" else ())
    assert [(visit.subset, visit.loss) for visit in result.trace] == [(s, loss[s]) for s in asked]
    assert result.loss == loss[result.subset] == min(loss[subset] for subset in asked)
    assert search_subsets(names, loss.__getitem__, **options) == result


@given(landscapes(), st.sampled_from(["none", "all"]))
def test_hill_climbing_equals_the_obvious_way(landscape, start):
    names, loss = landscape
    state = tuple(names) if start == "all" else ()
    while True:
        best = state
        for near in neighbors(state, names):
            best = near if better(loss, near, best, names) else best
        if best == state:
            break
        state = best
    result = search_subsets(names, loss.__getitem__, start=start)
    assert result.subset == state
    one_wide = search_subsets(names, loss.__getitem__, start=start, method="beam", width=1)
    assert one_wide == result


@given(landscapes())
def test_a_wide_beam_sees_everything(landscape):
    names, loss = landscape
    result = search_subsets(names, loss.__getitem__, method="beam", width=16)
    assert len(result.trace) == len(loss)
    assert result.loss == min(loss.values())


def test_a_beam_crosses_a_valley_that_stops_hill_climbing():
    # Only both together help: a alone is worse than nothing, b alone as good.
    loss = {(): 0.5, ("a",): 0.6, ("b",): 0.5, ("a", "b"): 0.1}.__getitem__
    assert search_subsets("ab", loss).subset == ()
    assert search_subsets("ab", loss, method="beam", width=2).subset == ("a", "b")
    assert search_subsets("ab", loss, start="all").subset == ("a", "b")


def slow_annealing(names, loss, steps, temperature, cooling, seed):
    rng = np.random.default_rng(seed)
    state, seen = (), [()]
    for s in range(steps):
        near = neighbors(state, names)[rng.integers(len(names))]
        seen.append(near)
        d, luck = loss[near] - loss[state], rng.random()
        if d <= 0 or luck < math.exp(-d / (temperature * cooling**s)):
            state = near
    return seen


@given(landscapes(), st.integers(0, 99))
def test_annealing_equals_the_obvious_way(landscape, seed):
    names, loss = landscape
    schedule = {"steps": 15, "temperature": 3.0, "cooling": 0.8}
    seen = slow_annealing(names, loss, *schedule.values(), seed)
    result = search_subsets(
        names, loss.__getitem__, method="annealing", random_state=seed, **schedule
    )
    assert [visit.subset for visit in result.trace] == list(dict.fromkeys(seen))


def test_cold_annealing_never_moves_up():
    loss = {(): 0.5, ("a",): 0.6, ("b",): 0.7, ("a", "b"): 0.1}.__getitem__
    result = search_subsets("ab", loss, method="annealing", temperature=0, steps=100)
    assert result.subset == ()
    assert search_subsets("ab", loss, method="annealing", temperature=1).subset == ("a", "b")


def problem():
    rng = np.random.default_rng(0)
    y = np.array(["neg", "pos"] * 100)
    good = np.where(
        (y == "pos")[:, None], rng.poisson([3, 1], (200, 2)), rng.poisson([1, 3], (200, 2))
    )
    misleading = rng.poisson(5, (200, 3))
    X = np.column_stack([good, misleading])
    return X[:120], y[:120], X[120:], y[120:]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.coo_array])
def test_dev_error(kind):
    X, y, X_dev, y_dev = problem()
    groups = {"good": [0, 1], "noise": np.array([3, 2]), "nothing": [], "both": [1, 2]}
    estimator = MultinomialNB()
    loss = dev_error(estimator, kind(X), y.tolist(), kind(X_dev), y_dev, groups)
    for subset, columns in {
        ("good",): [0, 1],
        ("noise", "both"): [1, 2, 3],
        ("good", "noise", "nothing", "both"): [0, 1, 2, 3],
    }.items():
        model = MultinomialNB().fit(X[:, columns], y)
        expected = np.mean(model.predict(X_dev[:, columns]) != y_dev)
        assert loss(subset) == pytest.approx(expected)
    assert loss(()) == loss(("nothing",)) == np.mean(y_dev != "neg")
    assert not hasattr(estimator, "classes_"), "the given estimator stays as it was"


@pytest.mark.slow
def test_search_by_dev_error():
    X, y, X_dev, y_dev = problem()
    groups = {"good": [0, 1], "noise": [2, 3], "more noise": [4]}
    loss = dev_error(MultinomialNB(), X, y, X_dev, y_dev, groups)
    result = search_subsets(groups, loss)
    assert "good" in result.subset
    assert result.loss <= min(loss(()), loss(tuple(groups)))
    single = {f"feature {j}": [j] for j in range(5)}
    loss = dev_error(LogisticRegression(), X, y, X_dev, y_dev, single)
    result = search_subsets(single, loss, start="all", method="beam", width=2)
    assert {"feature 0", "feature 1"} <= set(result.subset)


def test_progress():
    steps = []
    with listen(lambda job, done, total: steps.append((job, done))):
        search_subsets("ab", len)
    assert steps == [("searching feature subsets", n) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidates": []}, "candidates"),
        ({"candidates": ["a", "a"]}, "each only once"),
        ({"method": "genetic"}, "method is 'genetic', expected 'hill_climbing'"),
        ({"start": "some"}, "start is 'some'"),
        ({"width": 0}, "width is 0"),
        ({"steps": 0}, "steps is 0"),
        ({"temperature": float("inf")}, "temperature is inf"),
        ({"cooling": 0}, "cooling is 0"),
        ({"evaluate": lambda subset: float("nan")}, r"the loss of \(\) is NaN"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(InputError, match=message):
        search_subsets(**{"candidates": "ab", "evaluate": len, **arguments})


def test_groups_that_are_none():
    X, y, X_dev, y_dev = problem()
    for columns in ([5], [-1], [0.5], 3, "a"):
        with pytest.raises(InputError, match="the group 'g'"):
            dev_error(MultinomialNB(), X, y, X_dev, y_dev, {"g": columns})
    with pytest.raises(InputError, match="X has 5 features and X_dev has 4"):
        dev_error(MultinomialNB(), X, y, X_dev[:, :4], y_dev, {})
