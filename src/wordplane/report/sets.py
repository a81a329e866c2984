"""The page about a model of sets of labels: the same page, label by label."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wordplane
from wordplane.evaluation.intervals import Interval, share_interval, wilson_interval
from wordplane.evaluation.metrics import ClassScores
from wordplane.evaluation.resampling import resample_counts
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.model.measuring import MeasuredSets
from wordplane.plots.style import HEIGHT, WIDTH
from wordplane.report.content import features
from wordplane.report.documents import Document, label_document
from wordplane.report.provenance import made
from wordplane.report.sections import Metric, Tile, metric, percent
from wordplane.report.thresholds import class_curves, curve_data

MISTAKES, MISTAKE_CHARACTERS = 12, 700
N_RESAMPLES = 1000


@dataclass(frozen=True)
class LabelLine:
    """A line of the table of labels."""

    label: Any
    n: int
    precision: float
    recall: float
    f1: float
    intervals: tuple[Interval, Interval, Interval]  # of precision, recall and F1


def set_content(measured: MeasuredSets) -> dict[str, Any]:
    """What the template shows, by name."""
    scores = score_sets(measured.truth, measured.said)
    curves = class_curves(measured)
    unknown = [repr(c.label) for c in scores.classes[len(measured.model.classes_) :]]
    return {
        "title": PurePath(measured.corpus.source).name or "Texts",
        "version": wordplane.__version__,
        "measured": measured,
        "sets": True,
        "notes": [f"The model does not know the labels {', '.join(unknown)}."] if unknown else [],
        "summary": _summary(measured, scores),
        "tiles": _tiles(measured, scores),
        "scores": scores,
        "metrics": _metrics(scores),
        "classes": [_line(measured, k, c) for k, c in enumerate(scores.classes)],
        "matrix": None,
        "confused": [],
        "curves": curves,
        "curves_left_out": len(curves) < len(scores.classes),
        "reliable": None,
        "learning": None,
        "features": features(measured.model),
        "mistakes": _mistakes(measured),
        "audited": False,
        "suspects": None,
        "made": made(measured),
        "data": {"curves": curve_data(curves), "size": [WIDTH, HEIGHT]},
    }


def _summary(measured: MeasuredSets, scores: SetScores) -> list[str]:
    low, high = scores.micro_f1_interval
    by_f1 = sorted((c for c in scores.classes if c.n), key=lambda c: c.f1)
    hardest = (
        f"; hardest is “{by_f1[0].label}”, with an F1 of {percent(by_f1[0].f1)}" if by_f1 else ""
    )
    return [
        f"On {scores.n:,} texts {measured.how}, the model finds sets of labels with a micro F1 of "
        f"{percent(scores.micro_f1)} (95\u202f% interval {percent(low)} to {percent(high)}), where "
        f"always giving “{scores.majority_label}” would have {percent(scores.majority_micro_f1)}.",
        f"Of all sets, {percent(scores.subset_accuracy)} are right to the last label{hardest}.",
        f"Texts have {scores.labels_per_row:.2f} labels on average, and are given "
        f"{_given_per_row(measured):.2f}.",
    ]


def _given_per_row(measured: MeasuredSets) -> float:
    return float(measured.said.member.sum(axis=1).mean())


def _tiles(measured: MeasuredSets, scores: SetScores) -> list[Tile]:
    low, high = scores.micro_f1_interval
    return [
        Tile("Micro F1", percent(scores.micro_f1), f"{percent(low)} to {percent(high)}"),
        Tile("Macro F1", percent(scores.macro_f1), "mean over the labels"),
        Tile("Sets all right", percent(scores.subset_accuracy), "to the last label"),
        Tile("Labels per text", f"{scores.labels_per_row:.2f}",
             f"given: {_given_per_row(measured):.2f}"),
        Tile("Texts", f"{scores.n:,}", f"{len(scores.classes):,} labels"),
    ]  # fmt: skip


def _metrics(scores: SetScores) -> list[Metric]:
    shares = [
        ("Micro F1", scores.micro_f1, scores.micro_f1_interval, scores.majority_micro_f1),
        ("Macro F1", scores.macro_f1, scores.macro_f1_interval, scores.majority_macro_f1),
        ("Sets all right", scores.subset_accuracy, scores.subset_accuracy_interval,
         scores.majority_subset_accuracy),
        ("Labels wrong (less is better)", scores.hamming_loss, scores.hamming_loss_interval, None),
    ]  # fmt: skip
    return [metric(*share, None, most=1.0, show=percent) for share in shares]


def _line(measured: MeasuredSets, k: int, scores: ClassScores) -> LabelLine:
    """The scores of a label with their intervals: Wilson's of shares, F1's from resampled rows."""
    true, given = measured.true_of(k), measured.said_of(k)
    hits, n_true, n_given = (int(rows.sum()) for rows in (true & given, true, given))
    counts = np.array([hits, n_given - hits, n_true - hits, len(true) - n_true - n_given + hits])
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
            wilson_interval(hits, n_given) if n_given else (0.0, 1.0),
            wilson_interval(hits, n_true) if n_true else (0.0, 1.0),
            share_interval(scores.f1, np.concatenate(draws), len(true)),
        ),
    )


def _mistakes(measured: MeasuredSets) -> list[Document]:
    """The labels given wrongly or missed of which the model was surest."""
    n_known = len(measured.model.classes_)
    given = measured.said.member[:, :n_known]
    wrong: NDArray[np.bool_] = given != measured.truth.member[:, :n_known]
    sure = np.where(given, measured.probabilities, 1 - measured.probabilities)
    rows, labels = np.nonzero(wrong)
    order = np.argsort(-sure[rows, labels], kind="stable")[:MISTAKES]
    return [
        label_document(measured, int(i), int(k), MISTAKE_CHARACTERS)
        for i, k in zip(rows[order], labels[order], strict=True)
    ]
