"""Columns that are alike share a weight while machines are trained, which changes no result.

Covers `native/common/column_places.h`, by way of wordplane.learners.svm.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.learners import LinearSVM


def alike_columns(seed, n_columns):
    """Columns each drawn from a few, 0 among them; some have eight values other than 0 at most."""
    rng = np.random.default_rng(seed)
    few = rng.choice([0.0, 0.5, 1.0], size=(30, 5)) * (rng.random((30, 1)) < rng.choice([0.3, 0.9]))
    few[:, 0] = 0
    return few[:, rng.integers(0, 5, size=n_columns)], rng.integers(0, 3, size=30)


@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 12),
    multi_class=st.sampled_from(["ovr", "crammer_singer"]),
)
def test_alike_columns_get_equal_weights_that_solve_the_problem(seed, n_columns, multi_class):
    X, y = alike_columns(seed, n_columns)
    model = LinearSVM(multi_class=multi_class, tol=1e-9, max_iter=10**5).fit(X, y)
    for j in range(n_columns):
        same = (X[:, [j]] == X).all(axis=0)
        assert (model.coef_[:, same] == model.coef_[:, [j]]).all()
    # the objective, of all the columns
    if multi_class == "ovr":
        loss = (
            np.maximum(
                0, 1 - np.where(y[:, None] == model.classes_, 1, -1) * model.decision_function(X)
            )
            ** 2
        )
        objective = 0.5 * ((model.coef_**2).sum() + (model.intercept_**2).sum()) + loss.sum()
        assert objective == pytest.approx(model.objective_, rel=1e-6)
        assert model.gap_ <= 1e-9 * model.objective_


def test_columns_that_differ_in_one_value_keep_their_own_weights():
    X = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 1e-3, 2.0]])
    w = LinearSVM(tol=1e-9).fit(X, [0, 0, 1, 1]).coef_[0]
    assert len(set(w)) == 3
