"""Measure a model on labeled texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_table
from wordplane.common.label_sets import LabelSets
from wordplane.common.labels import check_known
from wordplane.common.notes import Note
from wordplane.common.parameters import refuse_string
from wordplane.common.types import FloatArray, JsonObject, Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.hierarchy import Hierarchy, LevelScores, score_levels
from wordplane.evaluation.intervals import Interval, percentile_interval
from wordplane.evaluation.label_scores import Scores, resample_means
from wordplane.evaluation.measures import Metric, Score, score_by
from wordplane.evaluation.ordered_scores import OrderedScores
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.reliability import Reliability, brier_score, top_label_reliability
from wordplane.evaluation.resampling import N_RESAMPLES
from wordplane.evaluation.set_scores import SetScores
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import TRAINED_ON
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.measuring import check_labels, measure, measure_unseen, score_order, truth_of
from wordplane.model.predictor import TextPredictor
from wordplane.model.saved_models import ModelLike, as_predictor, open_model
from wordplane.workflow.answer_scores import answer_lines, level_lines, score_answers
from wordplane.workflow.answers import Wanted
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    GroupsLike,
    LabeledData,
    Reading,
    has_learned_from,
    load_corpus_for,
    name_of,
    refuse_time,
    rows_to_measure,
)
from wordplane.workflow.mistakes import list_mistakes
from wordplane.workflow.remarks import remark_on_empty, remarks_on_rows
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
from wordplane.workflow.slices import Slices, slice_by

if TYPE_CHECKING:
    from polars import DataFrame

    from wordplane.workflow.number_evaluation import NumberEvaluationResult

N_CONFUSED = 5


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
        lines = [("measured", f"{s.n:,} texts{marked}{self._groups_text()}")]
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


def evaluate(
    model: ModelLike | TextPredictor,
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    rows: str | None = None,
    bootstrap: bool = False,
    metrics: Sequence[str] = (),
    by: str | None = None,
    groups: GroupsLike = None,
    top_k: int | None = None,
    min_confidence: float | None = None,
    set_confidence: float | None = None,
    separator: str | None = None,
    dask: DaskLike | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> "EvaluationResult | NumberEvaluationResult":
    """Measure a model on labeled texts, compared with what guessing would give.

    Which models of a file were measured on the same test rows is kept in MODEL.evaluations.json,
    and noted from the second on.

    Parameters
    ----------
    model : TextClassifier, TextRegressor or path
        The model. Of one that predicts numbers, the result is a `NumberEvaluationResult`.
    data, labels
        Labeled texts, as for `train`. Columns are those that the model was trained on, unless
        others are named.
    rows : "all", "train", "dev", "test" or "cv", default None
        Which rows of a column `split` to measure; None means test, or else cv, or else all.
    bootstrap : bool, default False
        Also give the bootstrap interval of the accuracy, in addition to Wilson's.
    metrics : sequence of str, default ()
        Further metrics with intervals: micro_f1, weighted_f1, macro_recall, mcc, kappa,
        quadratic_kappa, log_loss, f1:LABEL, ap:LABEL, auc:LABEL, precision@K, recall@K, ndcg@K,
        lrap.
    by : str, default None
        A column: also measure the rows of each of its values by themselves, by `metrics` or else
        by accuracy and macro F1 (multi-label: micro F1 and exact matches).
    groups : values, default None
        Which texts belong together (author, thread, customer), one value per text: intervals are
        of resampled groups, because texts of a group are right or wrong together. Files have
        `group`, the name of a column.
    top_k : int, default None
        Also give how often the label is among the k likeliest.
    min_confidence : float, default None
        Also give how many texts get a label with this probability or more, and how many are right.
    set_confidence : float, default None
        Also give how often sets of labels contain the label, and how large they are.
    separator : str, default None
        Of labels such as a/b/c: also give how good every level is; with `min_confidence`, how many
        texts get a label, or the part of one, of so much probability.
    dask : Client or str, default None
        Let the workers of Dask read and label files that all of them see, each file by one: a
        client, the address of a scheduler, or "local" (docs/scale.md).
    random_state : int, default 0
        The seed of the intervals.
    n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> import wordplane
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = wordplane.TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> evaluate(model, ["great", "dull film"], ["good", "bad"]).scores.accuracy
    1.0
    """
    asked = Wanted(
        top_k=top_k,
        min_confidence=min_confidence,
        set_confidence=set_confidence,
        separator=separator,
    )
    refuse_time(reading)
    file = None if isinstance(model, TextPredictor) else model
    model = as_predictor(model)
    if not isinstance(model, TextClassifier):
        from wordplane.workflow.number_evaluation import evaluate_numbers, refuse_for_numbers

        refuse_for_numbers(bootstrap=bootstrap, metric=metrics, by=by, dask=dask)
        model.n_jobs = n_jobs
        given = LabeledData(data, labels, groups, reading)
        return evaluate_numbers(model, given, rows, asked, file=file, random_state=random_state)
    model = open_model(model, n_jobs)
    _check_asked(model, asked, by)
    columns, scores = () if by is None else (by,), None
    if dask is None:
        whole = load_corpus_for(model, data, labels, columns, groups=groups, **reading)
        corpus, marked = rows_to_measure(whole, rows)
    elif labels is not None or groups is not None:
        raise InputError("`dask` measures files of all workers: leave out `labels` and `groups`")
    else:
        from wordplane.workflow.dask_evaluation import score_on_dask

        corpus, marked, scores = score_on_dask(model, data, columns, rows, dask, reading)
        whole = corpus
    _check_rows(model, corpus, by, bootstrap, metrics)
    trained_on = has_learned_from(model, whole, corpus, marked)
    if trained_on:
        corpus = replace(corpus, notes=(*corpus.notes, Note("model", TRAINED_ON)))
    measured = measure_all(model, corpus, trained_on=trained_on, scores=scores)
    outcome, together = measured.outcome(), corpus.groups
    scored = [
        score_by(metric, outcome, groups=together, random_state=random_state) for metric in metrics
    ]
    slices = None
    if by is not None:
        slices = slice_by(
            by, corpus.extras[by], outcome, metrics, groups=together, random_state=random_state
        )
    return EvaluationResult(
        source=corpus.source,
        notes=_notes(measured, file, marked, on_dask=dask is not None),
        rows=marked,
        scores=measured.score(log_loss=True, random_state=random_state),
        metrics={score.metric: (score.value, score.interval) for score in scored},
        slices=slices,
        model=model,
        corpus=corpus,
        measured=measured,
        ordered=score_order(measured, random_state),
        on_dask=dask is not None,
        **_one_label_scores(measured, asked, random_state if bootstrap else None),
    )


def _check_asked(model: TextClassifier, asked: Wanted, by: object) -> None:
    """Refuse what the model cannot be asked for, before anything is read."""
    if by is not None and not isinstance(by, str):
        raise InputError(f"`by` is {by!r:.60}, expected the name of one column")
    asked.check(model)
    if asked.top_k is not None and model.is_multilabel:
        raise InputError("`top_k` is for one label per text: choose the metric precision@K")


def _check_rows(
    model: TextClassifier,
    corpus: Corpus,
    by: str | None,
    bootstrap: bool,
    metrics: Sequence[str],
) -> None:
    """Refuse what the rows do not allow, before they are scored."""
    if by is not None and by not in corpus.extras:
        raise InputError(f"{name_of(corpus)}: there is no column {by!r} (`by`)")
    if bootstrap and corpus.groups is not None:
        raise InputError(
            "`bootstrap` resamples texts one by one; with groups, the intervals are of resampled "
            "groups already: leave it out"
        )
    check_metrics(metrics, model, corpus)


def check_metrics(metrics: Sequence[str], model: TextClassifier, corpus: Corpus) -> None:
    """Refuse metrics that do not exist, or not for labels such as these."""
    refuse_string("`metrics`", metrics, "names")
    check_labels(model, corpus)
    if not metrics:
        return
    truth = truth_of(model, corpus, np.arange(len(corpus)))
    if isinstance(truth, LabelSets):
        outcome = Outcome.of_sets(truth, truth)
    else:
        outcome = Outcome.of_labels(truth, truth, classes=model.classes_.tolist())
    for name in metrics:
        Metric.of(name, outcome)


def _notes(
    measured: Measurement | SetMeasurement,
    file: str | PathLike[str] | None,
    marked: str,
    *,
    on_dask: bool,
) -> tuple[Note, ...]:
    notes = [*measured.corpus.notes, *remarks_on_rows(measured.corpus)]
    if not on_dask:
        notes += remark_on_empty(measured.corpus.texts)
    if measured.unknown_labels:
        names = ", ".join(map(repr, measured.unknown_labels))
        notes.append(Note("model", f"the model does not know the labels {names}"))
    if file is not None and marked in ("test", "all") and not measured.trained_on:
        again = count_evaluation(file, measured.corpus, marked)
        notes += [again] if again else []
    return tuple(notes)


class OneLabelScores(TypedDict, total=False):
    """The fields of a result that only models of one label per text have."""

    reliability: Reliability
    brier: float
    bootstrap: Interval | None
    most_confused: tuple[tuple[Label, Label, float], ...]
    answers: dict[str, float]
    levels: tuple[LevelScores, ...]


def _one_label_scores(
    measured: Measurement | SetMeasurement, asked: Wanted, seed: int | None
) -> OneLabelScores:
    """The further scores of one label per text; with a seed, the bootstrap interval too."""
    if not isinstance(measured, Measurement):
        return {}
    truth, classes, P = measured.truth, measured.model.classes_, measured.probabilities
    resampled = None
    levels: tuple[LevelScores, ...] = ()
    if seed is not None:
        right = (~measured.wrong).astype(np.float64)
        rng = np.random.default_rng(seed)
        resampled = percentile_interval(
            resample_means(right, np.ones(len(truth)), N_RESAMPLES, rng)
        )
    if asked.separator is not None:
        hierarchy = Hierarchy.of(classes.tolist(), asked.separator)
        predicted = measured.predicted.tolist()
        levels = score_levels(hierarchy, truth.tolist(), predicted, P, asked.min_confidence)
    return {
        "reliability": top_label_reliability(truth, P, classes=classes),
        "brier": brier_score(truth, P, classes=classes),
        "bootstrap": resampled,
        "most_confused": tuple(most_confused(truth, measured.predicted, N_CONFUSED)),
        "answers": score_answers(measured, asked),
        "levels": levels,
    }


def measure_all(
    model: TextClassifier, corpus: Corpus, *, trained_on: bool, scores: FloatArray | None = None
) -> Measurement | SetMeasurement:
    """What a model says of all rows, whose labels it must know in part, or has said (`scores`)."""
    check_labels(model, corpus)
    rows = np.arange(len(corpus))
    measured = measure(model, corpus, rows, scores=scores, trained_on=trained_on)
    measured = replace(measured, by_other_models=False)
    check_known(measured.true_labels, model.classes_, name_of(corpus))
    return measured
