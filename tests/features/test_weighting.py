"""Tests of wordplane.features.weighting."""

import pickle

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from wordplane import CountVectorizer, TfidfTransformer
from wordplane.common.errors import InputError
from wordplane.features.weighting import Weighting


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "params",
    [{"tf": tf} for tf in ("count", "binary", "relative", "log1p", "log", "bm25")]
    + [{"idf": idf, "norm": None} for idf in (None, "exact", "delta", "bm25", "igm")],
)
def test_scikit_learn_s_checks(params):
    check_estimator(Weighting(**params), on_skip=None)


def test_worked_by_hand():
    # Four texts, the first two "bad". Feature 0 is in both bad ones and one good one, feature 1
    # in one good one, feature 2 in all.
    X = [[2, 0, 1], [1, 0, 1], [1, 3, 1], [0, 0, 2]]
    y = ["bad", "bad", "good", "good"]

    def weights(**params):
        return Weighting(**{"idf": None, "norm": None} | params).fit_transform(X, y).toarray()

    assert np.allclose(weights(tf="count"), X)
    assert np.allclose(weights(tf="binary"), [[1, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 1]])
    assert np.allclose(
        weights(tf="relative"),
        [[2 / 3, 0, 1 / 3], [1 / 2, 0, 1 / 2], [1 / 5, 3 / 5, 1 / 5], [0, 0, 1]],
    )
    assert np.allclose(weights(tf="log1p")[2], np.log([2, 4, 2]))
    assert np.allclose(weights(tf="log")[2], [1, 1 + np.log(3), 1])
    assert np.allclose(weights(idf="exact")[2], [np.log(4 / 3), 3 * np.log(4), 0])
    assert np.allclose(
        weights(idf="smooth")[2], [np.log(5 / 4) + 1, 3 * (np.log(5 / 2) + 1), np.log(5 / 5) + 1]
    )
    # idf among the good ones minus idf among the bad ones, one text added to each class:
    # log(3/2) - log(3/3), log(3/2) - log(3/1), log(3/3) - log(3/3)
    assert np.allclose(weights(idf="delta")[2], [np.log(1.5), 3 * np.log(0.5), 0])
    assert np.allclose(weights(norm="l1")[2], [1 / 5, 3 / 5, 1 / 5])
    assert np.allclose(weights(norm="l2")[3], [0, 0, 1])


def test_bm25_and_igm_as_in_their_papers():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.7, (12, 5)), list("aabbbcccccca")
    X[:, 4] = 0
    mean = X.sum() / 12

    def bm25(x, row):
        return x * 2.2 / (x + 1.2 * (0.25 + 0.75 * row.sum() / mean))

    expected = [[bm25(x, row) for x in row] for row in X]
    found = Weighting(tf="bm25", idf=None, norm=None).fit_transform(X)
    assert np.allclose(found.toarray(), expected)
    lengths = X.sum(axis=1) + np.arange(12)  # with words that are no features
    longer = Weighting(tf="bm25", idf=None, norm=None).fit(X, lengths=lengths)
    slow = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    assert np.allclose(longer.transform(X, lengths).toarray(), X * 2.2 / (X + slow[:, None]))
    for fitted, other in ((longer, None), (Weighting(tf="bm25").fit(X), lengths)):
        with pytest.raises(InputError, match="to `fit` and to `transform`, or to neither"):
            fitted.transform(X, other)

    df = [sum(row[j] > 0 for row in X) for j in range(5)]
    weights = Weighting(tf="bm25", idf="bm25").fit(X)
    assert np.allclose(weights.idf_, [np.log((12 - d + 0.5) / (d + 0.5) + 1) for d in df])

    def igm(j):
        by_class = sorted(sum(X[i, j] > 0 for i in range(12) if y[i] == k) for k in "abc")[::-1]
        return by_class[0] / max(sum(r * d for r, d in enumerate(by_class, 1)), 1)

    assert np.allclose(Weighting(idf="igm").fit(X, y).idf_, [1 + 7 * igm(j) for j in range(5)])
    only_a = Weighting(idf="igm").fit([[1], [0], [0]], ["a", "b", "c"])
    assert only_a.idf_.tolist() == [8.0]


