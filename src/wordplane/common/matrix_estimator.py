"""The features that an estimator was fitted on: how many there are, and their names."""

from collections.abc import Sized
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import Estimator
from wordplane.common.feature_names import FeatureNames, check_feature_names, feature_names
from wordplane.common.matrix import as_csr
from wordplane.common.types import MatrixLike


class HasShape(Protocol):
    """A matrix, wherever its rows are."""

    @property
    def shape(self) -> tuple[int, int]: ...


class MatrixEstimator(Estimator):
    """An estimator whose input is a matrix, always with the features of the first fit."""

    n_features_in_: int
    feature_names_in_: FeatureNames

    def _new_features(self, X: MatrixLike) -> _core.Csr:
        """X for a first fit; later calls are checked against its features."""
        matrix = as_csr(X)
        self._set_features(X, matrix.shape[1])
        return matrix

    def _known_features(self, X: MatrixLike) -> _core.Csr:
        """X, checked to have the features of the first fit."""
        matrix = as_csr(X)
        self._check_features(X, matrix.shape[1])
        return matrix

    def _names_in(self, given: ArrayLike | None) -> FeatureNames:
        """The names of the features: the given ones, those of the fit, or x0, x1, ..."""
        fitted: FeatureNames | None = getattr(self, "feature_names_in_", None)
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

    def _set_features(self, X: object, n_features: int) -> None:
        self.n_features_in_ = n_features
        self.__dict__.pop("feature_names_in_", None)
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names

    def _check_features(self, X: object, n_features: int) -> None:
        expected = getattr(self, "n_features_in_", n_features)
        if n_features != expected:
            raise InputError(
                f"X has {n_features} features, but {type(self).__name__} is expecting "
                f"{expected} features as input"
            )
        check_feature_names(self, feature_names(X))


def check_length(X: HasShape, values: Sized, name: str) -> None:
    """Raise an error unless there is one value per row of X."""
    if len(values) != X.shape[0]:
        raise InputError(
            f"X has {X.shape[0]} rows and {name} has {len(values)}, expected one per row "
            "(inconsistent numbers of samples)"
        )
