"""Pictures of single lessons: what is drawn, worked by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from wordplane import KMeans
from wordplane.common.errors import InputError
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.learners.least_squares import LeastSquares
from wordplane.learners.neighbors import KNeighborsRegressor
from wordplane.plots import (
    feature_slots,
    kmeans_rounds,
    learning_curves,
    newton_tangents,
    regression_line,
    step_sizes,
    validation_curve,
)
from wordplane.plots.kmeans_rounds import lloyd_rounds

from .charts import rows


def test_newton_follows_its_tangents():
    chart = newton_tangents(lambda x: x**2 - 4, lambda x: 2 * x, 4.0, n_steps=3)
    tangents = rows(chart, "step")
    # 4 -> 4 - 12/8 = 2.5 -> 2.5 - 2.25/5 = 2.05 -> ...
    assert [(row["x"], row["y"]) for row in tangents[:2]] == [(4.0, 12.0), (2.5, 2.25)]
    assert tangents[1]["x2"] == pytest.approx(2.05)
    assert {row["y2"] for row in tangents} == {0.0}
    names = {row["name"]: row["below"] for row in rows(chart, "name")}
    assert names["x₀"] and names["x₁"]
    assert all(row["y"] == pytest.approx(row["x"] ** 2 - 4) for row in chart.layer[1].data.values)


def test_newton_labels_stay_apart_and_off_the_curve():
    chart = newton_tangents(np.sin, np.cos, 2.5, n_steps=6)
    names = rows(chart, "name")
    assert len(names) < 7  # the last ones lie on one another
    # sin is positive at 2.5, where the name goes below the axis.
    assert names[0]["below"] and not names[1]["below"]


def test_newton_needs_a_slope():
    with pytest.raises(InputError, match="slope is 0 at x = 0"):
        newton_tangents(lambda x: x**2 + 1, lambda x: 2 * x, 0.0)


def test_steps_too_small_right_and_too_large():
    steps = {"too small": 0.1, "right": 0.5, "too large": 1.5}
    chart = step_sizes(lambda w: w**2, lambda w: 2 * w, 1.0, steps, n_steps=4)
    paths = [[row["w"] for row in panel.layer[1].data.values] for panel in chart.hconcat]
    assert paths[0] == pytest.approx([1, 0.8, 0.64, 0.512, 0.4096])
    assert paths[1] == [1, 0, 0, 0, 0]
    assert paths[2] == [1, -2]  # cut where it leaves the picture
    assert [panel.title.subtitle for panel in chart.hconcat] == ["step 0.1", "step 0.5", "step 1.5"]
    with pytest.raises(InputError, match="no steps"):
        step_sizes(lambda w: w, lambda w: 1, 0.0, {})


def test_residuals_by_hand():
    # Through (0, 0), (1, 3), (2, 0) the best line is y = 1.
    x, y = [0.0, 1, 2], [0.0, 3, 0]
    chart = regression_line(x, y, LeastSquares().fit(np.array(x)[:, None], y))
    assert [row["residual"] for row in rows(chart, "residual")] == pytest.approx([-1, 2, -1])
    assert [row["fitted"] for row in rows(chart, "residual")] == pytest.approx([1, 1, 1])
    assert chart.title.subtitle == "squared error loss 3"  # (1 + 4 + 1) / 2


def test_regression_need_not_be_a_line():
    x, y = np.array([0.0, 1, 2, 3]), np.array([1.0, 1, 5, 5])
    model = KNeighborsRegressor(n_neighbors=1, metric="euclidean").fit(x[:, None], y)
    line = regression_line(x, y, model).layer[1].data.values
    assert {row["y"] for row in line} == {1.0, 5.0}
    with pytest.raises(InputError, match="expected as many"):
        regression_line([1, 2], [1], model)


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
    assert [panel.title.text for panel in chart.concat] == ["round 1", "round 2", "round 3"]
    clusters = [[row["cluster"] for row in panel.layer[0].data.values] for panel in chart.concat]
    assert clusters == [["1", "2", "2"], ["1", "1", "2"], ["1", "1", "2"]]
    centers = [[row["x"] for row in panel.layer[1].data.values] for panel in chart.concat]
    assert centers == [[0, 1], [0, 5], [0.5, 9]]
    came_from = [row["x0"] for row in chart.concat[2].layer[1].data.values]
    assert came_from == [0, 5]
    assert chart.concat[1].title.subtitle == "1 changed cluster, inertia 17"  # 0 + 1 + 16
    assert len(kmeans_rounds(X, [[0.0, 0], [1, 0]], most=2).concat) == 2
    with pytest.raises(InputError, match="centers has shape"):
        kmeans_rounds(X, [0.0, 1.0])


def curve(train, dev):
    points = [
        FitMeasures(n, (1.0, 1.0), (0.8, 0.8), (t, t), (d - 0.01, d + 0.01))
        for n, t, d in zip((10, 20, 40), train, dev, strict=True)
    ]
    return LearningCurve(tuple(points), 50, 0.5)


def test_overfitting_beside_underfitting():
    over, under = curve([0.0, 0.1, 0.2], [0.9, 0.7, 0.5]), curve([0.6] * 3, [0.7, 0.65, 0.65])
    chart = learning_curves({"overfitting": over, "underfitting": under}, desired=0.4)
    panels = [panel.layer[2].data.values for panel in chart.hconcat]
    assert [row["loss"] for row in panels[0]] == pytest.approx([0, 0.1, 0.2, 0.9, 0.7, 0.5])
    assert [row["loss"] for row in panels[1]] == pytest.approx([0.6] * 3 + [0.7, 0.65, 0.65])
    assert [panel.layer[1].data.values for panel in chart.hconcat] == [[{"loss": 0.4}]] * 2
    assert chart.to_dict()["resolve"] == {"scale": {"y": "shared"}}
    assert learning_curves({"one": over}).hconcat[0].layer[1].data.values == []
    with pytest.raises(InputError, match="no curves"):
        learning_curves({})


@pytest.mark.parametrize(
    ("parameter", "strongest_first"), [("C", [0.01, 1.0, 100.0]), ("alpha", [10.0, 1.0, 0.1])]
)
def test_errors_along_a_parameter(parameter, strongest_first):
    accuracies = [((0.7, 0.7), (0.6, 0.7)), ((0.9, 0.9), (0.8, 0.85)), ((1.0, 1.0), (0.7, 0.75))]
    points = [
        FitMeasures(at, train, dev, (0.0, 0.0), (0.0, 0.0))
        for at, (train, dev) in zip(strongest_first, accuracies, strict=True)
    ]
    chart = validation_curve(SimpleNamespace(parameter=parameter, points=points))
    lines = rows(chart, "on")
    assert [row["error"] for row in lines] == pytest.approx([0.3, 0.1, 0, 0.35, 0.175, 0.275])
    (best,) = chart.layer[2].data.values
    assert best["at"] == 1.0 and best["error"] == pytest.approx(0.175)
    words = {row["text"].strip("←→ "): (row["at"], row["text"]) for row in rows(chart, "text")}
    assert words["high bias"][0] == strongest_first[0]
    assert words["high variance"][0] == strongest_first[-1]
    # Arrows point outwards, whichever way the parameter runs.
    assert words["high bias"][1].startswith("←") == (parameter == "C")
    assert lines[0]["on"] == "training texts"


def test_a_path_needs_points():
    with pytest.raises(InputError, match="no points"):
        validation_curve(SimpleNamespace(parameter="C", points=[]))


def test_the_slot_of_a_label_holds_the_bag_of_words():
    counts = {"aardvark": 0, "best": 1, "was": 2}
    chart = feature_slots(counts, ["Fiction", "News", "Gossip"], "News")
    cells = rows(chart, "value")
    assert [cell["value"] for cell in cells[:4]] == [0, 1, 2, 1]  # x, the offset last
    f = [cell["value"] for cell in sorted(cells[4:], key=lambda cell: cell["y"])]
    assert f == [0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0]  # (V + 1) K = 12 places
    filled = [cell["opacity"] > 0 for cell in cells[4:]]
    assert filled == [False] * 4 + [True] * 4 + [False] * 4
    texts = {row["text"] for row in rows(chart, "text")}
    assert {"<OFFSET>", "aardvark", "y = Gossip", "f(x, y = News)", "x"} <= texts
    with pytest.raises(InputError, match="'Sports'"):
        feature_slots(counts, ["News"], "Sports")
