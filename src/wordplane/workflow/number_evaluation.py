"""Measure a model that predicts numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import as_groups
from wordplane.common.notes import Note
from wordplane.common.types import FloatArray, JsonObject
from wordplane.data.corpus import Corpus
from wordplane.evaluation.intervals import Interval, wilson_interval
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.evaluation.number_scores import NumberScores, figure
from wordplane.learners.support.regressor import as_target
from wordplane.model.fingerprint import TRAINED_ON
from wordplane.model.number_measurement import NumberMeasurement
from wordplane.model.predictor import TextPredictor
from wordplane.model.regressor import TextRegressor
from wordplane.workflow.answers import DIGITS
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.inputs import LabeledData, Reading, load_texts, rows_to_measure
from wordplane.workflow.numbers import read_numbers
from wordplane.workflow.result import Line, Result, number_lines
from wordplane.workflow.wanted import Wanted

if TYPE_CHECKING:
    from polars import DataFrame

TRUTH = "number"  # the column that they are kept in while rows are chosen


@dataclass(frozen=True)
class Covered:
    """How many true numbers are within the intervals of a level."""

    level: float
    share: float
    interval: Interval
    width: float

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {"level": self.level, "covered": self.share, "covered_interval": self.interval,
                "width": self.width}  # fmt: skip


@dataclass(frozen=True, repr=False)
class NumberEvaluationResult(Result):
    """How good a model that predicts numbers is on some rows.

    rows     which rows were measured: all, train, dev or test
    scores   MAE, RMSE, R2 and Spearman's correlation with intervals and baselines
    covered  how many numbers are within intervals, if asked for (`set_confidence`)
    truth, predicted  the numbers, and what the model says
    """

    source: str
    notes: tuple[str, ...]
    rows: str
    scores: NumberScores
    covered: Covered | None
    model: TextRegressor = field(repr=False)
    corpus: Corpus = field(repr=False)
    truth: FloatArray = field(repr=False)
    predicted: FloatArray = field(repr=False)

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {"rows": self.rows, "notes": list(self.notes), **self.scores.to_dict()}
        return shown if self.covered is None else {**shown, **self.covered.to_dict()}

    def _lines(self) -> list[Line]:
        marked = "" if self.rows == "all" else f" marked {self.rows}"
        lines = [("measured", f"{self.scores.n:,} texts{marked}"), *number_lines(self.scores)]
        if self.covered is not None:
            c = self.covered
            low, high = c.interval
            text = (
                f"{c.share:.1%} (95 % interval {low:.1%} to {high:.1%}) of the numbers are within "
                f"the intervals of {c.level:.0%}, which are {figure(c.width)} wide"
            )
            lines.append(("covered", text))
        return lines

    @property
    def measured(self) -> NumberMeasurement:
        """The rows, with their true and predicted numbers."""
        marked = "of the data" if self.rows == "all" else f"marked {self.rows}"
        return NumberMeasurement(
            model=self.model,
            corpus=self.corpus,
            rows=np.arange(len(self.corpus)),
            truth=self.truth,
            predicted=self.predicted,
            description=marked,
            trained_on=self.model.was_fitted_on(self.corpus),
        )

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page about the model on these rows."""
        from wordplane.report.page import write_number_report

        write_number_report(path, self.measured)

    @cached_property
    def mistakes(self) -> DataFrame:
        """All rows, those that are farthest off first: a frame of polars with their number (of a
        file from 1, in memory from 0), text, number and predicted number."""
        import polars as pl

        order = np.argsort(-np.abs(self.truth - self.predicted), kind="stable").tolist()
        corpus = self.corpus
        return pl.DataFrame(
            {
                "row": [corpus.row_number(row) for row in order],
                "text": [corpus.texts[row] for row in order],
                "number": self.truth[order],
                "predicted": self.predicted[order].round(DIGITS),
            }
        )


def refuse_for_numbers(**given: object) -> None:
    """Refuse options that only make sense for labels."""
    for name, value in given.items():
        if value:
            raise InputError(f"`{name}` is for labels, and the model predicts numbers")


def evaluate_numbers(
    model: TextPredictor,
    given: LabeledData,
    rows: str | None,
    wanted: Wanted,
    *,
    file: str | PathLike[str] | None,
    random_state: int,
) -> NumberEvaluationResult:
    """Measure a regressor on texts with numbers: those given, or in the column that it was trained
    on, or in the one named `label`."""
    assert isinstance(model, TextRegressor)
    wanted.check(model)
    whole, truth = _read(model, given)
    numbered = replace(whole, extras={**whole.extras, TRUTH: truth.tolist()})
    corpus, marked = rows_to_measure(numbered, rows)
    truth = np.array(corpus.extras[TRUTH], dtype=np.float64)
    notes = list(corpus.notes)
    if model.was_fitted_on(corpus):
        notes.append(Note("model", TRAINED_ON))
    elif file is not None and marked in ("test", "all"):
        again = count_evaluation(file, corpus, marked)
        notes += [again] if again else []
    z = model.predict(corpus)
    return NumberEvaluationResult(
        source=corpus.source,
        notes=tuple(notes),
        rows=marked,
        scores=NumberScores.of(truth, z, groups=corpus.groups, random_state=random_state),
        covered=_covered(model, truth - z, wanted.set_confidence),
        model=model,
        corpus=corpus,
        truth=truth,
        predicted=z,
    )


def _read(model: TextRegressor, given: LabeledData) -> tuple[Corpus, FloatArray]:
    """Texts with the columns of the model, and their numbers."""
    own, reading = model.model_.columns(), given.reading
    known: Reading = {**reading, "label": None}
    if not known.get("text") and own["text_hint"]:
        known["text"] = list(own["text_hint"])
    if own["extra"]:
        known["extra"] = dict(own["extra"])
    if given.labels is None:
        column = reading.get("label") or model.training_.label_column
        if column is None:
            raise InputError("which column has the numbers? Name it with `label`")
        corpus, truth = read_numbers(LabeledData(given.data, reading=known), column)
    else:
        is_corpus = isinstance(given.data, Corpus)
        corpus = given.data if is_corpus else load_texts(given.data, {"extra": dict(own["extra"])})  # type: ignore[assignment]
        truth = as_target(given.labels)
        if len(truth) != len(corpus):
            raise InputError(f"{len(corpus)} texts and {len(truth)} numbers: one each is needed")
    if given.groups is not None:
        corpus = replace(corpus, groups=as_groups(given.groups, len(corpus)))
    return corpus, truth


def _covered(model: TextRegressor, errors: FloatArray, level: float | None) -> Covered | None:
    intervals = model.model_.calibrator
    if level is None or not isinstance(intervals, NumberIntervals):
        return None
    low, high = intervals.margins(level)
    n_within = int(((errors >= low) & (errors <= high)).sum())
    interval = wilson_interval(n_within, len(errors))
    return Covered(level, n_within / len(errors), interval, high - low)
