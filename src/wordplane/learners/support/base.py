"""What all classifiers share: checked input, scores and predictions, and what they declare.

A fitted linear learner is `coef_`, `intercept_`, `classes_` in scikit-learn's shapes: with
two classes there is one row of weights, and its score is that of `classes_[1]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.labels import Codes, as_labels, encode
from wordplane.common.matrix_estimator import HasShape, MatrixEstimator, check_length
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.calibration import softmax
from wordplane.learners.support.shared_docs import complete_docstring

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from wordplane.learners.support.row_blocks import RowBlocks

Grid: TypeAlias = Mapping[str, tuple[float, ...]]
ClassWeight: TypeAlias = str | Mapping[str, float] | Mapping[int, float] | None

# Of learners that decide by their training rows.
MODEL_OF_ROWS = (
    "{} decides by training texts, which a model file does not hold: use it from Python, after a "
    "vectorizer (docs/neighbors.md, docs/kernels.md)"
)

# Values to try of parameters that several learners have.
C_GRID: Grid = {"C": (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)}
ALPHA_GRID: Grid = {"alpha": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)}


class Classifier(MatrixEstimator):
    """A classifier of the rows of a matrix."""

    known_before = frozenset({"n_features_in_", "feature_names_in_", "classes_"})
    takes_negative = True  # values of X
    scores_poorly = False  # on measurements, as it is meant for something else
    class_weight: ClassWeight = None
    classes_: LabelArray

    @property
    def kind(self) -> str:
        """The form of the fitted model."""
        return "other"

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
        tags.classifier_tags = ClassifierTags(poor_score=self.scores_poorly)
        tags.input_tags.positive_only = not self.takes_negative
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _new_labels(self, X: _core.Csr, y: LabelsLike | None) -> Codes:
        """y for a first fit, which sets the classes; None is refused."""
        labels = as_labels(y)
        check_length(X, labels, "y")
        self.classes_, codes = encode(labels)
        return codes

    def _weighted_rows(
        self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike
    ) -> tuple[_core.Csr, Codes, FloatArray]:
        """Rows for a first fit, the numbers of their classes, and their weights."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        return matrix, codes, self._row_weights(matrix, codes, sample_weight)

    def _row_weights(self, X: HasShape, codes: Codes, sample_weight: WeightsLike) -> FloatArray:
        return row_weights(X, codes, self.classes_, sample_weight, self.class_weight)


class Tables(NamedTuple):
    """How many tables of numbers are held at once: features x classes, rows x classes and
    classes x classes."""

    weights: int = 6
    rows: int = 0
    pairs: int = 0


class LinearClassifier(Classifier):
    """A classifier that scores x by W x + b.

    A learner is a subclass, and everything about it is in its own file: code that works with any
    learner asks for nothing but what is declared here, and a learner overrides what is different
    for it. Apart from `fit`, `tuning_grid`, `kind`, `reads_counts` and `reads_binary`, these are

    name           its name on the command line and in model files; "" if it has none
    text_defaults  parameters whose best value on texts is not the default of `__init__`
    grid           the values to try of the parameters that matter most, for `tuning_grid`
    learns_sets    its `fit` takes label sets; of other learners, each label gets one of its own
    tables         what `fit` holds in memory, if that is more than a few copies of the weights

    What only some learners can do is in support/protocols.py: a learner that has the methods of a
    protocol has the ability. Those that can be trained further inherit `IncrementalClassifier`.

    Parameters
    ----------
    class_weight : None, "balanced" or mapping
        How much a document of each class counts.
    n_jobs : int
        Threads to use; None and -1 mean all.
    random_state : int
        The seed of the order of the documents.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two classes.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.
    """

    name = ""
    text_defaults: Mapping[str, object] = {}
    grid: Mapping[str, tuple[float, ...]] = {}
    learns_sets = False

    n_jobs: int | None = None

    coef_: FloatArray
    intercept_: FloatArray

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        complete_docstring(cls)

    @property
    def kind(self) -> str:
        """ "linear", or another word if the model is not of this form."""
        return "linear"

    @property
    def reads_counts(self) -> bool:
        """Whether it is meant for counts, not for weighted values."""
        return False

    @property
    def reads_binary(self) -> bool:
        """Whether it takes x as 1 for every feature that occurs, however often."""
        return False

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from rows and their labels."""
        raise NotImplementedError

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        return self._scores(self._known_features(X))

    def predict(self, X: MatrixLike) -> LabelArray:
        """The class with the largest score; the first of them if several have it."""
        z = self.decision_function(X)
        return self.classes_[best_class(z, len(self.classes_))]

    def tables(self) -> Tables:
        """The tables of numbers that `fit` holds at once."""
        return Tables()

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """About how many bytes `fit` takes besides its rows, so that what does not fit into memory
        is refused before any work; of learners made of others, with theirs."""
        weights, rows, pairs = self.tables()
        return 8 * n_classes * (weights * n_features + rows * n_docs + pairs * n_classes)

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """The values to try of the parameters that matter most, by their names in `get_params`."""
        return dict(self.grid)

    def why_no_text_model(self) -> str:
        """Why no text model can be made of this learner; empty if one can."""
        return "" if self.kind == "linear" else super().why_no_text_model()

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

    def _weighted_blocks(
        self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike
    ) -> tuple[Codes, FloatArray]:
        """The classes and weights of rows in blocks, for a first fit."""
        self.n_features_in_ = rows.shape[1]
        vars(self).pop("feature_names_in_", None)
        labels = as_labels(y)
        if len(labels) != rows.shape[0]:
            raise InputError(f"{rows.shape[0]} rows and {len(labels)} labels: one each is needed")
        self.classes_, codes = encode(labels)
        return codes, self._row_weights(rows, codes, sample_weight)

    def _check_two_classes(self) -> None:
        if len(self.classes_) < 2:
            raise InputError(
                f"y has one class only ({self.classes_[0]!r}): {type(self).__name__} needs two "
                "classes at least"
            )


def accuracy(predicted: LabelArray, y: LabelsLike | LabelSets, sample_weight: WeightsLike) -> float:
    """The share of rows (by weight) whose label is predicted right."""
    if isinstance(y, LabelSets):
        raise InputError("y has several labels per row, expected one, which is what is predicted")
    labels = as_labels(y)
    if len(labels) != len(predicted):
        raise InputError(f"{len(predicted)} rows and {len(labels)} labels: one each is needed")
    weights = as_weights(sample_weight, len(labels))
    return float(np.average(predicted == labels, weights=weights))


def bytes_to_fit(learner: object, n_docs: int, n_features: int, n_classes: int) -> int:
    """`fit_bytes` of a learner, which may be another library's."""
    known = learner if isinstance(learner, LinearClassifier) else LinearClassifier()
    return known.fit_bytes(n_docs, n_features, n_classes)


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
    return softmax(z)


def log_softmax(z: FloatArray) -> FloatArray:
    """log P(k | x) from scores of all classes; z is written to.

    >>> np.exp(log_softmax(np.log([[1.0, 3.0]])))
    array([[0.25, 0.75]])
    """
    z -= z.max(axis=1, keepdims=True)
    z -= np.log(np.exp(z).sum(axis=1, keepdims=True))
    return z


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
