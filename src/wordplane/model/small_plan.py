"""A plan whose models take no more than so many bytes.

The model without the rows held out is made as small as the one of all rows, so that these rows
measure and calibrate a small model, not the large one that it came from.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Self

from wordplane.common.errors import InputError
from wordplane.common.parameters import check_whole
from wordplane.common.types import FloatArray, IntArray
from wordplane.model.compression import check_compressible, compress_to, unmeasured
from wordplane.model.decision import Decision, Rule
from wordplane.model.file import to_bytes
from wordplane.model.fitting import Holdout, fit
from wordplane.model.plan import DocumentPlan, Plan
from wordplane.model.text_model import Calibration, TextModel

RECORD, RECORD_OF_CLASS = 1000, 300  # bytes, about, of how good a model is


@dataclass
class Fitted:
    """What was fitted, in full size: the plan that was chosen, the model without the rows held out
    with its scores of these, and the model of all rows."""

    plan: Plan | None = None
    first: tuple[TextModel, FloatArray] | None = None
    model: TextModel | None = None


@dataclass(frozen=True, kw_only=True)
class SmallPlan(DocumentPlan):
    """The same as `plan`, with models whose files have at most `max_bytes`."""

    plan: Plan
    max_bytes: int
    large: Fitted = field(default_factory=Fitted)

    @classmethod
    def of(cls, plan: Plan, max_bytes: int) -> Self:
        """A plan with small models."""
        shared = {each.name: getattr(plan, each.name) for each in fields(DocumentPlan)}
        return cls(**shared, plan=plan, max_bytes=max_bytes)

    @property
    def decides_itself(self) -> bool:
        """Whether the learner decides without rows held out."""
        return self.plan.decides_itself

    def check(self, rule: Rule) -> None:
        """Refuse what cannot be fitted."""
        check_whole("`max_size`", self.max_bytes, "a number of bytes")
        if rule.is_requirement or rule.calibration == "cv" or self.plan.learner.kind == "tree":
            raise InputError(
                "`max_size` goes neither with a requirement, nor with `calibration` 'cv', nor with "
                "label trees"
            )
        self.plan.check(rule)

    def choose(self, held_out: IntArray) -> Self:
        """The same with what suits the rows that are not held out best."""
        self.large.plan = chosen = self.large.plan or self.plan.choose(held_out)
        return replace(self, plan=chosen, choice=chosen.choice)

    def fit_without(self, held_out: IntArray) -> tuple[TextModel, FloatArray]:
        """The small model of the other rows, and its scores of those held out."""
        self.large.first = self.large.first or self.plan.fit_without(held_out)
        model, scores = self.large.first
        small = shrink(model, self.max_bytes)
        if small is model:
            return model, scores
        return small, small.scores(self.documents.take(held_out), self.threads)

    def decision(self, rule: Rule) -> Decision:
        """How to decide without rows held out."""
        return self.plan.decision(rule)

    def model(self, calibrator: Calibration = None) -> TextModel:
        """The small model of all rows."""
        self.large.model = model = self.large.model or self.plan.model()
        given = model.calibrator if calibrator is None else calibrator
        return shrink(replace(model, calibrator=given), self.max_bytes)


def shrink(model: TextModel, max_bytes: int) -> TextModel:
    """The model itself if its file has at most so many bytes, or else a smaller one with the same
    record of its training: what was measured was a model of that size."""
    n_bytes = len(to_bytes(model))
    if n_bytes <= max_bytes:
        return model
    check_compressible(model)
    bare = replace(model, training=unmeasured(model.training))
    small = compress_to(bare, max_bytes - (n_bytes - len(to_bytes(bare)))).model
    return replace(small, training=model.training)


def fit_small(plan: Plan, rule: Rule, max_bytes: int) -> tuple[Holdout | None, TextModel]:
    """Fit a plan as `fit` does, with models whose files have at most so many bytes."""
    small = SmallPlan.of(plan, max_bytes)
    holdout, model = fit(small, rule)
    # The file also has what is kept of rows held out and, later, how good the model is.
    more = len(to_bytes(model)) + RECORD + RECORD_OF_CLASS * len(model.classes) - max_bytes
    if more <= 0:
        return holdout, model
    try:  # what was fitted is made smaller, not fitted again
        return fit(replace(small, max_bytes=max_bytes - more), rule)
    except InputError as error:
        raise InputError(
            f"`max_size` is {max_bytes:,} bytes, of which what is kept of texts held out takes "
            f"{more:,}: {error}"
        ) from None
