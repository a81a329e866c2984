"""Three dimensions on paper: points seen from a direction, in parallel projection."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordplane.common.types import FloatArray


@dataclass(frozen=True)
class View:
    """A box of three dimensions, seen from afar.

    low, high  two corners of the box
    azimuth    the direction of the viewer in the plane of the first two axes, in degrees
    elevation  how far above that plane the viewer stands, in degrees
    """

    low: FloatArray
    high: FloatArray
    azimuth: float = -60.0
    elevation: float = 25.0

    def project(self, points: FloatArray) -> FloatArray:
        """Points (n x 3) on paper (n x 2); the box has sides of length 1.

        >>> View(np.zeros(3), np.ones(3), 0, 0).project(np.array([[5.0, 1, 0.5]])).round(6)
        array([[1. , 0.5]])
        """
        inside = (np.asarray(points, dtype=np.float64) - self.low) / (self.high - self.low)
        turn, rise = np.radians(self.azimuth), np.radians(self.elevation)
        right = np.array([-np.sin(turn), np.cos(turn), 0])
        up = np.array([-np.sin(rise) * np.cos(turn), -np.sin(rise) * np.sin(turn), np.cos(rise)])
        return np.asarray(inside @ np.column_stack([right, up]))

    def edges(self) -> list[FloatArray]:
        """The sides of the box behind and below what is in it (each 2 x 2 points on paper)."""
        corner = self._hidden_corner()
        ends = [(corner, self._across(corner, axis)) for axis in range(3)]
        for axis in range(2):
            neighbor = self._across(corner, axis)
            ends += [(neighbor, self._across(neighbor, other)) for other in range(3)]
        top = self._across(corner, 2)
        ends += [(top, self._across(top, axis)) for axis in range(2)]
        unique = {tuple(sorted(pair)): pair for pair in ends}
        return [self.project(self._at(np.array(pair))) for pair in unique.values()]

    def axis_ends(self) -> list[FloatArray]:
        """Of each axis the side of the box to name it at (2 x 2 points on paper, low to high)."""
        hidden = self._hidden_corner()
        front = self._across(self._across(hidden, 0), 1)
        sides = [self._across(hidden, 1), self._across(hidden, 0)]
        # The vertical axis stands at the left.
        upright = min(sides, key=lambda c: float(self.project(self._at(np.array([c])))[0, 0]))
        starts: Sequence[tuple[int, ...]] = (front, front, upright)
        pairs = [
            tuple((*start[:axis], value, *start[axis + 1 :]) for value in (0, 1))
            for axis, start in enumerate(starts)
        ]
        return [self.project(self._at(np.array(pair))) for pair in pairs]

    def _hidden_corner(self) -> tuple[int, ...]:
        """The lower corner farthest from the viewer."""
        turn = np.radians(self.azimuth)
        return (int(np.cos(turn) < 0), int(np.sin(turn) < 0), 0)

    def _across(self, corner: tuple[int, ...], axis: int) -> tuple[int, ...]:
        return (*corner[:axis], 1 - corner[axis], *corner[axis + 1 :])

    def _at(self, corners: FloatArray) -> FloatArray:
        return np.asarray(self.low + corners * (self.high - self.low))
