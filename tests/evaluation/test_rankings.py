"""The likeliest labels, and the probabilities of labels that a search did not reach."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import _core
from wordplane.common.partial_scores import LEAST_LOGIT, NOT_REACHED
from wordplane.evaluation.rankings import likeliest


@given(st.integers(0, 5), st.integers(1, 30), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_the_likeliest_are_the_first_of_all_in_order(n_rows, n_labels, k, seed):
    P = np.random.default_rng(seed).integers(0, 6, (n_rows, n_labels)) / 6  # many are equal
    expected = np.argsort(-P, axis=1, kind="stable")[:, :k]
    found = likeliest(P, k)
    assert found.shape == expected.shape and found.tolist() == expected.tolist()


def test_the_likeliest_of_columns_in_another_order():
    P = np.asfortranarray(np.random.default_rng(0).random((4, 300)))
    assert likeliest(P, 3).tolist() == np.argsort(-P, axis=1)[:, :3].tolist()


def partly_reached(rest):
    rng = np.random.default_rng(3)
    z = np.where(rng.random((20, 200)) < 0.1, 3 * rng.standard_normal((20, 200)), rest)
    z[:, 7] = 1.0
    z[0, :20] = rng.standard_normal(20)  # what most have is not among the first
    return z


@pytest.mark.parametrize(("power", "temperature"), [(1.0, 1.0), (0.5, 2.0), (0.1, 0.3)])
@pytest.mark.parametrize("rest", [NOT_REACHED, -4.0])
def test_softmax_where_most_scores_are_equal(power, temperature, rest):
    z = partly_reached(rest)
    e = np.exp(-((z.max(axis=1, keepdims=True) - z) ** power) / temperature)
    expected = e / e.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(_core.power_softmax(z, power, temperature), expected, rtol=1e-13)


@pytest.mark.parametrize("rest", [LEAST_LOGIT, 0.0, 2.0])
def test_sigmoids_where_most_scores_are_equal(rest):
    z = partly_reached(rest)
    rng = np.random.default_rng(4)
    for a, b in (np.full((2, 200), 1.3), rng.standard_normal((2, 200))):
        expected = 1 / (1 + np.exp(-(a * z + b)))
        np.testing.assert_allclose(_core.sigmoids(z, a, b), expected, rtol=1e-13)
