"""The content of the page about a multi-label model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import wordplane
from wordplane.common.labels import list_some
from wordplane.common.types import JsonObject, Label
from wordplane.diagnosis.audit_findings import Audit
from wordplane.evaluation.intervals import Interval, share_interval, wilson_interval
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.label_scores import ClassScores
from wordplane.evaluation.resampling import resample_counts
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.model.measurement import SetMeasurement
from wordplane.plots.style import HEIGHT, WIDTH
from wordplane.report.content import N_MISTAKES, features, worst_first
from wordplane.report.findings import findings, suspects
from wordplane.report.label_pairs import LabelPairs, label_pairs
from wordplane.report.provenance import provenance
from wordplane.report.sections import Metric, Tile, metric, percent
from wordplane.report.shown_texts import Document, label_document
from wordplane.report.thresholds import class_curves, curve_data

N_RESAMPLES = 1000


@dataclass(frozen=True)
class LabelLine:
    """A line of the table of labels."""

    label: Label
    n: int
    precision: float
    recall: float
    f1: float
    intervals: tuple[Interval, Interval, Interval]  # of precision, recall and F1
    threshold: str  # the probability from which on the label is given


def multilabel_content(measured: SetMeasurement, audit: Audit | None = None) -> JsonObject:
    """The variables of the template; `audit` is left out if None."""
    scores = score_sets(measured.truth, measured.predicted)
    curves = class_curves(measured)
    unknown = [c.label for c in scores.classes[len(measured.model.classes_) :]]
    return {
        "version": wordplane.__version__,
        "measured": measured,
        "multilabel": True,
        "notes": [f"The model does not know the labels {list_some(unknown)}."] if unknown else [],
        "summary": _summary(measured, scores),
        "tiles": _tiles(measured, scores),
        "scores": scores,
        "metrics": _metrics(scores),
        "classes": worst_first([_line(measured, k, c) for k, c in enumerate(scores.classes)]),
        "matrix": None,
        "confused": [],
        "pairs": _pairs(measured),
        "curves": curves,
        "curves_left_out": len(curves) < len(scores.classes),
        "reliability": None,
        "learning": None,
        "features": features(measured.model),
        "mistakes": _mistakes(measured),
        "audited": audit is not None,
        "suspects": None if audit is None else suspects(audit, measured),
        "findings": [] if audit is None else findings(audit, measured),
        "provenance": provenance(measured),
        "data": {"curves": curve_data(curves), "size": [WIDTH, HEIGHT]},
    }


def _summary(measured: SetMeasurement, scores: SetScores) -> list[str]:
    low, high = scores.micro_f1_interval
    by_f1 = sorted((c for c in scores.classes if c.n), key=lambda c: c.f1)
    hardest = (
        f"; the hardest label is “{by_f1[0].label}”, with an F1 of {percent(by_f1[0].f1)}"
        if by_f1
        else ""
    )
    return [
        f"On {scores.n:,} texts {measured.description}, the model has a micro F1 of "
        f"{percent(scores.micro_f1)} (95\u202f% interval {percent(low)} to {percent(high)}); "
        f"always predicting “{scores.majority_label}” would have "
        f"{percent(scores.majority_micro_f1)}.",
        f"Of all label sets, {percent(scores.subset_accuracy)} are exactly right{hardest}.",
        f"Texts have {scores.labels_per_row:.2f} labels on average; "
        f"{_predicted_per_row(measured):.2f} are predicted.",
    ]


def _predicted_per_row(measured: SetMeasurement) -> float:
    return float(measured.predicted.member.sum(axis=1).mean())


def _tiles(measured: SetMeasurement, scores: SetScores) -> list[Tile]:
    low, high = scores.micro_f1_interval
    return [
        Tile("Micro F1", percent(scores.micro_f1), f"{percent(low)} to {percent(high)}"),
        Tile("Macro F1", percent(scores.macro_f1), "mean over the labels"),
        Tile("Subset accuracy", percent(scores.subset_accuracy), "sets exactly right"),
        Tile("Labels per text", f"{scores.labels_per_row:.2f}",
             f"predicted: {_predicted_per_row(measured):.2f}"),
        Tile("Texts", f"{scores.n:,}", f"{len(scores.classes):,} labels"),
    ]  # fmt: skip


def _metrics(scores: SetScores) -> list[Metric]:
    shares = [
        ("Micro F1", scores.micro_f1, scores.micro_f1_interval, scores.majority_micro_f1),
        ("Macro F1", scores.macro_f1, scores.macro_f1_interval, scores.majority_macro_f1),
        ("Subset accuracy", scores.subset_accuracy, scores.subset_accuracy_interval,
         scores.majority_subset_accuracy),
        ("Hamming loss (lower is better)", scores.hamming_loss, scores.hamming_loss_interval, None),
    ]  # fmt: skip
    return [metric(*share, None, most=1.0, show=percent) for share in shares]


def _line(measured: SetMeasurement, k: int, scores: ClassScores) -> LabelLine:
    """The scores of a label and their intervals: Wilson's for shares, resampled rows for F1."""
    true, predicted = measured.is_true(k), measured.is_predicted(k)
    hits, n_true, n_predicted = (int(r.sum()) for r in (true & predicted, true, predicted))
    counts = np.array(
        [hits, n_predicted - hits, n_true - hits, len(true) - n_true - n_predicted + hits]
    )
    draws = []
    for drawn in resample_counts(counts, N_RESAMPLES, np.random.default_rng(0)):
        both = 2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2]
        draws.append(2 * drawn[:, 0] / np.maximum(both, 1))
    return LabelLine(
        label=scores.label,
        n=scores.n,
        precision=scores.precision,
        recall=scores.recall,
        f1=scores.f1,
        intervals=(
            wilson_interval(hits, n_predicted) if n_predicted else (0.0, 1.0),
            wilson_interval(hits, n_true) if n_true else (0.0, 1.0),
            share_interval(scores.f1, np.concatenate(draws), len(true)),
        ),
        threshold=_threshold(measured, k),
    )


def _threshold(measured: SetMeasurement, k: int) -> str:
    """The probability from which on the saved model gives the label, if that is a probability."""
    decisions = measured.model.model_.calibrator
    if not isinstance(decisions, LabelDecisions) or k >= decisions.n_classes:
        return "\u2013"
    at = float(decisions.transform(decisions.thresholds[None])[0, k])
    return percent(at) if decisions.a[k] > 0 else "\u2013"


def _pairs(measured: SetMeasurement) -> LabelPairs:
    labels = measured.truth.classes.tolist()
    return label_pairs(labels, measured.truth.member, measured.predicted.member)


def _mistakes(measured: SetMeasurement) -> list[Document]:
    """The labels predicted wrongly or missed with the highest confidence."""
    n_known = len(measured.model.classes_)
    predicted = measured.predicted.member[:, :n_known]
    wrong: NDArray[np.bool_] = predicted != measured.truth.member[:, :n_known]
    confidence = np.where(predicted, measured.probabilities, 1 - measured.probabilities)
    rows, labels = np.nonzero(wrong)
    order = np.argsort(-confidence[rows, labels], kind="stable")[:N_MISTAKES]
    return [
        label_document(measured, int(i), int(k))
        for i, k in zip(rows[order], labels[order], strict=True)
    ]
