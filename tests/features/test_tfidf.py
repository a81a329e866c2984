"""Tests of wordplane.features.tfidf."""

import copy
import inspect
import pickle

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.feature_extraction.text as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from tests.strategies import SOAK_CASES, reading, sentences, soak_documents, texts
from wordplane import TfidfTransformer, TfidfVectorizer
from wordplane.common.errors import InputError

DOCUMENTS = ["To be or not to be", "that is the question", "not the Question!", "be be be"]

WEIGHTING = {
    "norm": st.sampled_from([None, "l1", "l2"]),
    "use_idf": st.booleans(),
    "smooth_idf": st.booleans(),
    "sublinear_tf": st.booleans(),
}
TEXT_PARAMS = st.fixed_dictionaries(
    {},
    optional={
        **reading,
        **WEIGHTING,
        "binary": st.booleans(),
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_features": st.sampled_from([None, 3, 10]),
        "dtype": st.sampled_from([np.float64, np.float32]),
    },
)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks():
    check_estimator(TfidfTransformer(), on_skip=None)


def test_worked_by_hand():
    # Feature 0 is in one of two texts, feature 1 in both.
    X = [[3, 1], [0, 1]]
    idf = np.array([np.log(3 / 2) + 1, 1])
    model = TfidfTransformer(norm=None).fit(X)
    assert np.allclose(model.idf_, idf)
    assert np.allclose(model.transform(X).toarray(), X * idf)
    plain = TfidfTransformer(norm="l1", smooth_idf=False, sublinear_tf=True).fit(X)
    assert np.allclose(plain.idf_, [np.log(2) + 1, 1])
    heavy = (1 + np.log(3)) * (1 + np.log(2))
    expected = [[heavy / (heavy + 1), 1 / (heavy + 1)], [0, 1]]
    assert np.allclose(plain.transform(X).toarray(), expected)


def slow_tfidf(X, norm, use_idf, smooth_idf, sublinear_tf):
    n = len(X)
    df = [sum(row[j] != 0 for row in X) for j in range(len(X[0]))]
    rows = []
    for x in X:
        w = [0.0 if v == 0 else 1 + np.log(v) if sublinear_tf else v for v in x]
        if use_idf:
            s = int(smooth_idf)
            w = [v and v * (np.log((n + s) / (d + s)) + 1) for v, d in zip(w, df, strict=True)]
        size = {
            None: 1,
            "l1": sum(abs(v) for v in w),
            "l2": np.sqrt(sum(v * v for v in w)),
        }[norm]
        rows.append([v / size if size else v for v in w])
    return rows


counts = hnp.arrays(
    np.int64,
    st.tuples(st.integers(1, 12), st.integers(1, 6)),
    elements=st.integers(0, 5),
)
PARAMS = st.fixed_dictionaries({}, optional=WEIGHTING)
ALL_PARAMS = st.fixed_dictionaries(WEIGHTING)


