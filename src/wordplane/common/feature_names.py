"""The names of features: the columns of a frame, kept by fit and compared afterwards."""

import warnings

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.estimator import Estimator

FeatureNames = NDArray[np.object_]
MAX_LISTED = 5  # names that an error shows


def feature_names(X: object) -> FeatureNames | None:
    """The column names of a frame, if it has names and all are strings."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return np.array(names, dtype=object) if all(isinstance(n, str) for n in names) else None


def check_feature_names(estimator: Estimator, names: FeatureNames | None) -> None:
    """Raise an error if the names differ from those at fit; warn if only one side has names."""
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
            problem += "Feature names unseen at fit time:\n" + _bullet_list(unseen)
        if missing:
            problem += "Feature names seen at fit time, yet now missing:\n" + _bullet_list(missing)
        if not unseen and not missing:
            problem += "Feature names must be in the same order as they were in fit.\n"
        raise InputError(problem)


def _bullet_list(names: list[str]) -> str:
    lines = "".join(f"- {name}\n" for name in names[:MAX_LISTED])
    return lines + ("- ...\n" if len(names) > MAX_LISTED else "")
