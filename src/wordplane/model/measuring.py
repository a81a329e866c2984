"""Measure models: let them predict labeled rows.

Models are measured here and nowhere else: `train` measures on the held-out rows, `evaluate` on the
given rows, a report on rows that the model has not seen (`measure_unseen`).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets, are_label_sets, as_label_sets, strata_of
from wordplane.common.labels import as_model_labels, check_known
from wordplane.common.memory import require_memory
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.data.corpus import Corpus, RowLabels, label_tuple
from wordplane.data.splits import draw_rows
from wordplane.evaluation.calibration import LogProbabilities, normalize
from wordplane.evaluation.ordered_scores import OrderedScores, score_ordered
from wordplane.learners.registry import learns_one_label
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import OrdersLabels
from wordplane.model.boundary import shift_out_of_fold
from wordplane.model.classifier import TextClassifier
from wordplane.model.fitting import NO_ROWS, Holdout
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.selection.cross_validation import out_of_fold, place_scores
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import Documents, as_documents

FOLDS = 5
MAX_ROWS = 100_000  # to cross-validate
TABLES = 4  # of texts x labels that are held at once: scores, probabilities, and copies


def measure(
    model: TextClassifier,
    corpus: Corpus,
    rows: IntArray,
    description: str = "of the data",
    *,
    holdout: Holdout | None = None,
    scores: FloatArray | None = None,
    member: NDArray[np.bool_] | None = None,
    trained_on: bool = False,
) -> Measurement | SetMeasurement:
    """Let a model predict some rows of a corpus.

    If the model has seen the rows, pass `holdout`, the predictions of a first fit without them, or
    `scores`, those of cross-validation, and for multi-label rows the labels (`member`) that its
    models decided for. `trained_on` marks rows that the model was trained on.
    """
    truth = truth_of(model, corpus, rows)
    predicted_by, by_other_models = model, scores is not None
    if holdout is not None:
        scores = holdout.scores
        by_other_models = holdout.model is None
        if holdout.model is not None:
            predicted_by = TextClassifier.from_model(holdout.model)
    elif scores is None:
        n_scores = len(rows) * len(model.classes_)
        what = f"measuring {len(rows):,} texts by the scores of {len(model.classes_):,} labels"
        require_memory(TABLES * 8 * n_scores, what, "measure on fewer texts")
        scores = model.decision_function(corpus.take(rows))
    probabilities = model.probabilities_of(scores)
    if isinstance(model.model_.calibrator, LogProbabilities):  # they need not sum to 1
        probabilities = normalize(probabilities)
    predicted = model.labels_of(scores) if holdout is None else holdout.predicted
    if isinstance(truth, LabelSets):
        if member is not None:  # the thresholds of the model itself were tuned on these rows
            predicted = LabelSets.of_member(model.classes_, member)
        assert isinstance(predicted, LabelSets)
        return SetMeasurement(
            model=model,
            corpus=corpus,
            rows=rows,
            truth=truth,
            predicted=predicted.with_classes(truth.classes),
            probabilities=probabilities,
            description=description,
            trained_on=trained_on,
            by_other_models=by_other_models or holdout is not None,
        )
    assert not isinstance(predicted, LabelSets), "a model of one label per text"
    return Measurement(
        model=model,
        corpus=corpus,
        rows=rows,
        truth=truth,
        predicted=predicted.astype(object),
        probabilities=probabilities,
        description=description,
        predicted_by=predicted_by,
        scores=scores,
        trained_on=trained_on,
        by_other_models=by_other_models,
    )


def measure_unseen(model: TextClassifier, corpus: Corpus) -> Measurement | SetMeasurement:
    """Measure a model on rows that it has not seen.

    These are the rows marked test, or else those marked cv, or else all rows: by cross-validation
    if the model was trained on them and its learner is known.
    """
    check_labels(model, corpus)
    rows, description = corpus.split_rows("test"), "marked test"
    among = np.arange(len(corpus))  # what the model was trained on, if it has seen the rows
    trained_on = len(rows) > 0 and model.was_fitted_on(replace(corpus, split=None))
    if len(rows) == 0:
        trained_on = has_seen(model, corpus)
        rows, description = corpus.split_rows("cv"), "marked cv"
        among = corpus.split_rows("train") if len(rows) else among
    if len(rows) == 0:
        rows, description = among, "of the data"
    if len(rows) == 0:
        raise InputError(f"{corpus.source}: there are no rows to measure on")
    scores = member = None
    splitter = Splitter(FOLDS, 1, corpus.groups, corpus.times, model.random_state)
    learner = learner_of(model) if trained_on else None
    if learner is not None and not learns_one_label(learner) and len(corpus) >= 2 * FOLDS:
        which = "the other four fifths" if len(rows) == len(among) else "four fifths of all"
        description += f", each by a model trained on {which}"
        trained_on = False
        if len(among) > MAX_ROWS:
            fifths = "each by a model trained on four fifths of them"
            description = f"drawn at random from {len(rows):,}, {fifths}"
            strata = np.array([repr(label) for label in corpus.labels or []])[among]
            among = among[draw_rows(strata, MAX_ROWS, model.random_state)]
            rows = np.intersect1d(rows, among)
        splitter = splitter.take(among)
        if splitter.times is not None:
            description = "of the later half, each by a model trained on all texts before its fold"
        held, scores, member = _cross_validate(model, learner, corpus.take(among), splitter)
        among = among[held]
        wanted = np.isin(among, rows)
        rows, scores = among[wanted], scores[wanted]
        member = None if member is None else member[wanted]
    measured = measure(
        model, corpus, rows, description, scores=scores, member=member, trained_on=trained_on
    )
    measured = replace(measured, in_folds=scores is not None)
    check_known(measured.true_labels, model.classes_, corpus.source)
    return measured


def measure_in_folds(
    model: TextClassifier, corpus: Corpus, rows: IntArray, folds: int
) -> Measurement | None:
    """Measure a model on all rows that it was trained on, or on those of them that are marked cv,
    by others that have not seen them; None if its learner cannot be trained again."""
    learner = learner_of(model)
    if learner is None or learns_one_label(learner):
        return None
    splitter = Splitter(folds, groups=corpus.groups, random_state=model.random_state)
    among, scores, _ = _cross_validate(model, learner, corpus.take(rows), splitter.take(rows))
    description = f"in {folds} folds, each by a model trained on the other {folds - 1}"
    rows = rows[among]
    is_marked = np.isin(rows, corpus.split_rows("cv"))
    if is_marked.any():
        rows, scores, description = rows[is_marked], scores[is_marked], f"marked cv, {description}"
    measured = replace(measure(model, corpus, rows, description, scores=scores), in_folds=True)
    return measured if isinstance(measured, Measurement) else None


def score_order(
    measured: Measurement | SetMeasurement | None, random_state: int = 0
) -> OrderedScores | None:
    """How far the labels are off, if the learner of the model takes them to be in order."""
    if not isinstance(measured, Measurement):
        return None
    classes = measured.model.classes_
    learner = learner_of(measured.model)
    values = learner.label_values(classes) if isinstance(learner, OrdersLabels) else None
    known = np.flatnonzero(np.isin(measured.truth, classes.astype(object)))
    if values is None or len(known) == 0:
        return None
    code = {label: k for k, label in enumerate(classes.tolist())}
    true, predicted = (
        values[[code[label] for label in labels[known].tolist()]]
        for labels in (measured.truth, measured.predicted)
    )
    groups = take_groups(measured.corpus.groups, measured.rows[known])
    return score_ordered(true, predicted, groups=groups, random_state=random_state)


def check_labels(model: TextClassifier, corpus: Corpus) -> None:
    """Raise an error unless there are labels, one or several per text as the model has them."""
    if corpus.labels is None:
        raise InputError(f"{corpus.source}: there are no labels to measure with")
    if are_label_sets(corpus.labels) == model.is_multilabel:
        return
    if model.is_multilabel:
        raise InputError(
            f"{corpus.source} has one label per text, the model is multi-label: name the separator "
            "of labels with `label_separator`, or use lists (JSONL, Parquet)"
        )
    name = corpus.source or "the data"
    raise InputError(f"{name} has several labels per text, the model predicts one")


def truth_of(model: TextClassifier, corpus: Corpus, rows: IntArray) -> LabelArray | LabelSets:
    """The labels of the rows with the types of the model's; unknown labels come last."""
    labels = [(corpus.labels or [])[row] for row in rows.tolist()]
    classes = model.classes_
    if not model.is_multilabel:
        return as_model_labels(labels, classes)
    truth = known_sets(labels, classes)
    unknown = sorted(set(truth.classes.tolist()) - set(classes.tolist()), key=str)
    return truth.with_classes(np.array([*classes.tolist(), *unknown], dtype=object))


