"""Hierarchical softmax as fastText has it: a Huffman tree of labels, with a decision at each node.

    p(label) = product over the nodes on the way from the root of 1 - f or f,  f = 1 / (1 + exp(-o))

where o is the output of the node, and the right branch has f. fastText adds 1e-5 to every factor.

Reference: Joulin et al. (2017), Bag of tricks for efficient text classification, EACL.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import IntArray

ADDED = np.float32(1e-5)
NOT_MADE = 10**15  # the count of a node that is still to be made, above all others
NUMBERS_AT_ONCE = 1 << 22


class HuffmanTree:
    """The labels 0 to n - 1 are leaves, the nodes n to 2 n - 2 have two branches; the last is the
    root. Node n + i has output i.

    >>> tree = HuffmanTree([5, 2, 1])  # the root's branches: the two rare labels, and the other
    >>> tree.path(2)
    [(1, -1), (0, -1)]
    """

    def __init__(self, counts: Sequence[int]) -> None:
        n = len(counts)
        ordered = all(a >= b for a, b in pairwise(counts))
        if n < 2 or not ordered or counts[-1] < 1 or sum(counts) >= NOT_MADE:
            raise InputError("the counts of labels must descend, down to 1 or more")
        self.n_labels = n
        self._branches = _branches(counts)
        self._parent = np.full(2 * n - 1, -1, np.int64)
        self._parent[self._branches.ravel()] = np.repeat(np.arange(n, 2 * n - 1), 2)
        self._levels = self._find_levels()

    def _find_levels(self) -> list[IntArray]:
        """The nodes with branches of each level, the root's first."""
        levels, level = [], np.array([2 * self.n_labels - 2])
        while len(level) > 0:
            levels.append(level)
            below = self._branches[level - self.n_labels].ravel()
            level = below[below >= self.n_labels]
        return levels

    def path(self, label: int) -> list[tuple[int, int]]:
        """The outputs on the way to a label, the root's first: 1 where it branches right, else
        -1."""
        steps, node = [], label
        while (above := int(self._parent[node])) >= 0:
            output = above - self.n_labels
            steps.append((output, 1 if node == self._branches[output, 1] else -1))
            node = above
        return steps[::-1]

    def log_probabilities(self, outputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """A row for each row of outputs, a column for each label; at most 0. Of 32 bits, as those
        of fastText."""
        log_p = np.empty((len(outputs), self.n_labels), np.float32)
        step = max(NUMBERS_AT_ONCE // len(self._parent), 1)
        for begin in range(0, len(outputs), step):
            some = np.ascontiguousarray(outputs[begin : begin + step].T[: self.n_labels - 1])
            with np.errstate(over="ignore"):  # the sigmoid is 0 then
                # 1 - f would lose what is left of it, and differ from one machine to another.
                right, left = (np.log(1 / (1 + np.exp(o)) + ADDED) for o in (-some, some))
            of_nodes = np.zeros((len(self._parent), some.shape[1]), np.float32)
            for level in self._levels:
                outputs_of = level - self.n_labels
                branches = self._branches[outputs_of]
                of_nodes[branches[:, 0]] = of_nodes[level] + left[outputs_of]
                of_nodes[branches[:, 1]] = of_nodes[level] + right[outputs_of]
            log_p[begin : begin + step] = of_nodes[: self.n_labels].T
        return np.minimum(log_p, 0.0, out=log_p)


def _branches(counts: Sequence[int]) -> NDArray[np.int64]:
    """The two branches of each node: those of the rarest leaf, and of the rarest node so far, that
    are rarer."""
    n = len(counts)
    count_of = [*counts, *[NOT_MADE] * (n - 1)]
    leaf, node = n - 1, n
    made = np.empty((n - 1, 2), np.int64)
    for i in range(n - 1):
        for side in range(2):
            if leaf >= 0 and count_of[leaf] < count_of[node]:
                made[i, side], leaf = leaf, leaf - 1
            else:
                made[i, side], node = node, node + 1
        count_of[n + i] = sum(count_of[branch] for branch in made[i].tolist())
    return made
