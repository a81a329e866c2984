"""The choice of alpha for multinomial naive Bayes, by cross-validation from counts alone.

    for every fold f, every alpha and every document i of f:
        c_kj, mu_k = the counts and shares without the documents of f
        V          = the features with any count left
        z_k        = log mu_k + sum_j x_ij log((alpha + c_kj) / (V alpha + sum_j c_kj))

over those V features: exactly what a model fitted without the fold says. A class without
documents outside the fold is not guessed. Documents are counted once; a fold is subtracted, all
alphas are scored in the same pass, and only the fold's features are touched. Leave-one-out is
the same with a fold for every document.

The best alpha has the highest accuracy; among equals, the lowest log-loss.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.matrix import take_rows
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray, LabelArray
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.class_counts import Prior, check_alpha, log_prior
from wordplane.learners.support.row_blocks import RowBlocks, Sums, add_class_counts

ALPHAS = (0.001, 0.01, 0.1, 1.0, 10.0)
TINY = 1e-9


class AlphaScores(NamedTuple):
    """Accuracy and mean log-loss of every alpha on the held-out documents, by weight."""

    alphas: FloatArray
    accuracy: FloatArray
    log_loss: FloatArray

    @property
    def best(self) -> float:
        """The alpha to take."""
        return float(self.alphas[np.lexsort((self.log_loss, -self.accuracy))[0]])


def alpha_scores(
    X: _core.Csr,
    codes: Codes,
    weights: FloatArray,
    classes: LabelArray,
    alphas: Sequence[float],
    folds: Sequence[NDArray[np.int64]],
    class_weight: ClassWeight = None,
    prior: Prior = Prior(),  # noqa: B008 (a constant)
    *,
    threads: int,
) -> AlphaScores:
    """How good every alpha is on the rows of every fold, fitted on all rows but the fold's.

    `weights` are the sample weights.
    """
    grid = _grid(alphas)
    n_classes = len(classes)
    counts = _core.HeldOutCounts(X, codes, weights, n_classes, threads)
    lengths = np.diff(X.arrays()[0])
    correct, loss, total = np.zeros(len(grid)), np.zeros(len(grid)), 0.0
    done = 0
    while done < len(folds):
        # As many folds as take about a second, so that Ctrl-C works.
        work = np.cumsum([lengths[fold].sum() * len(grid) for fold in folds[done : done + 4096]])
        part = folds[done : done + max(threads, int(np.searchsorted(work, 3e8)))]
        scale, log_mu = _without_folds(part, codes, weights, classes, class_weight, prior)
        rows = np.concatenate(part)
        z = counts.scores(
            np.cumsum([len(fold) for fold in part]).astype(np.int64),
            rows.astype(np.int32),
            grid,
            scale,
            log_mu,
            threads,
        )
        right, losses = _core.judge(z, codes[rows], threads)
        w = weights[rows]
        losses[w == 0] = 0  # a class that nothing else has may be as good as impossible
        correct += np.einsum("i,ij->j", w, right)
        loss += np.einsum("i,ij->j", w, losses)
        total += w.sum()
        done += len(part)
        notify("choosing alpha", done, len(folds))
    return AlphaScores(grid, correct / total, loss / total)


def block_alpha_scores(
    rows: RowBlocks,
    codes: Codes,
    weights: FloatArray,
    classes: LabelArray,
    alphas: Sequence[float],
    folds: Sequence[NDArray[np.int64]],
    class_weight: ClassWeight,
    prior: Prior,
) -> AlphaScores:
    """The same for rows in blocks, as many folds at a time as have room for their weights."""
    grid = _grid(alphas)
    n_classes, n_features = len(classes), rows.shape[1]
    scale, log_mu = _without_folds(folds, codes, weights, classes, class_weight, prior)
    fold_of = np.empty(len(codes), np.int32)
    for f, fold in enumerate(folds):
        fold_of[fold] = f
    at_once = max(1, rows.sum_bytes // (8 * n_classes * n_features * (1 + len(grid)) or 1))
    job, by_row = "choosing alpha", (rows.split(codes), rows.split(weights))
    fold_parts = rows.split(fold_of)
    start = (np.zeros((n_classes, n_features)),)
    (all_counts,) = rows.sum(add_class_counts, start, (), *by_row, job=job)
    judged: Sums = tuple(np.zeros((3, len(grid))))
    for first in range(0, len(folds), at_once):
        here = range(first, min(first + at_once, len(folds)))
        start = (np.zeros((len(here) * n_classes, n_features)),)
        shared = (here, n_classes)
        (counts,) = rows.sum(add_fold_counts, start, shared, *by_row, fold_parts, job=job)
        W = []
        for f in here:
            begin = (f - first) * n_classes
            left = all_counts - counts[begin : begin + n_classes]
            left[left < TINY * all_counts] = 0.0  # what rounding leaves of a weight
            W.append(_fold_weights(left, grid, scale[f]))
        del counts
        weights_of = (here, W, np.repeat(log_mu, len(grid), axis=1))
        judged = rows.sum(judge_folds, judged, weights_of, *by_row, fold_parts, job=job)
    correct, loss, total = judged
    return AlphaScores(grid, correct / total, loss / total)


def add_fold_counts(
    sums: Sums,
    X: _core.Csr,
    threads: int,
    folds: range,
    n_classes: int,
    codes: Codes,
    weights: FloatArray,
    fold_of: NDArray[np.int32],
) -> None:
    """Add the counts of every feature by fold and class."""
    own = np.isin(fold_of, folds)
    groups = np.where(own, (fold_of - folds.start) * n_classes + codes, 0).astype(np.int32)
    _core.add_class_counts(X, groups, np.where(own, weights, 0.0), sums[0], threads)


def judge_folds(
    sums: Sums,
    X: _core.Csr,
    threads: int,
    folds: range,
    W: Sequence[FloatArray],
    b: FloatArray,
    codes: Codes,
    weights: FloatArray,
    fold_of: NDArray[np.int32],
) -> None:
    """Add what is right, the log-loss and the weight of the rows of folds, by alpha."""
    correct, loss, total = sums
    for f, W_of in zip(folds, W, strict=True):
        own = np.flatnonzero(fold_of == f)
        z = _core.linear_scores(take_rows(X, own), W_of, b[f], threads)
        w = weights[own]
        z = z.reshape(len(own), b.shape[1] // len(correct), len(correct))
        right, losses = _core.judge(z, codes[own], threads)
        losses[w == 0] = 0
        correct += np.einsum("i,ij->j", w, right)
        loss += np.einsum("i,ij->j", w, losses)
        total += w.sum()


def _fold_weights(left: FloatArray, alphas: FloatArray, scale: FloatArray) -> FloatArray:
    """log phi of every feature by class and alpha; 0 for features without a count."""
    there = left.any(axis=0)
    W = np.empty((left.shape[1], len(left) * len(alphas)))
    for k, counts in enumerate(left):
        for m, alpha in enumerate(alphas / scale[k]):
            log_phi = np.log(alpha + counts) - np.log(there.sum() * alpha + counts.sum())
            W[:, k * len(alphas) + m] = np.where(there, log_phi, 0.0)
    return W


def _grid(alphas: Sequence[float]) -> FloatArray:
    grid = np.array([check_alpha(alpha) for alpha in alphas])
    if len(grid) == 0:
        raise InputError("alphas is empty, expected at least one number above 0")
    return grid


def _without_folds(
    folds: Sequence[NDArray[np.int64]],
    codes: Codes,
    weights: FloatArray,
    classes: LabelArray,
    class_weight: ClassWeight,
    prior: Prior,
) -> tuple[FloatArray, FloatArray]:
    """By fold and class, without the rows of the fold: how many times the class counts, and the
    logarithm of its share."""
    n_classes = len(classes)
    n_rows = np.bincount(codes[weights > 0], minlength=n_classes)
    n_k = np.bincount(codes, weights, minlength=n_classes)
    held_rows, held = np.zeros((2, len(folds), n_classes))
    for f, fold in enumerate(folds):
        held_rows[f] = np.bincount(codes[fold][weights[fold] > 0], minlength=n_classes)
        held[f] = np.bincount(codes[fold], weights[fold], minlength=n_classes)
    there = held_rows < n_rows
    left = np.where(there, n_k - held, 0.0)
    scale = _class_scale(left, classes, class_weight)
    there &= scale > 0
    scale[scale == 0] = 1.0
    return scale, log_prior(left * scale, prior, there)


def _class_scale(left: FloatArray, classes: LabelArray, class_weight: ClassWeight) -> FloatArray:
    """How many times each class counts when it has the weight `left` (fold, class)."""
    if isinstance(class_weight, Mapping):
        given = [float(class_weight.get(label, 1.0)) for label in classes.tolist()]
        return np.tile(given, (len(left), 1))
    if class_weight is None:
        return np.ones_like(left)
    there = left > 0
    balanced = left.sum(axis=1, keepdims=True) / there.sum(axis=1, keepdims=True)
    return np.where(there, balanced / np.where(there, left, 1.0), 1.0)
