"""Fit a plan: measure and calibrate it on rows held out, then fit it on all rows.

A plan is fitted twice: without a tenth of the rows, which measure it and calibrate its scores, then
on all rows. What is open in it is chosen before, without the rows that measure it. Plans are what
differs: new models (`model.plan`), with texts without labels
(`model.stacking`), models that are trained further (`model.further_plan`), texts in blocks on disk
(`scale.block_plan`) or on the workers of Dask (`scale.dask_training`).
"""

from collections.abc import Hashable, Sequence
from dataclasses import field, replace
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError, RequirementError
from wordplane.common.frozen import frozen
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.data.splits import holdout
from wordplane.learners.support.base import best_output
from wordplane.model.decision import Decision, Rule
from wordplane.model.known_words import known_words_of, least_known
from wordplane.model.plan import DocumentPlan, Plan
from wordplane.model.race import Choice
from wordplane.model.reference import Reference, draw_rows
from wordplane.model.text_model import Calibration, TextModel
from wordplane.model.text_traits import TextTraits

NO_ROWS = np.zeros(0, np.int64)
MAX_HELD_OUT = 1000  # probabilities that a model keeps for sets of labels
MAX_SCORES = 20_000_000  # of rows held out; with thousands of labels these are fewer rows
Number = TypeVar("Number", np.int64, np.float64)


class FitPlan(Protocol):
    """What `fit` asks of a plan."""

    @property
    def threads(self) -> int: ...

    @property
    def groups(self) -> IntArray | None:
        """Of rows that are held out together."""

    @property
    def choice(self) -> Choice | None:
        """How the analyzer and the learner were chosen, if by a race."""

    @property
    def n_classes(self) -> int: ...

    @property
    def decides_itself(self) -> bool:
        """Whether the learner decides without rows held out, as one that is taught one label."""

    def check(self, rule: Rule) -> None:
        """Refuse what cannot be fitted."""

    def choose(self, held_out: IntArray) -> Self:
        """The same with what suits the rows that are not held out best."""

    def strata(self) -> Sequence[Hashable] | LabelArray:
        """What a split keeps in proportion, one value per row."""

    def labels_of(self, rows: IntArray) -> LabelsOrSets: ...

    def weights_of(self, rows: IntArray) -> FloatArray | None: ...

    @property
    def n_rows(self) -> int: ...

    def draw(self, rows: IntArray) -> _core.Texts:
        """The texts of a few rows, before any fit: blocks on disk give them up then."""

    def texts_of(self, rows: IntArray) -> _core.Texts:
        """The texts of rows that were held out."""

    def fit_without(self, held_out: IntArray) -> tuple[TextModel, FloatArray]:
        """The model of the other rows, and its scores of those held out."""

    def decision(self, rule: Rule) -> Decision:
        """How to decide without rows held out."""

    def model(self, calibrator: Calibration = None) -> TextModel:
        """The model of all rows."""


@frozen
class Holdout:
    """Rows that a first fit did not see, the labels that it gave them, and what it learned.

    scores      as `decision_function` gives them
    decision    made on these rows; a label in `predicted` is decided by the other rows
    model       the first fit; left out where the hold-out is pickled
    """

    rows: IntArray
    predicted: LabelsOrSets
    scores: FloatArray
    decision: Decision = field(default_factory=Decision)
    model: TextModel | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "model": None}

    def among(self, wanted: NDArray[np.bool_]) -> Self:
        """The same with the rows that are wanted, if there are any."""
        if not wanted.any():
            return self
        rows, scores = self.rows[wanted], self.scores[wanted]
        return replace(self, rows=rows, predicted=self.predicted[wanted], scores=scores)


def fit(plan: FitPlan, rule: Rule) -> tuple[Holdout | None, TextModel]:
    """Fit without the rows held out, if any are, and then on all rows; or not then, if something is
    required: what was shown is true of the first fit."""
    plan.check(rule)
    if rule.is_requirement and rule.calibration != "holdout":
        raise InputError("`require` needs rows held out: leave `calibration` at 'holdout'")
    held_out = _rows_to_hold_out(plan, rule) if rule.calibration == "holdout" else NO_ROWS
    plan = plan.choose(held_out)
    if isinstance(plan, Plan) and len(held_out):
        # The only fit has its columns in its own order.
        plan = replace(plan, counted=None) if rule.is_requirement else plan.count_once()
    drawn = _Drawn.of(plan, rule.random_state) if len(held_out) else None
    first = hold_out(plan, rule, held_out)
    if rule.is_requirement:
        if first is None or first.model is None:
            raise RequirementError(
                f"{rule.metric} cannot be shown: no row can be held out; give more texts of each "
                "class"
            )
        model = first.model
    else:
        decision = plan.decision(rule) if first is None else first.decision
        model = decision.apply(plan.model(decision.calibrator))
    if plan.choice is not None:
        model.training = replace(model.training, race=plan.choice.to_dict())
    if first is None or drawn is None:
        return None, model
    training = model.training
    if not plan.decides_itself:
        kept = true_probabilities(model, first.scores, plan.labels_of(first.rows))
        training = replace(training, true_probabilities=kept)
    known = None if first.model is None else known_words_of(first.model.features)
    if known is not None:
        shares = known.shares(plan.texts_of(sample_evenly(first.rows)), plan.threads)
        training = replace(training, least_known=least_known(shares))
    model.training = training
    reference = drawn.reference(model, plan.threads)
    if not plan.decides_itself:
        truth = plan.labels_of(first.rows)
        reference = reference.with_scores(model.classes, first.scores, truth)
    model.reference = reference
    return first, model