@given(counts, ALL_PARAMS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_equals_reference(X, params):
    found = TfidfTransformer(**params).fit_transform(X).toarray()
    assert np.allclose(found, slow_tfidf(X.tolist(), **params), rtol=1e-13)


@given(counts, counts, PARAMS, st.sampled_from(["float64", "float32", "int64", "int8"]), st.data())
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_transformer_equals_scikit_learn(X, Z, params, dtype, data):
    form = data.draw(st.sampled_from([np.asarray, sp.csr_matrix, sp.csc_matrix, sp.coo_array]))
    X, Z = form(X.astype(dtype)), form(np.resize(Z, (len(Z), X.shape[1])).astype(dtype))
    us, them = TfidfTransformer(**params).fit(X), theirs.TfidfTransformer(**params).fit(X)
    assert us.n_features_in_ == them.n_features_in_
    assert hasattr(us, "idf_") == hasattr(them, "idf_")
    if hasattr(us, "idf_"):
        assert us.idf_.dtype == them.idf_.dtype
        assert np.array_equal(us.idf_, them.idf_)
    for rows in (X, Z):
        before = rows.copy()
        try:
            expected = them.transform(rows)
        except ValueError:  # an infinite idf
            with pytest.raises(InputError):
                us.transform(rows)
            continue
        assert_close(us.transform(rows), expected, params)
        assert (before != rows).sum() == 0


def assert_close(found, expected, params, max_ulp=0):
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    expected.sort_indices()
    found.sort_indices()
    assert found.indices.dtype == expected.indices.dtype
    assert np.array_equal(found.indptr, expected.indptr)
    assert np.array_equal(found.indices, expected.indices)
    # Logarithms may differ in their last bit; all else is the same arithmetic.
    if params.get("sublinear_tf"):
        max_ulp += 2
    np.testing.assert_array_max_ulp(found.data, expected.data, maxulp=max_ulp)


# scikit-learn adds up the norm of a row in the order of the columns in transform, but in that
# in which features were first met in fit_transform, so that its own two results differ by
# this much on long texts. Ours are the same, and those of its transform.
OTHER_ORDER = 256


def assert_same(documents, held_out, params):
    us, them = TfidfVectorizer(**params), theirs.TfidfVectorizer(**params)
    try:
        expected = them.fit_transform(documents)
    except ValueError:
        with pytest.raises(ValueError):
            us.fit_transform(documents)
        return
    assert_close(us.fit_transform(documents), expected, params, OTHER_ORDER)
    assert us.get_feature_names_out().tolist() == them.get_feature_names_out().tolist()
    assert us.vocabulary_ == them.vocabulary_
    if us.use_idf:
        assert np.array_equal(us.idf_, them.idf_)
    for rows in (documents, held_out):
        if rows:
            assert_close(us.transform(rows), them.transform(rows), params)


DOCUMENT_LISTS = st.lists(st.one_of(sentences, texts), max_size=8), st.lists(texts, max_size=3)


@pytest.mark.slow
@given(*DOCUMENT_LISTS, TEXT_PARAMS)
@settings(max_examples=200)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_vectorizer_equals_scikit_learn(documents, held_out, params):
    assert_same(documents, held_out, params)


@pytest.mark.soak
@given(soak_documents, st.lists(texts, max_size=3), TEXT_PARAMS)
@settings(max_examples=SOAK_CASES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_soak_vectorizer_equals_scikit_learn(documents, held_out, params):
    assert_same(documents, held_out, params)


def test_threads_change_nothing():
    X = sp.random(3000, 50, 0.3, format="csr", random_state=0)
    one, *others = (TfidfTransformer(sublinear_tf=True, n_jobs=n) for n in (1, 2, 3, 8))
    X.data += 1
    expected = one.fit_transform(X)
    for other in others:
        assert np.array_equal(other.fit_transform(X).data, expected.data)


def test_entries_stay_as_they_are_stored():
    # Unsorted, one stored twice, one a stored zero: scikit-learn takes each as it stands.
    X = sp.csr_matrix(([1.0, 2.0, 0.0, 5.0], [2, 0, 1, 0], [0, 2, 4]), shape=(2, 3))
    found, expected = (m.fit_transform(X) for m in (TfidfTransformer(), theirs.TfidfTransformer()))
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.data, expected.data)
    sublinear = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    assert sublinear[1, 1] == 0


def test_copy():
    X = sp.csr_matrix(np.array([[3.0, 0, 1], [0, 4, 1]]))
    model = TfidfTransformer().fit(X)
    before = X.copy()
    weighted = model.transform(X)
    weighted.sort_indices()
    assert (before != X).nnz == 0
    assert not np.shares_memory(weighted.indices, X.indices)
    assert not np.shares_memory(weighted.indptr, X.indptr)
    in_place = model.transform(X, copy=False)
    assert np.shares_memory(in_place.data, X.data)
    assert np.array_equal(X.data, weighted.data)
    frozen = before.copy()
    frozen.data.setflags(write=False)
    assert np.array_equal(model.transform(frozen, copy=False).data, weighted.data)
    strided = before.copy()
    strided.data = np.repeat(strided.data, 2)[::2]
    assert np.array_equal(model.transform(strided, copy=False).data, weighted.data)
    whole = before.astype(np.int64)
    assert np.array_equal(model.transform(whole, copy=False).data, weighted.data)
    assert (whole != before).nnz == 0


def test_idf_can_be_set():
    for vectorizer in (TfidfVectorizer, theirs.TfidfVectorizer):
        with pytest.raises(AttributeError):
            _ = vectorizer().idf_
        with pytest.raises(ValueError, match="cannot be set"):
            vectorizer(use_idf=False).idf_ = [1.0]
        with pytest.raises(ValueError, match="must be equal to vocabulary size"):
            vectorizer(vocabulary=["be", "or"]).idf_ = [1.0]
    us = TfidfVectorizer(vocabulary=["be", "or"])
    them = theirs.TfidfVectorizer(vocabulary=["be", "or"])
    us.idf_ = them.idf_ = np.array([1.0, 3.0])
    assert np.array_equal(us.transform(DOCUMENTS).data, them.transform(DOCUMENTS).data)
    fitted = TfidfVectorizer().fit(DOCUMENTS)
    fitted.idf_ = np.ones(len(fitted.idf_))
    expected = TfidfVectorizer(use_idf=False).fit(DOCUMENTS).transform(DOCUMENTS)
    assert np.array_equal(fitted.transform(DOCUMENTS).data, expected.data)
    model = TfidfTransformer()
    model.idf_ = np.ones(2)
    with pytest.raises(InputError, match="2 weights of features, expected 3"):
        model.transform([[1, 2, 3]])


def test_refit_forgets_the_idf():
    model = TfidfTransformer().fit([[1, 0]])
    assert not hasattr(model.set_params(use_idf=False).fit([[1, 0]]), "idf_")


@pytest.mark.parametrize("vocabulary", [["be", "not to", "question"], {"question": 0, "be": 1}])
def test_given_vocabulary(vocabulary):
    params = {"vocabulary": vocabulary, "ngram_range": (1, 2)}
    assert_same(DOCUMENTS, ["not to be"], params)
    with pytest.raises(NotFittedError):
        TfidfVectorizer(**params).transform(DOCUMENTS)


def test_parameters_are_scikit_learn_s():
    for ours, his in (
        (TfidfVectorizer, theirs.TfidfVectorizer),
        (TfidfTransformer, theirs.TfidfTransformer),
    ):
        found = {name: p.default for name, p in inspect.signature(ours).parameters.items()}
        assert found.pop("n_jobs") is None
        assert found == his().get_params()
    with pytest.raises(TypeError, match="max_dff"):
        TfidfVectorizer(max_dff=1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"norm": "max"}, "norm is 'max', expected None, 'l1' or 'l2'"),
        ({"ngram_range": (2, 1)}, "ngram_range"),
        ({"n_jobs": 0}, "is 0, expected a whole number"),
    ],
)
def test_refusals(params, message):
    with pytest.raises(InputError, match=message):
        TfidfVectorizer(**params).fit_transform(DOCUMENTS)


