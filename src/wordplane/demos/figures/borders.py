"""Where a function of the plane is zero, and where a learner predicts each class, found on a grid.

Each square of the grid is cut into two triangles. For `level_lines` the function is taken as linear
on a triangle: where its corners differ in sign, a straight piece runs from one edge to another.
Pieces that share an edge are joined to lines. (With triangles there is no ambiguous case, and a
straight line comes out straight.)

For `class_regions` the border between two neighbors on the grid with different labels is found by
bisection, with `predict` alone, so that straight borders come out straight for every learner. A
triangle with two labels is cut from edge to edge, one with three from each edge to its middle. The
pieces around a class, with the class on their left, join to rings: outlines counterclockwise, holes
clockwise.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from wordplane.common.types import FloatArray, IntArray, LabelArray

CELLS = 120  # along each side of the grid: a picture has about three pixels for each
BISECTIONS = 44  # to the last bits of a coordinate
AROUND = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # each corner of a triangle, the next, the one before

Node = TypeVar("Node", bound=Hashable)
Rule: TypeAlias = Callable[[FloatArray], LabelArray]  # the labels of points
Pieces: TypeAlias = tuple[IntArray, IntArray, IntArray]  # the class on the left, from, to


def level_lines(
    score: Callable[[FloatArray], FloatArray],
    levels: Iterable[float],
    low: FloatArray,
    high: FloatArray,
    cells: int = CELLS,
) -> list[list[FloatArray]]:
    """For each level, lines (each n x 2 points) on which `score`, of rows of two numbers, has it.

    >>> ((line,),) = level_lines(lambda X: X[:, 0], [0.3], np.zeros(2), np.ones(2))
    >>> line.round(6).tolist()  # from bottom to top, or the other way round
    [[0.3, 0.0], [0.3, 1.0]]
    """
    grid, triangles = triangulate(low, high, cells)
    z = np.asarray(score(grid), dtype=np.float64)
    return [_zero_lines(grid, triangles, z - level) for level in levels]


def _zero_lines(grid: FloatArray, triangles: IntArray, z: FloatArray) -> list[FloatArray]:
    """Lines on which z, the heights of the grid, is zero."""
    z = np.where(z == 0, np.finfo(float).tiny, z)  # a corner is on one side
    above = z[triangles] > 0
    pieces = []
    for a, b, c in triangles[above.any(axis=1) & ~above.all(axis=1)].tolist():
        edges = ((min(pair), max(pair)) for pair in ((a, b), (b, c), (a, c)))
        one, other = (edge for edge in edges if (z[edge[0]] > 0) != (z[edge[1]] > 0))
        pieces.append((one, other))

    lines = []
    for line in join(pieces):
        a, b = np.array(line).T
        share = z[a] / (z[a] - z[b])
        lines.append(straighten(grid[a] + (grid[b] - grid[a]) * share[:, None]))
    return lines


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
    predict: Rule, low: FloatArray, high: FloatArray, cells: int = CELLS
) -> ClassRegions:
    """The regions of the classes between two corners of a box.

    >>> regions = class_regions(lambda X: X[:, 0] > 0.3, np.zeros(2), np.ones(2))
    >>> regions.classes.tolist()
    [False, True]
    >>> regions.borders[0].round(6).tolist()
    [[0.3, 0.0], [0.3, 1.0]]
    """
    grid, triangles = triangulate(low, high, cells)
    labels = np.asarray(predict(grid))
    classes, codes = np.unique(labels, return_inverse=True)

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

    around, between = _cut_triangles(triangles, three, middles, codes, crossing)
    around += _cut_frame(_frame(cells + 1), codes, crossing)
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


def _cut_triangles(
    triangles: IntArray,
    three: IntArray,
    middles: IntArray,
    codes: IntArray,
    crossing: Callable[[IntArray, IntArray], IntArray],
) -> tuple[list[Pieces], list[tuple[IntArray, IntArray]]]:
    """The pieces inside triangles with two classes and in those with three, around each class, and
    once each as borders."""
    corners = codes[triangles]
    around: list[Pieces] = []
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
    return around, between


def _cut_frame(
    frame: IntArray, codes: IntArray, crossing: Callable[[IntArray, IntArray], IntArray]
) -> list[Pieces]:
    """The pieces of the frame of the box around each class."""
    here, there = frame, np.roll(frame, -1)
    same = codes[here] == codes[there]
    whole = (codes[here[same]], here[same], there[same])
    here, there = here[~same], there[~same]
    cut = crossing(here, there)
    return [whole, (codes[here], here, cut), (codes[there], cut, there)]


def _bisect(
    predict: Rule, inside: FloatArray, outside: FloatArray, labels: LabelArray
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
