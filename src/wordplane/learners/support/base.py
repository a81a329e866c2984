"""What all linear learners share: checked input, scores and predictions.

A fitted linear learner is `coef_`, `intercept_`, `classes_` in scikit-learn's shapes: with
two classes there is one row of weights, and its score is that of `classes_[1]`.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes, as_labels, encode, encode_known
from wordplane.common.matrix_estimator import MatrixEstimator, check_length
from wordplane.common.threads import thread_count

ClassWeight = str | Mapping[Any, float] | None


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


class LinearClassifier(MatrixEstimator):
    """A classifier that scores x by W x + b.

    `kind` is another word for models that are not of this form. `reads_binary` is true of those
    whose x is 1 for every feature that occurs, however often; `reads_counts` of those that are
    meant for counts, not for weighed values. `state` names what a learner that can go on learning
    goes on from (see `resuming`).
    """

    kind = "linear"
    reads_binary = False
    reads_counts = False
    state: tuple[str, ...] = ()
    known_before = frozenset({"n_features_in_", "feature_names_in_", "classes_"})
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    classes_: NDArray[Any]
    n_jobs: int | None

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        return self._scores(self._known_features(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest score; the first of them if several have it."""
        z = self.decision_function(X)
        return self.classes_[best_class(z, len(self.classes_))]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows (by weight) that are predicted right."""
        return accuracy(self.predict(X), y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    uses_unlabeled = False

    def tuning_grid(self) -> dict[str, Any]:
        """interim"""
        names = self.get_params()
        if "learner__C" in names:
            return {"learner__C": [0.03, 0.1, 0.3, 1.0, 3.0], "beta": [0.25, 0.5, 1.0]}
        if "C" in names:
            return {"C": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]}
        if "alpha" in names:
            return {"alpha": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]}
        return {}

    def chosen_parameters(self) -> dict[str, Any]:
        """interim"""
        alpha = getattr(self, "alpha_", None)
        return (
            {"alpha": alpha} if alpha is not None and alpha != getattr(self, "alpha", None) else {}
        )

    def _start(self) -> None:
        """Get ready to learn, once the classes are known."""

    def _scores(self, X: _core.Csr) -> NDArray[np.float64]:
        """`decision_function` of a matrix with the right columns."""
        W = np.ascontiguousarray(self.coef_.T)
        z = _core.linear_scores(X, W, self.intercept_, thread_count(self.n_jobs))
        return z[:, 0] if z.shape[1] == 1 else z

    def _set_weights(self, W: NDArray[np.float64], b: NDArray[np.float64]) -> None:
        """The model z = x W + b, W (n_features x n_outputs), in scikit-learn's shapes.

        Two classes with an output each become one: the score of the second less the first's.
        """
        if len(self.classes_) == 2 and W.shape[1] == 2:
            W, b = W[:, 1:] - W[:, :1], b[1:] - b[:1]
        self.coef_ = W.T  # whichever lies side by side in memory stays so
        self.intercept_ = b

    def _new_labels(self, X: _core.Csr, y: Any) -> Codes:
        """y for a first fit, which sets the classes."""
        labels = as_labels(y)
        check_length(X, labels, "y")
        self.classes_, codes = encode(labels)
        return codes

    def _next_rows(self, X: Any, y: Any, classes: Any) -> tuple[_core.Csr, Codes, bool]:
        """X and y of a `partial_fit`, and whether it is the first, which sets the classes."""
        if getattr(self, "class_weight", None) == "balanced":
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


def accuracy(predicted: NDArray[Any], y: Any, sample_weight: Any) -> float:
    """The share of rows (by weight) whose label is predicted right."""
    labels = as_labels(y)
    if len(labels) != len(predicted):
        raise InputError(f"{len(predicted)} rows and {len(labels)} labels: one each is needed")
    return float(np.average(predicted == labels, weights=sample_weight))


def best_class(z: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
    """The number of the best class of every row of scores, the lowest among equals."""
    if n_classes == 1:
        return np.zeros(len(z), dtype=np.intp)
    return (z > 0.0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)


def best_output(z: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
    """The same for scores that have a column per output, even if that is one."""
    return best_class(z[:, 0] if z.shape[1] == 1 else z, n_classes)


def probabilities(z: NDArray[np.float64]) -> NDArray[np.float64]:
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
    X: _core.Csr,
    codes: Codes,
    classes: NDArray[Any],
    sample_weight: Any,
    class_weight: ClassWeight,
) -> NDArray[np.float64]:
    """The weight of every row: its sample weight times the weight of its class.

    "balanced" gives class k the weight n / (K n_k), n_k the summed sample weights of k.
    """
    weights = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(X.shape[0], weights)
    if weights.ndim != 1:
        raise InputError("Sample weights must be 1D array or scalar")
    check_length(X, weights, "sample_weight")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("sample weights must be finite and not negative")
    if not weights.any():
        raise InputError("the sample weights are all zero: no row counts")
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        unknown = set(class_weight) - set(classes.tolist())
        if unknown:
            raise InputError(f"class_weight names {unknown!r}, which are no classes")
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
