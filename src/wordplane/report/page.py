"""The page: everything put into the template, escaped, allowed by its hash, written whole.

The page loads nothing: a content-security policy forbids all but our own style and script, which
it names by their hashes. All text is escaped by the template, and the script adds text as text.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from os import PathLike
from pathlib import PurePath
from typing import Any

import wordplane
from wordplane import plots
from wordplane.classifier import TextClassifier
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import Audit, audit
from wordplane.errors import MissingExtraError
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.decisions import risk_coverage
from wordplane.evaluation.metrics import score
from wordplane.evaluation.reliability import top_label_reliability
from wordplane.files import whole_file
from wordplane.plots.style import FONT, HEIGHT, WIDTH
from wordplane.report import sections
from wordplane.report.documents import document, visible
from wordplane.report.learning import Learning, learning
from wordplane.report.matrix import matrix
from wordplane.report.measured import Measured, measure
from wordplane.report.thresholds import class_curves
from wordplane.threads import thread_count

TOP_FEATURES, FEATURE_CLASSES = 12, 24
MISTAKES, MISTAKE_CHARACTERS = 12, 700


def write_report(
    path: str | PathLike[str],
    model: TextClassifier,
    corpus: Corpus,
    measured: Measured | None = None,
    *,
    quick: bool = False,
    random_state: int = 0,
) -> None:
    """Write a page about a model and its data to a file.

    Parameters
    ----------
    path
        The file, written whole or not at all.
    model, corpus
        The model, and labelled texts: those marked test are measured, or else all.
    measured
        What `measure` found, if other rows or scores are to be shown.
    quick
        Leave out what trains models: the audit of the data and the learning curve.
    random_state
        Of the folds of audit and learning curve.
    """
    measured = measured or measure(model, corpus)
    found, learned = None, None
    if not quick and len(set(corpus.labels or ())) > 1:
        threads = thread_count(model.n_jobs)
        found = audit(corpus, random_state=random_state, threads=threads)
        learned = learning(measured, random_state)
    page = render(measured, found, learned)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")


def render(measured: Measured, audited: Audit | None, learned: Learning | None) -> str:
    """The page as text."""
    model, classes = measured.model, measured.model.classes_
    truth, said, P = measured.truth, measured.said, measured.probabilities
    scores = score(truth, said, probabilities=P, classes=classes)
    reliable = top_label_reliability(truth, P, classes=classes)
    risk = risk_coverage(truth, P, classes=classes)
    confused = most_confused(truth, said, 10)
    table, curves = matrix(measured), class_curves(measured)
    unknown = sorted(set(truth.tolist()) - set(classes.tolist()), key=str)
    content = {
        "title": PurePath(measured.corpus.source).name or "Texts",
        "version": wordplane.__version__,
        "measured": measured,
        "notes": _notes(unknown),
        "summary": sections.summary(
            measured, scores, reliable, confused, _advice(audited, learned)
        ),
        "tiles": sections.tiles(scores, reliable),
        "scores": scores,
        "metrics": sections.metrics(scores),
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
        "features": _features(model),
        "mistakes": _mistakes(measured),
        "audited": audited is not None,
        "suspects": None if audited is None else sections.suspects(audited, measured),
        "findings": [] if audited is None else sections.findings(audited, measured),
        "made": sections.made(measured),
        "data": {**table.to_data(), "curves": _curve_data(curves), "size": [WIDTH, HEIGHT]},
    }
    return _filled(content)


def _filled(content: dict[str, Any]) -> str:
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtraError("the report needs Jinja", "report") from error

    folder = files("wordplane.report") / "page"
    template, style, script = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("template.html", "style.css", "script.js")
    )
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        # Escaping comes after this, and what is marked as markup stays as it is.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["picture"] = lambda svg: Markup(svg.replace(f' font-family="{FONT}"', ""))
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment.from_string(template).render(
        **content,
        sections=[(id, name) for id, name in SECTIONS if content.get(SHOWN_IF.get(id, "made"))],
        policy=policy,
        style=Markup(style),
        script=Markup(script),
    )


SECTIONS = (
    ("metrics", "Metrics"),
    ("confusion", "Confusion"),
    ("thresholds", "Thresholds"),
    ("reliability", "Reliability"),
    ("learning", "Learning curve"),
    ("features", "Features"),
    ("mistakes", "Mistakes"),
    ("labels", "Labels"),
    ("audit", "Data"),
    ("made", "How it was made"),
)
# A section is left out where there is nothing to put in it.
SHOWN_IF = {
    "thresholds": "curves",
    "learning": "learning",
    "mistakes": "mistakes",
    "labels": "suspects",
    "audit": "audited",
}


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


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


def _features(model: TextClassifier) -> list[Any]:
    """The first classes, and the rest."""
    classes = []
    for label, features in model.top_features(TOP_FEATURES).items():
        most = max((weight for _, weight in features), default=0.0)
        rows = [(_shown(name), w, w / most) for name, w in features if w > 0 < most]
        classes.append((label, rows))
    groups = [classes[:FEATURE_CLASSES], classes[FEATURE_CLASSES:]]
    return [group for group in groups if group]


def _shown(feature: str) -> str:
    kind, colon, rest = feature.partition(":")
    return f"{kind}{colon}{rest.replace(' ', '␣')}" if kind == "char" else feature


def _mistakes(measured: Measured) -> list[Any]:
    wrong = measured.wrong.nonzero()[0]
    surest = wrong[(-measured.sure[wrong]).argsort(kind="stable")[:MISTAKES]]
    return [document(measured, int(i), MISTAKE_CHARACTERS) for i in surest]


def _curve_data(curves: Any) -> list[dict[str, Any]]:
    return [
        {
            "positive": c.n_positive,
            "negative": c.n_negative,
            "right": c.true_positives,
            "wrong": c.false_positives,
        }
        for c in curves
    ]
