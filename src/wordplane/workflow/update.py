"""Train a saved model further."""

from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Unpack

from wordplane.common.errors import InputError
from wordplane.common.label_sets import are_label_sets
from wordplane.common.labels import as_model_labels
from wordplane.common.threads import thread_count
from wordplane.common.types import LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.learners.resuming import resumable_names
from wordplane.model.classifier import TextClassifier
from wordplane.model.drift import moved_words
from wordplane.model.measuring import check_labels, known_sets
from wordplane.model.saved_models import load_classifier
from wordplane.text.documents import as_documents
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    LabeledData,
    Reading,
    load_corpus_for,
    name_of,
    refuse_time,
    training_rows,
)
from wordplane.workflow.placement import require_memory_for_all
from wordplane.workflow.spec import DecisionOptions, TrainingSpec
from wordplane.workflow.train_options import UpdateOptions, check_options, select_options
from wordplane.workflow.training_result import TrainingResult
from wordplane.workflow.training_steps import finish_training, fit_corpus


def update(
    model: TextClassifier | str | PathLike[str],
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    forget: float = 0.0,
    output: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    groups: GroupsLike = None,
    **options: Unpack[UpdateOptions],
) -> TrainingResult:
    """Train a model further on more labeled texts, by its own features and learner.

    Words and classes that are new to the model are added to it. Its learner must be naive Bayes or
    an online learner, and a file must have been saved as `resumable`. The model that is given stays
    as it is.

    Parameters
    ----------
    model : TextClassifier or path
        The model to train further.
    data, labels, groups
        Labeled texts, as for `train`.
    forget : float, default 0
        The share of what the model has learned that it forgets first.
    output : path, default None
        Where to save the new model, which is resumable again.
    report : path, default None
        Where to write a page about the model, if it is measured.
    **options
        `test`, `calibration`, `metric`, `require`, `n_jobs` and `random_state` of `train`, and how
        files and frames are read.

    Examples
    --------
    >>> from wordplane import train
    >>> texts, labels = ["a great film", "great fun", "a dull film", "dull"] * 5, list("++--") * 5
    >>> monday = train(texts, labels, learner="nb", calibration=None)
    >>> tuesday = update(monday.model, ["fine", "not fine"] * 5, ["+", "-"] * 5, calibration=None)
    >>> tuesday.model.training_.n_docs, tuesday.n_unseen_features
    (30, 3)
    """
    check_options("update", options, UpdateOptions)
    spec = TrainingSpec(**select_options(options, DecisionOptions))
    given = LabeledData(data, labels, groups, select_options(options, Reading))
    require_memory_for_all(given, "`update`", options.get("n_jobs"))
    before = resumable_model(model)
    corpus = corpus_for(before, given)
    trained_on = corpus.take(training_rows(corpus))
    classifier = copy(before).set_params(
        n_jobs=options.get("n_jobs"),
        random_state=spec.random_state,
        calibration="holdout" if spec.rule.calibration == "holdout" else None,
        metric=spec.rule.metric or before.metric,
    )
    fit_corpus(classifier, trained_on, forget=forget)
    known = set(before.classes_.tolist())
    documents = as_documents(trained_on, classifier.model_.features.spec.columns.kinds)
    threads = thread_count(classifier.n_jobs)
    return finish_training(
        classifier,
        corpus,
        spec,
        output=output,
        report=report,
        n_unseen_features=classifier.n_unseen_features_,
        moved=tuple(moved_words(before.model_, classifier.model_, documents, threads)),
        new_classes=tuple(each for each in classifier.classes_.tolist() if each not in known),
    )


def resumable_model(model: TextClassifier | str | PathLike[str], also: str = "") -> TextClassifier:
    """The model, if it can be trained further; or else an InputError says what `also` to do."""
    classifier = model if isinstance(model, TextClassifier) else load_classifier(model)
    if not classifier.is_resumable:
        name = "the model" if isinstance(model, TextClassifier) else str(model)
        raise InputError(
            f"{name} cannot be trained further: train it as resumable with one of the learners "
            f"{', '.join(resumable_names())}, as in `wordplane train DATA --learner nb --resumable`"
            f"{also}"
        )
    return classifier


def corpus_for(classifier: TextClassifier, given: LabeledData) -> Corpus:
    """More rows for a model, with labels as it has them."""
    refuse_time(given.reading)
    corpus = load_corpus_for(
        classifier, given.data, given.labels, groups=given.groups, **given.reading
    )
    if are_label_sets(corpus.labels) and not classifier.is_multilabel:
        raise InputError(f"{name_of(corpus)} has several labels per text, the model one")
    if classifier.is_multilabel:
        check_labels(classifier, corpus)
        return replace(corpus, labels=known_sets(corpus.labels or [], classifier.classes_).tolist())
    known = as_model_labels(corpus.labels or [], classifier.classes_)
    return replace(corpus, labels=known.tolist())
