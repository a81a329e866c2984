"""The steps after a classifier was made, in memory or on blocks: fit, measure, record, save."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple, Self, TypedDict, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.label_sets import LabelSets, as_labels_or_sets
from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.data.corpus import Corpus
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.set_scores import SetScores
from wordplane.model.boundary import FEW_TEXTS
from wordplane.model.classifier import TextClassifier
from wordplane.model.drift import Moved
from wordplane.model.fingerprint import fingerprint
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.measuring import measure, measure_in_folds, score_order
from wordplane.model.word_vectors import PretrainedLike
from wordplane.workflow.evaluation_count import count_fingerprint
from wordplane.workflow.inputs import training_rows
from wordplane.workflow.one_label import OneLabelTraining
from wordplane.workflow.remarks import remarks_on
from wordplane.workflow.spec import TrainingSpec
from wordplane.workflow.training_result import TrainingResult, class_sizes
from wordplane.workflow.weak_spots import WeakSpots

Marked = Literal["test", "dev"]
MARKED: tuple[Marked, ...] = ("test", "dev")  # rows that are measured on, the first of these
FOLDS = {10: 1_000_000, 5: 4_000_000}  # and for how many bytes x classes: more take too long


class RowsToMeasure(NamedTuple):
    """Rows that a trained model is measured on, if any, and which these are, to follow the word
    "texts"."""

    part: Literal["test", "dev", "holdout"] | None
    description: str


@frozen
class Tested:
    """How good a model is; no scores if it was not measured."""

    description: str
    scores: Scores | SetScores | None = None
    measured: Measurement | SetMeasurement | None = None


@frozen
class TrainingData:
    """What a model was trained on.

    corpus            all rows, or the columns alone if the rows are on disk
    fingerprint       of the rows trained on
    test_fingerprint  of the rows marked test, if they were measured
    """

    corpus: Corpus
    notes: tuple[str, ...]
    n_rows: int
    n_train: int
    classes: dict[str, int]
    multilabel: bool
    fingerprint: str
    test_fingerprint: str | None = None

    @classmethod
    def of(cls, corpus: Corpus, rows: IntArray, n_train: int | None, *, test: bool) -> Self:
        """Of a corpus whose `rows` may be trained on, and n_train of them were."""
        y, test_rows = as_labels_or_sets(corpus.labels), corpus.split_rows("test")
        is_tested = test and len(test_rows) > 0
        return cls(
            corpus,
            corpus.notes,
            n_rows=len(corpus),
            n_train=n_train or 0,
            classes={str(label): n for label, n in class_sizes(y)},
            multilabel=isinstance(y, LabelSets),
            fingerprint=fingerprint(corpus.texts, rows),
            test_fingerprint=fingerprint(corpus.texts, test_rows) if is_tested else None,
        )


class ResultFields(TypedDict, total=False):
    """Fields of a `TrainingResult` that only some trainings have."""

    n_unseen_features: int | None
    moved: tuple[Moved, ...]
    new_classes: tuple[Label, ...]
    one_label: OneLabelTraining | None
    rounds: tuple[dict[str, float], ...]


def fit_corpus(
    classifier: TextClassifier,
    corpus: Corpus,
    *,
    unlabeled: Corpus | None = None,
    pretrained: PretrainedLike | None = None,
    forget: float | None = None,
) -> None:
    """Fit a classifier to all rows, or with `forget` train it further on them; errors name the
    file."""
    rows = corpus, as_labels_or_sets(corpus.labels), corpus.weights
    try:
        if forget is None:
            classifier.fit(*rows, unlabeled=unlabeled, pretrained=pretrained, groups=corpus.groups)
        else:
            classifier.partial_fit(*rows, groups=corpus.groups, forget=forget)
    except InputError as error:
        if not corpus.source:
            raise
        raise InputError(f"{corpus.source}: {error}") from None


def choose_rows_to_measure(
    classifier: TextClassifier,
    n_marked: Mapping[Marked, int],
    n_train: int,
    *,
    test: bool,
    further: bool = False,
    how_held_out: str = "held out",
) -> RowsToMeasure:
    """Rows marked test, or else those marked dev, or else those held out."""
    for part, n_rows in n_marked.items():
        if test and n_rows > 0:
            return RowsToMeasure(part, f"marked {part}, never trained on")
    holdout = classifier.holdout_
    if holdout is not None:
        verb = "that was trained further on" if further else "trained on"
        how = f"{how_held_out}, by a model {verb} the other {n_train - len(holdout.rows):,}"
        if holdout.decision.guarantee is not None:
            how += "; the threshold was chosen on them too"
        return RowsToMeasure("holdout", how)
    if test and classifier.calibration == "holdout":
        return RowsToMeasure(None, "not tested: no class has a row to spare")
    return RowsToMeasure(None, "not tested")


def measure_model(
    classifier: TextClassifier,
    corpus: Corpus,
    *,
    test: bool,
    further: bool = False,
    one_label: OneLabelTraining | None = None,
    by_folds: bool = False,
) -> Tested:
    """Measure a model that was trained on the rows of a corpus that may be trained on; not if it
    was taught one label, and no text has another. `by_folds`: few texts are cross-validated."""
    train, how_held_out = training_rows(corpus), "held out"
    if corpus.groups is not None:
        how_held_out = "held out in whole groups"
    elif corpus.times is not None:
        how_held_out = "that are the latest"
    marked = {part: corpus.split_rows(part) for part in MARKED}
    part, description = choose_rows_to_measure(
        classifier,
        {part: len(rows) for part, rows in marked.items()},
        len(train),
        test=test,
        further=further,
        how_held_out=how_held_out,
    )
    if part is None:
        return Tested(description)
    marked_cv = corpus.split_rows("cv")
    is_few = len(train) < FEW_TEXTS or len(marked_cv) > 0
    if by_folds and part == "holdout" and is_few and corpus.weights is None:
        at_random = corpus.groups is None and corpus.times is None
        found = _measure_few(classifier, corpus, train) if at_random else None
        if found is not None:
            _keep_scores(classifier, found)
            return Tested(found.description, found.score(), found)
    holdout = classifier.holdout_ if part == "holdout" else None
    if holdout is not None and len(marked_cv) > 0:
        holdout = holdout.among(np.isin(train[holdout.rows], marked_cv))
    rows = marked["dev" if part == "dev" else "test"] if holdout is None else train[holdout.rows]
    if not classifier.is_multilabel:
        description = weighted(description, corpus.weights)
    measured = measure(classifier, corpus, rows, description, holdout=holdout)
    if one_label is not None and len(measured.true_labels) == 1:
        return Tested(one_label.tested_on)
    return Tested(description, measured.score(), measured)


def weighted(description: str, weights: FloatArray | None) -> str:
    """What was measured, and whether texts count by their weights."""
    return description if weights is None else f"{description}; texts count by their weights"


def _keep_scores(classifier: TextClassifier, measured: Measurement) -> None:
    """All texts measured, not the tenth held out, say what errors to expect on others."""
    reference = classifier.model_.reference
    if reference is not None:
        truth = measured.truth.astype(classifier.classes_.dtype)
        kept = reference.with_scores(classifier.classes_, measured.scores, truth)
        classifier.model_.reference = kept


def _measure_few(classifier: TextClassifier, corpus: Corpus, rows: IntArray) -> Measurement | None:
    """In ten folds, or five, or as many as there are texts if these are fewer; None if even that
    would take long, or a fold would leave one class alone."""
    counts = Counter(corpus.take(rows).labels or ())
    if classifier.is_multilabel or (len(counts) == 2 and min(counts.values()) == 1):
        return None
    work = corpus.take(rows).texts.arrays(0, len(rows))[0].size * len(classifier.classes_)
    folds = next((folds for folds, most in FOLDS.items() if work <= most), None)
    if folds is None:
        return None
    return measure_in_folds(classifier, corpus, rows, min(folds, len(rows)))


def record_training(
    classifier: TextClassifier,
    corpus: Corpus,
    fingerprint: str,
    tested_on: str | None = None,
    scores: Scores | SetScores | None = None,
) -> None:
    """Note in the model what it was trained on and how good it is."""
    classifier.model_.training = replace(
        classifier.training_,
        seed=classifier.random_state,
        # Only the name of the file: its folder does not concern whoever gets the model.
        source=Path(corpus.source).name,
        text_columns=corpus.text_columns,
        label_column=corpus.label_column,
        file_style=corpus.file_style,
        fingerprint=fingerprint,
        tested_on=tested_on,
        scores=scores,
    )


def finish_training(
    classifier: TextClassifier,
    corpus: Corpus,
    spec: TrainingSpec,
    *,
    output: str | PathLike[str] | None,
    report: str | PathLike[str] | None,
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
    unlabeled: bool = False,
    **fields: Unpack[ResultFields],
) -> TrainingResult:
    """Measure a model that was fitted in memory, record that, save it, and say what was trained.

    notes, remarks  what to know of the data, and of the model in addition to `remarks_on`
    unlabeled       whether texts without labels, or word vectors, were given too
    """
    further = fields.get("n_unseen_features") is not None
    one_label, rows = fields.get("one_label"), training_rows(corpus)
    tested = measure_model(
        classifier,
        corpus,
        test=spec.test,
        further=further,
        one_label=one_label,
        # What was chosen on all rows, or learned from others, folds of them cannot measure.
        by_folds=not (further or unlabeled or spec.tune or spec.metric or spec.require)
        and spec.max_size is None,
    )
    of_all = not further or spec.require is not None
    n_train = classifier.training_.n_docs if of_all else len(rows)
    data = TrainingData.of(corpus, rows, n_train, test=spec.test)
    record_training(classifier, corpus, data.fingerprint, tested.description, tested.scores)
    if spec.max_size is not None:
        from wordplane.model.small_plan import shrink

        classifier.model_ = shrink(classifier.model_, spec.max_size)  # the record takes room too
    own = remarks_on(classifier, corpus.take(rows), further=further, unlabeled=unlabeled)
    holdout = classifier.holdout_
    first = classifier.model_ if holdout is None or holdout.model is None else holdout.model
    fields["rounds"] = first.training.rounds  # of the model that was measured
    result = make_result(
        classifier,
        data,
        tested,
        [*notes, *own, *remarks],
        output=output,
        resumable=further or spec.resumable,
        **fields,
    )
    if report is not None and result.measured is not None:
        result.report(report)
    return result


def make_result(
    classifier: TextClassifier,
    data: TrainingData,
    tested: Tested,
    remarks: list[str],
    *,
    output: str | PathLike[str] | None,
    resumable: bool = False,
    **fields: Unpack[ResultFields],
) -> TrainingResult:
    """Save the model, if asked to, and say what was trained."""
    if output is not None:
        classifier.save(output, resumable=resumable)
        if data.test_fingerprint is not None:
            again = count_fingerprint(output, data.test_fingerprint, data.corpus.source, "test")
            remarks = [*remarks, again] if again else remarks
    training = classifier.training_
    return TrainingResult(
        model=classifier,
        source=data.corpus.source,
        notes=(*data.notes, *remarks),
        n_rows=data.n_rows,
        n_train=data.n_train,
        n_unlabeled=training.n_unlabeled,
        pretrained=training.pretrained,
        vector_folds=training.vector_folds,
        multilabel=data.multilabel,
        classes=data.classes,
        tested_on=tested.description,
        scores=tested.scores,
        n_features=classifier.n_features,
        path=None if output is None else str(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
        corpus=data.corpus,
        measured=tested.measured,
        ordered=score_order(tested.measured),
        weak_spots=WeakSpots.of(tested.scores, tested.measured, data.classes, data.corpus),
        **fields,
    )
