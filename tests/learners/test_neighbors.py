"""Tests of wordplane.learners.neighbors, and of wordplane.learners.support.regressor."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors as theirs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import check_estimator

from wordplane import KNeighbors, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.features.scores import information_gain
from wordplane.learners.neighbors import KNeighborsRegressor

METRICS = ["cosine", "euclidean", "hamming"]
SMALL = st.integers(-2, 3).map(float)


def slow_distance(q, x, metric, w):
    if metric == "cosine":
        size = np.sqrt((q @ q) * (x @ x))
        return 1 - q @ x / size if size > 0 else 1.0
    if metric == "euclidean":
        return np.sqrt(((q - x) ** 2).sum())
    return w @ (q != x) / w.sum()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [KNeighbors(), KNeighbors(metric="euclidean", weights="distance"), KNeighborsRegressor(),
     KNeighborsRegressor(metric="euclidean", weights="squared")],
)  # fmt: skip
def test_scikit_learn_s_checks(estimator):
    check_estimator(estimator, on_skip=None)


def test_worked_by_hand():
    X, y = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [0.0, 1.0]], ["a", "b", "b", "a"]
    model = KNeighbors(n_neighbors=3, metric="euclidean", weights="distance").fit(X, y)
    distances, rows = model.kneighbors([[3.0, 3.0]])
    # to row 1: 1; to row 3: sqrt(9 + 4); to row 0: sqrt(18)
    assert rows.tolist() == [[1, 3, 0]]
    assert np.allclose(distances, [[1, np.sqrt(13), np.sqrt(18)]])
    votes = np.array([1, 1 / np.sqrt(13), 1 / np.sqrt(18)])
    shares = [votes[1:].sum() / votes.sum(), votes[0] / votes.sum()]
    assert np.allclose(model.predict_proba([[3.0, 3.0]]), [shares])
    squared = KNeighbors(n_neighbors=3, metric="euclidean", weights="squared").fit(X, y)
    assert np.allclose(squared.predict_proba([[3.0, 3.0]])[0, 1], 1 / (1 + 1 / 13 + 1 / 18))
    assert model.predict_proba([[0.0, 0.0]]).tolist() == [[1, 0]]  # d = 0 decides alone
    cosine = KNeighbors(n_neighbors=2).fit(X, y)
    distances, rows = cosine.kneighbors([[30.0, 40.0], [0.0, 0.0]])
    assert rows.tolist() == [[1, 2], [0, 1]]  # equal ones by row; with a row of zeros all are
    assert np.allclose(distances, [[0, 0], [1, 1]], atol=1e-15)
    hamming = KNeighbors(n_neighbors=4, metric="hamming").fit(X, y)
    distances, rows = hamming.kneighbors([[0.0, 4.0]])
    assert rows.tolist() == [[0, 1, 3, 2]] and distances.tolist() == [[0.5, 0.5, 0.5, 1]]
    weighted = KNeighbors(n_neighbors=4, metric="hamming", feature_weights=[1.0, 3.0]).fit(X, y)
    distances, rows = weighted.kneighbors([[0.0, 4.0]])
    assert rows.tolist() == [[1, 0, 3, 2]] and distances.tolist() == [[0.25, 0.75, 0.75, 1]]


@pytest.mark.parametrize("metric", METRICS)
@given(st.data())
def test_equals_the_definition(metric, data):
    n, m, v = (data.draw(st.integers(1, high)) for high in (9, 4, 5))
    X = data.draw(hnp.arrays(np.float64, (n, v), elements=SMALL))
    Q = data.draw(hnp.arrays(np.float64, (m, v), elements=SMALL))
    w = data.draw(hnp.arrays(np.float64, v, elements=st.integers(1, 4).map(float)))
    k = data.draw(st.integers(1, n))
    model = KNeighbors(n_neighbors=k, metric=metric)
    if metric == "hamming":
        model.set_params(feature_weights=w)
    distances, rows = model.fit(sp.csr_matrix(X), np.arange(n)).kneighbors(sp.csr_matrix(Q))
    slow = np.array([[slow_distance(q, x, metric, w) for x in X] for q in Q])
    assert np.allclose(distances, np.sort(slow, axis=1)[:, :k], atol=1e-12)
    assert np.allclose(distances, np.take_along_axis(slow, rows, 1), atol=1e-12)
    assert all(len(set(row)) == k for row in rows.tolist())


def texts_like(n, seed, dtype=np.float64):
    """Rows with frequent and rare columns, as those of texts."""
    rng = np.random.default_rng(seed)
    share = np.minimum(0.9, 3.0 / (1 + np.arange(400)))
    X = (rng.random((n, 400)) < share) * rng.integers(1, 4, (n, 400)) * rng.random(400)
    return sp.csr_matrix(X.astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 5, 300])
def test_equals_scikit_learn(metric, k, dtype):
    X, Q = texts_like(700, 0, dtype), texts_like(60, 1, dtype)
    his = theirs.NearestNeighbors(n_neighbors=k, metric=metric, algorithm="brute")
    expected, expected_rows = his.fit(X.astype(np.float64)).kneighbors(Q.astype(np.float64))
    distances, rows = KNeighbors(n_neighbors=k, metric=metric).fit(X, np.arange(700)).kneighbors(Q)
    assert np.allclose(distances, expected, atol=1e-7)
    apart = np.diff(expected, axis=1, append=np.inf) > 1e-6  # no near tie on either side
    apart[:, 1:] &= apart[:, :-1]
    apart[:, -1] &= k == 1
    assert apart.mean() > 0.2 and np.array_equal(rows[apart], expected_rows[apart])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_columns", [1, 70, 5000])  # more than are kept as whole numbers
def test_full_rows_of_all_sizes(metric, n_columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, n_columns)) * 10.0 ** rng.integers(-9, 9, (200, 1))
    X[50:100] = X[:50] * (1 + 1e-9 * rng.normal(size=(50, n_columns)))  # nearly equal rows
    Q = np.vstack([X[::9], rng.normal(size=(20, n_columns))])
    distances, rows = KNeighbors(metric=metric).fit(X, np.arange(200)).kneighbors(Q)
    w = np.ones(n_columns)
    slow = np.array([[slow_distance(q, x, metric, w) for x in X] for q in Q])
    near = np.sort(slow, axis=1)[:, :5]
    assert np.allclose(distances, near, rtol=1e-6, atol=1e-12)
    assert np.allclose(np.take_along_axis(slow, rows, 1), near, rtol=1e-6, atol=1e-12)


def test_hamming_equals_scikit_learn():
    X, Q = texts_like(300, 0).toarray().round(1), texts_like(20, 1).toarray().round(1)
    his = theirs.NearestNeighbors(n_neighbors=9, metric="hamming", algorithm="brute").fit(X)
    expected, _ = his.kneighbors(Q)
    model = KNeighbors(n_neighbors=9, metric="hamming").fit(X, np.arange(300))
    distances, rows = model.kneighbors(Q)
    assert np.allclose(distances, expected)
    slow = (Q[:, None] != X[None]).sum(axis=2)
    assert np.array_equal(rows, np.argsort(slow, axis=1, kind="stable")[:, :9])  # ties by row


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_predictions_equal_scikit_learn_s(weights):
    X, Q = texts_like(400, 0), texts_like(80, 1)
    y = np.random.default_rng(2).integers(0, 3, 400)
    params = {"n_neighbors": 7, "weights": weights, "metric": "cosine"}
    his = theirs.KNeighborsClassifier(algorithm="brute", **params).fit(X, y)
    ours = KNeighbors(**params).fit(X, y)
    assert np.allclose(ours.predict_proba(Q), his.predict_proba(Q))
    assert np.array_equal(ours.predict(Q), his.predict(Q))
    his = theirs.KNeighborsRegressor(algorithm="brute", **params).fit(X, y / 2)
    ours = KNeighborsRegressor(**params).fit(X, y / 2)
    assert np.allclose(ours.predict(Q), his.predict(Q))
    assert np.isclose(ours.score(Q, np.arange(80)), his.score(Q, np.arange(80)))


def test_information_gain_weighs_the_columns():
    X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 0]])
    y = ["a", "a", "b", "b"]
    model = KNeighbors(n_neighbors=1, metric="hamming", feature_weights="ig").fit(X, y)
    assert np.array_equal(model.feature_weights_, information_gain(X, y))
    assert model.predict([[1, 1, 1], [0, 1, 0]]).tolist() == ["a", "b"]


def test_threads_and_pickling_change_no_bit():
    X, Q = texts_like(500, 0), texts_like(100, 1)
    one, *others = (
        KNeighbors(n_jobs=n).fit(X, np.arange(500) % 3).kneighbors(Q) for n in (1, 2, 3)
    )
    model = pickle.loads(pickle.dumps(KNeighbors(n_jobs=1).fit(X, np.arange(500) % 3)))
    for other in [*others, model.kneighbors(Q)]:
        assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


def test_scale_does_not_matter():
    X, Q = texts_like(200, 0), texts_like(30, 1)
    for metric in ("cosine", "euclidean"):
        model = KNeighbors(metric=metric).fit(X, np.arange(200))
        _, rows = model.kneighbors(Q)
        for scale in (2.0**-400, 2.0**400):
            _, scaled = (
                KNeighbors(metric=metric).fit(X * scale, np.arange(200)).kneighbors(Q * scale)
            )
            assert np.array_equal(rows, scaled)
    with pytest.raises(InputError, match="too large"):
        KNeighbors(metric="euclidean").fit([[1e200]], [0])


@pytest.mark.parametrize(
    ("params", "message"),
    [({"n_neighbors": 0}, "n_neighbors is 0"), ({"metric": "l3"}, "metric is 'l3'"),
     ({"weights": "1/d"}, "weights is '1/d'"), ({"feature_weights": "ig"}, "hamming"),
     ({"metric": "hamming", "feature_weights": "idf"}, "feature_weights is 'idf'"),
     ({"metric": "hamming", "feature_weights": [-1.0, 1]}, "2 numbers from 0 up")],
)  # fmt: skip
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        KNeighbors(**params).fit(np.eye(2), [0, 1])


def test_bad_calls():
    model = KNeighbors().fit(np.eye(3), [0, 1, 1])
    with pytest.raises(InputError, match="n_neighbors is 5, n_samples_fit is 3"):
        model.predict(np.eye(3))
    with pytest.raises(InputError, match="needs classes"):
        KNeighborsRegressor(metric="hamming", feature_weights="ig").fit(np.eye(2), [0, 1])
    with pytest.raises(InputError, match="2 features"):
        model.kneighbors(np.eye(2), 1)


@pytest.mark.data
def test_same_neighbors_on_newsgroups(dataset):
    import wordplane

    corpus = wordplane.read(dataset("newsgroups20")).take(np.arange(4000))
    X = wordplane.TfidfVectorizer(min_df=2).fit_transform(list(corpus.texts))
    his = theirs.NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute").fit(X[200:])
    expected, expected_rows = his.kneighbors(X[:200])
    model = KNeighbors().fit(X[200:], corpus.labels[200:])
    distances, rows = model.kneighbors(X[:200])
    assert np.allclose(distances, expected)
    assert (rows == expected_rows).mean() > 0.99  # but for copies of one post, which he shuffles


@pytest.mark.parametrize("learner", ["knn", "kernel", KNeighbors()])
def test_a_text_model_says_why_it_has_no_neighbors(learner):
    with pytest.raises(InputError, match="use it from Python, after a vectorizer"):
        TextClassifier(learner=learner).fit(["a b", "c d"], [0, 1])


@pytest.mark.parametrize("verb", ["train", "tune"])
def test_so_does_the_command_line(verb, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([verb, "any.csv", "--learner", "knn"])
    assert "KNeighbors decides by training texts" in capsys.readouterr().err


def exact_ranks(Q, X, metric, w):
    """By query and row a whole number that orders the rows as their exact distances do."""
    if metric == "euclidean":
        return ((Q[:, None] - X[None]) ** 2).sum(axis=2)
    if metric == "cosine":  # the larger (q . x)^2 / |x|^2, the nearer: all products are from 0 up
        P, squares = Q @ X.T, np.maximum((X**2).sum(axis=1), 1)
        pairs = [(p, n) for p in range(P.max() + 1) for n in set(squares.tolist())]
        values = [Fraction(p * p, n) for p, n in pairs]
        ordered = {value: -rank for rank, value in enumerate(sorted(set(values)))}
        table = np.zeros((P.max() + 1, squares.max() + 1), dtype=np.int64)
        for (p, n), value in zip(pairs, values, strict=True):
            table[p, n] = ordered[value]
        return table[P, squares[None, :]]
    subsets = [[j for j in range(len(w)) if s >> j & 1] for s in range(2 ** len(w))]
    sums = [sum((Fraction(w[j]) for j in subset), Fraction(0)) for subset in subsets]
    ordered = {value: rank for rank, value in enumerate(sorted(set(sums)))}
    differ = (Q[:, None] != X[None]) @ (1 << np.arange(len(w)))
    return np.array([ordered[value] for value in sums])[differ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", [*METRICS, "ig"])
def test_ties_of_counts_are_exact(metric, dtype):
    """Of 10,000 queries, none finds another row than the lower-numbered of equally near ones."""
    rng = np.random.default_rng(3)
    X, Q = rng.poisson(0.7, (150, 9)), rng.poisson(0.7, (10_000, 9))
    X[-20:] = 3 * X[:20]  # in the same direction
    X[:, 6:8] = X[:, 4:6]  # columns that tell equally much
    y = (X[:, 0] > 0) ^ (rng.random(150) < 0.2)
    model = KNeighbors(metric=metric)
    if metric == "ig":
        model.set_params(metric="hamming", feature_weights="ig")
    model.fit(sp.csr_matrix(X.astype(dtype)), y)
    w = information_gain(X, y) if metric == "ig" else np.ones(9)
    ranks = exact_ranks(Q, X, model.metric, w.tolist())
    expected = np.argsort(ranks, axis=1, kind="stable")[:, :5]
    distances, rows = model.kneighbors(sp.csr_matrix(Q.astype(dtype)))
    assert (rows != expected).any(axis=1).sum() == 0
    tied = np.diff(np.take_along_axis(ranks, expected, 1), axis=1) == 0
    assert np.array_equal(np.diff(distances, axis=1) == 0, tied)
    assert tied.mean() > 0.2
    slow = [
        [slow_distance(q, X[i], model.metric, w) for i in near]
        for q, near in zip(Q[:50], rows[:50], strict=True)
    ]
    assert np.allclose(distances[:50], slow)
