"""What a model said about labelled rows that it is measured on."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, are_label_sets, as_label_sets
from wordplane.common.labels import as_model_labels, check_known
from wordplane.common.threads import thread_count
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.learning_curve import drawn
from wordplane.evaluation.label_decisions import cross_decided
from wordplane.learners.registry import LEARNERS, learner_named
from wordplane.learners.support.base import LinearClassifier, best_class
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import trained_on
from wordplane.model.recipe import recipe_learner
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.documents import as_documents

Rows = NDArray[np.int64]
FOLDS = 5
MOST = 100_000  # rows that are cross-validated


@dataclass(frozen=True, eq=False)
class Measured:
    """Row i of `truth`, `said` and `probabilities` is row rows[i] of the corpus.

    how        which rows these are, to go behind "texts"
    too_good   whether the model was trained on them
    by         the model that said it: this one, or one that had not seen them
    by_others  whether models said it that had not seen them, and are not at hand
    """

    model: TextClassifier
    corpus: Corpus
    rows: Rows
    truth: NDArray[Any]
    said: NDArray[Any]
    probabilities: NDArray[np.float64]
    how: str
    by: TextClassifier
    too_good: bool = False
    by_others: bool = False

    @property
    def sure(self) -> NDArray[np.float64]:
        """The probability of the label said."""
        return np.asarray(self.probabilities.max(axis=1))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which rows were called what they are not."""
        return np.asarray(self.truth != self.said)

    def name(self, row: int) -> str:
        """What the data calls a row of the corpus."""
        return _name(self.corpus, row)

    def true_of(self, k: int) -> NDArray[np.bool_]:
        """Which rows are of class k of the model."""
        return np.asarray(self.truth == self.model.classes_.tolist()[k])

    def said_of(self, k: int) -> NDArray[np.bool_]:
        """Which rows were called that."""
        return np.asarray(self.said == self.model.classes_.tolist()[k])


@dataclass(frozen=True, eq=False)
class MeasuredSets:
    """The same of a model of sets of labels. Labels of `truth` and `said` are those of the model,
    then those that it does not know."""

    model: TextClassifier
    corpus: Corpus
    rows: Rows
    truth: LabelSets
    said: LabelSets
    probabilities: NDArray[np.float64]
    how: str
    too_good: bool = False
    by_others: bool = False

    def name(self, row: int) -> str:
        """What the data calls a row of the corpus."""
        return _name(self.corpus, row)

    def true_of(self, k: int) -> NDArray[np.bool_]:
        """Which rows have label k of the model."""
        return self.truth.member[:, k]

    def said_of(self, k: int) -> NDArray[np.bool_]:
        """Which rows were given it."""
        return self.said.member[:, k]


def _name(corpus: Corpus, row: int) -> str:
    return f"row {row + 1}" if corpus.ids is None else str(corpus.ids[row])


