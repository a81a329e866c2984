"""Labels that are ways down a hierarchy, such as comp.graphics: what a model says at every level.

A separator cuts a label into parts. Its node at level l is what the first l parts are together; a
label with fewer parts is its own node at all deeper levels. The probability of a node is the sum of
those of the labels below it, so at every level the probabilities add up to 1.

    accuracy          at level l: the share of rows whose likeliest node there is the true one
    hierarchical F1   down to level l: 2 |A and B| / (|A| + |B|), A the nodes on the way to the true
                      label, B those on the way to the predicted one, summed over all rows

With a least confidence, a row gets the likeliest node of the deepest level at which that is as
probable, or none.

Reference: Kiritchenko, Matwin, Nock and Famili (2006), Learning and evaluation in the presence of
class hierarchies.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray, JsonObject
from wordplane.evaluation.intervals import Interval, wilson_interval


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes of a level, in order of first occurrence, and which is that of each class."""

    names: tuple[str, ...]
    node_of: IntArray

    def probabilities(self, P: FloatArray) -> FloatArray:
        """Of each row, the probabilities of the nodes, by those of the classes."""
        sums = np.zeros((len(P), len(self.names)))
        np.add.at(sums.T, self.node_of, P.T)
        return sums

    def likeliest(self, P: FloatArray) -> tuple[list[str], FloatArray]:
        """Of each row, the likeliest node, and its probability."""
        Q = self.probabilities(P)
        best = Q.argmax(axis=1)
        return [self.names[k] for k in best.tolist()], Q[np.arange(len(Q)), best]


@dataclass(frozen=True)
class Hierarchy:
    """The levels of some classes, from the top.

    >>> tree = Hierarchy.of(["rec.autos", "rec.sport.hockey", "sci.space"], ".")
    >>> [level.names for level in tree.levels][:2]
    [('rec', 'sci'), ('rec.autos', 'rec.sport', 'sci.space')]
    >>> P = np.array([[0.4, 0.3, 0.3]])
    >>> tree.likeliest(P)[0]
    (['rec', 'rec.autos', 'rec.autos'], [0.7, 0.4, 0.4])
    >>> tree.stop(P, 0.6), tree.stop(P, 0.9)
    ([('rec', 1)], [(None, 0)])
    """

    separator: str
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, classes: Sequence[object], separator: str) -> "Hierarchy":
        """By the parts of the labels; an InputError if there is only one level."""
        if not separator:
            raise InputError("`separator` is empty, expected what stands between parts of labels")
        ways = [str(label).split(separator) for label in classes]
        depth = max(map(len, ways), default=0)
        if depth < 2 or not all(isinstance(label, str) for label in classes):
            raise InputError(
                f"no label has the separator {separator!r} (`separator`), so there are no levels"
            )
        levels = []
        for n in range(1, depth + 1):
            number: dict[str, int] = {}
            names = [separator.join(way[:n]) for way in ways]
            codes = [number.setdefault(name, len(number)) for name in names]
            levels.append(Level(tuple(number), np.array(codes)))
        return cls(separator, tuple(levels))

    def node(self, label: object, n: int) -> str:
        """The node of a label at level n (from 1), whether or not the label is known."""
        return self.separator.join(str(label).split(self.separator)[:n])

    def likeliest(self, P: FloatArray) -> list[tuple[list[str], list[float]]]:
        """Of each row, the likeliest node of each level, and its probability."""
        best = [level.likeliest(P) for level in self.levels]
        return [
            ([names[i] for names, _ in best], [float(p[i]) for _, p in best]) for i in range(len(P))
        ]

    def stop(self, P: FloatArray, least: float) -> list[tuple[str | None, int]]:
        """Of each row, the likeliest node of the deepest level that is probable enough, and that
        level; None and 0 if there is none."""
        found: list[tuple[str | None, int]] = [(None, 0)] * len(P)
        for n, level in enumerate(self.levels, 1):
            names, p = level.likeliest(P)
            for i in np.flatnonzero(p >= least).tolist():
                if names[i] != found[i][0]:  # a label without further parts stays where it is
                    found[i] = names[i], n
        return found


@dataclass(frozen=True)
class LevelScores:
    """How good a model is at a level.

    n_nodes           nodes of the level
    accuracy          of its likeliest node, with a 95 % interval
    hierarchical_f1   of the predicted labels, down to this level
    stopped, right    with a least confidence: the share of rows whose label is a node of this
                      level, and the share of those where it is the true one
    """

    n_nodes: int
    accuracy: float
    accuracy_interval: Interval
    hierarchical_f1: float
    stopped: float | None = None
    right: float | None = None

    def to_dict(self) -> JsonObject:
        """As JSON can hold it."""
        return asdict(self)


def score_levels(
    hierarchy: Hierarchy,
    truth: Sequence[object],
    predicted: Sequence[object],
    P: FloatArray,
    min_confidence: float | None = None,
) -> tuple[LevelScores, ...]:
    """The scores of every level.

    >>> tree = Hierarchy.of(["a/x", "a/y", "b"], "/")
    >>> P = np.array([[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]])
    >>> top, bottom = score_levels(tree, ["a/x", "a/y"], ["a/x", "a/x"], P)
    >>> top.accuracy, bottom.accuracy, top.hierarchical_f1, bottom.hierarchical_f1
    (1.0, 0.5, 1.0, 0.75)
    """
    separator, n_rows = hierarchy.separator, len(P)
    ways = [
        (str(a).split(separator), str(b).split(separator))
        for a, b in zip(truth, predicted, strict=True)
    ]
    stops = None if min_confidence is None else hierarchy.stop(P, min_confidence)
    scores = []
    for n, level in enumerate(hierarchy.levels, 1):
        names, _ = level.likeliest(P)
        n_right = sum(name == hierarchy.node(a, n) for name, a in zip(names, truth, strict=True))
        shared = sum(_common(a[:n], b[:n]) for a, b in ways)
        f1 = 2 * shared / sum(min(len(a), n) + min(len(b), n) for a, b in ways)
        stopped = right = None
        if stops is not None:
            here = [(name, a) for (name, at), a in zip(stops, truth, strict=True) if at == n]
            stopped = len(here) / n_rows
            if here:
                right = sum(name == hierarchy.node(a, n) for name, a in here) / len(here)
        interval = wilson_interval(n_right, n_rows)
        row = len(level.names), n_right / n_rows, interval, f1, stopped, right
        scores.append(LevelScores(*row))
    return tuple(scores)


def _common(a: list[str], b: list[str]) -> int:
    """How many parts two ways begin with in common."""
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n
