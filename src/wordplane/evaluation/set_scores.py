"""Multi-label metrics: how good predicted label sets are.

    subset accuracy   the share of rows whose label set is exactly right
    Hamming loss      the share of all (row, label) pairs that are wrong
    micro F1          2 hits / (predicted + true), summed over all labels
    macro F1          the mean F1 of the labels that occur, true or predicted

0 / 0 counts as 0, as in scikit-learn with zero_division=0, except that a label that never occurs
is left out of the mean. Intervals are 95 % intervals from resampled rows.
"""

from collections import Counter
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import FloatArray, IntArray, JsonObject, Label
from wordplane.evaluation.confusion import Totals
from wordplane.evaluation.intervals import (
    Interval,
    macro_f1_interval,
    share_interval,
    spread_of_groups,
    wilson_interval,
)
from wordplane.evaluation.label_scores import ClassScores
from wordplane.evaluation.resampling import N_RESAMPLES, group_rows, resample_counts

Bools = NDArray[np.bool_]

MIN_RESAMPLES = 200
MAX_MULTIPLICATIONS = 2e10  # of all resamples: some seconds


@frozen
class SetScores:
    """The result of `score_sets`.

    `majority_subset_accuracy` is the result of always predicting the most frequent label set,
    `majority_micro_f1` and `majority_macro_f1` that of always predicting the most frequent label.
    """

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
    majority_set: tuple[Label, ...]
    majority_subset_accuracy: float
    majority_label: Label
    majority_micro_f1: float
    majority_macro_f1: float
    classes: tuple[ClassScores, ...]

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return asdict(self)

    def __str__(self) -> str:
        names = ("subset_accuracy", "micro_f1", "macro_f1", "hamming_loss")
        lines = []
        for name in names:
            low, high = getattr(self, f"{name}_interval")
            title = name.replace("_f1", " F1").replace("_", " ")
            lines.append(f"{title:16}{getattr(self, name):>7.1%}  {low:>5.1%} to {high:>6.1%}")
        return "\n".join(lines)


def score_sets(
    y_true: LabelSets,
    y_pred: LabelSets,
    *,
    groups: IntArray | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> SetScores:
    """Compare predicted label sets with the true ones; intervals are of whole `groups`, if given.

    >>> from wordplane.common.label_sets import as_label_sets
    >>> true = as_label_sets([["a", "b"], ["b"], []])
    >>> predicted = LabelSets.of_member(true.classes, np.array([[1, 0], [0, 1], [0, 0]], bool))
    >>> scores = score_sets(true, predicted)
    >>> scores.micro_f1, round(scores.macro_f1, 3), round(scores.subset_accuracy, 3)
    (0.8, 0.833, 0.667)
    >>> round(scores.hamming_loss, 3)
    0.167
    """
    T, P = y_true.member, y_pred.member
    if T.shape != P.shape or y_true.classes.tolist() != y_pred.classes.tolist():
        raise InputError(
            f"the true label sets have the shape {T.shape} and the predicted ones {P.shape}, "
            "expected the same rows and the same labels"
        )
    n, n_labels = T.shape
    if n == 0:
        raise InputError("there are no rows to measure")
    values, draws, n_units = _resample(T, P, groups, n_resamples, random_state)
    subset, micro, macro, hamming = values
    intervals = [share_interval(v, d, n_units) for v, d in zip(values, draws, strict=True)]
    totals = Totals(*(a.sum(axis=0, dtype=np.float64) for a in (T & P, T, P)))
    if groups is None:
        intervals[0] = wilson_interval(int((T == P).all(axis=1).sum()), n)
    scale = n_units / n
    intervals[2] = macro_f1_interval(
        macro, draws[2], n_units, scale * totals.hits, scale * totals.either()
    )
    measures = (totals.precision(), totals.recall(), totals.f())
    (majority_set, n_majority), *_ = Counter(y_true.tolist()).most_common(1)
    majority = int(np.argmax(totals.true))  # the first if there are ties
    is_majority = np.arange(n_labels) == majority
    always = Totals(totals.true * is_majority, totals.true, float(n) * is_majority)
    return SetScores(
        n=n,
        subset_accuracy=subset,
        subset_accuracy_interval=intervals[0],
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
            ClassScores(label, int(T[:, k].sum()), *(float(values[k]) for values in measures))
            for k, label in enumerate(y_true.classes.tolist())
        ),
    )


def _resample(
    T: Bools, P: Bools, groups: IntArray | None, n_resamples: int, random_state: int
) -> tuple[list[float], FloatArray, int]:
    """The four measures, the same of each resample, and how many rows or groups are drawn."""
    n, n_labels = T.shape
    rows, numbers = np.unique(np.packbits(np.hstack([T, P]), axis=1), axis=0, return_inverse=True)
    cells = group_rows([numbers.ravel()], np.ones(n), groups)
    rows, n_rows = rows[cells.codes[0]], cells.n_rows
    pairs = np.unpackbits(rows, axis=1, count=2 * n_labels).astype(np.float64)
    true, predicted = pairs[:, :n_labels], pairs[:, n_labels:]
    work = len(rows) * n_labels * 3.0
    n_resamples = int(np.clip(MAX_MULTIPLICATIONS / work, MIN_RESAMPLES, n_resamples))
    rng = np.random.default_rng(random_state)
    every = _totals(true, predicted, n_rows[None].astype(np.float64))
    draws = [
        _measures(true, predicted, counts, every)
        for counts in resample_counts(n_rows, n_resamples, rng, cells.group)
    ]
    n_units = n if groups is None else len(np.unique(groups))
    resampled = np.concatenate(draws, axis=1)
    if groups is not None:
        resampled = np.array([spread_of_groups(drawn, n_units) for drawn in resampled])
    values = _measures(true, predicted, n_rows[None].astype(np.float64), every)[:, 0].tolist()
    return values, resampled, n_units


def _totals(true: FloatArray, predicted: FloatArray, counts: FloatArray) -> Totals:
    return Totals(counts @ (true * predicted), counts @ true, counts @ predicted)


def _measures(
    true: FloatArray, predicted: FloatArray, counts: FloatArray, every: Totals
) -> FloatArray:
    """The four measures (rows) of each resample (columns); counts are (resamples, cells), and
    `every` has the totals of all rows."""
    totals = _totals(true, predicted, counts)
    n = counts.sum(axis=1)
    right = counts @ (true == predicted).all(axis=1)
    wrong = (totals.true + totals.predicted - 2 * totals.hits).sum(axis=1)
    micro = totals.micro().f()[:, 0]
    macro = every.resampled_macro_f1(totals)
    return np.array([right / n, micro, macro, wrong / (n * true.shape[1])])
