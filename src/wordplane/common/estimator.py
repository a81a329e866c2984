"""A base class that scikit-learn accepts as an estimator, without importing scikit-learn.

The contract is scikit-learn's: `__init__` only stores its arguments under their own
names, attributes that `fit` learns end in an underscore, and `fit` returns the estimator.
scikit-learn is imported only in methods that scikit-learn itself calls.
"""

import inspect
import sys
from collections.abc import Hashable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeGuard

from wordplane.common.errors import InputError
from wordplane.common.metadata_routing import MetadataRequests


def parameter_defaults(cls: type) -> Mapping[str, object]:
    """The parameters of a class by name, with their defaults."""
    return _defaults(cls)


@cache  # a search asks for those of its learner at every point
def _defaults(cls: Hashable) -> Mapping[str, object]:
    assert isinstance(cls, type)
    parameters = inspect.signature(cls).parameters
    return MappingProxyType({name: p.default for name, p in parameters.items()})


class NotFittedError(ValueError, AttributeError):
    """The estimator was used before `fit`.

    If scikit-learn is loaded, its own error of this name is raised instead.
    """


class InputTags(Protocol):
    """What scikit-learn asks about X; only the tags that Wordplane sets."""

    two_d_array: bool
    sparse: bool
    string: bool
    positive_only: bool


class TargetTags(Protocol):
    """What scikit-learn asks about y; only the tags that Wordplane sets."""

    required: bool
    multi_output: bool


class ClassifierTags(Protocol):
    """What scikit-learn asks about a classifier; only the tags that Wordplane sets."""

    poor_score: bool


class EstimatorTags(Protocol):
    """The `Tags` of scikit-learn; only those that Wordplane sets."""

    estimator_type: str | None
    input_tags: InputTags
    target_tags: TargetTags
    classifier_tags: ClassifierTags
    regressor_tags: object
    transformer_tags: object
    requires_fit: bool
    non_deterministic: bool


class HasNestedParams(Protocol):
    """An estimator inside another one."""

    def get_params(self) -> dict[str, object]: ...

    def set_params(self, **params: object) -> object: ...


def has_nested_params(value: object) -> TypeGuard[HasNestedParams]:
    """Whether a parameter is an estimator: a search asks thousands of times."""
    return hasattr(value, "get_params") and hasattr(value, "set_params")


class Estimator(MetadataRequests):
    """Parameters, representation and the protocol of scikit-learn.

    `known_before` names the attributes that `fit` sets before it has learned anything.
    """

    known_before: frozenset[str] = frozenset()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of nested estimators."""
        params: dict[str, Any] = {}
        for name in parameter_defaults(type(self)):
            params[name] = getattr(self, name)
            value = self._nested(name) if deep else None
            if has_nested_params(value) and not isinstance(value, type):
                for key, nested in value.get_params().items():
                    params[f"{name}__{key}"] = nested
        return params

    def _nested(self, name: str) -> object:
        """The estimator that a parameter is, or whatever else it is."""
        return getattr(self, name)

    def set_params(self, **params: object) -> Self:
        """Set parameters by name; `analyzer__ngrams` sets `ngrams` of the parameter `analyzer`."""
        valid = parameter_defaults(type(self))
        # An estimator first, whatever the order, and then what is set in it.
        for key, value in sorted(params.items(), key=lambda item: "__" in item[0]):
            name, _, rest = key.partition("__")
            if name not in valid:
                meant = [known for known in valid if known.lower() == name.lower()]
                hint = f"; did you mean {meant[0]!r}?" if meant else ""
                raise InputError(
                    f"Invalid parameter {name!r} for estimator {self!r}; "
                    f"valid parameters are {', '.join(valid)}{hint}"
                )
            if not rest:
                setattr(self, name, value)
                continue
            nested = self._nested(name)
            if not has_nested_params(nested):
                raise InputError(
                    f"{key!r} cannot be set: the parameter {name!r} is {nested!r}, which has no "
                    "parameters; pass an object for it, or a name"
                )
            nested.set_params(**{rest: value})
            setattr(self, name, nested)
        return self

    def __repr__(self) -> str:
        defaults = parameter_defaults(type(self))
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in defaults.items()
            if not is_same(getattr(self, name), default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        learned = vars(self).keys() - self.known_before
        return any(name.endswith("_") and not name.startswith("_") for name in learned)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            sklearn = sys.modules.get("sklearn.exceptions")
            error = sklearn.NotFittedError if sklearn else NotFittedError
            raise error(f"this {type(self).__name__} is not fitted yet; call fit first")

    def __sklearn_tags__(self) -> EstimatorTags:
        from sklearn.utils import InputTags, Tags, TargetTags

        tags: EstimatorTags = Tags(
            estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags()
        )
        return tags


class TextEstimator(Estimator):
    """An estimator whose input is texts."""

    def __sklearn_tags__(self) -> EstimatorTags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


class TextTransformer(TextEstimator):
    """An estimator that turns texts into a matrix."""

    def __sklearn_tags__(self) -> EstimatorTags:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def is_same(value: object, default: object) -> bool:
    """Whether a parameter has its default."""
    return value is default or (type(value) is type(default) and repr(value) == repr(default))
