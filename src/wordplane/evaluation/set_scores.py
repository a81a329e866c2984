"""How well sets of labels were found (multi-label).

    subset accuracy   the share of rows whose set is exactly right
    Hamming loss      the share of all (row, label) pairs that are wrong
    micro F1          2 hits / (given + true), summed over all labels
    macro F1          the mean over labels of their own F1, of those that occur, true or given

0 / 0 counts as 0, as in scikit-learn with zero_division=0, except that a label that never occurs
is left out of the mean. Intervals are of 95 %, from resampled rows.
"""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.evaluation.arrays import Floats
from wordplane.evaluation.confusion import Totals
from wordplane.evaluation.intervals import Interval, share_interval, wilson_interval
from wordplane.evaluation.metrics import ClassScores
from wordplane.evaluation.resampling import N_RESAMPLES, resampled_counts

FEWEST_RESAMPLES = 200
MOST_WORK = 2e10  # multiplications, some seconds


@dataclass(frozen=True)
class SetScores:
    """What `score_sets` found. `majority_subset_accuracy` is what always giving the commonest set
    would have, `majority_micro_f1` and `majority_macro_f1` what always giving the commonest label
    would."""

    n: int
    subset_accuracy: float
    subset_accuracy_interval: Interval
    micro_f1: float
    micro_f1_interval: Interval
    macro_f1: float
    macro_f1_interval: Interval
    hamming_loss: float
    hamming_loss_interval: Interval
    labels_per_row: float
    majority_set: tuple[Any, ...]
    majority_subset_accuracy: float
    majority_label: Any
    majority_micro_f1: float
    majority_macro_f1: float
    classes: tuple[ClassScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)

    def __str__(self) -> str:
        names = ("subset_accuracy", "micro_f1", "macro_f1", "hamming_loss")
        lines = []
        for name in names:
            low, high = getattr(self, f"{name}_interval")
            shown = name.replace("_f1", " F1").replace("_", " ")
            lines.append(f"{shown:16}{getattr(self, name):>7.1%}  {low:>5.1%} to {high:>6.1%}")
        return "\n".join(lines)


def score_sets(
    y_true: LabelSets,
    y_pred: LabelSets,
    *,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> SetScores:
    """Compare the sets of labels that rows were given with the true ones.

    >>> from wordplane.common.label_sets import as_label_sets
    >>> true = as_label_sets([["a", "b"], ["b"], []])
    >>> given = LabelSets(true.classes, np.array([[1, 0], [0, 1], [0, 0]], bool))
    >>> scores = score_sets(true, given)
    >>> scores.micro_f1, round(scores.macro_f1, 3), round(scores.subset_accuracy, 3)
    (0.8, 0.833, 0.667)
    >>> round(scores.hamming_loss, 3)
    0.167
    """
    T, P = y_true.member, y_pred.member
    if T.shape != P.shape or y_true.classes.tolist() != y_pred.classes.tolist():
        raise InputError("the true and the given sets are not of the same rows and labels")
    n, n_labels = T.shape
    if n == 0:
        raise InputError("there are no rows to measure")
    rows, n_rows = np.unique(np.packbits(np.hstack([T, P]), axis=1), axis=0, return_counts=True)
    pairs = np.unpackbits(rows, axis=1, count=2 * n_labels).astype(np.float64)
    true, given = pairs[:, :n_labels], pairs[:, n_labels:]
    work = len(rows) * n_labels * 3.0
    n_resamples = int(np.clip(MOST_WORK / work, FEWEST_RESAMPLES, n_resamples))
    rng = np.random.default_rng(random_state)
    draws = [
        _measures(true, given, counts) for counts in resampled_counts(n_rows, n_resamples, rng)
    ]
    resampled = np.concatenate(draws, axis=1)
    found = _measures(true, given, n_rows[None].astype(np.float64))[:, 0]
    subset, micro, macro, hamming = found.tolist()
    intervals = [share_interval(v, d, n) for v, d in zip(found.tolist(), resampled, strict=True)]
    totals = Totals(*(a.sum(axis=0, dtype=np.float64) for a in (T & P, T, P)))
    columns = (totals.precision(), totals.recall(), totals.f())
    (majority_set, n_majority), *_ = Counter(y_true.tolist()).most_common(1)
    majority = int(np.argmax(totals.true))  # the first of equals
    is_majority = np.arange(n_labels) == majority
    always = Totals(totals.true * is_majority, totals.true, float(n) * is_majority)
    return SetScores(
        n=n,
        subset_accuracy=subset,
        subset_accuracy_interval=wilson_interval(int((T == P).all(axis=1).sum()), n),
        micro_f1=micro,
        micro_f1_interval=intervals[1],
        macro_f1=macro,
        macro_f1_interval=intervals[2],
        hamming_loss=hamming,
        hamming_loss_interval=intervals[3],
        labels_per_row=float(T.sum() / n),
        majority_set=majority_set,
        majority_subset_accuracy=n_majority / n,
        majority_label=y_true.classes.tolist()[majority],
        majority_micro_f1=float(always.micro().f()[0]),
        majority_macro_f1=float(always.macro(always.f())),
        classes=tuple(
            ClassScores(label, int(T[:, k].sum()), *(float(column[k]) for column in columns))
            for k, label in enumerate(y_true.classes.tolist())
        ),
    )


def _measures(true: Floats, given: Floats, counts: Floats) -> NDArray[np.float64]:
    """The four measures (rows) of each resample (columns); counts are (resamples, cells)."""
    totals = Totals(counts @ (true * given), counts @ true, counts @ given)
    n = counts.sum(axis=1)
    right = counts @ (true == given).all(axis=1)
    wrong = (totals.true + totals.predicted - 2 * totals.hits).sum(axis=1)
    micro = totals.micro().f()[:, 0]
    return np.array([right / n, micro, totals.macro(totals.f()), wrong / (n * true.shape[1])])
