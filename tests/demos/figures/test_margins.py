"""Tests of wordplane.demos.figures.margins, and of wordplane.demos.figures.margin_labels.

Distances are worked by hand."""

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.demos.figures import margins

from .charts import FirstFeature, legend, rows


def test_margins_and_slacks_by_hand():
    X = [[-2.0, 0], [-1, 1], [-0.25, 2], [0.5, 3], [1, 1], [3, 0]]
    chart = margins(X, ["a", "a", "a", "a", "b", "b"], FirstFeature())
    # w = (1, 0): the third point is 0.75 beyond its tangent x = -1, the fourth 1.5.
    slacks = {row["x"]: (row["slack"], row["x2"], row["y2"]) for row in rows(chart, "slack")
              if row["slack"] is not None}  # fmt: skip
    assert slacks == {-0.25: (0.75, -1, 2), 0.5: (1.5, -1, 3)}
    assert legend(chart, "color") == [
        "z = 0: the decision line",
        "z = ±1: functional margin 1",
        "geometric margin 1 / |w| = 1",
        "slack ξ, 2.25 in total",
    ]
    (distance,) = [row for row in rows(chart, "slack") if row["slack"] is None]
    assert (round(distance["x"], 9), round(distance["x2"], 9)) == (0, 1)
    assert distance["y"] == distance["y2"]
    assert {row["text"] for row in rows(chart, "text", "angle")} == {"z = -1", "z = 0", "z = 1"}
    assert {row["text"] for row in rows(chart, "text")} >= {"1.50", "0.75"}


def test_without_slack_there_is_none_in_the_legend():
    X = [[-2.0, 0], [-1, 1], [1, 1], [3, 0]]
    names = legend(margins(X, list("aabb"), FirstFeature()), "color")
    assert len(names) == 3
    assert not any("slack" in name for name in names)


def test_margins_need_two_classes():
    with pytest.raises(InputError, match="3 classes"):
        margins(np.eye(3)[:, :2], [0, 1, 2], FirstFeature())
