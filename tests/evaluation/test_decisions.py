"""Abstention, conformal sets, decisions by cost."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.evaluation.decisions import Conformal, abstain, cheapest, risk_coverage


@st.composite
def stated(draw):
    """Probabilities of three classes in eighths, classes, and weights."""
    n = draw(st.integers(1, 20))
    rows = []
    for _ in range(n):
        a = draw(st.integers(0, 8))
        b = draw(st.integers(0, 8 - a))
        rows.append([a / 8, b / 8, (8 - a - b) / 8])
    y = [draw(st.integers(0, 2)) for _ in range(n)]
    w = [float(draw(st.integers(1, 3))) for _ in range(n)]
    return np.array(rows), np.array(y), np.array(w)


@given(stated())
def test_risk_coverage_equals_definition(rows):
    P, y, w = rows
    curve = risk_coverage(y, P, sample_weight=w)
    best, top = P.argmax(axis=1), P.max(axis=1)
    assert curve.confidence.tolist() == sorted(set(top), reverse=True)
    for confidence, coverage, risk in zip(
        curve.confidence, curve.coverage, curve.risk, strict=True
    ):
        labeled = abstain(P, confidence) >= 0
        assert np.array_equal(labeled, top >= confidence)
        assert coverage == pytest.approx(w[labeled].sum() / w.sum())
        assert risk == pytest.approx(np.average((best != y)[labeled], weights=w[labeled]))
    n = w.astype(int)
    repeated = risk_coverage(np.repeat(y, n), np.repeat(P, n, axis=0))
    assert repeated.area == pytest.approx(curve.area)
    assert 0 <= curve.area <= 1


def test_confidence_for_a_risk():
    P = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    curve = risk_coverage([0, 1, 0, 0], P)
    assert curve.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 4])
    assert curve.confidence_for(0.1) == 0.9
    assert curve.confidence_for(0.4) == 0.6  # the most coverage, although 0.8 is worse
    assert abstain(P, 0.75).tolist() == [0, 0, -1, -1]
    assert "risk 25.0% when every row gets a label" in str(curve)
    assert json.loads(json.dumps(curve.to_dict()))["coverage"][-1] == 1
    with pytest.raises(InputError, match="least is 1"):
        risk_coverage([1], [[0.9, 0.1]]).confidence_for(0.5)


def draw_rows(rng, n, n_classes=4):
    """Classes, and probabilities that are much too sure of themselves."""
    Z = rng.normal(size=(n, n_classes))
    y = np.array((Z + rng.gumbel(size=Z.shape)).argmax(axis=1))
    P = np.exp(3 * Z)
    return P / P.sum(axis=1, keepdims=True), y


def coverage_of(n, level, n_draws, rng):
    """The chance that a new row's set holds its label, over many calibration sets."""
    covered, size = [], []
    for _ in range(n_draws):
        P, y = draw_rows(rng, n + 50)
        sets = Conformal.fit(P[:n], y[:n], level=level).sets(P[n:])
        covered.append(sets[np.arange(50), y[n:]].mean())
        size.append(sets.sum(axis=1).mean())
    return np.mean(covered), np.std(covered) / np.sqrt(n_draws), np.mean(size)


@pytest.mark.parametrize("n, level", [(9, 0.9), (20, 0.8), (200, 0.95)])
def test_conformal_sets_cover(n, level):
    found, error, size = coverage_of(n, level, 400, np.random.default_rng(0))
    # Exactly ceil((n + 1) level) / (n + 1) for scores without ties.
    assert found == pytest.approx(np.ceil((n + 1) * level - 1e-9) / (n + 1), abs=4 * error)
    assert size < 4


@pytest.mark.soak
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("n", [19, 50, 499])
def test_conformal_sets_cover_soak(n, level):
    found, error, _ = coverage_of(n, level, 8000, np.random.default_rng(n))
    assert found == pytest.approx(np.ceil((n + 1) * level - 1e-9) / (n + 1), abs=3.5 * error)
    assert found >= level - 3.5 * error


def test_conformal_by_hand():
    P = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    # P_true is 0.9, 0.8, 0.7, 0.4: of 4 rows, ceil(5 * 0.8) = 4 must be in, so all from 0.4 up.
    assert Conformal.fit(P, [0, 0, 1, 1], level=0.8).least == 0.4
    assert Conformal.fit(P, [0, 0, 1, 1], level=0.6).least == 0.7
    everything = Conformal.fit(P, [0, 0, 1, 1], level=0.9)
    assert everything.sets([[1.0, 0.0]]).tolist() == [[True, True]]
    named = Conformal.fit(P, ["x", "x", "y", "y"], classes=["x", "y"], level=0.6)
    assert named == Conformal.from_dict(json.loads(json.dumps(named.to_dict())))


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"level": 0.9},
        {"level": 0.9, "least": 1.5},
        {"level": 0.9, "least": float("nan")},
        {"level": 1.0, "least": 0.5},
        {"level": "0.9", "least": 0.5},
        {"level": 0.9, "least": True},
        {"level": 0.9, "least": 0.5, "more": 1},
    ],
)
def test_strangers_are_refused(data):
    with pytest.raises(InputError):
        Conformal.from_dict(data)


@given(stated(), st.lists(st.integers(0, 5), min_size=9, max_size=9))
def test_cheapest_equals_definition(rows, costs):
    P, _, _ = rows
    C = np.array(costs, float).reshape(3, 3) * (1 - np.eye(3))
    for row, found in zip(P, cheapest(P, C), strict=True):
        expected = [sum(row[t] * C[t, p] for t in range(3)) for p in range(3)]
        assert expected[found] == min(expected)
        assert found == expected.index(min(expected))  # the lowest of equals


def test_equal_costs_give_the_likeliest():
    P = np.random.default_rng(0).dirichlet(np.ones(4), size=100)
    assert np.array_equal(cheapest(P, 1 - np.eye(4)), P.argmax(axis=1))


def test_two_costs_are_a_threshold():
    p = np.linspace(0, 1, 101)
    said = cheapest(np.column_stack([1 - p, p]), [[0, 1], [4, 0]])
    assert np.array_equal(said == 1, p > 1 / (1 + 4) + 1e-12)


@pytest.mark.parametrize(
    "cost",
    [[[0, 1, 1], [1, 0, 1]], [[0, -1], [1, 0]], [[1, 1], [1, 0]], [[0, np.nan], [1, 0]], [1]],
)
def test_costs_are_checked(cost):
    with pytest.raises(InputError):
        cheapest([[0.5, 0.5]], cost)


@pytest.mark.parametrize("P", [[0.5, 0.5], [[0.5, 0.6]], [[-0.5, 1.5]], 1.0, [["a"]]])
def test_probabilities_are_checked(P):
    with pytest.raises(InputError):
        abstain(P, 0.5)
