"""Diagnose a learner: does it overfit, underfit or lack texts, and what to try."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log
from textwrap import fill
from typing import Unpack

from wordplane.common.html import html_paragraph, html_table
from wordplane.common.labels import as_labels
from wordplane.common.types import JsonObject, LabelsLike
from wordplane.diagnosis.advice_trials import MAX_DOCS, AdviceTrial, is_simple, try_advice
from wordplane.diagnosis.forecast import Forecast, forecast
from wordplane.diagnosis.learning_curve import LearningCurve, learning_curve
from wordplane.diagnosis.verdict import SIMPLER, Verdict, verdict
from wordplane.selection.splitter import Splitter
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    Reading,
    check_folds,
    load_corpus,
    refuse_sets,
    training_rows,
)
from wordplane.workflow.result import Line, Result, html_of, text_of
from wordplane.workflow.spec import AnalyzerLike, LearnerLike, TrainingSpec

MORE_TEXTS = 1_000  # to forecast, and as many again as there are
HEIGHT, STEP = 10, 7  # of the picture, in characters
WIDTH = 90


@dataclass(frozen=True, repr=False)
class DiagnosisResult(Result):
    """A learning curve, what it says in words, what its advice gave where that was tried, and what
    more texts would bring."""

    source: str
    notes: tuple[str, ...]
    n_rows: int
    folds: int
    splits: str
    curve: LearningCurve
    verdict: Verdict
    forecasts: tuple[Forecast, ...]
    trials: tuple[AdviceTrial, ...] = ()

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {
            "source": self.source,
            "splits": self.splits,
            "learning_curve": self.curve.to_dict(),
            "verdict": vars(self.verdict),
            "tried": [{**vars(one), "effect": one.effect} for one in self.trials],
            "forecasts": [vars(f) for f in self.forecasts],
        }

    def __str__(self) -> str:
        lines = [
            f"diagnosed {self.source or 'texts'}: {self.n_rows:,} texts, {self.splits}\n",
            f"{'accuracy':>35}  {'log-loss':>17}",
            f"{'texts':>9}  {'training':>8}  {'others':>14}  {'training':>9}  {'others':>6}",
        ]
        for size, train, dev, train_loss, dev_loss in self._rows():
            lines.append(f"{size:>9}  {train:>8}  {dev:>14}  {train_loss:>9}  {dev_loss:>6}")
        kind = f"verdict   {self.verdict.kind}: {self.verdict.sentence}"
        lines += [f"\n{draw(self.curve)}\n", fill(kind, WIDTH, subsequent_indent=" " * 10)]
        return "\n".join([*lines, text_of(self._advice())])

    def _repr_html_(self) -> str:
        """For notebooks: the curve as a table, and what it says."""
        head = ["texts", "accuracy, training", "others", "log-loss, training", "others"]
        caption = f"{self.n_rows:,} texts, {self.splits}"
        said = html_paragraph(f"{self.verdict.kind}: {self.verdict.sentence}")
        return html_table(head, self._rows(), caption) + said + html_of(self._advice(), self.notes)

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        rows = []
        for point in self.curve.points:
            low, high = point.interval("dev_accuracy")
            rows.append(
                (
                    f"{int(point.at):,}",
                    f"{point.mean('train_accuracy'):.1%}",
                    f"{point.mean('dev_accuracy'):.1%} ± {(high - low) / 2:.1%}",
                    f"{point.mean('train_loss'):.3f}",
                    f"{point.mean('dev_loss'):.3f}",
                )
            )
        return rows

    def _advice(self) -> list[Line]:
        tried = {one.advice for one in self.trials}
        others = [advice for advice in self.verdict.to_try if advice not in tried]
        lines = [("try" if i == 0 else "", advice) for i, advice in enumerate(others)]
        if self.trials:
            lines.append(("tried", f"as it is: {self.trials[0].before:.1%}"))
            lines += [("", str(one)) for one in self.trials]
        if self.verdict.to_try and self.verdict.not_worth_it:
            lines.append(("not", "; ".join(self.verdict.not_worth_it)))
        lines += [("forecast", str(one)) for one in self.forecasts]
        if not self.forecasts:
            none = "none: there are too few sizes or folds to draw a curve through"
            lines.append(("forecast", none))
        return lines


def diagnose(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    learner: LearnerLike = None,
    params: Mapping[str, object] | None = None,
    analyzer: AnalyzerLike = None,
    groups: GroupsLike = None,
    target: float | None = None,
    more: int | None = None,
    sizes: int = 8,
    folds: int = 5,
    repeats: int = 1,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> DiagnosisResult:
    """Say whether a learner overfits, underfits or lacks texts, and what to try.

    Models are trained on ever more of the texts and measured on others, by cross-validation. Rows
    marked test or dev are not looked at. Advice that is cheap to follow (more or less
    regularization, fewer, simpler or more features) is tried on the same folds, unless there are
    more than 20,000 texts.

    Parameters
    ----------
    data, labels
        Labeled texts, as for `train`.
    learner, params, analyzer
        What is diagnosed, as for `train`.
    target : float, default None
        The accuracy that is wanted, such as 0.9.
    more : int, default None
        Forecast what so many more labeled texts would add; None means 1,000, and as many again as
        there are.
    sizes : int, default 8
        The number of points of the curve.
    folds : int, default 5
        The number of folds. With `time`, a column of dates or numbers, they follow one another in
        time, and each is predicted by models of texts before it.
    repeats : int, default 1
        Split the texts into folds so many times, each time at random: narrower intervals.
    random_state : int, default 0
        The seed of folds and orders.
    groups, n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 10
    >>> result = diagnose(texts, ["good", "good", "bad", "bad"] * 10, learner="nb", sizes=3)
    >>> [int(point.at) for point in result.curve.points]
    [10, 18, 32]
    """
    corpus = load_corpus(data, labels, groups, **reading)
    refuse_sets(corpus, "diagnose")
    corpus = corpus.take(training_rows(corpus))
    spec = TrainingSpec(learner, params, analyzer, random_state=random_state)
    classifier = spec.classifier(corpus, n_jobs)
    y = as_labels(corpus.labels)
    plan = classifier.make_plan(corpus, y, corpus.weights)
    check_folds(folds, corpus)
    splitter = Splitter(folds, repeats, corpus.groups, corpus.times, random_state)
    curve = learning_curve(
        plan.analyzer,
        plan.learner,
        plan.documents,
        y,
        sizes=sizes,
        splitter=splitter,
        sample_weight=plan.weights,
        threads=plan.threads,
    )
    judged = verdict(curve, target)
    if is_simple(plan.analyzer):
        judged = replace(judged, to_try=tuple(one for one in judged.to_try if one != SIMPLER))
    trials: tuple[AdviceTrial, ...] = ()
    if len(y) <= MAX_DOCS and plan.weights is None:
        trials = try_advice(
            judged.to_try,
            plan.analyzer,
            plan.learner,
            plan.documents,
            y,
            splitter=splitter,
            threads=plan.threads,
        )
    wanted = [more] if more else sorted({min(MORE_TEXTS, len(y)), len(y)})
    forecasts = (forecast(curve, n_more) for n_more in wanted)
    return DiagnosisResult(
        source=corpus.source,
        notes=(*corpus.notes, curve.sample) if curve.sample else corpus.notes,
        n_rows=len(y),
        folds=folds,
        splits=splitter.description,
        curve=curve,
        verdict=judged,
        forecasts=tuple(f for f in forecasts if f is not None),
        trials=trials,
    )


def draw(curve: LearningCurve) -> str:
    """Accuracy by size: o of training texts, * of others with its interval |, - the baseline."""
    points = curve.points
    values = [point.mean(name) for point in points for name in ("train_accuracy", "dev_accuracy")]
    bottom, top = min(*values, curve.majority), max(values)
    height = max(top - bottom, 1e-9)
    logs = [log(point.at) for point in points]
    width = STEP * (len(points) - 1)
    canvas = [[" "] * (width + 3) for _ in range(HEIGHT + 1)]

    def row(value: float) -> int:
        return round(HEIGHT * (top - min(max(value, bottom), top)) / height)

    for column in range(width + 3):
        canvas[row(curve.majority)][column] = "-"
    for point, place in zip(points, logs, strict=True):
        column = 1 + round(width * (place - logs[0]) / max(logs[-1] - logs[0], 1e-9))
        low, high = point.interval("dev_accuracy")
        for line in range(row(high), row(low) + 1):
            canvas[line][column] = "|"
        canvas[row(point.mean("train_accuracy"))][column] = "o"
        canvas[row(point.mean("dev_accuracy"))][column] = "*"
    lines = [
        f"{top - height * i / HEIGHT:>8.1%} {''.join(line).rstrip()}"
        for i, line in enumerate(canvas)
    ]
    ends = f"{int(points[0].at):,}".ljust(width - 3) + f"{int(points[-1].at):,} texts"
    legend = "o training   * others, | their 95 % interval   - always the commonest label"
    return "\n".join([*lines, " " * 9 + ends, " " * 9 + legend])