def slow_weights(X, y, tf, idf, norm):
    n, v = X.shape
    present = X > 0
    df = present.sum(axis=0)
    formulas = {
        "count": lambda x, length: x,
        "binary": lambda x, length: 1,
        "relative": lambda x, length: x / length,
        "log1p": lambda x, length: np.log(1 + x),
        "log": lambda x, length: 1 + np.log(x),
    }
    weight = np.ones(v)
    for j in range(v):
        if idf == "exact":
            weight[j] = np.log(n / df[j]) if df[j] else 0
        elif idf == "smooth":
            weight[j] = np.log((1 + n) / (1 + df[j])) + 1
        elif idf == "delta":
            of = [np.log((1 + (y == k).sum()) / (1 + present[y == k, j].sum())) for k in (0, 1)]
            weight[j] = of[1] - of[0]
    W = np.zeros((n, v))
    for i in range(n):
        for j in range(v):
            if X[i, j]:
                W[i, j] = formulas[tf](X[i, j], X[i].sum()) * weight[j]
        size = {None: 1, "l1": np.abs(W[i]).sum(), "l2": np.sqrt((W[i] ** 2).sum())}[norm]
        if size:
            W[i] /= size
    return W


TFS = st.sampled_from(["count", "binary", "relative", "log1p", "log"])
IDFS = st.sampled_from([None, "exact", "smooth", "delta"])
NORMS = st.sampled_from([None, "l1", "l2"])


@st.composite
def problems(draw):
    shape = draw(st.tuples(st.integers(2, 12), st.integers(1, 6)))
    X = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 5)))
    y = draw(hnp.arrays(np.int64, shape[0], elements=st.integers(0, 1)))
    y[:2] = 0, 1
    return X, y


@given(problems(), TFS, IDFS, NORMS, st.sampled_from([np.asarray, sp.csr_matrix, sp.csc_array]))
def test_equals_reference(problem, tf, idf, norm, form):
    X, y = problem
    model = Weighting(tf=tf, idf=idf, norm=norm).fit(form(X), y)
    found = model.transform(form(X))
    assert isinstance(found, sp.csr_matrix)
    assert np.allclose(found.toarray(), slow_weights(X, y, tf, idf, norm), rtol=1e-12, atol=1e-14)
    single = model.transform(form(X.astype(np.float32)))
    assert single.dtype == np.float32
    assert np.allclose(single.toarray(), found.toarray(), rtol=1e-5, atol=1e-6)


@given(problems(), st.booleans())
def test_is_tfidf(problem, sublinear):
    X, _ = problem
    ours = Weighting(tf="log" if sublinear else "count").fit_transform(X)
    expected = TfidfTransformer(sublinear_tf=sublinear).fit_transform(X)
    np.testing.assert_array_max_ulp(ours.data, expected.data, maxulp=2)


@pytest.mark.parametrize("tf", ["count", "relative", "log1p", "log"])
def test_threads_change_nothing(tf):
    X = sp.random(3000, 50, 0.3, format="csr", random_state=0)
    y = np.arange(3000) % 2
    one, *others = (Weighting(tf=tf, idf="delta", n_jobs=n) for n in (1, 2, 3, 8))
    expected = one.fit_transform(X, y)
    for other in others:
        assert np.array_equal(other.fit_transform(X, y).data, expected.data)


def test_lengths():
    model = Weighting(tf="relative", idf=None, norm=None).fit([[1, 1]])
    assert np.allclose(model.transform([[1, 2], [0, 4]], lengths=[6, 8]).toarray(),
                       [[1 / 6, 2 / 6], [0, 4 / 8]])  # fmt: skip
    for lengths in ([6], [[6, 8]], [6, -8], [6, np.nan]):
        with pytest.raises(InputError, match="one number of 0 or more per row"):
            model.transform([[1, 2], [0, 4]], lengths=lengths)
    with pytest.raises(InputError, match="row 1: its length is 0"):
        model.transform([[1, 2], [0, 4]], lengths=[1, 0])
    assert model.transform([[1, 2], [0, 0]], lengths=[1, 0]).nnz == 2


