"""Three dimensions on paper."""

import numpy as np
import pytest

from wordplane.demos.figures.space import View


@pytest.mark.parametrize("azimuth", [-60.0, 30.0, 150.0, 250.0])
def test_projection_keeps_lengths_across_the_view(azimuth):
    view = View(np.zeros(3), np.ones(3), azimuth, 0.0)
    turn = np.radians(azimuth)
    across = np.array([-np.sin(turn), np.cos(turn), 0])
    towards = np.array([np.cos(turn), np.sin(turn), 0])
    at, right, near, up = view.project(np.array([0 * across, across, towards, [0, 0, 1.0]]))
    assert np.allclose(right - at, [1, 0])
    assert np.allclose(near, at)
    assert np.allclose(up - at, [0, 1])
    assert len(view.edges()) == 9
    assert len(view.axis_ends()) == 3
