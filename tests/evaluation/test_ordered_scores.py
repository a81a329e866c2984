"""Tests of wordplane.evaluation.ordered_scores."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

from wordplane.evaluation.ordered_scores import score_ordered


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40),
)
def test_scores_equal_those_of_scikit_learn(pairs):
    true, predicted = (np.array(column, float) for column in zip(*pairs, strict=True))
    scores = score_ordered(true, predicted, n_resamples=20)
    assert np.isclose(scores.mae, mean_absolute_error(true, predicted))
    if len({*true, *predicted}) > 1:
        expected = cohen_kappa_score(true, predicted, weights="quadratic", labels=range(1, 6))
        assert np.isclose(scores.quadratic_kappa, expected)
