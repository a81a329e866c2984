import numpy as np
import pytest
import scipy.sparse as sp

from wordplane import KNeighbors
from wordplane.common.errors import InputError
from wordplane.learners.approximate_neighbors import ApproximateNeighbors

pytest.importorskip("usearch")


def vectors(n, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 10)) @ rng.normal(size=(10, 40))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_finds_most_true_neighbors(metric):
    X, Q = np.split(vectors(2100, 0), [2000])
    model = ApproximateNeighbors(metric=metric).fit(X)
    distances, rows = model.kneighbors(Q)
    expected, true = KNeighbors(metric=metric).fit(X, np.zeros(2000, int)).kneighbors(Q)
    share = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(rows, true, strict=True)])
    assert np.isclose(model.recall(Q), share) and share > 0.95
    same = (rows == true).all(axis=1)
    assert same.mean() > 0.8 and np.allclose(distances[same], expected[same])
    assert np.array_equal(model.kneighbors(Q[:1])[1], rows[:1])


def test_recall_tells_a_poor_index():
    X, Q = np.split(np.random.default_rng(0).normal(size=(3100, 60)), [3000])
    poor = ApproximateNeighbors(connectivity=2, expansion_add=2, expansion_search=5).fit(X)
    assert poor.recall(Q) < 0.7


def test_few_rows():
    model = ApproximateNeighbors(n_neighbors=3).fit(np.eye(3))
    distances, rows = model.kneighbors([[1, 0.5, 0.1]])
    assert rows.tolist() == [[0, 1, 2]] and (np.diff(distances) > 0).all()


def test_bad_input():
    model = ApproximateNeighbors().fit(np.eye(6))
    with pytest.raises(InputError, match="KNeighbors finds"):
        ApproximateNeighbors().fit(sp.eye(3).tocsr())
    with pytest.raises(InputError, match="from 1 to 6"):
        model.kneighbors(np.eye(6), 7)
    with pytest.raises(InputError, match="7 features"):
        model.kneighbors(np.eye(7))
    for params in ({"metric": "hamming"}, {"n_neighbors": 0}, {"connectivity": 1}):
        with pytest.raises(InputError, match=f"{next(iter(params))} is"):
            ApproximateNeighbors(**params).fit(np.eye(6))