@frozen
class _Drawn:
    """Texts that traits are found in, others that they are counted in, and the labels of these."""

    to_find: _core.Texts
    to_count: _core.Texts
    labels: LabelsOrSets

    @classmethod
    def of(cls, plan: FitPlan, random_state: int) -> Self:
        """Some of the texts of a plan that is not fitted yet."""
        to_find, to_count = draw_rows(plan.n_rows, random_state)
        rows = np.sort(np.concatenate([to_find, to_count]))
        texts = plan.draw(rows)
        found, counted = (np.searchsorted(rows, part) for part in (to_find, to_count))
        return cls(texts.take(found), texts.take(counted), plan.labels_of(to_count))

    def reference(self, model: TextModel, threads: int) -> Reference:
        """Their traits, of which the model shows the words."""
        traits = TextTraits.of(self.to_find, model.features, threads)
        return Reference.of(model.classes, self.to_count, self.labels, traits, threads)


def hold_out(plan: FitPlan, rule: Rule, rows: IntArray) -> Holdout | None:
    """Fit without some rows, and decide on these; None where that cannot be done."""
    if len(rows) == 0:
        return None
    try:
        model, z = plan.fit_without(rows)
    except InputError:  # the rest alone may be too little to learn from
        return None
    if plan.decides_itself:
        predicted = model.classes[best_output(z, len(model.classes))]
        return Holdout(rows, predicted, z[:, 0], model=model)
    truth, weights = plan.labels_of(rows), plan.weights_of(rows)
    decision = Decision.of(model.classes, z, truth, weights, rule.metric, rule.calibrator)
    labels = decision.predict_out_of_fold(model.classes, z, truth, weights)
    if decision.metric is not None:
        model = decision.apply(model)
        z = z + np.array(decision.shift or 0.0)
    scores = z[:, 0] if z.shape[1] == 1 else z
    return Holdout(rows, labels, scores, decision, model)


def _rows_to_hold_out(plan: FitPlan, rule: Rule) -> IntArray:
    """A tenth of the rows, or a fifth if something is required."""
    seed, groups = rule.random_state, plan.groups
    times = plan.times if isinstance(plan, DocumentPlan) else None
    _, rows = holdout(plan.strata(), rule.held_out_share, seed, groups, times)
    most = max(MAX_SCORES // plan.n_classes, 1)
    return rows if len(rows) <= most else _draw(rows, most, groups, seed)


def _draw(rows: IntArray, n: int, groups: IntArray | None, random_state: int) -> IntArray:
    """At most n of the rows at random, ascending; whole groups, and one at least."""
    of_row = rows if groups is None else groups[rows]
    names, sizes = np.unique(of_row, return_counts=True)
    order = np.random.default_rng(random_state).permutation(len(names))
    n_groups = max(int((np.cumsum(sizes[order]) <= n).sum()), 1)
    return rows[np.isin(of_row, names[order[:n_groups]])]


def true_probabilities(
    model: TextModel, scores: FloatArray, truth: LabelsOrSets
) -> tuple[float, ...]:
    """The probabilities of the labels of rows held out, sorted: of all, or of 1,000 evenly from
    them. They decide which labels belong to a set that is to contain the true one."""
    if isinstance(truth, LabelSets):
        return ()
    P = model.probabilities(scores)
    codes = np.minimum(np.searchsorted(model.classes, truth), len(model.classes) - 1)
    own = np.where(model.classes[codes] == truth, P[np.arange(len(P)), codes], 0.0)
    return tuple(np.sort(sample_evenly(own).round(6)).tolist())


def sample_evenly(values: NDArray[Number]) -> NDArray[Number]:
    """All values, or 1,000 evenly from them."""
    if len(values) <= MAX_HELD_OUT:
        return values
    return values[np.linspace(0, len(values) - 1, MAX_HELD_OUT).astype(np.intp)]
