"""What transformers of a matrix share: one column in, one column out."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.errors import InputError
from wordplane.estimator import Estimator
from wordplane.features.matrix import as_scipy
from wordplane.features.names import check_feature_names, feature_names


class MatrixTransformer(Estimator):
    """A transformer whose output has the columns of its input."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from X."""
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        """X transformed."""
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from X and return it transformed."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns: those given, those of the fit, or x0, x1, ..."""
        self._check_fitted()
        fitted: NDArray[Any] | None = getattr(self, "feature_names_in_", None)
        if input_features is None:
            if fitted is not None:
                return fitted
            return np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        names = np.asarray(input_features, dtype=object)
        if fitted is not None and not np.array_equal(names, fitted):
            raise InputError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise InputError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        return names

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        tags.input_tags.sparse = True
        return tags

    def _new_features(self, X: Any) -> Any:
        """X for fit, as a SciPy matrix only to be read; sets what later calls are checked by."""
        matrix = as_scipy(X, copy=False)
        self.n_features_in_ = matrix.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        return matrix

    def _known_features(self, X: Any, *, copy: bool) -> Any:
        """X for transform, with the features of the fit."""
        matrix = as_scipy(X, copy=copy)
        expected = getattr(self, "n_features_in_", matrix.shape[1])
        if matrix.shape[1] != expected:
            raise InputError(
                f"X has {matrix.shape[1]} features, but {type(self).__name__} is expecting "
                f"{expected} features as input"
            )
        check_feature_names(self, feature_names(X))
        return matrix
