"""What only some learners can do, and what is asked of learners that need not be linear.

A learner has an ability if it has the methods of its protocol; code that works with any learner
asks `isinstance(learner, FitsWithinBounds)` and never for the name of a learner:

    FitsWithinBounds   weights within bounds, for models that are edited by hand
    LearnsFromBlocks   rows that are not in memory together
    LearnsSides        a machine for each of several labels, all side by side
    TakesGroups        which columns are words, characters, measurements
    PreparesForLabel   being one of many, for one label among several per text
    ChoosesParameters  parameters chosen from the data
    OrdersLabels       labels that have an order
    RecordsRounds      what was measured in every round
    HasCertificate     how far from the optimum it can be
    LeavesOutFeatures  weights that are exactly 0
    StartsWarm         a start from the last weights
    HasFirstClassState  a state in which all rows are of the first class
    HasLabelTree       a tree in place of W and b
    HasObjective       an objective that was minimized

Members of an `Ensemble` that votes, or what `SelfTraining` trains, may decide by neighbors or a
kernel. They get the native matrix. Where a linear model is needed, signatures name
`LinearClassifier` instead.
"""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import (
    FloatArray,
    JsonObject,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.learners.support.base import LinearClassifier

if TYPE_CHECKING:
    from wordplane.learners.support.bounds import Bounds
    from wordplane.learners.support.row_blocks import RowBlocks
    from wordplane.learners.support.tree_weights import TreeWeights


@runtime_checkable
class FitsWithinBounds(Protocol):
    """Can fit two classes with every weight of a feature within bounds, if its parameters allow."""

    def can_fit_within(self) -> bool: ...

    def fit_within(
        self, X: MatrixLike, y: LabelsLike, bounds: "Bounds", sample_weight: WeightsLike = None
    ) -> object: ...


@runtime_checkable
class LearnsFromBlocks(Protocol):
    """Can learn from rows that are read from disk block by block.

    learns_from_blocks  whether its parameters allow it
    learns_from_sums    the same if blocks are on other machines, so that only sums can be had
    shuffles_rows       it visits rows in random order, so blocks should be random samples of them
    """

    shuffles_rows: bool

    @property
    def learns_from_blocks(self) -> bool: ...

    @property
    def learns_from_sums(self) -> bool: ...

    def fit_blocks(
        self, rows: "RowBlocks", y: LabelsLike, sample_weight: WeightsLike = None
    ) -> object: ...


@runtime_checkable
class LearnsSides(Protocol):
    """Can learn which rows have a label, and which do not, for several labels side by side.

    learns_sides  whether its parameters allow it
    """

    @property
    def learns_sides(self) -> bool: ...

    def fit_sides(
        self, X: _core.Csr, member: NDArray[np.bool_], weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]: ...


@runtime_checkable
class TakesGroups(Protocol):
    """Uses what the columns are, if they are features of texts: called before `fit`.

    starts     the first columns of the groups of features (words, characters ...)
    n_counted  how many of the n_features columns are features that occur or not; those after
               them are measurements
    """

    def set_groups(self, starts: Sequence[int], n_counted: int, n_features: int) -> None: ...


@runtime_checkable
class PreparesForLabel(Protocol):
    """Changes if it is one of many, for one label among several per text: called before `fit`."""

    def prepare_for_one_label(self) -> None: ...


@runtime_checkable
class ChoosesParameters(Protocol):
    """Its `fit` may choose parameters from the data; these are they, by name."""

    def chosen_parameters(self) -> JsonObject: ...


@runtime_checkable
class OrdersLabels(Protocol):
    """Takes labels to be in order; these are the numbers that they stand for."""

    def label_values(self, classes: LabelArray) -> FloatArray: ...


@runtime_checkable
class RecordsRounds(Protocol):
    """Has what was measured at the start and after every round of `fit`, by name."""

    def rounds(self) -> list[dict[str, float]]: ...


@runtime_checkable
class HasCertificate(Protocol):
    """Can say, once fitted, how far from the optimum of its objective it can be."""

    def certificate(self) -> str: ...


@runtime_checkable
class LeavesOutFeatures(Protocol):
    """May be meant to find most features useless: their weights are then exactly 0."""

    def leaves_out_features(self) -> bool: ...


@runtime_checkable
class StartsWarm(Protocol):
    """With this parameter, `fit` begins at the weights of the last one."""

    warm_start: bool


@runtime_checkable
class HasFirstClassState(Protocol):
    """Has the state that it would have if all rows so far had been of the first of two classes."""

    def state_of_first_class(self) -> dict[str, FloatArray]: ...


@runtime_checkable
class HasLabelTree(Protocol):
    """Has, once fitted, a tree in place of `coef_` and `intercept_`."""

    tree_: "TreeWeights"


@runtime_checkable
class HasObjective(Protocol):
    """Has, once fitted, the objective that it minimized, and how that ended."""

    objective_: float
    n_iter_: int
    converged_: bool


class SemiSupervisedLearner(Protocol):
    """A linear learner that also learns from rows without labels."""

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
    ) -> LinearClassifier: ...


class RoundwiseLearner(Protocol):
    """A linear learner of which every round is measured on other rows."""

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
        dev: tuple[MatrixLike, LabelsLike] | None = None,
    ) -> LinearClassifier: ...


def takes_unlabeled(learner: LinearClassifier) -> TypeGuard[SemiSupervisedLearner]:
    """Whether the learner can learn from rows without labels, too."""
    return "unlabeled" in signature(learner.fit).parameters


def measures_rounds(learner: LinearClassifier) -> TypeGuard[RoundwiseLearner]:
    """Whether the learner can be measured round by round."""
    return "dev" in signature(learner.fit).parameters


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
