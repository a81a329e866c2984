"""Where in the plane a learner predicts each class, found on a grid with `predict` alone.

The grid is that of `zero_lines`. Between two neighbors on it with different labels the border is
found by bisection, so that straight borders come out straight for every learner. A triangle with
two labels is cut from edge to edge, one with three from each edge to its middle. The pieces around
a class, with the class on their left, join to rings: outlines counterclockwise, holes clockwise.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.plots.zero_lines import CELLS, join, straighten, triangulate

BISECTIONS = 44  # to the last bits of a coordinate
AROUND = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # each corner of a triangle, the next, the one before


@dataclass(frozen=True)
class ClassRegions:
    """What a learner predicts in a box.

    classes  the labels that it predicts there, sorted
    rings    of each class its closed outlines (n x 2 points, the first again at the end)
    borders  lines between two classes
    """

    classes: LabelArray
    rings: tuple[tuple[FloatArray, ...], ...]
    borders: tuple[FloatArray, ...]


def class_regions(
    predict: Callable[[FloatArray], LabelArray],
    low: FloatArray,
    high: FloatArray,
    cells: int = CELLS,
) -> ClassRegions:
    """The regions of the classes between two corners of a box.

    >>> found = class_regions(lambda X: X[:, 0] > 0.3, np.zeros(2), np.ones(2))
    >>> found.classes.tolist()
    [False, True]
    >>> found.borders[0].round(6).tolist()
    [[0.3, 0.0], [0.3, 1.0]]
    """
    grid, triangles = triangulate(low, high, cells)
    labels = np.asarray(predict(grid))
    classes, codes = np.unique(labels, return_inverse=True)
    frame = _frame(cells + 1)

    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(edges[codes[edges[:, 0]] != codes[edges[:, 1]]], axis=1), axis=0)
    crossings = _bisect(predict, grid[edges[:, 0]], grid[edges[:, 1]], labels[edges[:, 0]])
    keys = edges[:, 0] * len(grid) + edges[:, 1]

    def crossing(a: IntArray, b: IntArray) -> IntArray:
        """The nodes at which the edges a-b are crossed."""
        wanted = np.minimum(a, b) * len(grid) + np.maximum(a, b)
        return np.asarray(len(grid) + np.searchsorted(keys, wanted))

    corners = codes[triangles]
    a, b, c = (corners[:, i] for i in range(3))
    three = triangles[(a != b) & (b != c) & (c != a)]
    middles = len(grid) + len(edges) + np.arange(len(three))
    meeting = np.stack([crossing(three[:, i], three[:, j]) for i, j, _ in AROUND])
    nodes = np.concatenate([grid, crossings])
    nodes = np.concatenate([nodes, nodes[meeting].mean(axis=0)])

    around: list[tuple[IntArray, IntArray, IntArray]] = []  # class on the left, from, to
    between: list[tuple[IntArray, IntArray]] = []
    for i, j, k in AROUND:
        # Corner i stands alone: the cut runs from the edge after it to the edge before it.
        alone = (corners[:, i] != corners[:, j]) & (corners[:, j] == corners[:, k])
        corner, after, before = triangles[alone][:, [i, j, k]].T
        begin, end = crossing(corner, after), crossing(corner, before)
        around += [(codes[corner], begin, end), (codes[after], end, begin)]
        between.append((begin, end))
        corner, after, before = three[:, [i, j, k]].T
        begin, end = crossing(corner, after), crossing(corner, before)
        around += [(codes[corner], begin, middles), (codes[corner], middles, end)]
        between.append((begin, middles))
    here, there = frame, np.roll(frame, -1)
    same = codes[here] == codes[there]
    around.append((codes[here[same]], here[same], there[same]))
    here, there = here[~same], there[~same]
    cut = crossing(here, there)
    around += [(codes[here], here, cut), (codes[there], cut, there)]

    owner, begin, end = (np.concatenate(part) for part in zip(*around, strict=True))
    rings = tuple(
        tuple(straighten(nodes[ring]) for ring in _rings(begin[owner == k], end[owner == k]))
        for k in range(len(classes))
    )
    pieces = np.concatenate([np.column_stack(pair) for pair in between]).tolist()
    borders = join((one, other) for one, other in pieces)
    return ClassRegions(classes, rings, tuple(straighten(nodes[line]) for line in borders))


def as_one_path(rings: tuple[FloatArray, ...]) -> FloatArray:
    """Rings as one closed path: there and back again on the same way between them, so that what
    it encloses is what they enclose.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 0]])
    >>> as_one_path((square, square + 5)).tolist()[3:5]
    [[0, 0], [5, 5]]
    """
    way_back = [ring[:1] for ring in rings[-2::-1]]
    return np.concatenate([*rings, *way_back])


def _bisect(
    predict: Callable[[FloatArray], LabelArray],
    inside: FloatArray,
    outside: FloatArray,
    labels: LabelArray,
) -> FloatArray:
    """The points between `inside`, which has these labels, and `outside`, where they end."""
    for _ in range(BISECTIONS if len(labels) else 0):
        middle = (inside + outside) / 2
        same = (np.asarray(predict(middle)) == labels)[:, None]
        inside, outside = np.where(same, middle, inside), np.where(same, outside, middle)
    return (inside + outside) / 2


def _frame(n: int) -> IntArray:
    """The points around a grid of n x n, counterclockwise."""
    bottom, right = np.arange(n - 1), np.arange(1, n) * n - 1
    return np.concatenate([bottom, right, n * n - 1 - bottom, n * n - 1 - right])


def _rings(begin: IntArray, end: IntArray) -> list[list[int]]:
    """Directed pieces joined to closed rings."""
    following = dict(zip(begin.tolist(), end.tolist(), strict=True))
    rings = []
    while following:
        node = next(iter(following))
        ring = [node]
        while node in following:
            node = following.pop(node)
            ring.append(node)
        rings.append(ring)
    return rings
