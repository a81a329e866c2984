"""What a model said about labeled rows, and how good that is.

`measure` is the one place where a model meets rows that it is measured on: `train` measures on the
rows held out, `evaluate` on the rows it is told, a report on rows that the model has not seen
(`measure_honestly`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, are_label_sets, as_label_sets
from wordplane.common.labels import as_model_labels, check_known
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, Label, LabelArray
from wordplane.data.corpus import Corpus, RowLabels, label_tuple
from wordplane.data.splits import draw_rows
from wordplane.evaluation.label_decisions import predict_out_of_fold
from wordplane.evaluation.metrics import Scores, score
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.learners.support.base import LinearClassifier, best_class
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import was_trained_on
from wordplane.model.plan import Holdout
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.documents import as_documents

FOLDS = 5
MAX_ROWS = 100_000  # that are cross-validated


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
    rows: IntArray
    truth: LabelArray
    said: LabelArray
    probabilities: FloatArray
    how: str
    by: TextClassifier
    too_good: bool = False
    by_others: bool = False

    @property
    def sure(self) -> FloatArray:
        """The probability of the label said."""
        return np.asarray(self.probabilities.max(axis=1))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which rows were called what they are not."""
        return np.asarray(self.truth != self.said)

    @property
    def true_labels(self) -> list[Label]:
        """The labels that rows have."""
        return list(dict.fromkeys(self.truth.tolist()))

    @property
    def unknown_labels(self) -> list[Label]:
        """True labels that the model does not know, sorted."""
        return sorted(set(self.true_labels) - set(self.model.classes_.tolist()), key=str)

    def score(self, *, log_loss: bool = False, random_state: int = 0) -> Scores:
        """How good that is, on request with the log-loss of the probabilities."""
        if not log_loss:
            return score(self.truth, self.said, random_state=random_state)
        classes, P = self.model.classes_, self.probabilities
        return score(
            self.truth, self.said, probabilities=P, classes=classes, random_state=random_state
        )

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
    """The same of a multi-label model. The labels of `truth` and `said` are those of the model,
    then those that it does not know."""

    model: TextClassifier
    corpus: Corpus
    rows: IntArray
    truth: LabelSets
    said: LabelSets
    probabilities: FloatArray
    how: str
    too_good: bool = False
    by_others: bool = False

    @property
    def true_labels(self) -> list[Label]:
        """The labels that rows have."""
        return list(self.truth.classes[self.truth.member.any(axis=0)].tolist())

    @property
    def unknown_labels(self) -> list[Label]:
        """True labels that the model does not know, sorted."""
        return list(self.truth.classes.tolist()[len(self.model.classes_) :])

    def score(self, *, log_loss: bool = False, random_state: int = 0) -> SetScores:
        """How good that is."""
        del log_loss  # a score of one label per row
        return score_sets(self.truth, self.said, random_state=random_state)

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
    rows: IntArray,
    how: str = "of the data",
    *,
    holdout: Holdout | None = None,
    scores: FloatArray | None = None,
    too_good: bool = False,
) -> Measured | MeasuredSets:
    """What a model says about some rows of a corpus.

    `holdout` is what a first fit said about these very rows, `scores` what models of other folds
    did: the model itself has seen them. `too_good` marks rows that it was trained on.
    """
    truth = _truth(model, corpus, rows)
    by, by_others = model, scores is not None
    if holdout is not None:
        scores = holdout.scores
        by_others = holdout.model is None
        by = model if holdout.model is None else TextClassifier.from_model(holdout.model)
    elif scores is None:
        scores = model.decision_function(corpus.take(rows))
    probabilities = model.probabilities_of(scores)
    if isinstance(truth, LabelSets):
        said: LabelArray | LabelSets = model.labels_of(scores)
        if holdout is not None:
            said = holdout.predicted
        elif by_others:  # the model's own thresholds were tuned on these very rows
            n_known = len(model.classes_)
            said = LabelSets(model.classes_, predict_out_of_fold(scores, truth.member[:, :n_known]))
        assert isinstance(said, LabelSets)
        return MeasuredSets(
            model=model,
            corpus=corpus,
            rows=rows,
            truth=truth,
            said=said.with_classes(truth.classes),
            probabilities=probabilities,
            how=how,
            too_good=too_good,
            by_others=by_others or holdout is not None,
        )
    return Measured(
        model=model,
        corpus=corpus,
        rows=rows,
        truth=truth,
        said=model.classes_[best_class(scores, len(model.classes_))].astype(object),
        probabilities=probabilities,
        how=how,
        by=by,
        too_good=too_good,
        by_others=by_others,
    )


