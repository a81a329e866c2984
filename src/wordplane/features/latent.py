"""Latent features: the truncated singular value decomposition of a document-feature matrix.

    X ~ U D V'    on the training documents (latent semantic analysis)
    x -> x V      any document in the space of the strongest directions

Reference: Deerwester, Dumais, Furnas, Landauer and Harshman (1990), JASIS 41(6).
"""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane.common.feature_names import FeatureNames
from wordplane.common.set_output import FrameOutput
from wordplane.common.types import LabelsLike, MatrixLike
from wordplane.features.svd import truncated_svd
from wordplane.features.transformer import MatrixTransformer


class LatentFeatures(FrameOutput, MatrixTransformer[NDArray[np.floating]]):
    """Turns documents into a few dense features; equal to scikit-learn's TruncatedSVD up to signs.

    Parameters
    ----------
    n_components : int, default 100
        The number of latent features; fewer if X has fewer rows or features.
    solver : "arpack" or "randomized", default "arpack"
        The algorithm that finds the singular vectors: exact, or faster.
    random_state : int, default 0
        The seed of the solver's starting point.

    Attributes
    ----------
    components_
        V', one row per latent feature; the largest entry of each is above 0.
    singular_values_
        D, descending.

    Examples
    --------
    >>> X = [[2, 2, 0], [1, 1, 0], [0, 0, 3]]
    >>> latent = LatentFeatures(2).fit(X)
    >>> latent.transform([[1, 1, 0], [0, 0, 1]]).round(3)
    array([[1.414, 0.   ],
           [0.   , 1.   ]])
    """

    components_: NDArray[np.floating]
    singular_values_: NDArray[np.floating]

    def __init__(
        self, n_components: int = 100, *, solver: str = "arpack", random_state: int = 0
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike | None = None) -> Self:
        """Find the strongest directions of X; y is ignored."""
        matrix = self._new_rows(X)
        _, self.singular_values_, self.components_ = truncated_svd(
            matrix, self.n_components, self.solver, self.random_state
        )
        return self

    def transform(self, X: MatrixLike) -> NDArray[np.floating]:
        """X V, dense."""
        self._check_fitted()
        matrix = self._known_rows(X, copy=False)
        return np.asarray(matrix @ self.components_.T)

    def inverse_transform(self, Z: ArrayLike) -> NDArray[np.floating]:
        """Z V': the best approximation of X with so few features."""
        self._check_fitted()
        return np.asarray(np.asarray(Z) @ self.components_)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> FeatureNames:
        """latent0, latent1 and so on."""
        self._check_fitted()
        return np.array([f"latent{j}" for j in range(len(self.components_))], dtype=object)
