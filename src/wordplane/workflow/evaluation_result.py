"""What `evaluate` finds out."""

from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_table
from wordplane.common.types import JsonObject, Label
from wordplane.data.corpus import Corpus
from wordplane.evaluation.hierarchy import LevelScores
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.measures import Score
from wordplane.evaluation.ordered_scores import OrderedScores
from wordplane.evaluation.reliability import Reliability
from wordplane.evaluation.set_scores import SetScores
from wordplane.model.classifier import TextClassifier
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.measuring import measure_unseen
from wordplane.workflow.answer_scores import answer_lines, level_lines
from wordplane.workflow.mistakes import list_mistakes
from wordplane.workflow.result import (
    Line,
    Result,
    accuracy_text,
    between,
    class_html,
    class_table,
    groups_text,
    ordered_lines,
    score_lines,
)
from wordplane.workflow.slices import Slices

if TYPE_CHECKING:
    from polars import DataFrame


@dataclass(frozen=True, repr=False)
class EvaluationResult(Result):
    """How good a model is on some rows.

    rows           which rows were measured: all, train, dev or test
    scores         accuracy, macro F1 and log-loss with intervals and baselines; for a multi-label
                   model micro F1, macro F1, exact matches and Hamming loss
    reliability    whether probabilities can be trusted; None for a multi-label model
    brier          the Brier score; None for a multi-label model
    bootstrap      percentiles of the accuracy of resampled rows, if asked for
    metrics        further metrics by name, with 95 % intervals, if asked for
    slices         the metrics on the rows of each value of a column, if asked for
    answers        how good the likeliest labels, confident labels and sets of labels are, if asked
                   for
    levels         how good it is at every level of labels such as a/b/c, if asked for
    ordered        of a learner that takes labels to be in order, how far they are off
    on_dask        whether workers of Dask have the texts, so that those of `corpus` are empty
    most_confused  (true label, predicted label, texts), the commonest first
    """

    source: str
    notes: tuple[str, ...]
    rows: str
    scores: Scores | SetScores
    metrics: dict[str, tuple[float, Interval | None]]
    slices: Slices | None
    model: TextClassifier = field(repr=False)
    corpus: Corpus = field(repr=False)
    measured: Measurement | SetMeasurement = field(repr=False)
    ordered: OrderedScores | None = None
    on_dask: bool = False
    reliability: Reliability | None = None
    brier: float | None = None
    bootstrap: Interval | None = None
    most_confused: tuple[tuple[Label, Label, float], ...] = ()
    answers: dict[str, float] = field(default_factory=dict)
    levels: tuple[LevelScores, ...] = ()

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {"rows": self.rows, "notes": list(self.notes), **self.scores.to_dict()}
        shown["metrics"] = {name: list(score) for name, score in self.metrics.items()}
        if self.slices is not None:
            shown["by"] = self.slices.to_dict()
        if self.reliability is not None:
            shown |= self.answers
            if self.levels:
                shown["levels"] = [level.to_dict() for level in self.levels]
            if self.ordered is not None:
                shown["ordered"] = self.ordered.to_dict()
            shown["brier"] = self.brier
            shown["bootstrap"] = self.bootstrap
            shown["reliability"] = self.reliability.to_dict()
            shown["most_confused"] = [list(mistake) for mistake in self.most_confused]
        return shown

    def __str__(self) -> str:
        lines = [super().__str__(), "", *class_table(self.scores.classes)]
        if isinstance(self.scores, Scores):
            s = self.scores
            width = max(len("label"), *(len(str(c.label)) for c in s.classes))
            macro = f"{s.macro_precision:>9.1%}  {s.macro_recall:>6.1%}  {s.macro_f1:>6.1%}"
            lines.append(f"{'macro':{width}}  {s.n:>8,}  {macro}")
        if self.most_confused:
            lines += ["", "commonest mistakes"]
        lines += [f"  {n:,.0f} of {true} called {said}" for true, said, n in self.most_confused]
        if self.slices is not None:
            lines += ["", str(self.slices)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: what the command prints."""
        html = super()._repr_html_() + class_html(self.scores.classes)
        if self.most_confused:
            mistakes = [(true, said, f"{n:,.0f}") for true, said, n in self.most_confused]
            html += html_table(["label", "called", "texts"], mistakes, "commonest mistakes")
        return html if self.slices is None else html + self.slices._repr_html_()

    @property
    def has_mistakes(self) -> bool:
        """Whether any row has another label, or other labels, than predicted."""
        s = self.scores
        return (s.accuracy if isinstance(s, Scores) else s.subset_accuracy) < 1

    @cached_property
    def mistakes(self) -> "DataFrame":
        """The rows that the model gets wrong, those first of which it is surest: a frame of polars
        with their number (of a file from 1, in memory from 0), text, label, predicted label and its
        probability, and the words that say most."""
        if self.on_dask:
            raise InputError("mistakes need the texts here: evaluate without `dask`")
        return list_mistakes(self.measured)

    def report(self, path: str | PathLike[str], *, quick: bool = False) -> None:
        """Write a page about the model on these rows, without training models if `quick`."""
        from wordplane.report.page import write_report

        if self.on_dask:
            raise InputError("a report needs the texts here: evaluate without `dask`")
        measured = self.measured
        if measured.trained_on:
            measured = measure_unseen(self.model, self.corpus)
        seed = self.model.random_state
        write_report(path, self.model, self.corpus, measured, quick=quick, random_state=seed)

    def _groups_text(self) -> str:
        groups = self.corpus.groups
        return groups_text(None if groups is None else len(np.unique(groups)))

    def _lines(self) -> list[Line]:
        s = self.scores
        marked = "" if self.rows == "all" else f" marked {self.rows}"
        known = ", which the model was trained on" if self.measured.trained_on else ""
        texts = "1 text" if s.n == 1 else f"{s.n:,} texts"
        lines = [("measured", f"{texts}{marked}{self._groups_text()}{known}")]
        metrics = [(name, str(Score(name, *score))) for name, score in self.metrics.items()]
        if not isinstance(s, Scores):
            return [*lines, *score_lines(s), *metrics]
        lines.append(("accuracy", accuracy_text(s)))
        if self.bootstrap is not None:
            how = f"{between(self.bootstrap)} is the 95 % interval of the accuracy by resampling"
            lines.append(("bootstrap", how))
        macro = (
            f"{s.macro_f1:.1%} (95 % interval {between(s.macro_f1_interval)}); always "
            f"{s.majority_label!r} would be {s.majority_macro_f1:.1%}, "
            f"random {s.random_macro_f1:.1%}"
        )
        lines += [("macro F1", macro), *ordered_lines(self.ordered), *metrics]
        if s.log_loss is not None:
            interval = "95 % interval " * (s.log_loss_interval is not None) + s.log_loss_ends()
            loss = (
                f"{s.log_loss:.4f} ({interval}); the shares of the classes would be "
                f"{s.prior_log_loss:.4f}"
            )
            lines.append(("log-loss", loss))
        if self.reliability is not None:
            r = self.reliability
            lines.append(
                (
                    "certain",
                    f"mean confidence {r.confidence:.1%}, accuracy {r.right:.1%}; calibration "
                    f"error {r.ece_text()}",
                )
            )
        return [*lines, *answer_lines(self.answers), *level_lines(self.levels)]
