"""The pictures of the textbook: lines where they belong, and numbers worked by hand."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordplane import (
    MIRA,
    GaussianNB,
    LogisticRegression,
    datasets,
)
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.plots import (
    descent_path,
    gaussian_truth,
    loss_functions,
    regularization_path,
    training_curves,
    weights_per_epoch,
    zipf,
)
from wordplane.plots.zero_lines import zero_lines

LOW, HIGH = np.array([-2.0, -3.0]), np.array([3.0, 2.0])


def rows_of(chart, layer=None):
    data = chart.data if layer is None else chart.layer[layer].data
    return data.values


number = st.floats(-3, 3).filter(lambda value: abs(value) > 0.01)


@settings(max_examples=20)
@given(number, number, st.floats(-3, 3))
def test_a_linear_score_is_zero_on_one_straight_piece_or_none(w, u, b):
    lines = zero_lines(lambda X: w * X[:, 0] + u * X[:, 1] + b, LOW, HIGH)
    corners = [w * x + u * y + b for x in (LOW[0], HIGH[0]) for y in (LOW[1], HIGH[1])]
    if min(abs(corner) for corner in corners) < 1e-6:
        return  # through a corner: a point or a line
    assert len(lines) == (min(corners) < 0 < max(corners))
    for line in lines:
        assert np.allclose(line @ [w, u] + b, 0, atol=1e-9)
        on_the_frame = np.isclose(line, LOW).any(axis=1) | np.isclose(line, HIGH).any(axis=1)
        assert on_the_frame[0] and on_the_frame[-1]


def test_a_circle_is_one_closed_line():
    (line,) = zero_lines(lambda X: (X**2).sum(axis=1) - 1, LOW, HIGH)
    assert np.array_equal(line[0], line[-1])
    assert np.allclose(np.hypot(*line.T), 1, atol=2e-3)
    angles = np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
    assert abs(abs(angles[-1] - angles[0]) - 2 * np.pi) < 1e-9


def test_two_branches_and_nothing():
    assert len(zero_lines(lambda X: X[:, 0] * X[:, 1] - 0.5, LOW, HIGH)) == 2
    assert zero_lines(lambda X: np.ones(len(X)), LOW, HIGH) == []


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


def test_losses_at_margins_by_hand():
    found = {
        (row["name"], round(row["margin"], 6)): row["loss"]
        for row in rows_of(loss_functions(-2, 2))
    }
    assert found["zero-one", -1.0] == 1 and found["zero-one", 1.0] == 0
    assert found["perceptron", -1.0] == 1 and found["perceptron", 1.0] == 0
    assert found["hinge", 0.5] == pytest.approx(0.5) and found["hinge", 1.0] == 0
    assert found["squared hinge", -1.0] == pytest.approx(4)
    assert found["logistic", 0.0] == pytest.approx(np.log(2))


def test_history_of_a_fit():
    X, y = datasets.gaussians(50)
    histories = {}
    for solver in ("lbfgs", "sgd", "gd"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(solver=solver, max_iter=5, tol=0).fit(X, y)
        histories[solver] = model.history_
        assert len(model.history_) == model.n_iter_ + 1
        assert model.history_[0] == pytest.approx(50 * np.log(2))
        assert model.history_[-1] == pytest.approx(model.objective_)
    chart = training_curves(histories)
    assert len(rows_of(chart)) == 18
    chart = training_curves(histories, optimum=min(map(min, histories.values())))
    assert min(row["objective"] for row in rows_of(chart)) > 0  # it has a logarithm


def test_weights_along_epochs_and_penalties():
    X, y = datasets.gaussians(50)
    mira = MIRA(keep_path=True, max_iter=4).fit(X, y)
    rows = rows_of(weights_per_epoch(mira.path_, ["one", "two"]))
    ends = {row["name"]: row["weight"] for row in rows if row["at"] == len(mira.path_)}
    assert ends == pytest.approx(dict(zip(["one", "two"], mira.coef_[0], strict=True)))
    models = [LogisticRegression(C=C).fit(X, y) for C in (0.1, 1)]
    rows = rows_of(regularization_path(models, top=1))
    assert [row["at"] for row in rows] == [0.1, 1]
    assert rows[-1]["weight"] == np.abs(models[-1].coef_).max()


def test_three_classes_have_no_single_weight():
    model = LogisticRegression().fit(np.eye(3), ["a", "b", "c"])
    with pytest.raises(InputError, match="two classes"):
        regularization_path([model])


@pytest.mark.parametrize("draw", [training_curves, weights_per_epoch, regularization_path])
def test_nothing_to_draw(draw):
    with pytest.raises(InputError):
        draw({} if draw is training_curves else [])


def test_contours_lie_at_their_heights():
    chart = descent_path(lambda W: (W**2).sum(axis=1), [(2.0, 1.0), (0.0, 0.0)], n_levels=4)
    for row in rows_of(chart, 0):
        assert row["x"] ** 2 + row["y"] ** 2 == pytest.approx(float(row["of"]), rel=0.02)


def test_zipf_sorts_and_thins():
    rows = rows_of(zipf(np.arange(1, 10_001)))
    assert rows[0] == {"rank": 1, "count": 10_000, "law": 10_000}
    assert rows[-1]["count"] == 1 and len(rows) <= 300
