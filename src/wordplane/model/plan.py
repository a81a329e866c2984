"""An analyzer, a learner, and the labeled documents that they are to be fitted on.

A plan is fitted twice: without a tenth of the rows (`hold_out`), which measures it and calibrates
its scores, then on all rows (`model`).
"""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, classes_of, strata_of
from wordplane.common.matrix import take_rows
from wordplane.common.memory import available_memory
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.data.splits import holdout
from wordplane.evaluation.calibration import PowerTemperature
from wordplane.evaluation.label_decisions import LabelDecisions, predict_out_of_fold
from wordplane.features.text_features import FittedTexts, TextFeatures, count_part, fit_texts
from wordplane.learners.registry import fit_to_features
from wordplane.learners.support.base import LinearClassifier, best_output
from wordplane.model.text_model import Calibration, TextModel
from wordplane.model.training import Training
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, TextsLike, as_documents

CALIBRATION_FOLDS = 5
HELD_OUT = 0.1  # share of the rows
COPIES = 4  # of the weights that training holds at once


@dataclass(frozen=True)
class Plan:
    """What to fit on what."""

    analyzer: Analyzer
    learner: LinearClassifier
    documents: Documents
    labels: LabelArray | LabelSets
    weights: FloatArray | None
    threads: int
    unlabeled: Documents | None = None
    dev: tuple[Documents, LabelArray] | None = None  # what rounds of training are measured on

    def take(self, rows: IntArray) -> Self:
        """The same on some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        documents = self.documents.take(rows)
        return replace(self, documents=documents, labels=self.labels[rows], weights=weights)

    def check_unlabeled(self) -> None:
        """Refuse what cannot be learned together with texts without labels."""
        if isinstance(self.labels, LabelSets):
            raise InputError("multi-label data cannot be learned with texts without labels")
        if self.analyzer.column_kinds():
            raise InputError("texts without labels cannot have columns beside the text")

    def with_unlabeled(self, texts: TextsLike) -> Self:
        """The same with texts without labels to learn from too."""
        self.check_unlabeled()
        if not self.learner.uses_unlabeled:
            raise InputError(
                f"{self.learner!r} cannot learn from texts without labels; EMNaiveBayes can, and "
                "learners with probabilities inside SelfTraining"
            )
        return replace(self, unlabeled=as_documents(texts, {}))

    def model(self, calibrator: Calibration = None) -> TextModel:
        """Fit it."""
        n_docs, rest = len(self.documents), None
        documents = self.documents if self.unlabeled is None else self.documents + self.unlabeled
        fitted = fit_texts(self.analyzer, documents, self.threads, self.labels)
        X = fitted.X
        if self.unlabeled is not None:
            rest = take_rows(X, np.arange(n_docs, len(documents)))
            X = take_rows(X, np.arange(n_docs))
        n_classes = len(classes_of(self.labels))
        check_memory(X.shape[1], n_classes)
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
        if isinstance(self.labels, LabelSets) and calibrator is None:
            calibrator = LabelDecisions.untuned(n_classes)
        training = Training.by(self.learner, learner, n_docs)
        if rest is not None:
            training = replace(training, n_unlabeled=rest.shape[0])
        return text_model(fitted.features(), learner, calibrator, training)

    def _dev_rows(self, fitted: FittedTexts) -> tuple[_core.Csr, LabelArray] | None:
        if self.dev is None or not self.learner.measures_rounds:
            return None
        documents, labels = self.dev
        known = np.flatnonzero(np.isin(labels, classes_of(self.labels)))
        X = fitted.features().transform(documents.take(known), self.threads)
        return X, labels[known]

    def cross_fitted_calibrator(self, random_state: int) -> Calibration:
        """Fitted on the scores that models of five folds give to the fifth they have not seen."""
        done = out_of_fold(
            self.analyzer,
            self.learner,
            self.documents,
            self.labels,
            folds=min(CALIBRATION_FOLDS, len(self.labels)),
            random_state=random_state,
            threads=self.threads,
        )
        z = done.scores if done.scores.ndim == 2 else done.scores[:, None]
        return calibrated(done.classes, z, self.labels, self.weights)


@dataclass(frozen=True)
class FurtherPlan:
    """A model that is trained further, and the documents for that. Its features stay."""

    base: TextModel
    documents: Documents
    labels: LabelArray
    weights: FloatArray | None
    threads: int

    def take(self, rows: IntArray) -> Self:
        """The same on some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        documents = self.documents.take(rows)
        return replace(self, documents=documents, labels=self.labels[rows], weights=weights)

    def model(self, calibrator: Calibration = None) -> TextModel:
        """The model after these documents; the base stays as it is."""
        X = self.base.features.transform(self.documents, self.threads)
        learner = deepcopy(self.base.learner)
        assert learner is not None, "only a resumable model is trained further"
        learner.n_jobs = self.threads
        learner.partial_fit(X, self.labels, sample_weight=self.weights)  # type: ignore[attr-defined]
        training = self.base.training.resume(len(self.documents))
        calibrator = calibrator or self.base.calibrator
        return text_model(self.base.features, learner, calibrator, training)

    def n_unseen(self) -> int:
        """How many features of the documents the model does not have."""
        features = self.base.features
        readers = features.analyzer.analyses().values()
        n_found = sum(
            count_part(reader, self.documents.texts, self.threads).n_features for reader in readers
        )
        _, columns, _ = features.transform(self.documents, self.threads).arrays()
        return n_found - len(np.unique(columns[columns < features.n_counted]))