def measure(
    model: TextClassifier,
    corpus: Corpus,
    rows: Rows | None = None,
    *,
    scores: NDArray[np.float64] | None = None,
    said: LabelSets | None = None,
    by: TextClassifier | None = None,
    how: str | None = None,
) -> Measured | MeasuredSets:
    """Measure a model on rows of a corpus: those marked test if there are any, else all.

    `scores` are those of a model that has not seen the rows, if `model` has, `said` the sets of
    labels that it gave them, if it gives sets, and `by` that model, if it is at hand. If `model`
    was trained on all rows and its learner is known, they are cross-validated.
    """
    if corpus.labels is None:
        raise InputError(f"{corpus.source}: there are no labels to measure with")
    if are_label_sets(corpus.labels) != model.is_multilabel:
        has, gives = "sets of labels", "one label per text"
        if model.is_multilabel:
            has, gives = gives, has + " (see --label-separator)"
        raise InputError(f"{corpus.source} has {has}, the model gives {gives}")
    cross_fitted = False
    too_good = False
    if rows is None:
        rows, how = corpus.split_rows("test"), "marked test"
        if len(rows) == 0:
            rows, how = np.arange(len(corpus)), "of the data"
            too_good = _trained_on(model, corpus)
    if len(rows) == 0:
        raise InputError(f"{corpus.source}: there are no rows to measure on")
    learner = learner_of(model) if too_good else None
    if learner is not None and len(corpus) >= 2 * FOLDS:
        how, too_good = "of the data, each by a model trained on the other four fifths", False
        if len(rows) > MOST:
            fifths = "each by a model trained on four fifths of them"
            how = f"drawn at random from {len(rows):,}, {fifths}"
            strata = np.array([repr(label) for label in corpus.labels])
            rows = drawn(strata, MOST, model.random_state)
        scores, cross_fitted = _cross_validated(model, learner, corpus.take(rows)), True
    by_others = scores is not None
    if scores is None:
        scores = model.decision_function(corpus.take(rows))
    classes = model.classes_
    if model.is_multilabel:
        truth = as_label_sets([_in_model(corpus.labels[row], classes) for row in rows.tolist()])
        check_known(truth.classes.tolist(), classes, corpus.source)
        unknown = sorted(set(truth.classes.tolist()) - set(classes.tolist()), key=str)
        truth = truth.with_classes(np.array([*classes.tolist(), *unknown], dtype=object))
        n_known = len(classes)
        if cross_fitted:  # the model's own thresholds were tuned on these very rows
            said = LabelSets(classes, cross_decided(scores, truth.member[:, :n_known]))
        found = model.labels_of(scores) if said is None else said
        assert isinstance(found, LabelSets)
        return MeasuredSets(
            model=model,
            corpus=corpus,
            rows=rows,
            truth=truth,
            said=found.with_classes(truth.classes),
            probabilities=model.probabilities_of(scores),
            how=how or "of the data",
            too_good=too_good,
            by_others=by_others,
        )
    labels = as_model_labels([corpus.labels[row] for row in rows.tolist()], classes)
    check_known(labels.tolist(), classes, corpus.source)
    return Measured(
        model=model,
        corpus=corpus,
        rows=rows,
        truth=labels,
        said=classes[best_class(scores, len(classes))].astype(object),
        probabilities=model.probabilities_of(scores),
        how=how or "of the data",
        by=by or model,
        too_good=too_good,
        by_others=by_others and by is None,
    )


def _in_model(labels: Any, classes: NDArray[Any]) -> list[Any]:
    return as_model_labels(list(labels), classes).tolist() if labels else []


def learner_of(model: TextClassifier) -> Any:
    """A learner such as the model's; None if the model does not tell enough to make one."""
    if isinstance(model.learner, LinearClassifier):
        return model.learner
    wanted, seed = model.training_.get("learner"), model.training_.get("seed", 0)
    candidates = [recipe_learner(short, seed) for short in (True, False)]
    candidates += [learner_named(name) for name in LEARNERS]
    return next((learner for learner in candidates if repr(learner) == wanted), None)


def _trained_on(model: TextClassifier, corpus: Corpus) -> bool:
    """Whether the model was trained on these texts; if it does not tell by which to know them,
    whether on as many of the same source."""
    name = PurePath(corpus.source).name
    training = model.training_
    if "texts_mark" in training:
        return trained_on(training, corpus)
    return training.get("n_docs") == len(corpus) and training.get("source", name) == name


def _cross_validated(model: TextClassifier, learner: Any, corpus: Corpus) -> NDArray[np.float64]:
    analyzer = model._model.features.analyzer
    labels: Any
    if model.is_multilabel:
        sets = as_label_sets([_in_model(held, model.classes_) for held in corpus.labels or []])
        labels = sets.with_classes(model.classes_)
    else:
        labels = as_model_labels(corpus.labels or [], model.classes_)
    done = out_of_fold(
        analyzer,
        learner,
        as_documents(corpus, analyzer.column_kinds()),
        labels,
        folds=FOLDS,
        random_state=model.random_state,
        threads=thread_count(model.n_jobs),
    )
    return done.scores


def digest(corpus: Corpus) -> str:
    """The SHA-256 of all texts and labels, in order.

    >>> from wordplane.text.texts import as_texts
    >>> digest(Corpus(as_texts(["a", "b"]), ["x", "y"]))[:16]
    'df8fb38d2d7400e6'
    """
    found = sha256()
    labels = corpus.labels or [None] * len(corpus)
    for text, label in zip(corpus.texts, labels, strict=True):
        for part in (text, repr(label)):
            data = part.encode("utf-8", "surrogatepass")
            found.update(b"%d:" % len(data))
            found.update(data)
    return found.hexdigest()
