"""What all classifiers share: checked input, scores and predictions, and what they declare.

A fitted linear learner is `coef_`, `intercept_`, `classes_` in scikit-learn's shapes: with
two classes there is one row of weights, and its score is that of `classes_[1]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.labels import Codes, as_labels, encode, encode_known
from wordplane.common.matrix_estimator import HasShape, MatrixEstimator, check_length
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    IntArray,
    JsonObject,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from wordplane.evaluation.calibration import Isotonic
    from wordplane.learners.support.row_blocks import RowBlocks
    from wordplane.learners.support.tree_weights import TreeWeights

ClassWeight: TypeAlias = str | Mapping[str, float] | Mapping[int, float] | None

# Of learners that decide by their training rows.
MODEL_OF_ROWS = (
    "{} decides by training texts, which a model file does not hold: use it from Python, after a "
    "vectoriser (docs/neighbors.md, docs/kernels.md)"
)

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(partial_fit: Callable[P, R]) -> Callable[P, R]:
    """A `partial_fit` that leaves the learner as it was if it fails, unless while it learns."""

    @wraps(partial_fit)
    def whole(*args: P.args, **kwargs: P.kwargs) -> R:
        learner = vars(args[0])
        before = learner.copy()
        try:
            return partial_fit(*args, **kwargs)
        except BaseException:
            learner.clear()
            learner.update(before)
            raise

    return whole


class Classifier(MatrixEstimator):
    """A classifier of the rows of a matrix.

    `kind` is the form of the fitted model: "linear", or another word.
    """

    kind = "other"
    known_before = frozenset({"n_features_in_", "feature_names_in_", "classes_"})
    classes_: LabelArray

    def predict(self, X: MatrixLike) -> LabelArray:
        """The label of every row."""
        raise NotImplementedError

    def score(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> float:
        """The share of rows (by weight) that are predicted right."""
        return accuracy(self.predict(X), y, sample_weight)

    def why_no_text_model(self) -> str:
        """Why no text model can be made of this learner; empty if one can."""
        return f"{self!r} is not a linear model, which a text model must be"

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(Classifier):
    """A classifier that scores x by W x + b.

    A learner is a subclass, and everything about it stands in its own file: code that works with
    any learner asks for nothing but what is declared here, and a learner overrides what is
    different for it. Apart from `fit`, these are the attributes

    name              its name on the command line and in model files; "" if it has none
    kind              "linear", or another word if the model is not of this form
    text_defaults     parameters whose best value on texts is not the default of `__init__`
    reads_counts      it is meant for counts, not for weighted values
    counts_unknown    words that no training text has must count, so features of texts are hashed
    reads_binary      it takes x as 1 for every feature that occurs, however often
    learns_sets       its `fit` takes label sets; of other learners, each label gets one of its own
    learns_one_label  its `fit` takes rows of one label, and finds the probabilities itself, as
                      `calibrator_`
    uses_unlabeled    its `fit` has a parameter `unlabeled`: rows without labels
    unlabeled_name    the name of the learner that takes its place if there are texts without
                      labels; "" if none does
    measures_rounds   its `fit` has a parameter `dev`: rows that every round is measured on
    starts_warm       with its parameter `warm_start`, `fit` begins at the weights of the last one
    learns_in_epochs  with its parameter `keep_path`, `path_` has W and b after every epoch
    learns_from_blocks  its `fit_blocks` can learn from rows that are not in memory together
    learns_from_sums  the same if blocks are on other machines, so that only sums can be had
    shuffles_rows     it visits rows in random order, so blocks should be random samples of them
    grows             its `resize` can add columns and classes to what was learned
    state             names of the attributes that `partial_fit` resumes from, as `_start` makes
                      them: arrays, numbers, or None; empty if it cannot be trained further

    and the hooks `tuning_grid`, `set_groups`, `prepare_for_one_label`, `chosen_parameters`,
    `label_values`, `rounds`, `leaves_out_features`, `get_state`, `set_state`,
    `state_of_first_class`, `resize`, `fade`, `occurring`, `certificate` and `why_no_text_model`.
    """

    name = ""
    kind = "linear"
    text_defaults: Mapping[str, object] = {}
    reads_counts = False
    counts_unknown = False
    reads_binary = False
    learns_sets = False
    learns_one_label = False
    uses_unlabeled = False
    unlabeled_name = ""
    measures_rounds = False
    starts_warm = False
    learns_in_epochs = False
    learns_from_blocks = False
    learns_from_sums = False
    shuffles_rows = False
    grows = False
    state: tuple[str, ...] = ()

    class_weight: ClassWeight = None
    n_jobs: int | None = None

    coef_: FloatArray
    intercept_: FloatArray
    objective_: float  # of learners that minimise one
    n_iter_: int
    converged_: bool
    path_: list[tuple[FloatArray, FloatArray]]
    calibrator_: Isotonic | None = None  # of a learner of one label
    tree_: TreeWeights | None = None  # of a learner of a tree, in place of coef_ and intercept_

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from rows and their labels."""
        raise NotImplementedError

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """`fit` on rows that are read from disk block by block; if `learns_from_blocks`."""
        raise InputError(f"{self!r} needs all rows in memory: it cannot be trained on blocks")

    def fit_within(
        self,
        X: MatrixLike,
        y: LabelsLike,
        lower: FloatArray,
        upper: FloatArray,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Fit to two classes, with every weight of a feature within bounds."""
        raise InputError(f"{self!r} cannot be fitted to {len(self.classes_)} classes within bounds")

    def can_fit_within(self) -> bool:
        """Whether weights of two classes can be fitted within bounds."""
        return False

    def certificate(self) -> str:
        """How far from the optimum of its objective a fitted learner can be; "" if not known."""
        return ""

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        return self._scores(self._known_features(X))

    def predict(self, X: MatrixLike) -> LabelArray:
        """The class with the largest score; the first of them if several have it."""
        z = self.decision_function(X)
        return self.classes_[best_class(z, len(self.classes_))]

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """The values to try of the parameters that matter most, by their names in `get_params`;
        empty if there is no such parameter."""
        return {}

    def set_groups(self, starts: Sequence[int], n_counted: int, n_features: int) -> None:
        """Told before `fit` what the columns are, if they are features of texts.

        starts     the first columns of the groups of features (words, characters ...)
        n_counted  how many of the n_features columns are features that occur or not; those after
                   them are measurements
        """

    def prepare_for_one_label(self) -> None:
        """Told before `fit` that it is one of many, for one label among several per text."""

    def chosen_parameters(self) -> JsonObject:
        """The parameters that `fit` chose from the data, by name."""
        return {}

    def label_values(self, classes: LabelArray) -> FloatArray | None:
        """The numbers that the labels stand for, if the learner takes them to be in order."""
        return None

    def rounds(self) -> list[dict[str, float]]:
        """What was measured at the start and after every round of `fit`, by name."""
        return []

    def leaves_out_features(self) -> bool:
        """Whether it is meant to find most features useless: their weights are then exactly 0."""
        return False

    def why_no_text_model(self) -> str:
        """Why no text model can be made of this learner; empty if one can."""
        return "" if self.kind == "linear" else super().why_no_text_model()

    def get_state(self) -> dict[str, FloatArray]:
        """What the fitted learner resumes training from: the attributes that `state` names, a
        number as an array of one; what is None or infinite is as `_start` makes it, and left out.
        """
        held = {name: getattr(self, name) for name in self.state}
        arrays = {
            name: np.atleast_1d(np.asarray(value, np.float64))
            for name, value in held.items()
            if value is not None
        }
        return {name: array for name, array in arrays.items() if np.isfinite(array).all()}

    def set_state(
        self, arrays: Mapping[str, FloatArray], classes: LabelArray, n_features: int
    ) -> None:
        """Become the learner whose `get_state` this is. Arrays that do not fit are refused."""
        self.classes_, self.n_features_in_ = classes, n_features
        self._start()
        started = {name: getattr(self, name) for name in self.state}
        known = {name for name, value in started.items() if value is not None}
        needed = {name for name in known if np.isfinite(started[name]).all()}
        if not needed <= set(arrays) <= known:
            raise InputError(
                f"the state of {type(self).__name__} has {', '.join(sorted(arrays)) or 'nothing'}, "
                f"expected {', '.join(sorted(needed)) or 'nothing'}"
            )
        for name, array in arrays.items():
            first = started[name]
            if array.shape != (np.shape(first) or (1,)) or not np.isfinite(array).all():
                raise InputError(
                    f"{name} in the state of {type(self).__name__} has another shape, or a value "
                    "that is not finite"
                )
            if isinstance(first, int) and not (0 <= array[0] < 2**53 and array[0] % 1 == 0):
                raise InputError(
                    f"{name} in the state of {type(self).__name__} is {array[0]}, expected a "
                    "whole number of 0 or more"
                )
            is_array = isinstance(first, np.ndarray)
            setattr(self, name, array.copy() if is_array else type(first)(array[0]))

    def state_of_first_class(self) -> dict[str, FloatArray]:
        """The state if all rows so far had been of the first of two classes; empty if that cannot
        be told from what was learned."""
        return {}

    def resize(self, place: IntArray, n_features: int, classes: LabelArray) -> None:
        """Go on with other columns and classes: column j becomes place[j], or goes if that is -1;
        what is new has not been seen yet."""
        before = {name: getattr(self, name) for name in self.state}
        number = {label: k for k, label in enumerate(classes.tolist())}
        kept = np.array([number.get(label, -1) for label in self.classes_.tolist()], np.int64)
        self.classes_, self.n_features_in_ = classes, n_features
        self._start()
        self._refill(before, place, kept)

    def _refill(self, before: dict[str, Any], place: IntArray, kept: IntArray) -> None:
        """Set what `state` names, which `_start` has just made, to what it was `before`; class k
        has become kept[k]."""
        raise InputError(f"{self!r} cannot learn new columns and classes")

    def remove(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        raise InputError(f"{self!r} cannot remove rows: naive Bayes can")

    def fade(self, share: float) -> None:
        """Forget this share of what was learned, before more is."""
        raise InputError(f"{self!r} cannot be trained further")

    def occurring(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The columns and the classes that rows which were not removed have."""
        return np.ones(self.n_features_in_, bool), np.ones(len(self.classes_), bool)

    def _start(self) -> None:
        """Set what `state` names to what it is before any row is seen; classes and columns are
        known."""

    def _scores(self, X: _core.Csr) -> FloatArray:
        """`decision_function` of a matrix with the right columns."""
        W = np.ascontiguousarray(self.coef_.T)
        z = _core.linear_scores(X, W, self.intercept_, thread_count(self.n_jobs))
        return z[:, 0] if z.shape[1] == 1 else z

    def _set_weights(self, W: FloatArray, b: FloatArray) -> None:
        """The model z = x W + b, W (n_features x n_outputs), in scikit-learn's shapes.

        Two classes with an output each become one: the score of the second less the first's.
        """
        if len(self.classes_) == 2 and W.shape[1] == 2:
            W, b = W[:, 1:] - W[:, :1], b[1:] - b[:1]
        self.coef_ = W.T  # whichever lies side by side in memory stays so
        self.intercept_ = b

    def _new_labels(self, X: _core.Csr, y: LabelsLike | None) -> Codes:
        """y for a first fit, which sets the classes; None is refused."""
        labels = as_labels(y)
        check_length(X, labels, "y")
        self.classes_, codes = encode(labels)
        return codes

    def _new_blocks(self, rows: RowBlocks, y: LabelsLike) -> Codes:
        """Rows and labels for a first fit on blocks: sets the classes and the number of columns."""
        self.n_features_in_ = rows.shape[1]
        vars(self).pop("feature_names_in_", None)
        labels = as_labels(y)
        if len(labels) != rows.shape[0]:
            raise InputError(f"{rows.shape[0]} rows and {len(labels)} labels: one each is needed")
        self.classes_, codes = encode(labels)
        return codes

    def _next_rows(
        self, X: MatrixLike, y: LabelsLike, classes: LabelsLike | None
    ) -> tuple[_core.Csr, Codes, bool]:
        """X and y of a `partial_fit`, and whether it is the first, which sets the classes."""
        if self.class_weight == "balanced":
            raise InputError(
                "class_weight='balanced' needs all rows at once: use fit, or give partial_fit the "
                "weights, n / (n_classes * n_k) for class k"
            )
        first = not hasattr(self, "classes_")
        if first:
            if classes is None:
                raise InputError("classes must be passed on the first call to partial_fit.")
            matrix = self._new_features(X)
            self.classes_ = np.unique(as_labels(classes))
        else:
            matrix = self._known_features(X)
            if classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
                raise InputError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                    f"{self.classes_!r}"
                )
        labels = as_labels(y)
        check_length(matrix, labels, "y")
        return matrix, encode_known(labels, self.classes_), first


