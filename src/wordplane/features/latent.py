"""Latent features: the truncated singular value decomposition of a document-feature matrix.

    X ~ U D V'    on the training documents (latent semantic analysis)
    x -> x V      a document, old or new, in the space of the strongest directions

Reference: Deerwester, Dumais, Furnas, Landauer and Harshman (1990), JASIS 41(6).
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.features.svd import truncated_svd
from wordplane.features.transformer import MatrixTransformer


class LatentFeatures(MatrixTransformer):
    """Documents in a few dense columns; scikit-learn's TruncatedSVD, up to signs.

    Parameters
    ----------
    n_components : int, default 100
        The number of columns; fewer if X has fewer rows or columns.
    solver : "arpack" or "randomized", default "arpack"
        What finds the singular vectors; "randomized" needs scikit-learn.
    random_state : int, default 0
        Seed of the start of the solver.

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

    components_: NDArray[Any]
    singular_values_: NDArray[Any]

    def __init__(
        self, n_components: int = 100, *, solver: str = "arpack", random_state: int = 0
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the strongest directions of X; y is not looked at."""
        matrix = self._new_features(X)
        _, self.singular_values_, self.components_ = truncated_svd(
            matrix, self.n_components, self.solver, self.random_state
        )
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """X V, dense."""
        self._check_fitted()
        matrix = self._known_rows(X, copy=False)
        return np.asarray(matrix @ self.components_.T)

    def inverse_transform(self, Z: Any) -> NDArray[Any]:
        """Z V': the nearest to X that so few columns can be."""
        self._check_fitted()
        return np.asarray(np.asarray(Z) @ self.components_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """latent0, latent1 and so on."""
        self._check_fitted()
        return np.array([f"latent{j}" for j in range(len(self.components_))], dtype=object)
