"""The content of the page, for the template."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

import wordplane
from wordplane import plots
from wordplane.common.labels import list_some
from wordplane.common.types import JsonObject, Label
from wordplane.diagnosis.audit_findings import Audit
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.decisions import risk_coverage
from wordplane.evaluation.reliability import top_label_reliability
from wordplane.model.explanation import top_features
from wordplane.model.measurement import Measurement
from wordplane.model.predictor import TextPredictor
from wordplane.plots.style import HEIGHT, WIDTH
from wordplane.report import findings, sections
from wordplane.report.confusion_table import matrix
from wordplane.report.more_data import Learning
from wordplane.report.provenance import provenance
from wordplane.report.shown_texts import MISTAKE_CHARACTERS, Document, document
from wordplane.report.thresholds import class_curves, curve_data

TOP_FEATURES, FEATURE_CLASSES = 12, 24
N_MISTAKES = 12


class ClassLine(Protocol):
    """A line of the table of classes."""

    @property
    def n(self) -> int: ...

    @property
    def f1(self) -> float: ...


Line = TypeVar("Line", bound=ClassLine)
# A label, and its features with their weights and the share of the strongest.
ClassFeatures = tuple[Label, list[tuple[str, float, float]]]


def report_content(
    measured: Measurement, audit: Audit | None, learning: Learning | None
) -> JsonObject:
    """The variables of the template; `audit` and `learning` are left out if None. Those of the
    heading are `Heading.content`."""
    model, classes = measured.model, measured.model.classes_
    truth, predicted, P = measured.truth, measured.predicted, measured.probabilities
    scores = measured.score(log_loss=True)
    reliability = top_label_reliability(truth, P, classes=classes)
    risk = risk_coverage(truth, P, classes=classes)
    confused = most_confused(truth, predicted, 10)
    table, curves = matrix(measured), class_curves(measured)
    unknown = sorted(set(truth.tolist()) - set(classes.tolist()), key=str)
    return {
        "version": wordplane.__version__,
        "measured": measured,
        "multilabel": False,
        "notes": _notes(unknown),
        "summary": sections.summary(
            measured, scores, reliability, confused, _advice(audit, learning)
        ),
        "tiles": sections.tiles(scores, reliability),
        "scores": scores,
        "metrics": sections.metrics(scores),
        "classes": worst_first(scores.classes),
        "matrix": table,
        "confused": confused,
        "pairs": None,
        "curves": curves,
        "curves_left_out": len(curves) < len(classes),
        "reliability": reliability,
        "calibration": sections.calibration(scores, reliability),
        "calibration_error": sections.calibration_error(reliability),
        "reliability_svg": plots.to_svg(plots.reliability(reliability)),
        "risk_svg": plots.to_svg(plots.risk_coverage(risk)),
        "abstaining": sections.abstaining(risk),
        "learning": learning,
        "features": features(model),
        "mistakes": _mistakes(measured),
        "audited": audit is not None,
        "suspects": None if audit is None else findings.suspects(audit, measured),
        "findings": [] if audit is None else findings.findings(audit, measured),
        "provenance": provenance(measured),
        "data": {**table.to_data(), "curves": curve_data(curves), "size": [WIDTH, HEIGHT]},
    }


def worst_first(lines: Sequence[Line]) -> list[Line]:
    """The lines of a table of classes, the smallest F1 first; classes without texts last."""
    return sorted(lines, key=lambda line: (line.n == 0, line.f1, -line.n))


def _notes(unknown: list[Label]) -> list[str]:
    if not unknown:
        return []
    return [f"The model does not know {len(unknown):,} of the labels: {list_some(unknown)}."]


def _advice(audit: Audit | None, learning: Learning | None) -> str:
    """The third sentence of the summary."""
    if learning is not None and learning.to_try:
        return f"Verdict of the learning curve: {learning.kind}; try {learning.to_try[0]}."
    if audit is None:
        return "The data were not audited."
    if not audit.findings:
        return "The audit found no problems in the data."
    message = audit.findings[0].message
    return f"About the data: {message}" + ("" if message[-1] in ".?!" else ".")


def features(model: TextPredictor) -> list[list[ClassFeatures]]:
    """The strongest words of each class: of the first classes, then of the rest."""
    classes = []
    for label, strongest in top_features(model.model_, TOP_FEATURES, readable=True).items():
        most = max((weight for _, weight in strongest), default=0.0)
        rows = [(readable(name), w, w / most) for name, w in strongest if w > 0 < most]
        classes.append((label, rows))
    groups = [classes[:FEATURE_CLASSES], classes[FEATURE_CLASSES:]]
    return [group for group in groups if group]


def readable(feature: str) -> str:
    """The name of a feature, for people.

    >>> readable("not NOT_good"), readable("char: th")
    ('not not-good', '…␣th…')
    """
    kind, colon, rest = feature.partition(":")
    if kind == "char" and colon:  # of a model that has nothing else
        return f"…{rest.replace(' ', '␣')}…"
    return " ".join(
        f"not-{word.removeprefix('NOT_')}" if word.startswith("NOT_") else word
        for word in feature.split(" ")
    )


def _mistakes(measured: Measurement) -> list[Document]:
    wrong = measured.wrong.nonzero()[0]
    most_confident = wrong[(-measured.confidence[wrong]).argsort(kind="stable")[:N_MISTAKES]]
    return [document(measured, int(i), MISTAKE_CHARACTERS) for i in most_confident]
