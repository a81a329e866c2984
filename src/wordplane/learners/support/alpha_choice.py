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
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray, LabelArray
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.class_counts import Prior, check_alpha, log_prior

ALPHAS = (0.001, 0.01, 0.1, 1.0, 10.0)


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
    *,
    class_weight: ClassWeight = None,
    prior: Prior,
    threads: int,
) -> AlphaScores:
    """How good every alpha is on the rows of every fold, fitted on all rows but the fold's.

    `weights` are the sample weights.
    """
    grid = np.array([check_alpha(alpha) for alpha in alphas])
    if len(grid) == 0:
        raise InputError("alphas is empty, expected at least one number above 0")
    n_classes = len(classes)
    counts = _core.HeldOutCounts(X, codes, weights, n_classes, threads)
    lengths = np.diff(X.arrays()[0])
    correct, loss, total = np.zeros(len(grid)), np.zeros(len(grid)), 0.0
    n_rows = np.bincount(codes[weights > 0], minlength=n_classes)
    n_k = np.bincount(codes, weights, minlength=n_classes)
    done = 0
    while done < len(folds):
        # As many folds as take about a second, so that Ctrl-C works.
        work = np.cumsum([lengths[fold].sum() * len(grid) for fold in folds[done : done + 4096]])
        part = folds[done : done + max(threads, int(np.searchsorted(work, 3e8)))]
        held_rows, held = np.zeros((2, len(part), n_classes))
        for f, fold in enumerate(part):
            held_rows[f] = np.bincount(codes[fold][weights[fold] > 0], minlength=n_classes)
            held[f] = np.bincount(codes[fold], weights[fold], minlength=n_classes)
        there = held_rows < n_rows
        left = np.where(there, n_k - held, 0.0)
        scale = _class_scale(left, classes, class_weight)
        there &= scale > 0
        scale[scale == 0] = 1.0
        rows = np.concatenate(part)
        z = counts.scores(
            np.cumsum([len(fold) for fold in part]).astype(np.int64),
            rows.astype(np.int32),
            grid,
            scale,
            log_prior(left * scale, there, prior),
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