def test_more_refusals():
    with pytest.raises(InputError, match="row 1: a count below 0 has no logarithm"):
        TfidfTransformer(sublinear_tf=True).fit_transform([[1.0], [-1.0]])
    with pytest.raises(InputError, match="X has 2 features, but TfidfTransformer is expecting 1"):
        TfidfTransformer().fit([[1]]).transform([[1, 2]])
    with pytest.raises(InputError, match="0 sample"):
        TfidfVectorizer().fit(DOCUMENTS).transform([])
    with pytest.raises(NotFittedError):
        TfidfTransformer().transform([[1]])
    with pytest.raises(NotFittedError):
        TfidfVectorizer().transform(DOCUMENTS)
    with pytest.warns(UserWarning, match="will be converted to float64"):
        X = TfidfVectorizer(dtype=np.int64).fit_transform(DOCUMENTS)
    assert X.dtype == np.float64


def test_feature_names():
    model = TfidfTransformer().fit([[1, 2]])
    assert model.get_feature_names_out().tolist() == ["x0", "x1"]
    assert model.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(InputError, match="length equal to number of features"):
        model.get_feature_names_out(["a"])


def test_lives_in_scikit_learn():
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    pipeline.set_params(tfidfvectorizer__ngram_range=(1, 2), tfidfvectorizer__norm="l1")
    fitted = clone(pipeline).fit(DOCUMENTS, [0, 1, 1, 0])
    assert fitted[0].get_params()["norm"] == "l1"
    expected = fitted.decision_function(DOCUMENTS)
    for copied in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(copied.decision_function(DOCUMENTS), expected)
    assert repr(fitted[0]) == "TfidfVectorizer(ngram_range=(1, 2), norm='l1')"


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["rt_snippets", "sms_spam", "rt_2k"])
@pytest.mark.parametrize("sublinear_tf", [False, True])
def test_real_texts(dataset, name, sublinear_tf):
    documents = pl.read_parquet(dataset(name))["text"][:600].to_list()  # scikit-learn is slow
    params = {"ngram_range": (1, 2), "sublinear_tf": sublinear_tf}
    us, them = TfidfVectorizer(**params), theirs.TfidfVectorizer(**params)
    found, expected = us.fit_transform(documents), them.fit_transform(documents)
    assert np.array_equal(us.idf_, them.idf_)
    assert_close(found, expected, params, OTHER_ORDER)
    assert_close(found, them.transform(documents), params)
