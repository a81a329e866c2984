"""The common part of transformers whose input is a matrix."""

from abc import ABC, abstractmethod
from typing import Generic, Self, TypeVar

from numpy.typing import ArrayLike

from wordplane.common.estimator import EstimatorTags
from wordplane.common.feature_names import FeatureNames
from wordplane.common.matrix import as_scipy
from wordplane.common.matrix_estimator import MatrixEstimator
from wordplane.common.types import CsrMatrix, LabelsLike, MatrixLike

Output = TypeVar("Output", covariant=True)


class MatrixTransformer(MatrixEstimator, ABC, Generic[Output]):
    """A transformer of a matrix; unless a subclass says otherwise, it keeps the features."""

    @abstractmethod
    def fit(self, X: MatrixLike, y: LabelsLike | None = None) -> Self:
        """Learn from X."""

    @abstractmethod
    def transform(self, X: MatrixLike) -> Output:
        """X transformed."""

    def fit_transform(self, X: MatrixLike, y: LabelsLike | None = None) -> Output:
        """Learn from X and return it transformed."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> FeatureNames:
        """The names of the features: the given ones, those of the fit, or x0, x1, ..."""
        self._check_fitted()
        return self._names_in(input_features)

    def __sklearn_tags__(self) -> EstimatorTags:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        tags.input_tags.sparse = True
        return tags

    def _new_rows(self, X: MatrixLike) -> CsrMatrix:
        """X for fit, as a SciPy matrix that must not be changed; later calls are checked by it."""
        matrix = as_scipy(X, copy=False)
        self._set_features(X, matrix.shape[1])
        return matrix

    def _known_rows(self, X: MatrixLike, *, copy: bool) -> CsrMatrix:
        """X for transform as a SciPy matrix, checked to have the features of the fit."""
        matrix = as_scipy(X, copy=copy)
        self._check_features(X, matrix.shape[1])
        return matrix
