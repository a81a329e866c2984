"""Precision, recall and ROC of each class over all thresholds of its probability."""

from dataclasses import dataclass

import numpy as np

from wordplane import plots
from wordplane.common.types import FloatArray, JsonObject, Label
from wordplane.evaluation.curves import PrecisionRecall, Roc, precision_recall, roc
from wordplane.model.measurement import Measurement, SetMeasurement

MAX_CLASSES = 20
N_RESAMPLES = 200
STEPS = 100


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """Curves of one class against the rest.

    true_positives[i], false_positives[i]: if every text with a probability of at least i / 100 is
    predicted as this class
    """

    label: Label
    n_positive: int
    n_negative: int
    precision_recall: PrecisionRecall
    roc: Roc
    pr_svg: str
    roc_svg: str
    true_positives: list[int]
    false_positives: list[int]


def class_curves(measured: Measurement | SetMeasurement) -> list[ClassCurves]:
    """The curves of the 20 classes with the most mistakes, in this order."""
    classes = measured.model.classes_.tolist()
    ranked = []
    for k, label in enumerate(classes):
        is_class = measured.is_true(k)
        if is_class.any() and not is_class.all():
            mistakes = int((is_class != measured.is_predicted(k)).sum())
            ranked.append((mistakes, k, label))
    ranked.sort(key=lambda item: (-item[0], -item[1]))
    return [_curves(measured, k, label) for _, k, label in ranked[:MAX_CLASSES]]


def _curves(measured: Measurement | SetMeasurement, k: int, label: Label) -> ClassCurves:
    is_class, p = measured.is_true(k), measured.probabilities[:, k]
    pr = precision_recall(is_class, p, n_resamples=N_RESAMPLES)
    roc_curve = roc(is_class, p, n_resamples=N_RESAMPLES)
    steps = np.arange(STEPS + 1) / STEPS
    at_least = [_count_at_least(p[rows], steps) for rows in (is_class, ~is_class)]
    return ClassCurves(
        label=label,
        n_positive=int(is_class.sum()),
        n_negative=int((~is_class).sum()),
        precision_recall=pr,
        roc=roc_curve,
        pr_svg=plots.to_svg(plots.pr_curve(pr, at=0.5)),
        roc_svg=plots.to_svg(plots.roc_curve(roc_curve, at=0.5)),
        true_positives=at_least[0],
        false_positives=at_least[1],
    )


def curve_data(curves: list[ClassCurves]) -> list[JsonObject]:
    """The numbers of the curves as the page's script reads them."""
    return [
        {
            "positive": c.n_positive,
            "negative": c.n_negative,
            "right": c.true_positives,
            "wrong": c.false_positives,
        }
        for c in curves
    ]


def _count_at_least(values: FloatArray, steps: FloatArray) -> list[int]:
    below = np.searchsorted(np.sort(values), steps, side="left")
    return [len(values) - int(n) for n in below]
