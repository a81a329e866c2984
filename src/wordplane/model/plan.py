"""An analyzer, a learner, and the labeled documents that they are to be fitted on.

A plan is fitted twice: without a tenth of the rows (`hold_out`), which measures it and calibrates
its scores, then on all rows (`model`).
"""

from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError, RequirementError
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets, classes_of, strata_of
from wordplane.common.matrix import take_rows
from wordplane.common.memory import available_memory
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.data.splits import holdout
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.requirements import is_requirement
from wordplane.features.text_features import FittedTexts, fit_texts
from wordplane.learners.registry import fit_to_features
from wordplane.learners.support.base import LinearClassifier, best_output
from wordplane.learners.support.one_label import OneLabelClassifier
from wordplane.learners.support.protocols import (
    LeavesOutFeatures,
    measures_rounds,
    takes_unlabeled,
)
from wordplane.model.decision import USUAL_KIND, Decision
from wordplane.model.further_plan import FurtherPlan
from wordplane.model.known_words import known_words_of, least_known
from wordplane.model.text_model import Calibration, TextModel, text_model
from wordplane.model.training import Training
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, TextsLike, as_documents

CALIBRATION_FOLDS = 5
HELD_OUT = 0.1  # share of the rows
HELD_OUT_TO_SHOW = 0.2  # if something is required of the model
MAX_HELD_OUT = 1000  # probabilities that a model keeps for sets of labels
MAX_SCORES = 20_000_000  # of rows held out; with thousands of labels these are fewer rows
MAX_ROUNDS = 10  # of leaving out features without weight
COPIES = 4  # of the weights that training holds at once
Number = TypeVar("Number", np.int64, np.float64)


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
    groups: IntArray | None = None  # of rows that are held out together

    def take(self, rows: IntArray) -> Self:
        """The same on some of the rows."""
        return replace(
            self,
            documents=self.documents.take(rows),
            labels=self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
            groups=take_groups(self.groups, rows),
        )

    def check_unlabeled(self) -> None:
        """Refuse what cannot be learned together with texts without labels."""
        if isinstance(self.labels, LabelSets):
            raise InputError("multi-label data cannot be learned with texts without labels")
        if self.learner.kind == "tree":
            raise InputError("a label tree cannot learn from texts without labels")
        if self.analyzer.column_kinds():
            raise InputError(
                "texts without labels can have neither fields nor columns beside the text"
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
        leaves_out = (
            isinstance(self.learner, LeavesOutFeatures) and self.learner.leaves_out_features()
        )
        if leaves_out and self.analyzer.has_plain_columns():
            fitted, learner = self._leave_out(fitted, learner)
        if isinstance(learner, OneLabelClassifier):
            calibrator = learner.calibrator_
        if isinstance(self.labels, LabelSets) and calibrator is None:
            calibrator = LabelDecisions.untuned(len(classes_of(self.labels)))
        training = Training.by(self.learner, learner, len(self.documents))
        if self.unlabeled is not None:
            training = replace(training, n_unlabeled=len(self.unlabeled))
        return text_model(fitted.features(), learner, calibrator, training)

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
        fitted = fit_texts(self.analyzer, documents, self.threads, self.labels, among)
        X = fitted.X
        if self.unlabeled is not None:
            rest = take_rows(X, np.arange(n_docs, len(documents)))
            X = take_rows(X, np.arange(n_docs))
        if self.learner.kind == "linear":
            check_memory(X.shape[1], len(classes_of(self.labels)))
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

    def cross_fitted_decision(
        self, random_state: int, metric: str | None, kind: str = USUAL_KIND
    ) -> Decision:
        """Fitted on the scores that models of five folds give to the fifth they have not seen."""
        done = out_of_fold(
            self.analyzer,
            self.learner,
            self.documents,
            self.labels,
            folds=min(CALIBRATION_FOLDS, len(self.labels)),
            groups=self.groups,
            random_state=random_state,
            threads=self.threads,
        )
        z = done.scores if done.scores.ndim == 2 else done.scores[:, None]
        return Decision.of(done.classes, z, self.labels, self.weights, metric, kind)


@dataclass(frozen=True)
class Holdout:
    """Rows that a first fit did not see, the labels that it gave them, and what it learned.

    scores      as `decision_function` gives them
    decision    made on these rows; a label in `predicted` is decided by the other rows
    model       the first fit; left out where the hold-out is pickled
    """

    rows: IntArray
    predicted: LabelArray | LabelSets
    scores: FloatArray
    decision: Decision = field(default_factory=Decision)
    model: TextModel | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "model": None}


