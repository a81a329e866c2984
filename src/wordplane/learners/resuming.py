"""Learners that can be trained further, made again from their description and their state.

Naive Bayes resumes from its counts, the online learners from the weights and sums of their steps:
what `partial_fit` of the same learner would have at hand. `state` of a class names it.
"""

from collections.abc import Mapping

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray
from wordplane.learners.describing import check_types, from_description
from wordplane.learners.names import LEARNERS
from wordplane.learners.registry import learner_class
from wordplane.learners.support.incremental import IncrementalClassifier, can_resume


def resumable_names() -> list[str]:
    """The names of the learners that can be trained further.

    >>> resumable_names()
    ['nb', 'bernoulli', 'complement', 'perceptron', 'mira', 'onlinesvm', 'onlinelogistic']
    """
    classes = {name: learner_class(name) for name in LEARNERS}
    return [
        name
        for name, cls in classes.items()
        if issubclass(cls, IncrementalClassifier) and cls.state
    ]


def check_resumable(learner: object) -> IncrementalClassifier:
    """The learner, if it can be trained further."""
    if not can_resume(learner):
        raise InputError(
            "the learner of this model cannot be trained further; these can: "
            f"{', '.join(resumable_names())}"
        )
    return learner


def resume(
    described: object, arrays: Mapping[str, FloatArray], classes: LabelArray, n_features: int
) -> IncrementalClassifier:
    """The learner of a description and of its `get_state`; anything odd is refused."""
    learner = from_description(described)
    check_types(learner)
    if not can_resume(learner):
        raise InputError(f"{learner!r} cannot be trained further, and yet has a state")
    learner.set_state(arrays, classes, n_features)
    return learner
