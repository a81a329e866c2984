"""Places for what is written into a picture of margins: next to the points and off the lines.

Distances are in pixels, because letters are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.plots.charts import row_values
from wordplane.plots.vega_lite import Data

ROOM = 40  # pixels without a point that suffice for a label on a line
MOST_SLACKS = 4  # that have their numbers


@dataclass(frozen=True)
class Paper:
    """A box of the plane on paper of some pixels, and the points in it."""

    low: FloatArray
    high: FloatArray
    size: FloatArray
    points: FloatArray

    def to_pixels(self, places: FloatArray) -> FloatArray:
        return np.asarray((places - self.low) / (self.high - self.low) * self.size)

    def to_plane(self, pixels: FloatArray) -> FloatArray:
        return np.asarray(self.low + pixels / self.size * (self.high - self.low))


def level_labels(paper: Paper, levels: Mapping[int, Sequence[FloatArray]]) -> Data:
    """z = -1, 0, 1 along their lines, where there is room between the points."""
    dots = paper.to_pixels(paper.points)
    rows: list[tuple[object, ...]] = []
    for z, lines in levels.items():
        if not lines:
            continue
        line = max((paper.to_pixels(line) for line in lines), key=_length)
        places, directions = _along(line, np.linspace(0.06, 0.94, 45))
        room = np.linalg.norm(places[:, None] - dots, axis=2).min(axis=1)
        best = int(np.minimum(room, ROOM).argmax())
        dx, dy = directions[best] if directions[best][0] >= 0 else -directions[best]
        x, y = paper.to_plane(places[best])
        rows.append((x, y, f"z = {z}", -float(np.degrees(np.arctan2(dy, dx))) % 360))
    return row_values(("x", "y", "text", "angle"), rows)


def slack_labels(
    paper: Paper, levels: Mapping[int, Sequence[FloatArray]], slack: FloatArray
) -> Data:
    """The largest slacks, where there is room next to their points."""
    dots = paper.to_pixels(paper.points)
    lines = [paper.to_pixels(line) for lines in levels.values() for line in lines]
    taken = np.concatenate([dots, *(_along(line, np.linspace(0, 1, 100))[0] for line in lines)])
    angles = np.radians(np.arange(0, 360, 15))
    around = np.column_stack([28 * np.cos(angles), 20 * np.sin(angles)])
    rows: list[tuple[object, ...]] = []
    for i in np.argsort(-slack, kind="stable")[:MOST_SLACKS]:
        if slack[i] <= slack.max() / 3:
            break
        for middle in dots[i] + around:
            letters = middle + np.array([[-10, 0], [0, 0], [10, 0]])
            apart = np.abs(letters[:, None] - taken)
            free = not ((apart[:, :, 0] < 10) & (apart[:, :, 1] < 12)).any()
            if free and (letters > 10).all() and (letters < paper.size - 10).all():
                taken = np.concatenate([taken, letters])
                rows.append((*paper.to_plane(middle), f"{slack[i]:.2f}"))
                break
    return row_values(("x", "y", "text"), rows)


def free_segment(
    paper: Paper, lines: Sequence[FloatArray], step: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """A step away from one of the lines, with the most room around it; None if none is inside."""
    if not lines:
        return None
    begins = np.concatenate([_along(line, np.linspace(0.1, 0.9, 33))[0] for line in lines])
    across = begins[:, None] + np.linspace(0, 1, 9)[:, None] * step
    inside = ((across >= paper.low) & (across <= paper.high)).all(axis=(1, 2))
    if not inside.any():
        return None
    apart = paper.to_pixels(across)[:, :, None] - paper.to_pixels(paper.points)
    room = np.linalg.norm(apart, axis=-1).min(axis=(1, 2))
    best = int(np.where(inside, room, -1).argmax())
    return begins[best], begins[best] + step


def _length(line: FloatArray) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def _along(line: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The points after these shares of the length of a line, and its directions there."""
    steps = np.diff(line, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    ends = np.cumsum(lengths)
    wanted = shares * ends[-1]
    piece = np.minimum(np.searchsorted(ends, wanted), len(steps) - 1)
    within = (wanted - (ends - lengths)[piece]) / lengths[piece]
    return line[piece] + within[:, None] * steps[piece], steps[piece]
