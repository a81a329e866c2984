"""What is asked of a learner that need not be linear, by those that have learners inside.

Members of an `Ensemble` that votes, or what `SelfTraining` trains, may decide by neighbours or a
kernel. They get the native matrix. Where a linear model is needed, signatures name
`LinearClassifier` instead.
"""

from collections.abc import Callable
from typing import Protocol, TypeGuard, TypeVar, runtime_checkable

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import LinearClassifier


class Learner(Protocol):
    """A classifier; `fit` takes X and y, and of most learners `sample_weight`."""

    @property
    def fit(self) -> Callable[..., object]: ...

    def predict(self, X: MatrixLike) -> LabelArray: ...

    def get_params(self, deep: bool = True) -> dict[str, object]: ...


@runtime_checkable
class ScoringLearner(Learner, Protocol):
    """One that scores the classes."""

    def decision_function(self, X: MatrixLike) -> FloatArray: ...


class ProbabilisticLearner(Learner, Protocol):
    """One that gives probabilities."""

    def predict_proba(self, X: MatrixLike) -> FloatArray: ...


def gives_probabilities(learner: Learner) -> TypeGuard[ProbabilisticLearner]:
    """Whether it has `predict_proba`, which for some learners depends on their parameters."""
    return hasattr(learner, "predict_proba")


class SemiSupervisedLearner(Protocol):
    """A linear learner that also learns from rows without labels (`uses_unlabeled`)."""

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
    ) -> LinearClassifier: ...


class RoundwiseLearner(Protocol):
    """A linear learner whose rounds are measured on other rows (`measures_rounds`)."""

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
        dev: tuple[MatrixLike, LabelsLike] | None = None,
    ) -> LinearClassifier: ...


@runtime_checkable
class HasParams(Protocol):
    """Anything that is made of its parameters."""

    def get_params(self, deep: bool = True) -> dict[str, object]: ...


L = TypeVar("L", bound=HasParams)


def copy_unfitted(learner: L, n_jobs: int | None) -> L:
    """A new learner with the same parameters, and so many threads if it has threads at all."""
    if not isinstance(learner, HasParams):
        raise InputError(f"`learner` is {learner!r:.60}, expected a learner")
    params = learner.get_params(deep=False)
    if "n_jobs" in params:
        params["n_jobs"] = n_jobs
    return type(learner)(**params)
