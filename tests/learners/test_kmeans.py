import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans as ScikitKMeans
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_embeddings as reference
from wordplane import KMeans, TfidfVectorizer
from wordplane.common.errors import InputError, MissingExtraError
from wordplane.learners.kmeans import start_centers, unit_rows


def blobs(seed=0, n=60):
    rng = np.random.default_rng(seed)
    means = np.array([[6.0, 0, 0], [0, 6, 0], [0, 0, 6]])
    which = np.arange(n) % 3
    return means[which] + rng.normal(size=(n, 3)), which


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spherical", [False, True])
def test_scikit_learn_s_checks(spherical):
    check_estimator(KMeans(3, spherical=spherical, n_init=2), on_skip=None)


@pytest.mark.parametrize("convert", [np.asarray, csr_matrix])
@pytest.mark.parametrize("spherical", [False, True])
def test_finds_what_is_there(convert, spherical):
    X, which = blobs()
    kmeans = KMeans(3, spherical=spherical).fit(convert(X))
    assert same_partition(kmeans.labels_.tolist(), which.tolist())
    assert (kmeans.predict(convert(X)) == kmeans.labels_).all()
    assert kmeans.inertia_ == pytest.approx(-kmeans.score(convert(X)))


def test_as_good_as_scikit_learn():
    X = np.random.default_rng(0).normal(size=(100, 2))
    ours = KMeans(4).fit(X).inertia_
    theirs = ScikitKMeans(4, n_init=10, random_state=0).fit(X).inertia_
    assert ours == pytest.approx(theirs, rel=0.02)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_spherical_result_is_a_fixed_point_of_the_definition(seed):
    X, _ = blobs(seed, n=24)
    kmeans = KMeans(3, spherical=True, n_init=1, tol=0.0).fit(X)
    labels, centers = reference.spherical_step(unit_rows(X), kmeans.cluster_centers_)
    assert labels == kmeans.labels_.tolist()
    assert centers == pytest.approx(kmeans.cluster_centers_, abs=1e-9)


def test_spherical_ignores_lengths():
    X, _ = blobs()
    scales = np.random.default_rng(1).uniform(0.1, 10, len(X))[:, None]
    a, b = (KMeans(3, spherical=True).fit(rows) for rows in (X, X * scales))
    assert (a.labels_ == b.labels_).all()
    assert np.linalg.norm(a.cluster_centers_, axis=1) == pytest.approx(np.ones(3))


def test_seeds_name_the_first_clusters():
    X, which = blobs()
    seeds = [None] * len(X)
    seeds[2], seeds[5], seeds[1] = "z", "z", "b"  # classes 2, 2 and 1
    kmeans = KMeans(3).fit(X, seeds=seeds)
    assert kmeans.seeds_ == ["b", "z"]
    assert (kmeans.labels_[which == 1] == 0).all() and (kmeans.labels_[which == 2] == 1).all()
    assert (kmeans.labels_[which == 0] == 2).all()


def test_seeds_decide_between_equal_solutions():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    rows = KMeans(2).fit(X, seeds=["a", None, None, "b"]).cluster_centers_
    across = KMeans(2).fit(X, seeds=["a", "a", "b", "b"]).cluster_centers_
    assert across.tolist() == [[0, 0.5], [1, 0.5]]
    assert rows.shape == (2, 2)


def test_start_centers_are_far_apart():
    X = np.repeat([[0.0, 0], [10, 0], [0, 10]], 20, axis=0)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        centers = start_centers(X, 3, np.array([[10.0, 0]]), rng)
        assert {tuple(center) for center in centers.tolist()} == {(0, 0), (10, 0), (0, 10)}


def test_more_clusters_than_different_rows():
    with pytest.warns(UserWarning, match="distinct clusters"):
        labels = KMeans(2, n_init=1).fit_predict(np.ones((3, 2)))
    assert labels.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("parameters", "seeds", "message"),
    [
        ({"n_clusters": 0}, None, "n_clusters is 0"),
        ({"n_clusters": 9}, None, "n_samples=4 rows for n_clusters=9"),
        ({"tol": -1}, None, "tol is -1"),
        ({"n_clusters": 1}, ["a", "b", None, None], "2 different labels, expected at most"),
        ({"n_clusters": 2}, ["a"], "1 seeds for 4 rows"),
    ],
)
def test_wrong_input(parameters, seeds, message):
    with pytest.raises(InputError, match=message):
        KMeans(**parameters).fit(np.eye(4), seeds=seeds)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[learn\]'"):
        KMeans(2).fit(np.eye(4))


def test_texts():
    texts = ["good film", "good cast", "stock market", "market prices", "good good film"]
    X = TfidfVectorizer().fit_transform(texts)
    labels = KMeans(2, spherical=True).fit_predict(X).tolist()
    assert same_partition(labels, [0, 0, 1, 1, 0])
