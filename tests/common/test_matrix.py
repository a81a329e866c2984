"""What users pass as X: tests of wordplane.common.matrix, wordplane.common.matrix_estimator,
wordplane.common.feature_names and wordplane.common.types.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import coo_array, csr_matrix

from wordplane.common.errors import InputError
from wordplane.common.feature_names import feature_names
from wordplane.common.matrix import as_csr, as_rows, as_scipy, scipy_as_csr, stack_rows, take_rows
from wordplane.common.matrix_estimator import MatrixEstimator, check_length
from wordplane.common.types import SparseMatrix

matrices = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 0.0, 1.0, -2.5]),
)


@given(matrices)
def test_every_kind_of_matrix_is_the_same(X):
    for given_X in (X, X.tolist(), csr_matrix(X), coo_array(X), pd.DataFrame(X), as_csr(X)):
        assert np.array_equal(as_rows(as_csr(given_X)).toarray(), X)
    for given_X in (X, csr_matrix(X), coo_array(X)):
        assert np.array_equal(as_scipy(given_X).toarray(), X)
    assert np.array_equal(as_rows(scipy_as_csr(as_scipy(X))).toarray(), X)
    assert isinstance(csr_matrix(X), SparseMatrix)


@given(matrices, st.data())
def test_rows_are_taken_and_stacked(X, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1)))
    taken = take_rows(as_csr(X), rows)
    assert np.array_equal(as_rows(taken).toarray(), X[rows])
    both = stack_rows(as_csr(X), taken)
    assert np.array_equal(as_rows(both).toarray(), np.vstack([X, X[rows]]))


def test_a_copy_leaves_what_was_passed_as_it_was():
    X = csr_matrix(np.eye(2))
    as_scipy(X).data[:] = 5
    assert X.data.tolist() == [1, 1]
    assert as_scipy(X, copy=False) is X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0], "Expected 2D array, got 1D"),
        (np.zeros((0, 2)), "0 sample"),
        (np.zeros((2, 0)), "0 feature"),
        ([[np.inf]], "NaN or infinity"),
        ([[1j]], "Complex data not supported"),
    ],
)
def test_matrices_that_are_refused(X, message):
    for convert in (as_csr, as_scipy):
        with pytest.raises(InputError, match=message):
            convert(X)


def test_texts_are_no_matrix():
    with pytest.raises(ValueError, match="turn texts into numbers with a vectorizer first"):
        as_csr([["a"]])


def test_an_estimator_knows_its_features():
    frame = pd.DataFrame([[1, 2]], columns=["a", "b"])
    estimator = MatrixEstimator()
    estimator._new_features(frame)
    assert estimator.n_features_in_ == 2
    assert estimator._names_in(None).tolist() == ["a", "b"]
    estimator._known_features(frame)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        estimator._known_features([[1, 2]])
    with pytest.raises(InputError, match="X has 1 features, but MatrixEstimator is expecting 2"):
        estimator._known_features([[1]])
    with pytest.raises(InputError, match="unseen at fit time:\n- c\n"):
        estimator._known_features(frame.rename(columns={"b": "c"}))
    with pytest.raises(InputError, match="same order"):
        estimator._known_features(frame[["b", "a"]])
    estimator._new_features([[1]])
    assert estimator._names_in(None).tolist() == ["x0"]
    assert feature_names([[1]]) is None
    with pytest.raises(InputError, match="X has 1 rows and y has 2"):
        check_length(as_csr([[1]]), [1, 2], "y")
