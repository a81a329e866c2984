"""Conjunctions of counted features, and:a&b, as part of the features of texts.

The value is 1 where a text has both, divided by the norm of the group in the text if the analyzer
has one, times the weight of the group "and".
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelsOrSets
from wordplane.common.types import CsrMatrix, IntArray
from wordplane.features.label_scores import best_features, feature_scores
from wordplane.text.analyzer import Analyzer

MIN_DF = 2  # a pair of one text alone tells of that text
NO_PAIRS = np.zeros((0, 2), np.int64)


class PairFeatures:
    """Pairs of counted features, the lower first, in ascending order."""

    def __init__(self, analyzer: Analyzer, pairs: IntArray, n_counted: int) -> None:
        keys = pairs @ np.array([n_counted, 1]) if pairs.shape[1:] == (2,) else None
        if keys is None or (len(pairs) > 0 and analyzer.conjoin is None):
            raise InputError("pairs of features are expected with `conjoin` alone")
        inside = len(pairs) == 0 or (pairs.min() >= 0 and pairs.max() < n_counted)
        if not inside or not (pairs[:, 0] < pairs[:, 1]).all() or not (np.diff(keys) > 0).all():
            raise InputError("expected pairs of features in ascending order")
        self.pairs, self.n_counted = pairs, n_counted
        self._norm = analyzer.norm
        self._weight = analyzer.group_weights().get("and", 1.0)

    @classmethod
    def fit(
        cls, analyzer: Analyzer, counts: _core.Csr, labels: LabelsOrSets | None, threads: int
    ) -> Self:
        """Find the pairs among the best features of training texts."""
        if analyzer.conjoin is None:
            return cls(analyzer, NO_PAIRS, counts.shape[1])
        from wordplane.features.conjunctions import find_pairs

        selection = analyzer.selection()
        score = "ig" if selection is None else selection.score
        paired = best_features(feature_scores(counts, labels, score, threads), analyzer.conjoin)
        indptr, indices, _ = counts.arrays()
        pairs = find_pairs(_presence(indptr, indices, paired), paired, paired, MIN_DF)
        return cls(analyzer, pairs, counts.shape[1])

    def __len__(self) -> int:
        return len(self.pairs)

    def matrix(self, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> _core.Csr:
        """The values in texts with these counted features."""
        if len(self) == 0:
            no_values = np.zeros(0, np.int32), np.zeros(0, np.float32)
            return _core.Csr(0, np.zeros(len(indptr), np.int64), *no_values)
        from wordplane.features.conjunctions import pair_matrix

        paired = np.zeros(self.n_counted, bool)
        paired[self.pairs.ravel()] = True
        found = pair_matrix(_presence(indptr, indices, paired), self.pairs)
        n_found = np.diff(found.indptr)
        size = {None: np.ones(len(n_found)), "l1": n_found, "l2": np.sqrt(n_found)}[self._norm]
        value = self._weight / np.maximum(size, 1.0)
        values = np.repeat(value, n_found).astype(np.float32)
        return _core.Csr(
            len(self), found.indptr.astype(np.int64), found.indices.astype(np.int32), values
        )


def _presence(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], paired: NDArray[np.bool_]
) -> CsrMatrix:
    """1 where a text has one of the paired features."""
    from wordplane.common.matrix import scipy_csr

    wanted = paired[indices]
    before = np.concatenate([[0], np.cumsum(wanted)])
    ones = np.ones(int(before[-1]), np.int64)
    shape = len(indptr) - 1, len(paired)
    present = scipy_csr((ones, indices[wanted], before[indptr]), shape=shape)
    present.sum_duplicates()  # which sorts the features of each row
    return present
