"""Tests of wordplane.model.stored_weights: 8 bits where they lose nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wordplane.common.errors import InputError
from wordplane.model.stored_weights import are_rounded, round_weights, take_weights, weight_arrays

WEIGHTS = arrays(
    "float32",
    st.tuples(st.integers(1, 30), st.integers(1, 4)),
    elements=st.floats(-1e6, 1e6, width=32),
)


@given(WEIGHTS)
def test_rounded_weights_are_near_and_stay(W):
    rounded = round_weights(W)
    step = np.abs(W).max(axis=0).astype(float) / 127
    assert (np.abs(rounded.astype(float) - W) <= 0.5001 * step + 1e-30).all()
    assert are_rounded(rounded)
    assert (round_weights(rounded) == rounded).all()


@given(WEIGHTS)
def test_what_is_stored_comes_back(W):
    for each in (W, round_weights(W)):
        stored = weight_arrays(each)
        assert (stored["W"].dtype == np.int8) == ("W_step" in stored) == are_rounded(each)
        assert (take_weights(stored, W.shape[1]) == each).all()


@pytest.mark.parametrize(
    "stored",
    [
        {"W": np.ones((2, 1), np.int8)},
        {"W": np.ones((2, 1), np.float32), "W_step": np.ones(1)},
        {"W": np.ones((2, 1), np.int8), "W_step": np.ones(2)},
    ],
)
def test_what_does_not_fit_is_refused(stored):
    with pytest.raises(InputError, match="steps"):
        take_weights(stored, 1)