def measure_honestly(model: TextClassifier, corpus: Corpus) -> Measured | MeasuredSets:
    """Measure a model on the rows marked test, or else on all rows: if it was trained on these and
    its learner is known, by cross-validation."""
    check_labels(model, corpus)
    rows, how = corpus.split_rows("test"), "marked test"
    too_good = False
    if len(rows) == 0:
        rows, how = np.arange(len(corpus)), "of the data"
        too_good = _was_trained_on(model, corpus)
    if len(rows) == 0:
        raise InputError(f"{corpus.source}: there are no rows to measure on")
    scores = None
    learner = learner_of(model) if too_good else None
    if learner is not None and len(corpus) >= 2 * FOLDS:
        how, too_good = "of the data, each by a model trained on the other four fifths", False
        if len(rows) > MAX_ROWS:
            fifths = "each by a model trained on four fifths of them"
            how = f"drawn at random from {len(rows):,}, {fifths}"
            strata = np.array([repr(label) for label in corpus.labels or []])
            rows = draw_rows(strata, MAX_ROWS, model.random_state)
        scores = _cross_validate(model, learner, corpus.take(rows))
    measured = measure(model, corpus, rows, how, scores=scores, too_good=too_good)
    check_known(measured.true_labels, model.classes_, corpus.source)
    return measured


def check_labels(model: TextClassifier, corpus: Corpus) -> None:
    """There are labels, and of the kind that the model gives: one per text, or several."""
    if corpus.labels is None:
        raise InputError(f"{corpus.source}: there are no labels to measure with")
    if are_label_sets(corpus.labels) == model.is_multilabel:
        return
    if model.is_multilabel:
        raise InputError(
            f"{corpus.source} has one label per text, the model is multi-label: say what separates "
            "labels with `label_separator`, or give lists (JSONL, Parquet)"
        )
    raise InputError(f"{corpus.source} has several labels per text, the model gives one")


def _truth(model: TextClassifier, corpus: Corpus, rows: IntArray) -> LabelArray | LabelSets:
    """The labels of the rows as the model has them; unknown ones come last."""
    labels = [(corpus.labels or [])[row] for row in rows.tolist()]
    classes = model.classes_
    if not model.is_multilabel:
        return as_model_labels(labels, classes)
    truth = _label_sets(labels, classes)
    unknown = sorted(set(truth.classes.tolist()) - set(classes.tolist()), key=str)
    return truth.with_classes(np.array([*classes.tolist(), *unknown], dtype=object))


def _label_sets(labels: Sequence[RowLabels], classes: LabelArray) -> LabelSets:
    return as_label_sets(
        [as_model_labels(label_tuple(some), classes).tolist() if some else [] for some in labels]
    )


def learner_of(model: TextClassifier) -> LinearClassifier | None:
    """A learner such as the model's; None if the model does not tell enough to make one."""
    if isinstance(model.learner, LinearClassifier):
        return model.learner
    return model.training_.make_learner()


def _was_trained_on(model: TextClassifier, corpus: Corpus) -> bool:
    """Whether the model was trained on these texts; without a fingerprint of them, whether on as
    many of the same source."""
    training = model.training_
    if training.fingerprint is not None:
        return was_trained_on(training, corpus)
    name = PurePath(corpus.source).name
    return training.n_docs == len(corpus) and training.source in (None, name)


def _cross_validate(model: TextClassifier, learner: LinearClassifier, corpus: Corpus) -> FloatArray:
    analyzer = model.model_.features.analyzer
    labels: LabelArray | LabelSets
    if model.is_multilabel:
        labels = _label_sets(corpus.labels or [], model.classes_).with_classes(model.classes_)
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
