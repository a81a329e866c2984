"""Lines and regions of the plane: straight lines come out straight, the whole box is shared out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordplane import GaussianNB, KernelSVM, KNeighbors, LogisticRegression, datasets
from wordplane.demos.figures.borders import as_one_path, class_regions, join, level_lines

LOW, HIGH = np.array([-2.0, -3.0]), np.array([3.0, 2.0])
number = st.floats(-3, 3).filter(lambda value: abs(value) > 0.01)


def area(ring):
    x, y = ring.T
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)


def encloses(path, points):
    """Whether a closed path runs around each point (even-odd rule)."""
    (x, y), (x2, y2) = path[:-1].T, path[1:].T
    px, py = points[:, :1], points[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = ((y > py) != (y2 > py)) & (px < x + (py - y) / (y2 - y) * (x2 - x))
    return crossed.sum(axis=1) % 2 == 1


@settings(max_examples=20, deadline=None)
@given(number, number, st.floats(-3, 3))
def test_a_linear_rule_has_a_straight_border(w, u, b):
    found = class_regions(lambda X: X @ [w, u] + b > 0, LOW, HIGH, cells=20)
    corners = [w * x + u * y + b for x in (LOW[0], HIGH[0]) for y in (LOW[1], HIGH[1])]
    if min(abs(corner) for corner in corners) < 1e-6:
        return  # through a corner
    assert len(found.borders) == (min(corners) < 0 < max(corners))
    for border in found.borders:
        assert np.allclose(border @ [w, u] + b, 0, atol=1e-9)
        assert len(border) == 2
    areas = [area(ring) for rings in found.rings for ring in rings]
    assert sum(areas) == pytest.approx(25)


def test_a_ring_of_one_class_is_a_hole_of_the_other():
    found = class_regions(lambda X: (X**2).sum(axis=1) < 1, LOW, HIGH)
    outside, inside = ([area(ring) for ring in rings] for rings in found.rings)
    assert inside == pytest.approx([np.pi], rel=2e-3)
    assert sorted(outside) == pytest.approx([-np.pi, 25], rel=2e-3)
    (border,) = found.borders
    assert np.allclose(np.hypot(*border.T), 1, atol=1e-9)  # bisected, not interpolated
    path = as_one_path(found.rings[0])
    assert area(path) == pytest.approx(25 - np.pi, rel=2e-3)


def test_three_classes_meet_in_a_point():
    angle = 2 * np.pi / 3

    def sector(X):
        turned = (np.arctan2(X[:, 1] - 0.05, X[:, 0] - 0.03) + 0.2) % (2 * np.pi)
        return np.array(["a", "b", "c"])[np.minimum(turned // angle, 2).astype(int)]

    found = class_regions(sector, LOW, HIGH, cells=50)
    assert found.classes.tolist() == ["a", "b", "c"]
    assert [len(rings) for rings in found.rings] == [1, 1, 1]
    assert sum(area(rings[0]) for rings in found.rings) == pytest.approx(25)
    assert len(found.borders) == 3
    ends = [tuple(end) for border in found.borders for end in border[[0, -1]].round(9).tolist()]
    (middle,) = {end for end in ends if ends.count(end) == 3}
    assert np.hypot(middle[0] - 0.03, middle[1] - 0.05) < 0.1  # within a cell


@pytest.mark.parametrize(
    "learner",
    [
        KNeighbors(n_neighbors=1, metric="euclidean"),
        KernelSVM(kernel="rbf"),
        GaussianNB(),
        LogisticRegression(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_points_lie_in_the_region_of_their_prediction(learner):
    X, y = datasets.gaussians(60, variances=(0.5, 1.5))
    y = np.where(X[:, 0] > 1.5, 2, y)
    learner.fit(X, y)
    found = class_regions(learner.predict, LOW, HIGH)
    points = np.random.default_rng(0).uniform(LOW, HIGH, (2000, 2))
    said = learner.predict(points)
    for label, rings in zip(found.classes, found.rings, strict=True):
        wrong = encloses(as_one_path(rings), points) != (said == label)
        assert wrong.mean() < 0.01  # what is smaller than a cell of the grid


def test_one_class_has_the_whole_box():
    found = class_regions(lambda X: np.full(len(X), "all"), LOW, HIGH, cells=5)
    assert found.borders == ()
    ((ring,),) = found.rings
    assert area(ring) == pytest.approx(25)
    assert len(ring) == 5


def test_pieces_join_where_two_meet_and_end_where_three_do():
    lines = join([(0, 1), (1, 2), (2, 3), (2, 4), (8, 9), (9, 8)])
    assert sorted(map(sorted, lines)) == [[0, 1, 2], [2, 3], [2, 4], [8, 8, 9]]


@settings(max_examples=20)
@given(number, number, st.floats(-3, 3))
def test_a_linear_score_is_zero_on_one_straight_piece_or_none(w, u, b):
    (lines,) = level_lines(lambda X: w * X[:, 0] + u * X[:, 1] + b, [0], LOW, HIGH)
    corners = [w * x + u * y + b for x in (LOW[0], HIGH[0]) for y in (LOW[1], HIGH[1])]
    if min(abs(corner) for corner in corners) < 1e-6:
        return  # through a corner: a point or a line
    assert len(lines) == (min(corners) < 0 < max(corners))
    for line in lines:
        assert np.allclose(line @ [w, u] + b, 0, atol=1e-9)
        on_the_frame = np.isclose(line, LOW).any(axis=1) | np.isclose(line, HIGH).any(axis=1)
        assert on_the_frame[0] and on_the_frame[-1]


def test_a_circle_is_one_closed_line():
    ((line,),) = level_lines(lambda X: (X**2).sum(axis=1), [1], LOW, HIGH)
    assert np.array_equal(line[0], line[-1])
    assert np.allclose(np.hypot(*line.T), 1, atol=2e-3)
    angles = np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
    assert abs(abs(angles[-1] - angles[0]) - 2 * np.pi) < 1e-9


def test_two_branches_and_nothing():
    both, none = level_lines(lambda X: X[:, 0] * X[:, 1], [0.5, 1e9], LOW, HIGH)
    assert len(both) == 2 and none == []
