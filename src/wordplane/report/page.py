"""The page: everything put into the template, escaped, allowed by its hash, written whole.

The page loads nothing: a content-security policy forbids all but our own style and script, which
it names by their hashes. All text is escaped by the template, and the script adds text as text.
"""

from importlib.resources import files
from os import PathLike
from typing import Any

from wordplane.common.errors import MissingExtraError
from wordplane.common.files import whole_file
from wordplane.common.html import content_policy
from wordplane.common.threads import thread_count
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import audit_corpus
from wordplane.model.classifier import TextClassifier
from wordplane.model.measuring import Measured, MeasuredSets, measure_honestly
from wordplane.plots.style import FONT, altair
from wordplane.report.content import content
from wordplane.report.documents import visible
from wordplane.report.learning import learning
from wordplane.report.sets import set_content

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
    "confusion": "matrix",
    "reliability": "reliable",
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
    measured: Measured | MeasuredSets | None = None,
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
        What `measure` returned, if other rows or scores are to be shown.
    quick
        Leave out what trains models: the audit of the data and the learning curve.
    random_state
        Of the folds of audit and learning curve.
    """
    altair()  # if it is missing, nobody waits for the rest
    measured = measured or measure_honestly(model, corpus)
    if isinstance(measured, MeasuredSets):  # audit and learning curve are of one label per text
        _write(path, set_content(measured))
        return
    found, learned = None, None
    if not quick and len(set(corpus.labels or ())) > 1:
        threads = thread_count(model.n_jobs)
        found = audit_corpus(corpus, random_state=random_state, threads=threads)
        learned = learning(measured, random_state)
    _write(path, content(measured, found, learned))


def _write(path: str | PathLike[str], shown: dict[str, Any]) -> None:
    page = filled(shown)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")


def filled(shown: dict[str, Any]) -> str:
    """The template with all of this in it."""
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
        # Escaping comes after this, and what is marked as markup stays as it is.
        finalize=_shown,
    )
    environment.filters["picture"] = lambda svg: Markup(svg.replace(f' font-family="{FONT}"', ""))
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment.from_string(template).render(
        **shown,
        sections=[(id, name) for id, name in SECTIONS if shown.get(SHOWN_IF.get(id, "made"))],
        policy=content_policy(style, script),
        style=Markup(style),
        script=Markup(script),
    )


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