def accuracy(predicted: LabelArray, y: LabelsLike | LabelSets, sample_weight: WeightsLike) -> float:
    """The share of rows (by weight) whose label is predicted right."""
    if isinstance(y, LabelSets):
        raise InputError("y has several labels per row, expected one, which is what is predicted")
    labels = as_labels(y)
    if len(labels) != len(predicted):
        raise InputError(f"{len(predicted)} rows and {len(labels)} labels: one each is needed")
    weights = as_weights(sample_weight, len(labels))
    return float(np.average(predicted == labels, weights=weights))


def inner_tuning_grid(learner: object) -> dict[str, tuple[float, ...]]:
    """The grid of the learner that is the parameter `learner` of another."""
    if not isinstance(learner, LinearClassifier):
        return {}
    return {f"learner__{name}": values for name, values in learner.tuning_grid().items()}


def best_class(z: FloatArray, n_classes: int) -> NDArray[np.intp]:
    """The number of the best class of every row of scores, the lowest among equals."""
    if n_classes == 1:
        return np.zeros(len(z), dtype=np.intp)
    return (z > 0.0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)


def best_output(z: FloatArray, n_classes: int) -> NDArray[np.intp]:
    """The same for scores that have a column per output, even if that is one."""
    return best_class(z[:, 0] if z.shape[1] == 1 else z, n_classes)


