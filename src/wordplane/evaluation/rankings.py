"""How well probabilities rank the labels of each row, and the rows of one label.

The labels of a row from the likeliest down, the first of equals first; a row that has T of them:

    precision@k   the share of the k likeliest labels that the row has
    recall@k      the share of the row's labels that are among the k likeliest
    nDCG@k        DCG / the best DCG that T labels can have, DCG = sum of 1 / log2(1 + place) over
                  the labels of the row among the k likeliest; nDCG: of all labels
    LRAP          the mean over the row's labels of the share of its labels among those ranked as
                  high or higher

Each is the mean over all rows. A row without labels counts as 0, but as 1 in LRAP. With one label
per row, recall@k is the top-k accuracy and LRAP the mean reciprocal rank. These are scikit-learn's
values where no two labels of a row are equally likely.

Average precision and the area under the ROC curve rank the rows of one label. How they change if a
row counts a little more is known in closed form (the infinitesimal jackknife), so their intervals
and tests need no resamples: see `ranking_intervals`.

References: Efron (1982), The jackknife, the bootstrap and other resampling plans; Järvelin and
Kekäläinen (2002), ACM TOIS 20(4); Tsoumakas, Katakis and Vlahavas (2010), Mining multi-label data.
"""

import numpy as np

from wordplane import _core
from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.confusion import ratio
from wordplane.evaluation.outcomes import Bools


def likeliest(P: FloatArray, k: int) -> IntArray:
    """The k likeliest labels of each row, the first of equals first: n x k.

    >>> likeliest(np.array([[0.2, 0.5, 0.2, 0.1]]), 2).tolist()
    [[1, 0]]
    """
    return _core.likeliest(np.ascontiguousarray(P, np.float64), k)


def hits_at(member: Bools, P: FloatArray, k: int) -> Bools:
    """Whether the row has its likeliest label, the second, ... the k-th: n x k.

    >>> hits_at(np.array([[True, False, True]]), np.array([[0.5, 0.3, 0.2]]), 2)
    array([[ True, False]])
    """
    return np.asarray(np.take_along_axis(member, likeliest(P, k), axis=1))


def precision_at(member: Bools, P: FloatArray, k: int) -> FloatArray:
    """precision@k of each row."""
    return np.asarray(hits_at(member, P, k).sum(axis=1) / k)


def recall_at(member: Bools, P: FloatArray, k: int) -> FloatArray:
    """recall@k of each row."""
    return ratio(hits_at(member, P, k).sum(axis=1).astype(np.float64), member.sum(axis=1))


def ndcg_at(member: Bools, P: FloatArray, k: int) -> FloatArray:
    """nDCG@k of each row.

    >>> ndcg_at(np.array([[False, True, False]]), np.array([[0.5, 0.3, 0.2]]), 3).round(4)
    array([0.6309])
    """
    discount = 1 / np.log2(np.arange(2, min(k, P.shape[1]) + 2))
    best = np.concatenate([[0.0], np.cumsum(discount)])
    n_labels = np.minimum(member.sum(axis=1), len(discount))
    return ratio(hits_at(member, P, k) @ discount, best[n_labels])


def label_ranking(member: Bools, P: FloatArray) -> FloatArray:
    """LRAP of each row.

    >>> label_ranking(np.array([[True, False, True]]), np.array([[0.5, 0.3, 0.2]])).round(4)
    array([0.8333])
    """
    values = np.ones(len(P))
    for i in np.flatnonzero(member.any(axis=1)).tolist():
        ranked, own = np.sort(P[i]), np.sort(P[i, member[i]])
        higher = len(ranked) - np.searchsorted(ranked, own, side="left")
        higher_own = len(own) - np.searchsorted(own, own, side="left")
        values[i] = (higher_own / higher).mean()
    return values


def ranked_gradient(
    kind: str, positive: Bools, z: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """By how much the average precision ("ap") or the AUC ("auc") of the rows changes if each row
    counts once more, times its weight. There must be rows of both kinds.

    >>> ranked_gradient("auc", np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
    array([ 0.25,  0.  , -0.25])
    """
    _, group = np.unique(-z, return_inverse=True)  # 0 is the highest score
    w = np.ones(len(z)) if weights is None else weights
    tp_new = np.bincount(group, weights=w * positive)
    fp_new = np.bincount(group, weights=w * ~positive)
    tp, above = np.cumsum(tp_new), np.cumsum(tp_new + fp_new)
    n_positive, n_negative = tp[-1], fp_new.sum()
    if kind == "auc":
        after = n_negative - np.cumsum(fp_new) + fp_new / 2
        before = tp - tp_new / 2
        auc = (fp_new * before).sum() / (n_positive * n_negative)
        own = np.where(positive, after[group] / n_negative - auc, before[group] / n_positive - auc)
        return np.asarray(w * own / np.where(positive, n_positive, n_negative))
    precision = ratio(tp.astype(np.float64), above)
    above = np.where(above > 0, above, 1.0)
    ap = (tp_new * precision).sum() / n_positive
    hit, miss = (
        np.cumsum((tp_new * (y - precision) / above)[::-1])[::-1] for y in (1.0, 0.0)
    )  # what a row adds to the precisions from its score on
    own = np.where(positive, precision[group] + hit[group] - ap, miss[group])
    return np.asarray(w * own / n_positive)