@dataclass(frozen=True)
class Holdout:
    """Rows that a first fit did not see, the labels that it gave them, and what it learned.

    scores      as `decision_function` gives them
    calibrator  fitted on these rows
    model       the first fit; left out where the hold-out is pickled
    """

    rows: IntArray
    predicted: LabelArray | LabelSets
    scores: FloatArray
    calibrator: Calibration = None
    model: TextModel | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "model": None}


def hold_out(plan: Plan | FurtherPlan, random_state: int) -> Holdout | None:
    """Fit without a tenth of the rows, and calibrate on these; None where that cannot be done."""
    rows, held_out = holdout(strata_of(plan.labels), HELD_OUT, random_state)
    if len(held_out) == 0:
        return None
    first = plan.take(rows)
    if isinstance(first, Plan) and not isinstance(plan.labels, LabelSets):
        first = replace(first, dev=(plan.documents.take(held_out), plan.labels[held_out]))
    try:
        model = first.model()
    except InputError:  # the rest alone may be too little to learn from
        return None
    z = model.scores(plan.documents.take(held_out), plan.threads)
    weights = None if plan.weights is None else plan.weights[held_out]
    truth = plan.labels[held_out]
    predicted: LabelArray | LabelSets
    if isinstance(truth, LabelSets):
        predicted = LabelSets(truth.classes, predict_out_of_fold(z, truth.member, weights))
    else:
        predicted = model.classes[best_output(z, len(model.classes))]
    scores = z[:, 0] if z.shape[1] == 1 else z
    return Holdout(held_out, predicted, scores, calibrated(model.classes, z, truth, weights), model)


def text_model(
    features: TextFeatures, learner: LinearClassifier, calibrator: Calibration, training: Training
) -> TextModel:
    """The model that a fitted learner is."""
    if not np.isfinite(learner.intercept_).all():
        raise InputError("all texts of one of the classes have the weight 0")
    return TextModel(
        features=features,
        classes=learner.classes_,
        W=np.ascontiguousarray(learner.coef_.T, dtype=np.float32),
        b=learner.intercept_,
        calibrator=calibrator,
        training=training,
        learner=learner if learner.state else None,
    )


def check_labels(labels: LabelArray | LabelSets) -> None:
    """There are labels, and not the same for all texts."""
    if len(labels) == 0:
        raise InputError("there are no texts to learn from")
    different = set(labels.tolist())
    if different == {()}:
        raise InputError("no text has a label: there is nothing to learn")
    if len(different) == 1:
        has = "the labels" if isinstance(labels, LabelSets) else "the label"
        raise InputError(
            f"every text has {has} {different.pop()!r}; "
            "a classifier needs at least two different ones"
        )


def check_memory(n_features: int, n_classes: int) -> None:
    """Refuse weights that would not fit, before they are made."""
    needed = COPIES * 8 * n_features * max(n_classes, 1)
    available = available_memory()
    if needed > available:
        raise InputError(
            f"{n_features:,} features times {n_classes:,} classes need about "
            f"{needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are free: raise min_df, set "
            "max_features, or hash features into fewer columns (HashingVectorizer)"
        )


def calibrated(
    classes: LabelArray,
    z: FloatArray,
    labels: LabelArray | LabelSets,
    weights: FloatArray | None,
) -> Calibration:
    """The calibrator of scores, or for sets of labels the decision on each; None if too few of
    the scores can be used."""
    if isinstance(labels, LabelSets):
        if weights is not None and not weights.any():
            return None
        return LabelDecisions.fit(z, labels.member, weights)
    known = np.isin(labels, classes) & np.isfinite(z).all(axis=1)
    if known.sum() < 2 or (weights is not None and not weights[known].any()):
        return None
    codes = np.searchsorted(classes, labels[known])
    scores = z[known, 0] if z.shape[1] == 1 else z[known]
    return PowerTemperature.fit(scores, codes, None if weights is None else weights[known])