def probabilities(z: FloatArray) -> FloatArray:
    """softmax(z); one score per row is that of the second of two classes.

    >>> probabilities(np.array([0.0, np.log(3)]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    if z.ndim == 1:
        z = np.column_stack([np.zeros_like(z), z])
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def row_weights(
    X: HasShape,
    codes: Codes,
    classes: LabelArray,
    sample_weight: WeightsLike,
    class_weight: ClassWeight,
) -> FloatArray:
    """The weight of every row: its sample weight times the weight of its class.

    "balanced" gives class k the weight n / (K n_k), n_k the summed sample weights of k.
    """
    weights = as_weights(sample_weight, X.shape[0])
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        unknown = set(class_weight) - set(classes.tolist())
        if unknown:
            raise InputError(f"class_weight names {unknown!r}, which are not classes")
        per_class = np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
        if not np.isfinite(per_class).all() or (per_class < 0).any() or not per_class.any():
            raise InputError(
                f"class_weight is {class_weight!r}, expected finite numbers from 0 up, not all 0"
            )
    elif class_weight == "balanced":
        totals = np.bincount(codes, weights, minlength=len(classes))
        per_class = weights.sum() / (len(classes) * np.where(totals > 0, totals, np.inf))
    else:
        raise InputError(
            f"class_weight is {class_weight!r}, expected None, 'balanced' or a mapping"
        )
    return np.asarray(weights * per_class[codes])
