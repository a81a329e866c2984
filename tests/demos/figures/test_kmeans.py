"""k-means, round by round."""

import numpy as np
import pytest

from wordplane import KMeans
from wordplane.common.errors import InputError
from wordplane.demos.figures import (
    kmeans_rounds,
)
from wordplane.demos.figures.kmeans import lloyd_rounds


def test_rounds_end_where_k_means_ends():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(middle, 1.0, (30, 2)) for middle in ([0, 3], [-3, -1], [3, -1])])
    start = X[[0, 1, 40]]
    rounds = lloyd_rounds(X, start, 100)
    seeds = [None] * len(X)
    seeds[0], seeds[1], seeds[40] = "a", "b", "c"
    model = KMeans(3, tol=0).fit(X, seeds=seeds)
    assert rounds[-1].n_moved == 0
    assert rounds[-1].inertia == pytest.approx(model.inertia_)
    assert np.array_equal(rounds[-1].clusters, model.labels_)
    inertias = [step.inertia for step in rounds]
    assert inertias == sorted(inertias, reverse=True)


def test_rounds_of_k_means_by_hand():
    X = [[0.0, 0], [1, 0], [9, 0]]
    chart = kmeans_rounds(X, [[0.0, 0], [1, 0]])
    assert [panel.title["text"] for panel in chart.concat] == ["round 1", "round 2", "round 3"]
    clusters = [[row["cluster"] for row in panel.layer[0].data.values] for panel in chart.concat]
    assert clusters == [["1", "2", "2"], ["1", "1", "2"], ["1", "1", "2"]]
    centers = [[row["x"] for row in panel.layer[1].data.values] for panel in chart.concat]
    assert centers == [[0, 1], [0, 5], [0.5, 9]]
    came_from = [row["x0"] for row in chart.concat[2].layer[1].data.values]
    assert came_from == [0, 5]
    assert chart.concat[1].title["subtitle"] == "1 changed cluster, inertia 17"  # 0 + 1 + 16
    assert len(kmeans_rounds(X, [[0.0, 0], [1, 0]], most=2).concat) == 2
    with pytest.raises(InputError, match="centers has shape"):
        kmeans_rounds(X, [0.0, 1.0])
