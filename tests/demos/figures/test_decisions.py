"""Tests of wordplane.demos.figures.decisions, and of wordplane.demos.figures.plane.

Any learner, any number of classes, and their accuracies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import (
    GaussianNB,
    KNeighbors,
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    datasets,
)
from wordplane.common.errors import InputError
from wordplane.demos.figures import decision_lines, decision_regions, gaussian_truth
from wordplane.plots import to_svg

from .charts import legend, rows

X = np.array([[-2.0, 0], [-1, 0], [1, 0], [2, 0]])
Y = np.array(["no", "no", "yes", "yes"])


class Right:
    """Says yes where the first feature is positive."""

    def predict(self, X):
        return np.where(X[:, 0] > 0, "yes", "no")


def corners():
    """Three classes in three corners."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 20)
    middles = np.repeat([[0.0, 2], [-2, -1], [2, -1]], 20, axis=0)
    return middles + rng.normal(scale=0.4, size=(60, 2)), labels


def test_regions_are_what_is_predicted():
    chart = decision_regions(X, Y, Right())
    sides = {"no": set(), "yes": set()}
    for row in rows(chart, "class", "shade"):
        sides[row["class"]].add(round(row["x"], 9))
    assert max(sides["no"]) == 0 == min(sides["yes"])
    assert legend(chart, "fill") == ["no", "yes"]
    assert len(rows(chart, "class", "set")) == 4


def test_accuracies_of_train_and_test_are_in_the_legend():
    chart = decision_regions(X, Y, Right(), test=([[1.0, 1], [2, 2], [-1, 1]], ["yes", "no", "no"]))
    assert legend(chart, "shape") == ["train: accuracy 100 %", "test: accuracy 66.7 %"]
    drawn = [row["set"][:5] for row in rows(chart, "class", "set")]
    assert drawn == ["train"] * 4 + ["test:"] * 3


def test_three_classes_and_neighbors():
    points, labels = corners()
    knn = KNeighbors(n_neighbors=3, metric="euclidean").fit(points, labels)
    chart = decision_regions(points, labels, knn)
    assert {row["class"] for row in rows(chart, "class", "shade")} == {"a", "b", "c"}
    assert "train: accuracy 100 %" in to_svg(chart)


def test_more_classes_than_colors():
    points = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.arange(40) % 10
    knn = KNeighbors(n_neighbors=1, metric="euclidean").fit(points, labels)
    shades = {
        row["class"]: row["shade"] for row in rows(decision_regions(points, labels, knn), "shade")
    }
    assert shades["0"] > shades["8"]  # the same color, lighter
    assert len(set(shades.values())) == 2


def test_learners_side_by_side():
    fitted = {"one": Right(), "two": GaussianNB(variance="pooled").fit(X, Y)}
    chart = decision_regions(X, Y, fitted, test=(X[:1], ["yes"]))
    assert [panel.title["text"] for panel in chart.concat] == ["one", "two"]
    assert [panel.title["subtitle"] for panel in chart.concat] == ["train 100 %, test 0 %"] * 2
    with pytest.raises(InputError, match="no learners"):
        decision_regions(X, Y, {})


def test_lines_of_learners_and_of_paths():
    points, labels = datasets.gaussians(60)
    ridge = RidgeClassifier().fit(points, labels)
    walked = Perceptron(keep_path=True, max_iter=3, averaged=False).fit(points, labels)
    learners = {
        "ridge": ridge,
        "epoch 1": walked.path_[0],
        "circle": GaussianNB().fit(points, labels),
    }
    chart = decision_lines(points, labels, learners, truth=gaussian_truth(), title="<b>")
    lines = {}
    for row in rows(chart, "of", "piece"):
        lines.setdefault(row["of"].split(":")[0], []).append((row["x"], row["y"]))
    assert len(lines["ridge"]) == 2
    assert np.allclose(ridge.decision_function(np.array(lines["ridge"])), 0, atol=1e-5)
    W, b = walked.path_[0]
    assert np.allclose(np.array(lines["epoch 1"]) @ W + b, 0, atol=1e-9)
    assert len(lines["circle"]) > 10
    assert f"ridge: {100 * ridge.score(points, labels):.3g} %" in legend(chart, "color")
    assert "<b>" not in to_svg(chart)  # escaped


def test_all_boundaries_with_their_accuracies():
    test = (np.array([[1.0, 1], [2, 2], [-1, 1]]), np.array(["yes", "no", "no"]))
    learners = {"right": Right(), "path": (np.array([[-1.0], [0.0]]), np.array([0.0]))}
    truth = gaussian_truth(means=((-1, 0), (1, 0)))  # zero where x = 0
    chart = decision_lines(X, Y, learners, test=test, truth=truth)
    # Worked by hand: two of three test points lie on their side; the path has the sides reversed.
    assert legend(chart, "color") == [
        "right: train 100 %, test 66.7 %",
        "path: train 0 %, test 33.3 %",
        "best possible: train 100 %, test 66.7 %",
    ]
    assert legend(chart, "fill") == ["train", "test"]
    assert {round(row["x"], 9) for row in rows(chart, "of", "piece")} == {0}


def test_lines_between_three_classes():
    points, labels = corners()
    model = LogisticRegression().fit(points, labels)
    chart = decision_lines(points, labels, {"logistic": model})
    drawn = rows(chart, "of", "piece")
    assert {row["piece"] for row in drawn} == {0, 1, 2}
    scores = np.sort(model.decision_function(np.array([[row["x"], row["y"]] for row in drawn])))
    assert np.median(scores[:, -1] - scores[:, -2]) < 1e-5  # the two best are equal
    with pytest.raises(InputError, match="3 classes"):
        decision_lines(points, labels, {}, truth=gaussian_truth())


def test_points_alone():
    points, labels = datasets.gaussians(20)
    chart = decision_lines(points, labels, {})
    assert [layer.mark["type"] for layer in chart.layer] == ["point"]
    assert "second feature" in to_svg(chart)


@pytest.mark.parametrize("draw", [decision_lines, decision_regions])
@pytest.mark.parametrize(
    ("points", "labels"), [([[1, 2, 3]], [0]), ([[1, 2]], [0, 1]), (np.zeros((0, 2)), [])]
)
def test_points_must_lie_in_the_plane(draw, points, labels):
    with pytest.raises(InputError, match="row of two numbers"):
        draw(points, labels, {})


@given(st.floats(0.1, 3), st.floats(0.1, 3), st.floats(0.05, 0.95))
def test_truth_is_the_log_odds_of_the_densities(v0, v1, balance):
    X = np.array([[0.3, -1.2], [2.0, 0.1]])
    means = np.array([[-1.0, -1.0], [1.0, 1.0]])
    density = [
        share * np.exp(-((X - mean) ** 2).sum(axis=1) / (2 * v)) / (2 * np.pi * v)
        for share, mean, v in zip((balance, 1 - balance), means, (v0, v1), strict=True)
    ]
    truth = gaussian_truth(variances=(v0, v1), balance=balance)
    assert np.allclose(truth(X), np.log(density[1] / density[0]))


def test_truth_cannot_be_beaten():
    world = {"variances": (0.3, 1.5), "balance": 0.7}
    X, y = datasets.gaussians(20_000, **world)
    best = ((gaussian_truth(**world)(X) > 0) == y).mean()
    for learner in (GaussianNB(), LogisticRegression(), GaussianNB(variance="pooled")):
        assert learner.fit(X, y).score(X, y) < best + 0.002


def test_truth_needs_variances():
    with pytest.raises(InputError, match="variances"):
        gaussian_truth(variances=(1, 0))
