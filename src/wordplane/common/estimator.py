"""A base class that scikit-learn accepts as an estimator, without importing it.

The contract is scikit-learn's: `__init__` only stores its arguments under their own
names, what `fit` learns ends in an underscore, `fit` returns the estimator.
scikit-learn itself is imported only in the methods that it alone calls.
"""

import inspect
import sys
from functools import cache
from typing import Any, Self

from wordplane.common.errors import InputError

_signature = cache(inspect.signature)  # a search asks for that of its learner at every point


def _parameter_defaults(cls: Any) -> dict[str, Any]:
    parameters = _signature(cls).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


class NotFittedError(ValueError, AttributeError):
    """The estimator was used before `fit`; scikit-learn's own error where that is loaded."""


class Estimator:
    """Parameters, representation and scikit-learn's protocol.

    `known_before` names what `fit` sets before it has learned anything.
    """

    known_before: frozenset[str] = frozenset()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of estimators among them."""
        params: dict[str, Any] = {}
        for name in _parameter_defaults(type(self)):
            value = getattr(self, name)
            params[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                nested = value.get_params()
                params.update({f"{name}__{key}": held for key, held in nested.items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; `analyzer__ngrams` reaches into the parameter `analyzer`."""
        known = _parameter_defaults(type(self))
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in known:
                raise InputError(
                    f"Invalid parameter {name!r} for estimator {self!r}; "
                    f"valid parameters are {', '.join(known)}"
                )
            if rest:
                getattr(self, name).set_params(**{rest: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = _parameter_defaults(type(self))
        given = [
            f"{name}={getattr(self, name)!r}"
            for name, default in defaults.items()
            if not _same(getattr(self, name), default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_is_fitted__(self) -> bool:
        learned = vars(self).keys() - self.known_before
        return any(name.endswith("_") and not name.startswith("_") for name in learned)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            sklearn = sys.modules.get("sklearn.exceptions")
            error = sklearn.NotFittedError if sklearn else NotFittedError
            raise error(f"this {type(self).__name__} is not fitted yet; call fit first")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags()
        )


class TextEstimator(Estimator):
    """An estimator whose input are texts."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))