def test_how_counts_are_stored_does_not_matter():
    # One count in two halves, one stored zero.
    stored = sp.csr_matrix(([1.0, 2.0, 0.0, 5.0], [1, 1, 0, 0], [0, 3, 4]), shape=(2, 2))
    plain = np.array([[0, 3], [5, 0]])
    model = Weighting(tf="log")
    expected = model.fit_transform(plain)
    assert np.array_equal(model.fit_transform(stored).toarray(), expected.toarray())
    assert stored.nnz == 4
    assert stored.data.tolist() == [1, 2, 0, 5]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tf": "raw"}, "tf is 'raw', expected 'count'"),
        ({"idf": True}, "idf is True, expected None"),
        ({"norm": "max"}, "norm is 'max'"),
        ({"n_jobs": 0}, "is 0, expected a whole number"),
        ({"idf": "delta"}, "requires y"),
    ],
)
def test_refusals(params, message):
    with pytest.raises(InputError, match=message):
        Weighting(**params).fit_transform([[1, 2]])


def test_delta_needs_two_classes():
    model = Weighting(idf="delta")
    with pytest.raises(InputError, match="y has 3 classes, expected two"):
        model.fit([[1], [1], [1]], [0, 1, 2])
    with pytest.raises(InputError, match="expected one for each of the"):
        model.fit([[1], [1]], [0, 1, 0])
    fitted = model.fit([[1], [0]], ["a", "b"])
    assert fitted.classes_.tolist() == ["a", "b"]
    assert not hasattr(model.set_params(idf=None).fit([[1]]), "classes_")


def test_no_logarithm_of_negative_counts():
    for tf in ("log", "log1p"):
        with pytest.raises(InputError, match="Negative values in data"):
            Weighting(tf=tf).fit([[-0.5]])
        with pytest.raises(InputError, match="row 1: a count below 0 has no logarithm"):
            Weighting(tf=tf).fit([[1]]).transform([[1], [-0.5]])


def test_lives_in_scikit_learn():
    documents, labels = ["good good film", "bad film", "a good day", "bad day"], [1, 0, 1, 0]
    pipeline = make_pipeline(CountVectorizer(), Weighting(), LogisticRegression())
    pipeline.set_params(weighting__idf="delta", weighting__tf="log1p")
    fitted = clone(pipeline).fit(documents, labels)
    assert fitted.predict(documents).tolist() == labels
    copied = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copied.decision_function(documents), fitted.decision_function(documents))
    assert repr(fitted[1]) == "Weighting(tf='log1p', idf='delta')"


@pytest.mark.soak
@given(problems(), TFS, IDFS, NORMS)
def test_soak_equals_reference(problem, tf, idf, norm):
    X, y = problem
    found = Weighting(tf=tf, idf=idf, norm=norm).fit_transform(X, y).toarray()
    assert np.allclose(found, slow_weights(X, y, tf, idf, norm), rtol=1e-12, atol=1e-14)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["rt_snippets", "customer_reviews"])
def test_delta_on_real_texts(dataset, name):
    frame = pl.read_parquet(dataset(name))[::5]
    y = frame["label"].to_numpy()
    vectorizer = CountVectorizer(min_df=2)
    X = vectorizer.fit_transform(frame["text"])
    model = Weighting(tf="binary", idf="delta", norm=None).fit(X, y)
    present = X.toarray() > 0
    of = [np.log((1 + (y == k).sum()) / (1 + present[y == k].sum(axis=0))) for k in model.classes_]
    assert np.allclose(model.idf_, of[1] - of[0], rtol=0, atol=1e-12)
    assert np.allclose(model.transform(X).toarray(), present * model.idf_, rtol=0, atol=1e-12)
