"""Tests of wordplane.diagnosis.clusters."""

import numpy as np
import pytest

from wordplane import KMeans, TfidfVectorizer
from wordplane.diagnosis.clusters import summarize_clusters


def test_words_central_rows_and_labels():
    X = [[2, 0, 1], [4, 0, 1], [0, 3, 1], [0, 5, 1]]
    kmeans = KMeans(2).fit(X, seeds=["east", None, "north", None])
    labels = ["a", None, "b", "a"]
    east, north = summarize_clusters(kmeans, X, ["x", "y", "both"], labels, n_central=1)
    assert (east.cluster, east.seed, east.n, east.central) == (0, "east", 2, [0])
    # "x" is half of the features of east, and in 2 rows; clusters have 4 features on average.
    assert east.words == [("x", pytest.approx(0.5 * np.log(1 + 4 / 2)))]  # "both" tells nothing
    assert (east.labels, north.labels) == ({"a": 1}, {"b": 1, "a": 1})


def test_clusters_are_named_by_words_that_tell_them_apart():
    """Not by words of grammar, however often a cluster has them."""
    rng = np.random.default_rng(0)
    asked = [["card", "lost", "stolen"], ["transfer", "bank", "pending"], ["rate", "euro", "money"]]
    grammar = [["how", "do", "i"], ["why", "is", "my"], ["can", "you", "what"]]
    texts = [
        " ".join([*grammar[i % 3], *rng.choice(asked[i % 3], 2), *rng.choice(["now", "it"], 1)])
        for i in range(90)
    ]
    vectorizer = TfidfVectorizer(token_pattern=r"\S+")
    X = vectorizer.fit_transform(texts)
    kmeans = KMeans(3, spherical=True, n_init=3).fit(X)
    found = summarize_clusters(kmeans, X, vectorizer.get_feature_names_out(), n_words=3)
    assert sorted(sorted(word for word, _ in one.words) for one in found) == sorted(
        map(sorted, asked)
    )
