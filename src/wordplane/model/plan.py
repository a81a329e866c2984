"""An analyzer, a learner, and the labeled documents that they are to be fitted on."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows, take_groups
from wordplane.common.label_sets import LabelSets, LabelsOrSets, classes_of, strata_of
from wordplane.common.labels import encode
from wordplane.common.matrix import take_rows
from wordplane.common.types import FloatArray, IntArray, Label, LabelArray
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.features.fold_counts import FoldCounts
from wordplane.features.text_features import FittedTexts, fit_texts
from wordplane.learners.registry import fit_to_features
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.one_label import OneLabelClassifier
from wordplane.learners.support.protocols import (
    LeavesOutFeatures,
    measures_rounds,
    takes_unlabeled,
)
from wordplane.model.boundary import FOLDS, REPEATS, best_shift
from wordplane.model.decision import USUAL_KIND, Decision, Rule
from wordplane.model.race import Choice, choose_by_race, max_texts
from wordplane.model.recipe import Rival
from wordplane.model.text_model import Calibration, TextModel, text_model
from wordplane.model.training_record import Training
from wordplane.selection.cross_validation import cross_validate_counted, out_of_fold
from wordplane.selection.splitter import Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, TextsLike, as_documents

CALIBRATION_FOLDS = 5
MAX_ROUNDS = 10  # of leaving out features without weight


@dataclass(frozen=True)
class DocumentPlan(ABC):
    """What to fit on labeled documents in memory.

    groups  of rows that are held out together
    times   of rows, if the latest are held out
    choice  how the analyzer and the learner were chosen, if by a race
    """

    documents: Documents
    labels: LabelsOrSets
    weights: FloatArray | None
    threads: int
    groups: IntArray | None = None
    times: IntArray | None = None
    choice: Choice | None = None

    @abstractmethod
    def model(self, calibrator: Calibration = None) -> TextModel:
        """Fit it."""

    @property
    def n_classes(self) -> int:
        """The number of different labels."""
        return len(classes_of(self.labels))

    @property
    def decides_itself(self) -> bool:
        """Whether the learner decides without rows held out."""
        return False

    def choose(self, held_out: IntArray) -> Self:
        """The same with what suits the rows that are not held out best."""
        return self

    def take(self, rows: IntArray) -> Self:
        """The same on some of the rows."""
        return replace(
            self,
            documents=self.documents.take(rows),
            labels=self.labels[rows],
            weights=self.weights_of(rows),
            groups=take_groups(self.groups, rows),
            times=None if self.times is None else self.times[rows],
        )

    def strata(self) -> list[Label]:
        """What a split keeps in proportion."""
        return strata_of(self.labels)

    def labels_of(self, rows: IntArray) -> LabelsOrSets:
        """The labels of some rows."""
        return self.labels[rows]

    def weights_of(self, rows: IntArray) -> FloatArray | None:
        """The weights of some rows, if there are any."""
        return None if self.weights is None else self.weights[rows]

    @property
    def n_rows(self) -> int:
        """The number of documents."""
        return len(self.documents)

    def draw(self, rows: IntArray) -> _core.Texts:
        """The texts of some rows."""
        return self.documents.texts.take(rows)

    def texts_of(self, rows: IntArray) -> _core.Texts:
        """The texts of some rows."""
        return self.draw(rows)

    def fit_without(self, held_out: IntArray) -> tuple[TextModel, FloatArray]:
        """The model of the other rows, and its scores of those held out."""
        rest = other_rows(len(self.labels), held_out)
        model = self._without(rest, held_out).model()
        return model, model.scores(self.documents.take(held_out), self.threads)

    def _without(self, rest: IntArray, held_out: IntArray) -> Self:
        return self.take(rest)


@dataclass(frozen=True, kw_only=True)
class Plan(DocumentPlan):
    """What to fit on what.

    rivals     what else than this analyzer and learner may be tried
    shifts_boundary  whether the boundary is that of texts not seen (see `wordplane.model.boundary`)
    random_state  the seed of folds
    counted    the counts of texts among which the documents are, and their rows among these
    unlabeled  texts without labels to learn from too
    dev        what rounds of training are measured on
    same_texts of soft labels, a number for each row: rows with the same one are of one text
    """

    analyzer: Analyzer
    learner: LinearClassifier
    rivals: tuple[Rival, ...] = ()
    shifts_boundary: bool = False
    random_state: int = 0
    counted: tuple[FoldCounts, IntArray] | None = None
    unlabeled: Documents | None = None
    dev: tuple[Documents, LabelArray] | None = None
    same_texts: IntArray | None = None

    @property
    def decides_itself(self) -> bool:
        """Whether the learner is taught one label: there are no texts of another to decide on."""
        return isinstance(self.learner, OneLabelClassifier)

    def choose(self, held_out: IntArray) -> Self:
        """The same with the best of its analyzer and learner and their rivals, by folds. If rows
        are held out and folds have most of the others, all texts are counted for them."""
        chosen, counts = self, None
        if self.rivals and not isinstance(self.labels, LabelSets):
            rows = other_rows(len(self.labels), held_out)
            if len(held_out) and len(rows) < 2 * max_texts(self.n_classes):
                counts = self._count()
            changed = choose_by_race(self, rows, self.texts_of, counts)  # type: ignore[arg-type]
            chosen = replace(self, **changed)  # type: ignore[arg-type]
            if chosen.analyzer.resolve() != self.analyzer.resolve():
                counts = None
        return chosen if counts is None else chosen.count_once(counts)

    def count_once(self, counts: FoldCounts | None = None) -> Self:
        """The same with all texts counted, for several fits to some of them, unless these need more
        than counts of all; the counts may be known."""
        if self.counted is not None:
            return self
        is_hashed = self.analyzer.resolve().selection.hash_bits is not None
        if self.unlabeled is not None or is_hashed or self._leaves_out():
            return self
        every = np.arange(len(self.documents))
        return replace(self, counted=(counts or self._count(), every))

    def _count(self) -> FoldCounts:
        return FoldCounts.of(self.analyzer, self.documents, self.threads, self.labels)

    def take(self, rows: IntArray) -> Self:
        """The same on some of the rows."""
        taken = super().take(rows)
        if self.same_texts is not None:
            taken = replace(taken, same_texts=self.same_texts[rows])
        if self.counted is None:
            return taken
        counts, among = self.counted
        return replace(taken, counted=(counts, among[rows]))

    def check(self, rule: Rule) -> None:
        """Refuse what cannot be fitted."""
        is_usual = (rule.metric, rule.calibrator) == (None, USUAL_KIND)
        if self.decides_itself and (not is_usual or rule.calibration == "cv"):
            raise InputError(
                f"{self.learner!r} decides by itself, as there are only texts of one label: leave "
                "out `metric`, `threshold`, `require` and `calibrator`, and `calibration` 'cv'"
            )

    def _without(self, rest: IntArray, held_out: IntArray) -> Self:
        first, labels = self.take(rest), self.labels[held_out]
        if isinstance(labels, LabelSets):
            return first
        return replace(first, dev=(self.documents.take(held_out), labels))

    def check_unlabeled(self) -> None:
        """Refuse what cannot be learned together with texts without labels or word vectors."""
        if isinstance(self.labels, LabelSets):
            raise InputError(
                "multi-label data cannot be learned with texts without labels or word vectors"
            )
        if self.learner.kind == "tree":
            raise InputError("a label tree can use neither texts without labels nor word vectors")
        if self.analyzer.resolve().columns.kinds:
            raise InputError(
                "texts without labels and word vectors go with neither fields nor columns beside "
                "the text"
            )

    def with_unlabeled(self, texts: TextsLike) -> Self:
        """The same with texts without labels to learn from too."""
        self.check_unlabeled()
        if not takes_unlabeled(self.learner):
            raise InputError(
                f"{self.learner!r} cannot learn from texts without labels; EMNaiveBayes can, and "
                "learners with probabilities inside SelfTraining"
            )
        return replace(self, unlabeled=as_documents(texts, {}))

    def model(self, calibrator: Calibration = None) -> TextModel:
        """Fit it."""
        fitted, learner = self._fit()
        if self._leaves_out():
            fitted, learner = self._leave_out(fitted, learner)
        if isinstance(learner, OneLabelClassifier):
            calibrator = learner.calibrator_
        if isinstance(self.labels, LabelSets) and calibrator is None:
            calibrator = LabelDecisions.untuned(len(classes_of(self.labels)))
        training = Training.by(self.learner, learner, len(self.documents))
        if self.unlabeled is not None:
            training = replace(training, n_unlabeled=len(self.unlabeled))
        model = text_model(fitted.features(), learner, calibrator, training)
        return self._shift(model) if self.shifts_boundary else model

    def _shift(self, model: TextModel) -> TextModel:
        """The model with the boundary that texts ask for which it has not seen."""
        assert not isinstance(self.labels, LabelSets), "sets of labels have thresholds"
        counted = self._count()
        codes, shifts = encode(self.labels)[1], []
        n_folds = min(FOLDS, len(self.labels))
        splitter = Splitter(n_folds, REPEATS, self.groups, random_state=self.random_state)
        for splits in splitter.repetitions(self.strata()):
            try:
                done = cross_validate_counted(
                    counted, self.analyzer, self.learner, self.labels, splits, self.threads
                )
            except InputError:  # a fold has too few labels to learn from
                return model
            shifts.append(best_shift(done.scores, codes))
        shift = np.mean(shifts, axis=0)
        training = replace(model.training, boundary=tuple(shift.tolist()))
        return replace(model, b=model.b + shift, training=training)

    def _leaves_out(self) -> bool:
        """Whether features without weight are left out."""
        learner = self.learner
        leaves_out = isinstance(learner, LeavesOutFeatures) and learner.leaves_out_features()
        return leaves_out and self.analyzer.resolve().selection.has_plain_columns

    def _leave_out(
        self, fitted: FittedTexts, learner: LinearClassifier
    ) -> tuple[FittedTexts, LinearClassifier]:
        """The same without the features that have no weight. Where values are divided by a norm,
        those of the others change, so their weights are found again, until all have one."""
        among = np.ones(fitted.n_counted, bool)
        for _ in range(MAX_ROUNDS):
            used = learner.coef_[:, : fitted.n_counted].any(axis=0)
            if used.all() or not used.any():
                break
            among[among] = used
            fitted, learner = self._fit(among)
        return fitted, learner

    def _fit(self, among: NDArray[np.bool_] | None = None) -> tuple[FittedTexts, LinearClassifier]:
        """Features and learner fitted; to some of the features, if these are given."""
        n_docs, rest = len(self.documents), None
        documents = self.documents if self.unlabeled is None else self.documents + self.unlabeled
        labels, counted, of_text = self.labels, self.counted, None
        if self.same_texts is not None and not self.analyzer.resolve().learns_from_labels:
            # Document frequencies count a text once, however many labels it has a share of.
            _, once, of_text = np.unique(self.same_texts, return_index=True, return_inverse=True)
            documents, labels = documents.take(once), labels[once]
            counted = None if counted is None else (counted[0], counted[1][once])
        if counted is None:
            fitted = fit_texts(self.analyzer, documents, self.threads, labels, among)
        else:
            fitted = counted[0].fit_texts(self.analyzer, counted[1], self.threads)
        X = fitted.X if of_text is None else take_rows(fitted.X, of_text)
        if self.unlabeled is not None:
            rest = take_rows(X, np.arange(n_docs, len(documents)))
            X = take_rows(X, np.arange(n_docs))
        learner = fit_to_features(
            self.learner,
            fitted,
            X,
            self.labels,
            self.threads,
            self.weights,
            rest,
            self._dev_rows(fitted),
        )
        return fitted, learner

    def _dev_rows(self, fitted: FittedTexts) -> tuple[_core.Csr, LabelArray] | None:
        if self.dev is None or not measures_rounds(self.learner):
            return None
        documents, labels = self.dev
        known = np.flatnonzero(np.isin(labels, classes_of(self.labels)))
        X = fitted.features().transform(documents.take(known), self.threads)
        return X, labels[known]

    def decision(self, rule: Rule) -> Decision:
        """With calibration "cv", by the scores that models of five folds give to the fifth that
        they have not seen; or else the learner's own boundary."""
        if rule.calibration != "cv":
            return Decision()
        n_folds = min(CALIBRATION_FOLDS, len(self.labels))
        done = out_of_fold(
            self.analyzer,
            self.learner,
            self.documents,
            self.labels,
            splitter=Splitter(n_folds, groups=self.groups, random_state=rule.random_state),
            threads=self.threads,
        )
        z = done.scores if done.scores.ndim == 2 else done.scores[:, None]
        of_rows = self.labels, self.weights
        return Decision.of(done.classes, z, *of_rows, rule.metric, rule.calibrator)


def check_labels(labels: LabelArray | LabelSets, *, one_label: bool = False) -> None:
    """There are labels, and not the same for all texts, unless one label is to be learned."""
    if len(labels) == 0:
        raise InputError("there are no texts to learn from")
    if one_label and isinstance(labels, LabelSets):
        raise InputError("the texts have several labels each, expected one label, the same for all")
    if one_label:
        return
    different = set(labels.tolist())
    if different == {()}:
        raise InputError("no text has a label: there is nothing to learn")
    if len(different) == 1:
        has = "the labels" if isinstance(labels, LabelSets) else "the label"
        raise InputError(
            f"every text has {has} {different.pop()!r}; "
            "a classifier needs at least two different ones; to tell such texts from all others, "
            "train with `learner=oneclass`, or `learner=pu` if there are texts without labels too "
            "(`unlabeled`)"
        )