def known_sets(labels: Sequence[RowLabels], classes: LabelArray) -> LabelSets:
    """Label sets read from a file, with the types of the labels of a model."""
    return as_label_sets(
        [as_model_labels(label_tuple(row), classes).tolist() if row else [] for row in labels]
    )


def learner_of(model: TextClassifier) -> LinearClassifier | None:
    """The learner of a model, rebuilt if need be; None if its training record is not enough."""
    if isinstance(model.learner, LinearClassifier):
        return model.learner
    return model.training_.make_learner()


def has_seen(model: TextClassifier, corpus: Corpus) -> bool:
    """Whether the model was trained on these texts.

    Without a fingerprint, the number of texts and the name of the source decide.
    """
    training = model.training_
    if training.fingerprint is not None or model.was_fitted_on(corpus):
        return model.was_fitted_on(corpus)
    name = PurePath(corpus.source).name
    return training.n_docs == len(corpus) and training.source in (None, name)


def _cross_validate(
    model: TextClassifier, learner: LinearClassifier, corpus: Corpus, splitter: Splitter
) -> tuple[IntArray, FloatArray, NDArray[np.bool_] | None]:
    """The rows that are in a fold, their scores, and of multi-label rows the labels they get."""
    features = model.model_.features
    labels: LabelArray | LabelSets
    if model.is_multilabel:
        labels = known_sets(corpus.labels or [], model.classes_).with_classes(model.classes_)
    else:
        labels = as_model_labels(corpus.labels or [], model.classes_)
    if model.training_.race and not isinstance(labels, LabelSets):
        return _choose_in_folds(model, corpus, labels, splitter)
    result = out_of_fold(
        features.analyzer,
        learner,
        as_documents(corpus, features.spec.columns.kinds),
        labels,
        splitter=splitter,
        threads=thread_count(model.n_jobs),
        decide=True,
    )
    rows = result.rows
    if isinstance(labels, LabelSets):
        assert result.member is not None
        return rows, result.scores.reshape(len(labels), -1)[rows], result.member[rows]
    scores, shift = result.scores, model.training_.shift
    if model.training_.boundary:
        codes = np.searchsorted(model.classes_, labels).astype(np.int32)
        by_time = splitter.times is not None
        scores = shift_out_of_fold(scores, codes, result.folds, in_order=by_time)
    scores = scores[rows]
    if not shift:
        return rows, scores, None
    return rows, scores + (shift[0] if scores.ndim == 1 else np.array(shift)), None


def _choose_in_folds(
    model: TextClassifier, corpus: Corpus, labels: LabelArray, splitter: Splitter
) -> tuple[IntArray, FloatArray, None]:
    """The rows that are in a fold, and the scores of each by a model that was chosen and trained
    without it."""
    seed, classes = model.random_state, model.classes_
    z = np.full((len(labels), len(classes) if len(classes) > 2 else 1), -np.inf)
    splits = splitter.split(strata_of(labels))
    for rest, held_out in splits:
        learned, groups = corpus.take(rest), take_groups(corpus.groups, rest)
        opened = TextClassifier(n_jobs=model.n_jobs, random_state=seed)
        plan = opened.make_plan(learned.texts, labels[rest], groups=groups).choose(NO_ROWS)
        fitted = plan.model()
        scores = fitted.scores(Documents(corpus.texts.take(held_out)), plan.threads)
        place_scores(z, held_out, scores, np.searchsorted(classes, fitted.classes))
    shift = model.training_.shift
    rows = np.sort(np.concatenate([held_out for _, held_out in splits]))
    z = (z + np.array(shift) if shift else z)[rows]
    return rows, z[:, 0] if z.shape[1] == 1 else z, None
