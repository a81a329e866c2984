"""Train a saved model further, or take texts out of it again."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.common.label_sets import are_label_sets, as_labels_or_sets
from wordplane.common.labels import as_model_labels
from wordplane.common.threads import thread_count
from wordplane.common.types import Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.learners.resuming import resumable_names
from wordplane.model.classifier import TextClassifier, load
from wordplane.model.drift import Moved, moved_words
from wordplane.model.measuring import check_labels, known_sets
from wordplane.model.text_model import TextModel
from wordplane.text.documents import as_documents
from wordplane.workflow.inputs import DataLike, GroupsLike, Reading, load_corpus_for, name_of
from wordplane.workflow.training_result import TrainingResult, class_sizes


def resume_model(
    model: TextClassifier | str | PathLike[str],
    calibration: str | None,
    n_jobs: int | None,
    random_state: int,
) -> TextClassifier:
    """The model to train further."""
    classifier = model if isinstance(model, TextClassifier) else load(model)
    if not classifier.is_resumable:
        name = "the model" if isinstance(model, TextClassifier) else str(model)
        raise InputError(
            f"{name} cannot be trained further: train it as `resumable` with one of the learners "
            f"{', '.join(resumable_names())}; to `remove` texts, give its training data as `rest`"
        )
    calibration = "holdout" if calibration == "holdout" else None
    return classifier.set_params(n_jobs=n_jobs, random_state=random_state, calibration=calibration)


def corpus_for(
    classifier: TextClassifier,
    data: DataLike,
    labels: LabelsLike | None,
    groups: GroupsLike,
    reading: Reading,
) -> Corpus:
    """More rows for a model, with labels as it has them."""
    corpus = load_corpus_for(classifier, data, labels, groups=groups, **reading)
    if are_label_sets(corpus.labels) and not classifier.is_multilabel:
        raise InputError(f"{name_of(corpus)} has several labels per text, the model one")
    if classifier.is_multilabel:
        check_labels(classifier, corpus)
        return replace(corpus, labels=known_sets(corpus.labels or [], classifier.classes_).tolist())
    known = as_model_labels(corpus.labels or [], classifier.classes_)
    return replace(corpus, labels=known.tolist())


def moved_in(before: TextModel, classifier: TextClassifier, corpus: Corpus) -> tuple[Moved, ...]:
    """The words that the model has changed its mind about."""
    kinds = classifier.model_.features.spec.columns.kinds
    threads = thread_count(classifier.n_jobs)
    documents = as_documents(corpus, kinds)
    return tuple(moved_words(before, classifier.model_, documents, threads))


def new_classes(before: TextModel, classifier: TextClassifier) -> tuple[Label, ...]:
    known = set(before.classes.tolist())
    return tuple(label for label in classifier.classes_.tolist() if label not in known)


def remove_texts(
    classifier: TextClassifier, corpus: Corpus, output: str | PathLike[str] | None
) -> TrainingResult:
    """Take the texts out of the model again."""
    n_before = classifier.n_features
    labels = as_labels_or_sets(corpus.labels)
    classifier.remove(corpus, labels, corpus.weights)
    if output is not None:
        classifier.save(output, resumable=True)
    return TrainingResult(
        model=classifier,
        source=corpus.source,
        notes=corpus.notes,
        n_rows=len(corpus),
        n_train=classifier.training_.n_docs or 0,
        n_unlabeled=0,
        unlabeled_folds={},
        multilabel=classifier.is_multilabel,
        classes={str(label): n for label, n in class_sizes(labels)},
        tested_on=f"not tested: these texts were removed, and with them "
        f"{n_before - classifier.n_features:,} features",
        scores=None,
        n_features=classifier.n_features,
        n_unseen_features=None,
        path=None if output is None else str(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
        rounds=(),
        corpus=corpus,
    )
