"""What else a classifier learns from: texts without labels, and word vectors."""

from wordplane.common.errors import InputError
from wordplane.learners.names import RECIPE
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.plan import Plan
from wordplane.model.stacking import stack_vectors
from wordplane.model.word_vectors import PoolVectors, PretrainedLike
from wordplane.text.documents import TextsLike


def with_more(
    plan: Plan,
    learner: str | LinearClassifier | None,
    calibrates_by_folds: bool,
    unlabeled: TextsLike | PoolVectors | None,
    pretrained: PretrainedLike | None,
) -> Plan:
    """The plan with texts without labels and word vectors to learn from too; `learner` is what was
    asked for."""
    if learner in (None, RECIPE):
        return stack_vectors(plan, unlabeled, pretrained)
    if calibrates_by_folds:
        raise InputError(
            "`calibration` 'cv' with texts without labels is for the recipe: use 'holdout', or "
            "leave out `learner`"
        )
    if pretrained is not None:
        raise InputError("`pretrained` goes with the recipe: leave out `learner`")
    if isinstance(unlabeled, PoolVectors):
        raise InputError("`unlabeled` are word vectors, which only the recipe can use")
    assert unlabeled is not None
    return plan.with_unlabeled(unlabeled)
