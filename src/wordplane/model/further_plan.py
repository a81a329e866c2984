"""A model that is trained further: with words and classes that are new, forgetting, removing.

Texts are learned from in ten parts, each of which is first predicted by the model so far. These
shares of right labels are honest, and no text is held out for them (progressive validation; Blum,
Kalai and Langford 1999, COLT).
"""

from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets, as_label_sets
from wordplane.common.labels import as_labels, classes_among, encode_known
from wordplane.common.matrix import take_rows
from wordplane.common.progress import notify
from wordplane.common.types import Label, LabelArray, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.features.growing import Resized, can_grow, grow_features, keep_features
from wordplane.learners.registry import require_room
from wordplane.learners.resuming import resumable_names
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.incremental import IncrementalClassifier
from wordplane.model.decision import Decision, Rule
from wordplane.model.plan import DocumentPlan
from wordplane.model.text_model import Calibration, TextModel, text_model
from wordplane.text.documents import Documents

PARTS = 10
MIN_PART = 10  # texts
TRAIN_ANEW = "train a new model on all texts, with fewer features or as a label tree"


@dataclass(frozen=True, kw_only=True)
class FurtherPlan(DocumentPlan):
    """A model, and the documents to train it further on. Label sets have all labels of both.

    forget  the share of what it has learned that it forgets before
    """

    base: TextModel
    forget: float = 0.0

    def check(self, rule: Rule) -> None:
        """Whatever the rule is, it can be fitted."""

    @property
    def classes(self) -> LabelArray:
        """Those of the model and of the documents."""
        if isinstance(self.labels, LabelSets):
            return self.labels.classes
        if not self._learner_grows:
            encode_known(self.labels, self.base.classes)
            return self.base.classes
        return all_classes(self.base.classes, self.labels.tolist())

    def grow(self) -> Resized:
        """The features with those that the documents add."""
        n_docs = (self.base.training.n_docs or 0) + len(self.documents)
        features, grows = self.base.features, self._learner_grows
        return grow_features(features, self.documents, n_docs, self.threads, grows=grows)

    def model(self, calibrator: Calibration = None) -> TextModel:
        """The model after these documents; the base stays as it is."""
        grown = self.grow()
        learner = self._learner()
        X = grown.features.transform(self.documents, self.threads)
        require_room(learner, X.shape, self.classes, advice=TRAIN_ANEW)
        rounds: tuple[dict[str, float], ...] = ()
        if learner.grows:
            learner.resize(grown.place, grown.features.n_features, self.classes)
            if self.forget:
                learner.fade(self.forget)
            rounds = self._learn(learner, X)
        elif self.forget:
            raise InputError(f"{learner!r} cannot forget")
        else:
            learner.partial_fit(X, self.labels, sample_weight=self.weights)
        training = replace(self.base.training.resume(len(self.documents)), rounds=rounds)
        calibrator = calibrator or self._base_decision().calibrator
        return text_model(grown.features, learner, calibrator, training)

    def model_without(self) -> TextModel:
        """The model as if it had never learned from these documents."""
        self._refuse_unknown_words()
        learner = self._learner()
        X = self.base.features.transform(self.documents, self.threads)
        learner.remove(X, self.labels, sample_weight=self.weights)
        columns, there = learner.occurring()
        columns[self.base.features.n_counted :] = True
        classes = self.base.classes[there]
        if len(classes) == 0:
            raise InputError("no text with a label would be left")
        if len(classes) == 1 and not self.base.multilabel:
            raise InputError("a classifier needs two classes, and only one would be left")
        kept = keep_features(self.base.features, columns)
        learner.resize(kept.place, kept.features.n_features, classes)
        training = self.base.training.resume(-len(self.documents))
        calibrator = self.base.calibrator if there.all() else None
        if isinstance(self.base.calibrator, LabelDecisions):
            calibrator = self.base.calibrator.take(np.flatnonzero(there))
        return text_model(kept.features, learner, calibrator, training)

    def _refuse_unknown_words(self) -> None:
        """A model that has every feature of its texts did not learn from texts with others."""
        selection = self.base.features.spec.selection
        keeps_all = can_grow(self.base.features.spec) and selection.min_df == 1
        if not (keeps_all and selection.max_df == 1.0 and self._learner_grows):
            return
        n_unseen = self.grow().n_unseen
        if n_unseen:
            raise InputError(
                "these texts cannot be removed: the model did not learn from all of them, since it "
                f"does not know {n_unseen:,} of their features"
            )

    def decision(self, rule: Rule) -> Decision:
        """How the base decides; not by its own rules if there are new classes."""
        return self._base_decision()

    def _base_decision(self) -> Decision:
        training = self.base.training
        decisions = self.base.calibrator
        if isinstance(decisions, LabelDecisions):
            known = np.searchsorted(self.classes, self.base.classes)
            return Decision(decisions.place(known, len(self.classes)), training.metric)
        if self._has_new_classes:
            return Decision()
        return Decision(decisions, training.metric, training.shift)

    @property
    def _has_new_classes(self) -> bool:
        return len(self.classes) > len(self.base.classes)

    @property
    def _learner_grows(self) -> bool:
        return self.base.learner is not None and self.base.learner.grows

    def _learner(self) -> IncrementalClassifier:
        learner = deepcopy(self.base.learner)
        assert learner is not None, "only a resumable model is trained further"
        learner.n_jobs = self.threads
        return learner

    def _share_right(self, learner: LinearClassifier, X: _core.Csr, labels: LabelsOrSets) -> float:
        """The share of rows whose label, or set of labels, is predicted right."""
        decisions = self._base_decision().calibrator
        if isinstance(labels, LabelSets) and isinstance(decisions, LabelDecisions):
            z = learner.decision_function(X).reshape(len(labels), -1)
            return float((decisions.predict(z) == labels.member).all(axis=1).mean())
        return float(np.mean(learner.predict(X) == labels))

    def _learn(self, learner: IncrementalClassifier, X: _core.Csr) -> tuple[dict[str, float], ...]:
        """Learn part by part; the share of each that the model before it got right."""
        n_parts = max(1, min(PARTS, len(self.documents) // MIN_PART))
        rounds, n_done = [], 0
        for rows in np.array_split(np.arange(len(self.documents)), n_parts):
            part, labels = take_rows(X, rows), self.labels[rows]
            right = self._share_right(learner, part, labels)
            weights = None if self.weights is None else self.weights[rows]
            learner.partial_fit(part, labels, sample_weight=weights)
            n_done += len(rows)
            rounds.append({"texts": float(n_done), "progressive_accuracy": right})
            notify("training further", n_done, len(self.documents))
        return tuple(rounds)


def plan_further(
    base: TextModel,
    documents: Documents,
    y: LabelsLike | LabelSets,
    sample_weight: WeightsLike,
    threads: int,
) -> FurtherPlan:
    """The plan for more documents, with labels as the model has them: one per text, or sets."""
    if base.learner is None:
        raise InputError(
            "the model cannot be trained further: its learner must be one of "
            f"{', '.join(resumable_names())}, and a file must be saved as resumable"
        )
    labels: LabelsOrSets
    if base.multilabel:
        sets = as_label_sets(y)
        if getattr(y, "ndim", 1) == 2 and sets.member.shape[1] == len(base.classes):
            sets = LabelSets.of_member(base.classes, sets.member)
        labels = sets.with_classes(all_classes(base.classes, sets.classes.tolist()))
    else:
        labels = as_labels(y.tolist() if isinstance(y, LabelSets) else y)
    if len(labels) != len(documents):
        raise InputError(f"{len(documents)} texts and {len(labels)} labels: one each is needed")
    weights = None if sample_weight is None else as_weights(sample_weight, len(documents))
    return FurtherPlan(documents, labels, weights, threads, base=base)


def all_classes(known: LabelArray, given: list[Label]) -> LabelArray:
    """The classes of a model and new ones, sorted; they must be of one type."""
    names = known.tolist()
    kinds = [sorted({type(label).__name__ for label in labels}) for labels in (names, given)]
    if given and kinds[0] != kinds[1]:
        raise InputError(
            f"the labels are of the type {' and '.join(kinds[1])}, those of the model "
            f"{' and '.join(kinds[0])}"
        )
    return classes_among(as_labels(names + given))
