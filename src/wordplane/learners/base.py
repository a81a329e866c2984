"""What all linear learners share: checked input, scores and predictions.

A fitted linear learner is `coef_`, `intercept_`, `classes_` in scikit-learn's shapes: with
two classes there is one row of weights, and its score is that of `classes_[1]`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.errors import InputError
from wordplane.estimator import Estimator
from wordplane.features.matrix import as_csr
from wordplane.features.names import check_feature_names, feature_names
from wordplane.learners.labels import Codes, as_labels, encode
from wordplane.threads import thread_count

ClassWeight = str | Mapping[Any, float] | None


class LinearClassifier(Estimator):
    """A classifier that scores x by W x + b."""

    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    classes_: NDArray[Any]
    n_features_in_: int
    n_jobs: int | None

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        X = self._known_features(X)
        W = np.ascontiguousarray(self.coef_.T)
        z = _core.linear_scores(X, W, self.intercept_, thread_count(self.n_jobs))
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest score; the first of them if several have it."""
        z = self.decision_function(X)
        return self.classes_[best_class(z, len(self.classes_))]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows (by weight) that are predicted right."""
        right = self.predict(X) == as_labels(y)
        return float(np.average(right, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _new_features(self, X: Any) -> _core.Csr:
        """X for a first fit, which sets what later calls are checked against."""
        matrix = as_csr(X)
        self.n_features_in_ = matrix.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        return matrix

    def _known_features(self, X: Any) -> _core.Csr:
        """X with the features of the first fit."""
        matrix = as_csr(X)
        if matrix.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {matrix.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        check_feature_names(self, feature_names(X))
        return matrix

    def _new_labels(self, X: _core.Csr, y: Any) -> Codes:
        """y for a first fit, which sets the classes."""
        labels = as_labels(y)
        check_length(X, labels, "y")
        self.classes_, codes = encode(labels)
        return codes


def best_class(z: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
    """The number of the best class of every row of scores, the lowest among equals."""
    if n_classes == 1:
        return np.zeros(len(z), dtype=np.intp)
    return np.asarray(z > 0 if z.ndim == 1 else z.argmax(axis=1), dtype=np.intp)


def check_length(X: _core.Csr, values: NDArray[Any], name: str) -> None:
    """One value per row of X, or an error that says how many there are."""
    if len(values) != X.shape[0]:
        raise InputError(
            f"X has {X.shape[0]} rows and {name} has {len(values)}: one per row is needed "
            "(inconsistent numbers of samples)"
        )


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
    elif class_weight == "balanced":
        totals = np.bincount(codes, weights, minlength=len(classes))
        per_class = weights.sum() / (len(classes) * np.where(totals > 0, totals, np.inf))
    else:
        raise InputError(
            f"class_weight is {class_weight!r}, expected None, 'balanced' or a mapping"
        )
    return np.asarray(weights * per_class[codes])
