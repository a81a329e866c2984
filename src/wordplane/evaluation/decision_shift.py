"""Decisions for a metric: what to add to the scores of the classes so that the metric is best.

A learner's own boundary is made for few mistakes in all. If a class is rare, few mistakes are made
by never predicting it, while F1 is best if it is predicted at a lower score. The label becomes

    argmax_k z_k + s_k

with shifts s that are found on rows that were not trained on: for one class after the other, the
rarest first, every boundary between two rows is tried. A few rows of a class say little about where
to cut; so a row of a class that has n rows counts as a member of class k by the share

    (n [k is its class] + 50 P_k) / (n + 50)

where P are the probabilities by one sigmoid per class (`Platt`), which are two numbers each.

References: Lewis (1995), SIGIR; Lipton, Elkan and Naryanaswamy (2014), ECML: the best threshold for
F1 is half the F1 that it reaches.
"""

import numpy as np

from wordplane.common.types import FloatArray, IntArray, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.calibration import Platt
from wordplane.evaluation.confusion import Totals
from wordplane.evaluation.label_metrics import NamedMetric
from wordplane.evaluation.resampling import class_sums

N_FOLDS = 5
SMOOTHING = 50  # rows of a class that count as much as its probabilities
MAX_CUTS = 1000  # boundaries tried per class
N_ROUNDS = 2  # over the classes, if there are more than two


def best_shift(
    z: FloatArray, codes: IntArray, metric: NamedMetric, weights: WeightsLike = None
) -> FloatArray:
    """One number per column of z that is added to it.

    z are scores of rows that were not trained on, in one column for two classes; codes the numbers
    of their classes.

    >>> z = np.array([[-5.0], [-4.0], [-3.0], [-1.0], [-0.5], [2.0]])  # class 1 is found once
    >>> best_shift(z, np.array([0, 0, 0, 1, 1, 1]), NamedMetric("f1:1", 1))
    array([2.])
    """
    w = as_weights(weights, len(z))
    is_pair = z.shape[1] == 1
    Z = np.column_stack([np.zeros(len(z)), z[:, 0]]) if is_pair else z
    n_classes = Z.shape[1]
    member = _smoothed(Z, codes, w)
    shift = np.zeros(n_classes)
    if is_pair:
        return np.array([_best_cut(Z, shift, member, w, metric, 1)])
    order = np.argsort(np.bincount(codes, minlength=n_classes), kind="stable").tolist()
    if metric.class_number is not None:
        order = [metric.class_number]
    for _ in range(N_ROUNDS):
        for k in order:
            shift[k] = _best_cut(Z, shift, member, w, metric, k)
    return shift


def predict_shifted(z: FloatArray, shift: FloatArray) -> IntArray:
    """The number of the class of each row."""
    shifted = z + shift
    best = shifted[:, 0] > 0 if z.shape[1] == 1 else shifted.argmax(axis=1)
    return np.asarray(best, dtype=np.int64)


def predict_out_of_fold(
    z: FloatArray, codes: IntArray, metric: NamedMetric, weights: WeightsLike = None
) -> IntArray:
    """The class of each row by shifts that were found on the other folds, of five.

    Shifts found on the rows themselves would look better than they are.
    """
    w = as_weights(weights, len(z))
    predicted = predict_shifted(z, np.zeros(z.shape[1]))
    fold_of = np.arange(len(z)) % N_FOLDS
    for fold in range(min(N_FOLDS, len(z))):
        test, train = fold_of == fold, fold_of != fold
        if w[train].any():
            predicted[test] = predict_shifted(
                z[test], best_shift(z[train], codes[train], metric, w[train])
            )
    return predicted


def _smoothed(Z: FloatArray, codes: IntArray, w: FloatArray) -> FloatArray:
    """By which share each row is a member of each class."""
    n = np.bincount(codes, minlength=Z.shape[1])[codes][:, None]
    own = np.eye(Z.shape[1])[codes]
    P = Platt.fit(Z, codes, w).transform(Z)
    return np.asarray((n * own + SMOOTHING * P) / (n + SMOOTHING))


def _best_cut(
    Z: FloatArray,
    shift: FloatArray,
    member: FloatArray,
    w: FloatArray,
    metric: NamedMetric,
    k: int,
) -> float:
    """The shift of class k that is best, given those of the others; its own if that is as good."""
    rows, n_classes = np.arange(len(Z)), Z.shape[1]
    rivals = Z + shift
    rivals[:, k] = -np.inf
    rival = rivals.argmax(axis=1)
    needed = rivals[rows, rival] - Z[:, k]  # class k is predicted if its shift is above this
    order = np.argsort(needed, kind="stable")
    needed, rival, of_row = needed[order], rival[order], (w[:, None] * member)[order]
    w = w[order]
    ends = np.flatnonzero(needed[1:] > needed[:-1]) + 1  # equal rows are on the same side
    own_end = int(np.searchsorted(needed, shift[k]))
    if len(ends) > MAX_CUTS:  # a rare class is cut near its best rows: half of the cuts are there
        half = MAX_CUTS // 2
        ends = np.append(ends[:half], ends[np.linspace(half, len(ends) - 1, half).astype(np.intp)])
    ends = np.append(own_end, ends)
    by_place = np.argsort(ends, kind="stable")
    # The rows up to each end go from their rivals to class k.
    step = np.searchsorted(ends[by_place], rows, side="right")
    moved = step * n_classes + rival
    n_steps = len(ends) + 1
    from_rival = class_sums(w, moved, n_steps * n_classes).reshape(n_steps, n_classes)
    hits_lost = class_sums(of_row[rows, rival], moved, n_steps * n_classes)
    hits_lost = hits_lost.reshape(n_steps, n_classes)
    hits_won = class_sums(of_row[:, k], step, n_steps)
    gone, lost = (np.cumsum(a, axis=0)[:-1] for a in (from_rival, hits_lost))
    predicted = from_rival.sum(axis=0) - gone
    predicted[:, k] += gone.sum(axis=1)
    hits = hits_lost.sum(axis=0) - lost
    hits[:, k] += np.cumsum(hits_won)[:-1]
    totals = Totals(hits, np.broadcast_to(of_row.sum(axis=0), hits.shape), predicted)
    value = np.empty(len(ends))
    value[by_place] = metric.value(totals)
    if value[0] >= value.max() - 1e-12:
        return float(shift[k])
    best = ends[1:][value[1:] >= value[1:].max() - 1e-12]
    cuts = (needed[best - 1] + needed[best]) / 2
    return float(cuts[np.argmin(np.abs(cuts - shift[k]))])
