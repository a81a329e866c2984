"""Renders the report and writes it to a file.

The page loads nothing: its content-security policy allows only its own style and script, by their
hashes. The template escapes all text, and the script adds text as text.
"""

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING

from wordplane.common.errors import MissingExtraError
from wordplane.common.files import whole_file
from wordplane.common.html import content_policy
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import JsonObject
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import audit_corpus
from wordplane.model.classifier import TextClassifier
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.measuring import has_seen, measure_unseen
from wordplane.model.number_measurement import NumberMeasurement
from wordplane.plots.style import FONT
from wordplane.plots.svg import vl_convert
from wordplane.report.content import report_content
from wordplane.report.more_data import draw_learning_curve
from wordplane.report.multilabel import multilabel_content
from wordplane.report.numbers import number_content
from wordplane.report.shown_texts import visible

if TYPE_CHECKING:
    from markupsafe import Markup

STEPS = 4  # of writing a report
SECTIONS = (
    ("metrics", "Metrics"),
    ("numbers", "Predicted and true"),
    ("confusion", "Confusion"),
    ("pairs", "Label pairs"),
    ("thresholds", "Thresholds"),
    ("reliability", "Reliability"),
    ("learning", "Learning curve"),
    ("features", "Words"),
    ("mistakes", "Mistakes"),
    ("far", "Farthest off"),
    ("labels", "Labels"),
    ("audit", "Data"),
    ("provenance", "How it was made"),
)
# Sections that are left out if this variable is empty.
SHOWN_IF = {
    "numbers": "numbers",
    "far": "numbers",
    "confusion": "matrix",
    "pairs": "pairs",
    "reliability": "reliability",
    "thresholds": "curves",
    "learning": "asks_for_data",
    "mistakes": "mistakes",
    "labels": "suspects",
    "audit": "audited",
}


@dataclass(frozen=True)
class Heading:
    """What stands above a report.

    title  default: the name of the data
    model  the name of the model
    date   default: today, or the day of SOURCE_DATE_EPOCH, so that a page can be made again
    """

    title: str = ""
    model: str = ""
    date: str = ""

    def content(self, corpus: Corpus) -> JsonObject:
        """The variables of the template."""
        data = PurePath(corpus.source).name
        date = self.date or _today()
        parts = (("model", self.model), ("data", data), ("date", date))
        about = [(name, value) for name, value in parts if value]
        return {"title": self.title or data or "Texts", "about": about}


def _today() -> str:
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is not None and seconds.isdecimal():
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    return datetime.now().astimezone().date().isoformat()


def write_report(
    path: str | PathLike[str],
    model: TextClassifier,
    corpus: Corpus,
    measured: Measurement | SetMeasurement | None = None,
    *,
    heading: Heading | None = None,
    train: Corpus | None = None,
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
    heading
        Its title, the name of the model and the date.
    train
        The texts that the model was trained on, whose learning curve is drawn; not needed if the
        corpus has them. Of other texts it would say nothing about the model.
    quick
        Leave out the audit and the learning curve, which train models.
    random_state
        The seed of the folds of audit and learning curve.
    """
    vl_convert()  # fail early if it is missing
    notify("report: measuring", 0, STEPS)
    measured = measured or measure_unseen(model, corpus)
    audit, learning = None, None
    if not quick and len(set(corpus.labels or ())) > 1:
        notify("report: auditing the data", 1, STEPS)
        threads = thread_count(model.n_jobs)
        audit = audit_corpus(corpus, random_state=random_state, threads=threads)
    if isinstance(measured, SetMeasurement):  # a learning curve needs one label per text
        content = multilabel_content(measured, audit)
    else:
        seen = train if train is not None else corpus if has_seen(model, corpus) else None
        if not quick and seen is not None:
            notify("report: learning curve", 2, STEPS)
            learning = draw_learning_curve(model, seen, random_state)
        notify("report: drawing", 3, STEPS)
        content = report_content(measured, audit, learning)
        content["needs_train"] = not quick and seen is None
    _write(path, content, heading, corpus)


def write_number_report(
    path: str | PathLike[str], measured: NumberMeasurement, *, heading: Heading | None = None
) -> None:
    """Write a page about a model that predicts numbers: its errors, a picture of them, the words
    with the largest weights, and the texts that are farthest off."""
    vl_convert()
    notify("report: drawing", 1, STEPS)
    _write(path, number_content(measured), heading, measured.corpus)


def _write(
    path: str | PathLike[str], content: JsonObject, heading: Heading | None, corpus: Corpus
) -> None:
    above = (heading or Heading()).content(corpus)
    content = {"needs_train": False, "numbers": None, **content, **above}
    content["asks_for_data"] = content["learning"] or content["needs_train"]
    page = render(content)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")
    notify("report: done", STEPS, STEPS)


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
    environment.filters["code"] = _code
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment.from_string(template).render(
        **content,
        sections=[(id, name) for id, name in SECTIONS if content.get(SHOWN_IF.get(id, "title"))],
        policy=content_policy(style, script),
        style=Markup(style),
        script=Markup(script),
    )


def _code(text: str) -> "Markup":
    """Text in which `names` in backticks are code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(visible(text)))))


def _show_controls(value: object) -> object:
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
