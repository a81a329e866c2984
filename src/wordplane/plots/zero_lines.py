"""Where a function of the plane is zero, found on a grid.

Each square of the grid is cut into two triangles. On a triangle the function is taken as linear:
where its corners differ in sign, a straight piece runs from one edge to another. Pieces that share
an edge are joined to lines. (With triangles there is no ambiguous case, and a straight line
comes out straight.)
"""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Edge = tuple[int, int]


def zero_lines(
    score: Callable[[Floats], Floats], low: Floats, high: Floats, cells: int = 120
) -> list[Floats]:
    """Lines (each n x 2 points) on which `score`, of rows of two numbers, is zero.

    >>> (line,) = zero_lines(lambda X: X[:, 0] - 0.3, np.zeros(2), np.ones(2))
    >>> line.round(6).tolist()  # from bottom to top, or the other way round
    [[0.3, 0.0], [0.3, 1.0]]
    """
    n = cells + 1
    xs, ys = (np.linspace(low[i], high[i], n) for i in range(2))
    grid = np.column_stack([np.tile(xs, n), np.repeat(ys, n)])
    z = np.asarray(score(grid), dtype=np.float64)
    z = np.where(z == 0, np.finfo(float).tiny, z)  # a corner is on one side
    corner = (np.arange(cells)[:, None] * n + np.arange(cells)).ravel()
    right, up, across = corner + 1, corner + n, corner + n + 1
    triangles = np.concatenate(
        [np.column_stack([corner, right, across]), np.column_stack([corner, up, across])]
    )
    above = z[triangles] > 0
    crossed = triangles[above.any(axis=1) & ~above.all(axis=1)]

    ends: dict[Edge, list[Edge]] = defaultdict(list)
    for a, b, c in crossed.tolist():
        edges = ((a, b), (b, c), (a, c))
        one, other = (edge for edge in edges if (z[edge[0]] > 0) != (z[edge[1]] > 0))
        ends[one].append(other)
        ends[other].append(one)
    lines = []
    while ends:
        start = next((edge for edge, next_edges in ends.items() if len(next_edges) == 1), None)
        chain = _follow(ends, next(iter(ends)) if start is None else start)
        lines.append(_straightened(np.array([_zero(grid, z, edge) for edge in chain])))
    return lines


def _follow(ends: dict[Edge, list[Edge]], first: Edge) -> list[Edge]:
    """The chain of edges from the first on, taken out of `ends`; back to it if it is a ring."""
    ring = len(ends[first]) == 2
    chain: list[Edge] = []
    edge: Edge | None = first
    while edge is not None:
        chain.append(edge)
        edge = next((other for other in ends.pop(edge) if other in ends), None)
    return [*chain, first] if ring else chain


def _zero(grid: Floats, z: Floats, edge: Edge) -> Floats:
    a, b = edge
    return np.asarray(grid[a] + (grid[b] - grid[a]) * (z[a] / (z[a] - z[b])))


def _straightened(line: Floats) -> Floats:
    """The line without the points at which it does not bend."""
    if len(line) < 3:
        return line
    before, after = line[1:-1] - line[:-2], line[2:] - line[1:-1]
    size = np.abs(line - line.mean(axis=0)).max()
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    return np.asarray(line[np.concatenate([[True], bend > 1e-12 * size**2, [True]])])
