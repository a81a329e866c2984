"""What transformers of a matrix share: one column in, one column out."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.errors import InputError
from wordplane.features.columns import MatrixEstimator
from wordplane.features.matrix import as_scipy


class MatrixTransformer(MatrixEstimator):
    """A transformer whose output has the columns of its input."""

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
        self._set_columns(X, matrix.shape[1])
        return matrix

    def _known_rows(self, X: Any, *, copy: bool) -> Any:
        """X for transform as a SciPy matrix, with the features of the fit."""
        matrix = as_scipy(X, copy=copy)
        self._check_columns(X, matrix.shape[1])
        return matrix
