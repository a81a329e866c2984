"""A fitted label tree: sparse weights by node, and the search for labels.

What is stored are the arrays of native/learners/label_tree.h. Labels that the search does not reach
have no score: `NOT_REACHED` stands for it, far below any other (see common/partial_scores.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.partial_scores import LEAST_LOGIT, NOT_REACHED
from wordplane.common.types import AnyArray, FloatArray, IntArray

SLOPE = 2.0  # of the probability of a slot by its score
MAX_BEAM = 10_000
ROWS_AT_ONCE = 10_000  # so that Ctrl-C works

# Names and types of the arrays.
ARRAYS = {
    "slots": "int64",
    "targets": "int32",
    "bias": "float64",
    "rows": "int64",
    "features": "int32",
    "starts": "int64",
    "places": "int32",
    "weights": "float32",
}


@dataclass(frozen=True, eq=False)
class NodeWeights:
    """The weights of a node that are not 0, by feature and slot, and the biases of its slots."""

    features: IntArray  # of each weight, ascending
    places: IntArray
    weights: FloatArray
    bias: FloatArray


class TreeWeights:
    """The tree.

    n_labels, n_features  sizes of what goes out and comes in
    arrays                by the names of `ARRAYS`; anything odd in them is refused
    beam                  how many nodes of a level are looked into
    """

    def __init__(
        self, n_labels: int, n_features: int, arrays: Mapping[str, AnyArray], beam: int
    ) -> None:
        if set(arrays) != set(ARRAYS):
            raise InputError(f"a label tree has the arrays {', '.join(ARRAYS)}")
        if type(beam) is not int or not 1 <= beam <= MAX_BEAM:
            raise InputError(f"beam is {beam!r:.60}, expected 1 to {MAX_BEAM:,}")
        self.n_labels, self.n_features, self.beam = n_labels, n_features, beam
        self.arrays = {name: arrays[name] for name in ARRAYS}
        try:
            slots, targets, bias, rows, features, starts, places, weights = self.arrays.values()
            of_nodes, of_weights = (slots, targets, bias), (rows, features, starts, places, weights)
            self._native = _core.LabelTree(n_labels, n_features, of_nodes, of_weights)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return TreeWeights, (self.n_labels, self.n_features, self.arrays, self.beam)

    @classmethod
    def of_nodes(
        cls,
        n_labels: int,
        n_features: int,
        targets: list[IntArray],
        nodes: list[NodeWeights],
        beam: int,
    ) -> "TreeWeights":
        """The tree whose node t leads to targets[t]: label k is k, and node t is -t."""
        firsts = [_first_of_runs(node.features) for node in nodes]
        n_weights = np.cumsum([0, *(len(node.weights) for node in nodes)])
        starts = [first + n for first, n in zip(firsts, n_weights[:-1], strict=True)]
        features = [n.features[first] for n, first in zip(nodes, firsts, strict=True)]
        made: dict[str, AnyArray] = {
            "slots": _ends(targets),
            "targets": np.concatenate(targets),
            "bias": np.concatenate([node.bias for node in nodes]),
            "rows": _ends(features),
            "features": np.concatenate(features),
            "starts": np.concatenate([*starts, n_weights[-1:]]),
            "places": np.concatenate([node.places for node in nodes]),
            "weights": np.concatenate([node.weights for node in nodes]),
        }
        typed = {name: made[name].astype(kind) for name, kind in ARRAYS.items()}
        return cls(n_labels, n_features, typed, beam)

    @property
    def n_weights(self) -> int:
        """How many weights are not 0."""
        return len(self.arrays["weights"])

    def log_probabilities(self, X: _core.Csr, threads: int) -> FloatArray:
        """A row for each of X, a column for each label; `NOT_REACHED` where the search ended
        elsewhere."""
        z = np.empty((X.shape[0], self.n_labels))
        for begin in range(0, len(z), ROWS_AT_ONCE):
            some = z[begin : begin + ROWS_AT_ONCE]
            self._native.search(X, begin, self.beam, SLOPE, NOT_REACHED, some, threads)
        return z

    def scores(self, X: _core.Csr, threads: int, sets: bool) -> FloatArray:
        """As a model has them: of two labels the difference; of label sets log(p / (1 - p))."""
        z = self.log_probabilities(X, threads)
        if sets:
            reached = np.flatnonzero(z != NOT_REACHED)
            log_p = np.minimum(z.ravel()[reached], -1e-12)
            z.fill(LEAST_LOGIT)
            z.ravel()[reached] = np.maximum(log_p - np.log1p(-np.exp(log_p)), LEAST_LOGIT)
            return z
        return z[:, 1:] - z[:, :1] if self.n_labels == 2 else z

    def way_to(self, label: int) -> tuple[NDArray[np.float32], float]:
        """The sum of the weight vectors, and of the biases, on the way from the root to a label;
        zeros if there is no way."""
        a = self.arrays
        w, b = np.zeros(self.n_features, np.float32), 0.0
        target = label
        while len(at := np.flatnonzero(a["targets"] == target)) > 0:
            node = int(np.searchsorted(a["slots"], at[0], side="right")) - 1
            begin, end = a["rows"][node : node + 2]
            first, last = a["starts"][[begin, end]]
            columns = np.repeat(a["features"][begin:end], np.diff(a["starts"][begin : end + 1]))
            own = a["places"][first:last] == at[0] - a["slots"][node]
            w[columns[own]] += a["weights"][first:last][own]
            b += float(a["bias"][at[0]])
            if node == 0:
                break
            target = -node
        return w, b

    def strongest(self) -> FloatArray:
        """By feature, the largest absolute weight that it has anywhere."""
        strength = np.zeros(self.n_features)
        n_weights = np.diff(self.arrays["starts"])
        columns = np.repeat(self.arrays["features"], n_weights)
        np.maximum.at(strength, columns, np.abs(self.arrays["weights"]))
        return strength


def _ends(parts: list[IntArray]) -> IntArray:
    return np.cumsum([0, *(len(part) for part in parts)])


def _first_of_runs(values: IntArray) -> IntArray:
    """Where runs of equal values begin."""
    return np.flatnonzero(np.diff(values, prepend=-1))