def fit(
    plan: Plan | FurtherPlan,
    calibration: str | None,
    metric: str | None,
    random_state: int,
    kind: str = USUAL_KIND,
) -> tuple[Holdout | None, TextModel]:
    """Fit without the rows held out, if any are, and then on all rows; or not then, if something is
    required: what was shown is true of the first fit."""
    if isinstance(plan, Plan) and isinstance(plan.learner, OneLabelClassifier):
        return _fit_one_label(plan, calibration, metric, random_state, kind)
    if is_requirement(metric):
        return _fit_required(plan, calibration, metric, random_state)
    first = hold_out(plan, random_state, metric, kind) if calibration == "holdout" else None
    if first is not None:
        decision = first.decision
    elif isinstance(plan, FurtherPlan):
        decision = plan.decision
    elif calibration == "cv":
        decision = plan.cross_fitted_decision(random_state, metric, kind)
    else:
        return None, plan.model()
    model = decided(plan.model(decision.calibrator), decision)
    if first is not None:
        keep_probabilities(model, first, plan.labels[first.rows])
        keep_least_known(model, first, plan.documents.texts.take(evenly(first.rows)), plan.threads)
    return first, model


def _fit_required(
    plan: Plan | FurtherPlan, calibration: str | None, metric: str | None, random_state: int
) -> tuple[Holdout, TextModel]:
    if calibration != "holdout":
        raise InputError("`require` needs rows held out: leave `calibration` at 'holdout'")
    first = hold_out(plan, random_state, metric)
    if first is None or first.model is None:
        raise RequirementError(
            f"{metric} cannot be shown: no row can be held out; give more texts of each class"
        )
    keep_probabilities(first.model, first, plan.labels[first.rows])
    held = plan.documents.texts.take(evenly(first.rows))
    keep_least_known(first.model, first, held, plan.threads)
    return first, first.model


def _fit_one_label(
    plan: Plan, calibration: str | None, metric: str | None, random_state: int, kind: str
) -> tuple[Holdout | None, TextModel]:
    """The same for a learner that is taught one label, and decides by itself: there are no texts of
    another label to decide on."""
    if metric is not None or kind != USUAL_KIND or calibration == "cv":
        raise InputError(
            f"{plan.learner!r} decides by itself, as there are only texts of one label: leave out "
            "`metric`, `threshold`, `require` and `calibrator`, and `calibration` 'cv'"
        )
    first = hold_out(plan, random_state) if calibration == "holdout" else None
    model = plan.model()
    if first is not None:
        keep_least_known(model, first, plan.documents.texts.take(evenly(first.rows)), plan.threads)
    return first, model


def held_out_share(metric: str | None) -> float:
    """Of the rows: more if something is required of the model, which these are to show."""
    return HELD_OUT_TO_SHOW if is_requirement(metric) else HELD_OUT


