"""The scale of NBSVM: log-count ratios of naive Bayes, by feature and class (see nbsvm.py)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.labels import Codes
from wordplane.common.matrix import take_rows
from wordplane.common.types import FloatArray
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import copy_unfitted
from wordplane.learners.support.row_blocks import Sums

ROUNDING = 1e-12  # what sums in different orders may differ by, as a share


class Ratios(NamedTuple):
    """What multiplies the features in the machine of every output.

    scale     r or rho, n_features x n_outputs; 1 for features that are not scaled
    n_scaled  how many features are scaled, the first ones
    log_odds  log(N+ / N-) of every output
    """

    scale: FloatArray
    n_scaled: int
    log_odds: FloatArray

    def interpolate(
        self, W: FloatArray, b: FloatArray, beta: float, threads: int
    ) -> tuple[FloatArray, FloatArray]:
        """Weights and biases between naive Bayes and a machine, into whose weights W the scale is
        folded: (1 - beta) mean|w| r + beta W, in the memory of W."""
        if beta == 1:
            return W, b
        W = np.require(W, requirements=["C", "W"])
        scaled, r = W[: self.n_scaled], self.scale[: self.n_scaled]
        size = _core.mix_with_ratios(scaled, r, beta, threads)
        return W, (1 - beta) * size * self.log_odds + beta * b


def zero_sums(n_classes: int, n_features: int) -> Sums:
    """What `add_presences` adds to."""
    return np.zeros((n_classes, n_features)), np.zeros((1, n_features))


def add_presences(
    sums: Sums, X: _core.Csr, threads: int, squared: bool, codes: Codes, weights: FloatArray
) -> None:
    """Add the documents with each feature by class, and perhaps the squares of its values."""
    counts, squares = sums
    _core.add_class_presences(X, codes, weights, counts, threads)
    if squared:
        one = np.zeros(X.shape[0], np.int32)
        _core.add_class_squares(X, one, weights, squares, threads)


def log_count_ratios(
    counts: FloatArray, total: FloatArray, alpha: float, smoothing: str, threads: int
) -> FloatArray:
    """r (n_features x n_outputs), given the documents with each feature, those of each output and
    all."""
    inside, of_all = counts.sum(axis=1), float(total.sum())
    masses = np.array([inside, of_all - inside])
    masses[masses <= ROUNDING * of_all] = 0.0
    if smoothing == "add":
        return _core.log_count_ratios(
            counts, total, masses + alpha * len(total), alpha, 0.0, threads
        )
    smooth = 2 * alpha / max(of_all, np.finfo(float).tiny)
    masses[masses == 0] = 1.0
    return _core.log_count_ratios(counts, total, masses, 0.0, smooth, threads)


def add_label_presences(
    counts: FloatArray,
    X: _core.Csr,
    threads: int,
    member: NDArray[np.bool_],
    weights: FloatArray,
) -> None:
    """Add the documents with each feature by label, of which a row may have several."""
    rows, codes = np.nonzero(member)
    nth = np.arange(len(rows)) - np.searchsorted(rows, rows)  # label of its row
    for number in range(int(nth.max(initial=-1)) + 1):
        some = np.flatnonzero(nth == number)
        some_rows = X if len(some) == X.shape[0] else take_rows(X, rows[some])
        own = codes[some].astype(np.int32)
        _core.add_class_presences(some_rows, own, weights[rows[some]], counts, threads)


def are_cuts(blocks: Sequence[int], n_features: int) -> bool:
    """Whether these are columns between the first and the last, ascending."""
    cuts = np.asarray(blocks)
    if cuts.ndim != 1 or not (cuts.dtype.kind == "i" or len(cuts) == 0):
        return False
    return bool((np.diff([0, *cuts, n_features]) > 0).all())


def fit_each_output(
    learner: LinearClassifier, X: _core.Csr, codes: Codes, weights: FloatArray, scale: FloatArray
) -> tuple[list[LinearClassifier], FloatArray]:
    """A copy of the learner for each output, fitted to a scaled copy of the rows; and W with the
    scale folded in."""
    indptr, indices, values = X.arrays()
    machines: list[LinearClassifier] = []
    for k in range(scale.shape[1]):
        scaled = _core.Csr(X.shape[1], indptr, indices, values * scale[indices, k])
        copy = copy_unfitted(learner, learner.n_jobs)
        positive = codes == (k if scale.shape[1] > 1 else 1)
        machines.append(copy.fit(scaled, positive, sample_weight=weights))
    return machines, np.column_stack([machine.coef_[0] for machine in machines]) * scale
