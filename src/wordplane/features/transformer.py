"""What transformers of a matrix share: one column in, one column out."""

from abc import ABC, abstractmethod
from typing import Any, Self

from numpy.typing import NDArray

from wordplane.common.matrix import as_scipy
from wordplane.common.matrix_estimator import MatrixEstimator


class MatrixTransformer(MatrixEstimator, ABC):
    """A transformer whose output has the columns of its input."""

    @abstractmethod
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from X."""

    @abstractmethod
    def transform(self, X: Any) -> Any:
        """X transformed."""

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from X and return it transformed."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns: those given, those of the fit, or x0, x1, ..."""
        self._check_fitted()
        return self._names_in(input_features)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        tags.input_tags.sparse = True
        return tags

    def _new_features(self, X: Any) -> Any:
        """X for fit, as a SciPy matrix only to be read; sets what later calls are checked by."""
        matrix = as_scipy(X, copy=False)
        self._set_features(X, matrix.shape[1])
        return matrix

    def _known_rows(self, X: Any, *, copy: bool) -> Any:
        """X for transform as a SciPy matrix, with the features of the fit."""
        matrix = as_scipy(X, copy=copy)
        self._check_features(X, matrix.shape[1])
        return matrix
