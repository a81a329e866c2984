"""Where a function of the plane is zero, found on a grid.

Each square of the grid is cut into two triangles. On a triangle the function is taken as linear:
where its corners differ in sign, a straight piece runs from one edge to another. Pieces that share
an edge are joined to lines. (With triangles there is no ambiguous case, and a straight line
comes out straight.)
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import numpy as np

from wordplane.common.types import FloatArray, IntArray

CELLS = 120  # along each side of the grid: a picture has about three pixels for each

Node = TypeVar("Node", bound=Hashable)


def zero_lines(
    score: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, cells: int = CELLS
) -> list[FloatArray]:
    """Lines (each n x 2 points) on which `score`, of rows of two numbers, is zero.

    >>> (line,) = zero_lines(lambda X: X[:, 0] - 0.3, np.zeros(2), np.ones(2))
    >>> line.round(6).tolist()  # from bottom to top, or the other way round
    [[0.3, 0.0], [0.3, 1.0]]
    """
    grid, triangles = triangulate(low, high, cells)
    z = np.asarray(score(grid), dtype=np.float64)
    z = np.where(z == 0, np.finfo(float).tiny, z)  # a corner is on one side
    above = z[triangles] > 0
    pieces = []
    for a, b, c in triangles[above.any(axis=1) & ~above.all(axis=1)].tolist():
        edges = ((min(pair), max(pair)) for pair in ((a, b), (b, c), (a, c)))
        one, other = (edge for edge in edges if (z[edge[0]] > 0) != (z[edge[1]] > 0))
        pieces.append((one, other))

    def zero(edge: tuple[int, int]) -> FloatArray:
        a, b = edge
        return np.asarray(grid[a] + (grid[b] - grid[a]) * (z[a] / (z[a] - z[b])))

    return [straighten(np.array([zero(edge) for edge in line])) for line in join(pieces)]


def triangulate(low: FloatArray, high: FloatArray, cells: int) -> tuple[FloatArray, IntArray]:
    """The points of a grid, row by row from below, and the corners of its triangles, each
    counterclockwise."""
    n = cells + 1
    xs, ys = (np.linspace(low[i], high[i], n) for i in range(2))
    grid = np.column_stack([np.tile(xs, n), np.repeat(ys, n)])
    corner = (np.arange(cells)[:, None] * n + np.arange(cells)).ravel()
    right, up, across = corner + 1, corner + n, corner + n + 1
    triangles = [np.column_stack([corner, right, across]), np.column_stack([corner, across, up])]
    return grid, np.concatenate(triangles)


def join(pieces: Iterable[tuple[Node, Node]]) -> list[list[Node]]:
    """Pieces that share an end as lines from end to end; a ring ends where it begins. Where three
    or more pieces meet, lines end.

    >>> join([(1, 2), (3, 2), (5, 6), (6, 7), (7, 5)])
    [[1, 2, 3], [5, 7, 6, 5]]
    """
    around: dict[Node, list[Node]] = defaultdict(list)
    for one, other in pieces:
        around[one].append(other)
        around[other].append(one)
    ends = {node for node, others in around.items() if len(others) != 2}
    lines = []
    for start in [*(node for node in around if node in ends), *around]:
        while around[start]:
            line = [start]
            while around[line[-1]]:
                following = around[line[-1]].pop()
                around[following].remove(line[-1])
                line.append(following)
                if following in ends:
                    break
            lines.append(line)
    return lines


def straighten(line: FloatArray) -> FloatArray:
    """The line without the points at which it does not bend.

    >>> straighten(np.array([[0.0, 0], [1, 0], [2, 0], [2, 0], [2, 3]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 3.0]]
    """
    size = np.abs(line - line.mean(axis=0)).max()
    moves = np.abs(np.diff(line, axis=0)).max(axis=1) > 1e-9 * size  # a point twice has no bend
    line = line[np.concatenate([[True], moves])]
    if len(line) < 3:
        return line
    before, after = line[1:-1] - line[:-2], line[2:] - line[1:-1]
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    return np.asarray(line[np.concatenate([[True], bend > 1e-12 * size**2, [True]])])
