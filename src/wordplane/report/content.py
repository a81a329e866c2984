"""All that the page shows, gathered."""

from pathlib import PurePath
from typing import Any

import wordplane
from wordplane import plots
from wordplane.diagnosis.audit import Audit
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.decisions import risk_coverage
from wordplane.evaluation.metrics import score
from wordplane.evaluation.reliability import top_label_reliability
from wordplane.model.classifier import TextClassifier
from wordplane.model.measuring import Measured
from wordplane.plots.style import HEIGHT, WIDTH
from wordplane.report import faults, sections
from wordplane.report.documents import Document, document
from wordplane.report.learning import Learning
from wordplane.report.matrix import matrix
from wordplane.report.provenance import made
from wordplane.report.thresholds import class_curves, curve_data

TOP_FEATURES, FEATURE_CLASSES = 12, 24
MISTAKES, MISTAKE_CHARACTERS = 12, 700


def content(measured: Measured, audited: Audit | None, learned: Learning | None) -> dict[str, Any]:
    """What the template shows, by name."""
    model, classes = measured.model, measured.model.classes_
    truth, said, P = measured.truth, measured.said, measured.probabilities
    scores = score(truth, said, probabilities=P, classes=classes)
    reliable = top_label_reliability(truth, P, classes=classes)
    risk = risk_coverage(truth, P, classes=classes)
    confused = most_confused(truth, said, 10)
    table, curves = matrix(measured), class_curves(measured)
    unknown = sorted(set(truth.tolist()) - set(classes.tolist()), key=str)
    return {
        "title": PurePath(measured.corpus.source).name or "Texts",
        "version": wordplane.__version__,
        "measured": measured,
        "sets": False,
        "notes": _notes(unknown),
        "summary": sections.summary(
            measured, scores, reliable, confused, _advice(audited, learned)
        ),
        "tiles": sections.tiles(scores, reliable),
        "scores": scores,
        "metrics": sections.metrics(scores),
        "classes": scores.classes,
        "matrix": table,
        "confused": confused,
        "curves": curves,
        "curves_left_out": len(curves) < len(classes),
        "reliable": reliable,
        "calibration": sections.calibration(scores, reliable),
        "reliability_svg": plots.to_svg(plots.reliability(reliable)),
        "risk_svg": plots.to_svg(plots.risk_coverage(risk)),
        "abstaining": sections.abstaining(risk),
        "learning": learned,
        "features": features(model),
        "mistakes": _mistakes(measured),
        "audited": audited is not None,
        "suspects": None if audited is None else faults.suspects(audited, measured),
        "findings": [] if audited is None else faults.findings(audited, measured),
        "made": made(measured),
        "data": {**table.to_data(), "curves": curve_data(curves), "size": [WIDTH, HEIGHT]},
    }


def _notes(unknown: list[Any]) -> list[str]:
    if not unknown:
        return []
    named = ", ".join(map(repr, unknown[:10])) + (", …" if len(unknown) > 10 else "")
    return [f"The model does not know {len(unknown)} of the labels: {named}."]


def _advice(audited: Audit | None, learned: Learning | None) -> str:
    """The third sentence."""
    if learned is not None and learned.to_try:
        return f"The learning curve shows a model that is {learned.kind}: try {learned.to_try[0]}."
    if audited is None:
        return "The data were not audited, and no learning curve was drawn."
    if not audited.findings:
        return "The audit found nothing wrong with the data."
    message = audited.findings[0].message
    return f"About the data: {message}" + ("" if message[-1] in ".?!" else ".")


def features(model: TextClassifier) -> list[Any]:
    """The first classes, and the rest."""
    classes = []
    for label, strongest in model.top_features(TOP_FEATURES).items():
        most = max((weight for _, weight in strongest), default=0.0)
        rows = [(_shown(name), w, w / most) for name, w in strongest if w > 0 < most]
        classes.append((label, rows))
    groups = [classes[:FEATURE_CLASSES], classes[FEATURE_CLASSES:]]
    return [group for group in groups if group]


def _shown(feature: str) -> str:
    kind, colon, rest = feature.partition(":")
    return f"{kind}{colon}{rest.replace(' ', '␣')}" if kind == "char" else feature


def _mistakes(measured: Measured) -> list[Document]:
    wrong = measured.wrong.nonzero()[0]
    surest = wrong[(-measured.sure[wrong]).argsort(kind="stable")[:MISTAKES]]
    return [document(measured, int(i), MISTAKE_CHARACTERS) for i in surest]
