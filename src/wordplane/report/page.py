"""Renders the report and writes it to a file.

The page loads nothing: its content-security policy allows only its own style and script, by their
hashes. The template escapes all text, and the script adds text as text.
"""

from importlib.resources import files
from os import PathLike

from wordplane.common.errors import MissingExtraError
from wordplane.common.files import whole_file
from wordplane.common.html import content_policy
from wordplane.common.threads import thread_count
from wordplane.common.types import JsonObject
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import audit_corpus
from wordplane.model.classifier import TextClassifier
from wordplane.model.measuring import Measurement, SetMeasurement, measure_unseen
from wordplane.plots.style import FONT, altair
from wordplane.report.content import report_content
from wordplane.report.more_data import draw_learning_curve
from wordplane.report.multilabel import multilabel_content
from wordplane.report.shown_texts import visible

SECTIONS = (
    ("metrics", "Metrics"),
    ("confusion", "Confusion"),
    ("pairs", "Label pairs"),
    ("thresholds", "Thresholds"),
    ("reliability", "Reliability"),
    ("learning", "Learning curve"),
    ("features", "Features"),
    ("mistakes", "Mistakes"),
    ("labels", "Labels"),
    ("audit", "Data"),
    ("provenance", "How it was made"),
)
# Sections that are left out if this variable is empty.
SHOWN_IF = {
    "confusion": "matrix",
    "pairs": "pairs",
    "reliability": "reliability",
    "thresholds": "curves",
    "learning": "learning",
    "mistakes": "mistakes",
    "labels": "suspects",
    "audit": "audited",
}


def write_report(
    path: str | PathLike[str],
    model: TextClassifier,
    corpus: Corpus,
    measured: Measurement | SetMeasurement | None = None,
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
        The model and labeled texts. The rows marked test are measured, or else all rows.
    measured
        The result of `measure`, to show other rows or scores.
    quick
        Leave out the audit and the learning curve, which train models.
    random_state
        The seed of the folds of audit and learning curve.
    """
    altair()  # fail early if it is missing
    measured = measured or measure_unseen(model, corpus)
    audit, learning = None, None
    can_be_judged = not quick and len(set(corpus.labels or ())) > 1
    if can_be_judged:
        threads = thread_count(model.n_jobs)
        audit = audit_corpus(corpus, random_state=random_state, threads=threads)
    if isinstance(measured, SetMeasurement):  # a learning curve needs one label per text
        _write(path, multilabel_content(measured, audit))
        return
    if can_be_judged:
        learning = draw_learning_curve(measured, random_state)
    _write(path, report_content(measured, audit, learning))


def _write(path: str | PathLike[str], content: JsonObject) -> None:
    page = render(content)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")


def render(content: JsonObject) -> str:
    """The page with this content."""
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
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        # Runs before escaping, and leaves markup alone.
        finalize=_show_controls,
    )
    environment.filters["picture"] = lambda svg: Markup(svg.replace(f' font-family="{FONT}"', ""))
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment.from_string(template).render(
        **content,
        sections=[(id, name) for id, name in SECTIONS if content.get(SHOWN_IF.get(id, "title"))],
        policy=content_policy(style, script),
        style=Markup(style),
        script=Markup(script),
    )


def _show_controls(value: object) -> object:
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
