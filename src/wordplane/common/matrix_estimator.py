"""The columns that an estimator was fitted on: how many, and what they are called."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import Estimator
from wordplane.common.feature_names import check_feature_names, feature_names
from wordplane.common.matrix import as_csr


class MatrixEstimator(Estimator):
    """An estimator whose input is a matrix, always with the columns of the first fit."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _new_features(self, X: Any) -> Any:
        """X for a first fit, which sets what later calls are checked against."""
        matrix = as_csr(X)
        self._set_columns(X, matrix.shape[1])
        return matrix

    def _known_features(self, X: Any) -> _core.Csr:
        """X with the features of the first fit."""
        matrix = as_csr(X)
        self._check_columns(X, matrix.shape[1])
        return matrix

    def _names_in(self, given: Any) -> NDArray[Any]:
        """The names of the columns: those given, those of the fit, or x0, x1, ..."""
        fitted: NDArray[Any] | None = getattr(self, "feature_names_in_", None)
        if given is None:
            if fitted is not None:
                return fitted
            return np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        names = np.asarray(given, dtype=object)
        if fitted is not None and not np.array_equal(names, fitted):
            raise InputError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise InputError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        return names

    def _set_columns(self, X: Any, n_columns: int) -> None:
        self.n_features_in_ = n_columns
        self.__dict__.pop("feature_names_in_", None)
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names

    def _check_columns(self, X: Any, n_columns: int) -> None:
        expected = getattr(self, "n_features_in_", n_columns)
        if n_columns != expected:
            raise InputError(
                f"X has {n_columns} features, but {type(self).__name__} is expecting "
                f"{expected} features as input"
            )
        check_feature_names(self, feature_names(X))


def check_length(X: _core.Csr, values: NDArray[Any], name: str) -> None:
    """One value per row of X, or an error that says how many there are."""
    if len(values) != X.shape[0]:
        raise InputError(
            f"X has {X.shape[0]} rows and {name} has {len(values)}: one per row is needed "
            "(inconsistent numbers of samples)"
        )
