"""The columns that an estimator was fitted on: how many, what they are called, some of them."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.errors import InputError
from wordplane.estimator import Estimator
from wordplane.features.matrix import as_csr


class MatrixEstimator(Estimator):
    """An estimator whose input is a matrix, always with the columns of the first fit."""

    n_features_in_: int

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
        _check_feature_names(self, feature_names(X))
        return matrix


def check_length(X: _core.Csr, values: NDArray[Any], name: str) -> None:
    """One value per row of X, or an error that says how many there are."""
    if len(values) != X.shape[0]:
        raise InputError(
            f"X has {X.shape[0]} rows and {name} has {len(values)}: one per row is needed "
            "(inconsistent numbers of samples)"
        )


def feature_names(X: Any) -> NDArray[Any] | None:
    """The column names of a frame, if it has them and they are strings."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return np.array(names, dtype=object) if all(isinstance(n, str) for n in names) else None


def as_scipy(X: Any) -> Any:
    """X (a native matrix, any SciPy sparse matrix, or something like a 2-D array) as SciPy's CSR.

    >>> as_scipy([[0, 2], [1, 0]]).toarray()
    array([[0, 2],
           [1, 0]])
    """
    from scipy.sparse import csr_matrix

    if isinstance(X, _core.Csr):
        indptr, indices, values = X.arrays()
        return csr_matrix((values, indices, indptr), shape=X.shape)
    if hasattr(X, "tocsr"):
        return X.tocsr()
    dense = np.asarray(X)
    return csr_matrix(dense.astype(np.float64) if dense.dtype == object else dense)


def _check_feature_names(estimator: Any, names: NDArray[Any] | None) -> None:
    fitted = getattr(estimator, "feature_names_in_", None)
    owner = type(estimator).__name__
    if names is None and fitted is not None:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names",
            stacklevel=4,
        )
    elif names is not None and fitted is None:
        warnings.warn(
            f"X has feature names, but {owner} was fitted without feature names", stacklevel=4
        )
    elif names is not None and fitted is not None and list(names) != list(fitted):
        problem = "The feature names should match those that were passed during fit.\n"
        unseen = sorted(set(names) - set(fitted))
        missing = sorted(set(fitted) - set(names))
        if unseen:
            problem += "Feature names unseen at fit time:\n" + _listed(unseen)
        if missing:
            problem += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
        if not unseen and not missing:
            problem += "Feature names must be in the same order as they were in fit.\n"
        raise InputError(problem)


def _listed(names: list[str]) -> str:
    shown = "".join(f"- {name}\n" for name in names[:5])
    return shown + ("- ...\n" if len(names) > 5 else "")
