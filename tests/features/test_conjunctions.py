"""Tests of wordplane.features.conjunctions: pairs of features as they are defined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_embeddings as reference
from wordplane import LogisticRegression
from wordplane.common.errors import InputError
from wordplane.features import Conjunctions


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [Conjunctions(), Conjunctions(append=False)])
def test_scikit_learn_s_checks(estimator):
    check_estimator(estimator, on_skip=None)


@st.composite
def conjunction_problems(draw):
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    X = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 1.0, -2.0])))
    columns = st.lists(st.integers(0, shape[1] - 1), unique=True)
    return X, draw(st.none() | columns), draw(st.none() | columns), draw(st.integers(1, 3))


@given(conjunction_problems())
def test_conjunctions_equal_their_definition(problem):
    X, features, others, min_df = problem
    n = X.shape[1]
    first = range(n) if features is None else features
    second = first if others is None else others
    pairs = sorted({(min(a, b), max(a, b)) for a in first for b in second if a != b})
    counts = reference.conjunctions(X, pairs).reshape(len(X), len(pairs)).sum(axis=0)
    pairs = [pair for pair, count in zip(pairs, counts, strict=True) if count >= min_df]
    conjunctions = Conjunctions(features, others, min_df=min_df).fit(X)
    assert conjunctions.pairs_.tolist() == [list(pair) for pair in pairs]
    expected = reference.conjunctions(X, pairs).reshape(len(X), len(pairs))
    for matrix in (X, csr_matrix(X)):
        assert (conjunctions.transform(matrix).toarray() == np.hstack([X, expected])).all()


def test_new_rows_may_have_other_pairs():
    conjunctions = Conjunctions(append=False).fit([[1, 1, 0], [0, 0, 1]])
    assert conjunctions.transform([[1, 0, 1], [5, 1, 1], [0, 0, 0]]).toarray().tolist() == [
        [0],
        [1],
        [0],
    ]


def test_names_of_conjunctions():
    import pandas as pd

    frame = pd.DataFrame({"not": [1, 1], "good": [1, 0], "bad": [1, 1]})
    conjunctions = Conjunctions(["not"], ["good", "bad"]).fit(frame)
    assert conjunctions.get_feature_names_out().tolist() == [
        *frame.columns,
        "and:not&good",
        "and:not&bad",
    ]
    with pytest.raises(InputError, match="features has the feature 'ugly', expected numbers"):
        Conjunctions(["ugly"]).fit(frame)
    with pytest.raises(InputError, match="others has the feature 3, expected numbers from 0 to 2"):
        Conjunctions(others=[3]).fit(frame.to_numpy())


def test_xor_is_separable_with_a_conjunction():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), ["even", "odd", "odd", "even"]
    alone = LogisticRegression(C=1e4).fit(X, y).score(X, y)
    both = make_pipeline(Conjunctions(), LogisticRegression(C=1e4)).fit(X, y).score(X, y)
    assert alone < 1 and both == 1


def test_wrong_min_df():
    with pytest.raises(InputError, match="min_df is 0"):
        Conjunctions(min_df=0).fit([[1]])
