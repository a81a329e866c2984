"""Column names of frames: kept by fit, compared later."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError


def feature_names(X: Any) -> NDArray[Any] | None:
    """The column names of a frame, if it has them and they are strings."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return np.array(names, dtype=object) if all(isinstance(n, str) for n in names) else None


def check_feature_names(estimator: Any, names: NDArray[Any] | None) -> None:
    """Names like those of the fit, or a warning (names in only one of the two) or an error."""
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
