"""Measure a model on labeled texts."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.labels import check_known, list_some
from wordplane.common.notes import Note
from wordplane.common.parameters import refuse_string
from wordplane.common.types import FloatArray, Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.hierarchy import Hierarchy, LevelScores, score_levels
from wordplane.evaluation.intervals import Interval, percentile_interval
from wordplane.evaluation.label_scores import resample_means
from wordplane.evaluation.measures import Metric, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.reliability import Reliability, brier_score, top_label_reliability
from wordplane.evaluation.resampling import N_RESAMPLES
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import TRAINED_ON
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.measuring import check_labels, measure, score_order, truth_of
from wordplane.model.predictor import TextPredictor
from wordplane.model.saved_models import ModelLike, as_predictor, open_model
from wordplane.workflow.answer_scores import score_answers
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.evaluation_result import EvaluationResult
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
from wordplane.workflow.remarks import remark_on_empty, remarks_on_rows
from wordplane.workflow.slices import slice_by
from wordplane.workflow.wanted import Wanted

if TYPE_CHECKING:
    from wordplane.workflow.number_evaluation import NumberEvaluationResult

N_CONFUSED = 5


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
        names = list_some(measured.unknown_labels)
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