def hold_out(
    plan: Plan | FurtherPlan,
    random_state: int,
    metric: str | None = None,
    kind: str = USUAL_KIND,
) -> Holdout | None:
    """Fit without a tenth of the rows, or a fifth if something is required, and decide on these;
    None where that cannot be done."""
    share = held_out_share(metric)
    rows, held_out = holdout(strata_of(plan.labels), share, random_state, plan.groups)
    if len(held_out) == 0:
        return None
    most = max(MAX_SCORES // len(classes_of(plan.labels)), 1)
    if len(held_out) > most:
        fewer = _draw(held_out, most, plan.groups, random_state)
        rows, held_out = np.setdiff1d(np.arange(len(plan.labels)), fewer), fewer
    first = plan.take(rows)
    if isinstance(first, Plan) and not isinstance(plan.labels, LabelSets):
        first = replace(first, dev=(plan.documents.take(held_out), plan.labels[held_out]))
    try:
        model = first.model()
    except InputError:  # the rest alone may be too little to learn from
        return None
    z = model.scores(plan.documents.take(held_out), plan.threads)
    if isinstance(plan, Plan) and isinstance(plan.learner, OneLabelClassifier):
        predicted = model.classes[best_output(z, len(model.classes))]
        return Holdout(held_out, predicted, z[:, 0], model=model)
    weights = None if plan.weights is None else plan.weights[held_out]
    truth = plan.labels[held_out]
    return held_out_by(model, held_out, z, truth, weights, metric, kind)


def _draw(rows: IntArray, n: int, groups: IntArray | None, random_state: int) -> IntArray:
    """At most n of the rows at random, ascending; whole groups, and one at least."""
    of_row = rows if groups is None else groups[rows]
    names, sizes = np.unique(of_row, return_counts=True)
    order = np.random.default_rng(random_state).permutation(len(names))
    n_groups = max(int((np.cumsum(sizes[order]) <= n).sum()), 1)
    return rows[np.isin(of_row, names[order[:n_groups]])]


def held_out_by(
    model: TextModel,
    rows: IntArray,
    z: FloatArray,
    truth: LabelArray | LabelSets,
    weights: FloatArray | None,
    metric: str | None,
    kind: str = USUAL_KIND,
) -> Holdout:
    """What a first fit says of the rows it did not see, by its scores z."""
    decision = Decision.of(model.classes, z, truth, weights, metric, kind)
    predicted = decision.predict_out_of_fold(model.classes, z, truth, weights)
    if decision.metric is not None:
        model = decided(model, decision)
        z = z + np.array(decision.shift or 0.0)
    scores = z[:, 0] if z.shape[1] == 1 else z
    return Holdout(rows, predicted, scores, decision, model)


def decided(model: TextModel, decision: Decision) -> TextModel:
    """The model with the shift of a decision in its bias, and its calibrator."""
    if decision.metric is None:
        return model
    shown = {} if decision.guarantee is None else decision.guarantee.to_dict()
    training = replace(
        model.training, metric=decision.metric, shift=decision.shift, guarantee=shown
    )
    b = model.b + np.array(decision.shift or 0.0)
    return replace(model, b=b, calibrator=decision.calibrator, training=training)


def keep_probabilities(model: TextModel, first: Holdout, truth: LabelArray | LabelSets) -> None:
    """Record the probabilities of the labels of rows held out: of all, or of 1,000 evenly from
    them. They decide which labels belong to a set that is to contain the true one."""
    if isinstance(truth, LabelSets):
        return
    P = model.probabilities(first.scores)
    codes = np.minimum(np.searchsorted(model.classes, truth), len(model.classes) - 1)
    own = np.where(model.classes[codes] == truth, P[np.arange(len(P)), codes], 0.0)
    kept = tuple(np.sort(evenly(own).round(6)).tolist())
    model.training = replace(model.training, true_probabilities=kept)


def keep_least_known(model: TextModel, first: Holdout, held: _core.Texts, threads: int) -> None:
    """Record how small a share of their words is known of few rows held out."""
    known = None if first.model is None else known_words_of(first.model.features)
    if known is None:
        return
    shares = known.shares(held, threads)
    model.training = replace(model.training, least_known=least_known(shares))


def evenly(values: NDArray[Number]) -> NDArray[Number]:
    """All values, or 1,000 evenly from them."""
    if len(values) <= MAX_HELD_OUT:
        return values
    return values[np.linspace(0, len(values) - 1, MAX_HELD_OUT).astype(np.intp)]


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
            "use `learner=oneclass`, or `learner=pu` if there are texts without labels too "
            "(`unlabeled`)"
        )


def check_memory(n_features: int, n_classes: int) -> None:
    """Refuse weights that would not fit, before they are made."""
    needed = COPIES * 8 * n_features * max(n_classes, 1)
    available = available_memory()
    if needed > available:
        raise InputError(
            f"{n_features:,} features times {n_classes:,} classes need about "
            f"{needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are free: raise min_df, set "
            "max_features, hash features into fewer columns (HashingVectorizer), or use a label "
            "tree (`learner` 'tree'), whose weights are sparse"
        )
