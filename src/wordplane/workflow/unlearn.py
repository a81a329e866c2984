"""Take texts out of a model that learned from them.

Naive Bayes subtracts what each text has added. Other learners do not hold that: they are trained
again, with the same features and learner, on the training data without the texts (`rest`). Nothing
of the texts is left then: words, their weights (idf), the weights of features and the calibration
all come from the texts that remain. To begin at the weights of the model instead takes longer,
because a pass of the learner from weights of 0 is cheaper than to find the words again.
"""

from collections import Counter
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Unpack

from wordplane.common.errors import InputError
from wordplane.common.label_sets import as_labels_or_sets
from wordplane.common.notes import Note
from wordplane.common.types import LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.learners.names import RECIPE
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import USUAL_KIND
from wordplane.model.saved_models import load_classifier
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    LabeledData,
    Reading,
    name_of,
    training_rows,
)
from wordplane.workflow.placement import require_memory_for_all
from wordplane.workflow.spec import DecisionOptions, TrainingSpec
from wordplane.workflow.train_options import UnlearnOptions, check_options, select_options
from wordplane.workflow.training_result import TrainingResult
from wordplane.workflow.training_steps import (
    Tested,
    TrainingData,
    finish_training,
    fit_corpus,
    make_result,
)
from wordplane.workflow.update import corpus_for, resumable_model

AGAIN = "trained again, from weights of 0, on the texts that remain"


def unlearn(
    model: TextClassifier | str | PathLike[str],
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    rest: DataLike | None = None,
    output: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    groups: GroupsLike = None,
    **options: Unpack[UnlearnOptions],
) -> TrainingResult:
    """Take texts out of a model, as if it had never learned from them.

    Naive Bayes, if the model is resumable, needs nothing else; others need `rest`. The model that
    is given stays as it is.

    Parameters
    ----------
    model : TextClassifier or path
        The model that learned from the texts.
    data, labels
        The texts, with the labels that they had then, as for `train`.
    rest : path, frame or Corpus, default None
        The training data of the model, with the texts to remove or without them. The model is
        trained again on what remains, by its own features and learner; a note says how far from
        the optimum the weights of an SVM or a logistic regression can be.
    output : path, default None
        Where to save the new model.
    report : path, default None
        Where to write a page about a model that was trained again.
    groups : values, default None
        Which texts of `rest` belong together, as for `train`.
    **options
        `test`, `calibration`, `calibrator`, `metric`, `require`, `n_jobs` and `random_state` of
        `train`, for training again, and how files and frames are read.

    Examples
    --------
    >>> from wordplane import train
    >>> texts, labels = ["a great film", "great fun", "a dull film", "dull"] * 5, list("++--") * 5
    >>> model = train(texts, labels, learner="nb", calibration=None).model
    >>> unlearn(model, ["a dull film"], ["-"]).model.training_.n_docs
    19
    """
    check_options("unlearn", options, UnlearnOptions)
    calibrator = options.get("calibrator", USUAL_KIND)
    spec = TrainingSpec(**select_options(options, DecisionOptions), calibrator=calibrator)
    n_jobs, reading = options.get("n_jobs"), select_options(options, Reading)
    given = LabeledData(data, labels, groups, reading)
    if rest is None:
        also = "; to remove texts, give its training data as `rest`"
        return _subtract(copy(resumable_model(model, also)), given, n_jobs, output)
    require_memory_for_all(LabeledData(rest, reading=reading), "`unlearn`", n_jobs)
    base = model if isinstance(model, TextClassifier) else load_classifier(model)
    learner = _unfitted_learner(base)
    classifier = TextClassifier(
        base.model_.features.analyzer,
        RECIPE if base.training_.boundary else learner,  # whose boundary the recipe alone shifts
        calibration=spec.rule.calibration,
        calibrator=calibrator,
        metric=spec.rule.metric or base.training_.metric,
        n_jobs=n_jobs,
        random_state=spec.random_state,
    )
    corpus = _remaining(base, given, rest)
    fit_corpus(classifier, corpus.take(training_rows(corpus)))
    certificate = classifier.model_.certificate
    how = [f"{AGAIN}: {certificate}" if certificate else AGAIN]
    return finish_training(classifier, corpus, spec, output=output, report=report, remarks=how)


def _subtract(
    classifier: TextClassifier,
    given: LabeledData,
    n_jobs: int | None,
    output: str | PathLike[str] | None,
) -> TrainingResult:
    """Take the texts out of a model that holds what each has added."""
    corpus = corpus_for(classifier, given)
    rows = training_rows(corpus)
    removed, n_before = corpus.take(rows), classifier.n_features
    classifier.n_jobs = n_jobs
    classifier.remove(removed, as_labels_or_sets(removed.labels), removed.weights)
    n_features = n_before - classifier.n_features
    tested = Tested(f"not tested: these texts were removed, and with them {n_features:,} features")
    every = training_rows(removed)
    about = TrainingData.of(removed, every, classifier.training_.n_docs, test=False)
    return make_result(classifier, about, tested, [], output=output, resumable=True)


def _unfitted_learner(base: TextClassifier) -> LinearClassifier:
    """A new learner such as the model's; an InputError says why there is none."""
    learner, why = base.training_.make_learner(), base.training_.why_not_refit()
    if base.training_.edits and not why:
        why = "it was edited: remove the texts from the model before that, and edit the result"
    if why or learner is None:
        raise InputError(f"texts cannot be removed from the model with `rest`: {why}")
    return learner


def _remaining(base: TextClassifier, given: LabeledData, rest: DataLike) -> Corpus:
    """The training data `rest` without the texts to remove: each takes out one row with the same
    text and label, if there is one. A note counts them."""
    if given.reading.get("vectors") is not None:
        raise InputError("`rest` goes with texts alone: `vectors` cannot be those of both files")
    of_removed = Reading(**{**given.reading, "group": None})
    removed = corpus_for(base, replace(given, groups=None, reading=of_removed))
    corpus = corpus_for(base, LabeledData(rest, None, given.groups, given.reading))
    left = Counter(zip(removed.texts, removed.labels or [], strict=True))
    rows = []
    for row, key in enumerate(zip(corpus.texts, corpus.labels or [], strict=True)):
        if left[key] > 0:
            left[key] -= 1
        else:
            rows.append(row)
    remaining, n_found = corpus.take(rows), len(corpus) - len(rows)
    note = (
        f"texts to remove: {len(removed):,}; {n_found:,} of them are among the "
        f"{len(corpus):,} of {name_of(corpus)}, which leaves {len(rows):,}"
    )
    if n_found < len(removed):
        note += "; the others are not there any more, or differ in a character or in the label"
    return replace(remaining, notes=(*remaining.notes, Note("method", note)))
