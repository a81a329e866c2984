"""Tests of wordplane.features.select."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from wordplane import CountVectorizer, MultinomialNB, SelectFeatures
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.features.scores import chi2, corpus_tfidf, information_gain
from wordplane.features.select import SCORES

X = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 0, 0]])
Y = ["pos", "pos", "neg", "neg"]

PARAMETER = (
    "takes any attribute called score for a method; here it is the parameter that names the "
    "score, and a selector has nothing to predict"
)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks(score):
    check_estimator(
        SelectFeatures(score),
        expected_failed_checks={
            "check_fit_score_takes_y": PARAMETER,
            "check_n_features_in_after_fitting": PARAMETER,
            "check_pipeline_consistency": PARAMETER,
        },
        on_skip=None,
    )


@pytest.mark.parametrize("score", SCORES)
def test_another_number_of_features(score):
    # What check_n_features_in_after_fitting would look at.
    select = SelectFeatures(score).fit(X, Y)
    assert select.n_features_in_ == 4
    with pytest.raises(InputError, match="X has 3 features, but SelectFeatures is expecting 4"):
        select.transform(X[:, :3])


def test_worked_by_hand():
    # Feature 0 is in both texts of pos and in no other; 2 and 3 are in one text each.
    select = SelectFeatures(m=2, alpha=0).fit(X, Y)
    assert select.get_support(indices=True).tolist() == [0, 1]
    assert select.get_support().tolist() == [True, True, False, False]
    assert select.transform(X).toarray().tolist() == X[:, :2].tolist()
    # Features 1, 2 and 3 tell as much: the lower columns win.
    assert np.allclose(select.scores_, [1, *[1 - 3 / 4 * 0.9182958340544896] * 3])


def slow_selection(X, y, score, m, min_count, min_df, max_df):
    n = len(X)
    low = min_df if isinstance(min_df, int) else min_df * n
    high = max_df if isinstance(max_df, int) else max_df * n
    scores = {
        "information_gain": lambda: information_gain(X, y),
        "chi2": lambda: np.nan_to_num(chi2(X, y)),
        "corpus_tfidf": lambda: corpus_tfidf(X),
        "df": lambda: (X > 0).sum(axis=0),
    }[score]()
    kept = [
        j
        for j in range(X.shape[1])
        if low <= (X[:, j] > 0).sum() <= high and X[:, j].sum() >= min_count
    ]
    return sorted(sorted(kept, key=lambda j: (-scores[j], j))[:m])


@st.composite
def problems(draw):
    n, v = draw(st.integers(1, 10)), draw(st.integers(1, 8))
    X = draw(hnp.arrays(np.int64, (n, v), elements=st.integers(0, 3)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 2)))
    return X, y


@given(
    problems(),
    st.sampled_from(SCORES),
    st.integers(1, 8),
    st.integers(1, 5),
    st.one_of(st.integers(1, 4), st.floats(0.01, 0.5)),
    st.one_of(st.integers(2, 9), st.floats(0.5, 1)),
)
def test_equals_the_obvious_way(problem, score, m, min_count, min_df, max_df):
    X, y = problem
    expected = slow_selection(X, y, score, m, min_count, min_df, max_df)
    select = SelectFeatures(score, m, min_count=min_count, min_df=min_df, max_df=max_df)
    if not expected:
        with pytest.raises(InputError, match="none of the"):
            select.fit(X, y)
        return
    found = select.fit_transform(sp.csr_array(X), y)
    assert select.get_support(indices=True).tolist() == expected
    assert found.toarray().tolist() == X[:, expected].tolist()


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.float64, bool])
@pytest.mark.parametrize(
    "kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array, np.array]
)
def test_the_type_of_the_values_stays(kind, dtype):
    found = SelectFeatures(m=2).fit_transform(kind(X.astype(dtype)), Y)
    assert (found.format, found.dtype) == ("csr", dtype)
    assert found.has_sorted_indices
    assert np.array_equal(found.toarray(), X[:, :2].astype(dtype))


def test_native_matrix():
    found = SelectFeatures(m=2).fit_transform(as_csr(X), Y)
    assert found.toarray().tolist() == X[:, :2].tolist()


def test_labels_are_not_looked_at_where_they_are_not_needed():
    for score in ("df", "corpus_tfidf"):
        plain = SelectFeatures(score, 1).fit(X)
        given_labels = SelectFeatures(score, 1).fit(X, [0.5, 1.5, 2.5, 3.5])
        assert plain.get_support().tolist() == given_labels.get_support().tolist()
    assert SelectFeatures("df", 1).fit(X).get_support(indices=True) == [1]
    assert SelectFeatures("corpus_tfidf", 1).fit(X).get_support(indices=True) == [0]
    with pytest.raises(InputError, match="y is None"):
        SelectFeatures().fit(X)


def test_weights_below_one_are_not_cut():
    select = SelectFeatures("df", None)
    assert select.fit(X / 100).get_support().all()
    assert select.set_params(min_count=2).fit(X).get_support(indices=True).tolist() == [0, 1]


def test_a_feature_that_never_occurs():
    never = np.column_stack([np.zeros(4), X])
    assert not SelectFeatures().fit(never, Y).get_support()[0]
    select = SelectFeatures("chi2", 4, min_df=0).fit(never, Y)  # its chi-squared is nan
    assert select.get_support(indices=True).tolist() == [1, 2, 3, 4]
    assert select.set_params(m=5).fit(never, Y).table()[-1].column == 0


def test_table():
    select = SelectFeatures("chi2", m=3, alpha=1).fit(X, Y)
    first, *rest = select.table(["great", "film", "fun", "dull"], n=2)
    assert len(rest) == 1
    assert (first.name, first.column) == ("great", 0)
    assert first.score == pytest.approx(chi2(X, Y)[0])
    assert first.information_gain == pytest.approx(information_gain(X, Y)[0])
    # The table of texts, 2 0 / 0 2, becomes 3 1 / 1 3 with alpha = 1.
    assert first.p == pytest.approx(4 / 8)
    assert first.p_given_class == pytest.approx({"neg": 1 / 4, "pos": 3 / 4})
    plain = SelectFeatures("df", alpha=0).fit(X).table(n=1)[0]
    assert (plain.name, plain.p, plain.information_gain) == ("x1", 3 / 4, None)
    assert plain.p_given_class == {}


def test_names():
    frame = pd.DataFrame(X, columns=["great", "film", "fun", "dull"])
    select = SelectFeatures(m=2).fit(frame, Y)
    assert select.get_feature_names_out().tolist() == ["great", "film"]
    assert [f.name for f in select.table()] == ["great", "film"]
    with pytest.raises(InputError, match="not equal to feature_names_in_"):
        select.get_feature_names_out(["a", "b", "c", "d"])
    unnamed = SelectFeatures(m=2).fit(X, Y)
    assert unnamed.get_feature_names_out().tolist() == ["x0", "x1"]
    assert unnamed.get_feature_names_out(list("abcd")).tolist() == ["a", "b"]
    with pytest.raises(InputError, match=r"number of features \(4\), got 1"):
        unnamed.get_feature_names_out(["a"])


def test_in_a_pipeline():
    texts = ["great fun", "great cast", "dull cast", "so dull"]
    model = make_pipeline(CountVectorizer(), SelectFeatures(m=2), MultinomialNB()).fit(texts, Y)
    assert model[:-1].get_feature_names_out().tolist() == ["dull", "great"]
    assert model.predict(["a great cast", "dull"]).tolist() == ["pos", "neg"]
    model.set_params(selectfeatures__m=1, selectfeatures__score="chi2").fit(texts, Y)
    assert pickle.loads(pickle.dumps(model)).predict(["dull"]) == ["neg"]


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    big = sp.random(3000, 500, 0.15, "csr", rng=rng)
    y = rng.integers(0, 5, 3000)
    for score in SCORES:
        one, *others = (SelectFeatures(score, 50, n_jobs=n).fit(big, y) for n in (1, 2, 3, 8))
        for other in others:
            assert np.array_equal(one.scores_, other.scores_)
            assert np.array_equal(one.get_support(), other.get_support())


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("score", "gain"),
        *(("m", value) for value in (0, 1.5, True, "all")),
        *(("alpha", value) for value in (-1, float("nan"), "1")),
        *(("min_count", value) for value in (-1, float("nan"), float("inf"), "2", True)),
        *(("min_df", value) for value in (-1, 1.5, "1", float("nan"), True)),
        *(("max_df", value) for value in (-1, 1.5, None)),
    ],
)
def test_parameters_that_are_none(parameter, value):
    with pytest.raises(InputError, match=f"{parameter} is {value!r}, expected"):
        SelectFeatures(**{parameter: value}).fit(X, Y)


def test_negative_values():
    negative = X - 1
    for select in (
        SelectFeatures("chi2"),
        SelectFeatures("corpus_tfidf"),
        SelectFeatures(min_count=2),
    ):
        with pytest.raises(InputError, match="Negative values"):
            select.fit(negative, Y)
    assert SelectFeatures(m=1).fit(negative, Y).get_support().sum() == 1  # presence is not zero
