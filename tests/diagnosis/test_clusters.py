"""Tests of wordplane.diagnosis.clusters."""

from wordplane import KMeans
from wordplane.diagnosis.clusters import summarize_clusters


def test_words_central_rows_and_labels():
    X = [[2, 0, 1], [4, 0, 1], [0, 3, 1], [0, 5, 1]]
    kmeans = KMeans(2).fit(X, seeds=["east", None, "north", None])
    labels = ["a", None, "b", "a"]
    east, north = summarize_clusters(kmeans, X, ["x", "y", "both"], labels, n_central=1)
    assert (east.cluster, east.seed, east.n, east.central) == (0, "east", 2, [0])
    assert east.words == [("x", 1.5)]  # 3 on average, and 1.5 of all rows; "both" is no difference
    assert (east.labels, north.labels) == ({"a": 1}, {"b": 1, "a": 1})
