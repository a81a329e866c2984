"""A base class that scikit-learn accepts as an estimator, without importing scikit-learn.

The contract is scikit-learn's: `__init__` only stores its arguments under their own
names, attributes that `fit` learns end in an underscore, and `fit` returns the estimator.
scikit-learn is imported only in methods that scikit-learn itself calls.
"""

import inspect
import sys
from functools import cache
from typing import Any, Protocol, Self

from wordplane.common.errors import InputError

_signature = cache(inspect.signature)  # a search asks for its learner's signature at every point


def parameter_defaults(cls: type) -> dict[str, object]:
    """The parameters of a class by name, with their defaults."""
    parameters = _signature(cls).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


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


class Estimator:
    """Parameters, representation and the protocol of scikit-learn.

    `known_before` names the attributes that `fit` sets before it has learned anything.
    """

    known_before: frozenset[str] = frozenset()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of nested estimators."""
        params: dict[str, Any] = {}
        for name in parameter_defaults(type(self)):
            value = getattr(self, name)
            params[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                for key, nested in value.get_params().items():
                    params[f"{name}__{key}"] = nested
        return params

    def set_params(self, **params: object) -> Self:
        """Set parameters by name; `analyzer__ngrams` sets `ngrams` of the parameter `analyzer`."""
        valid = parameter_defaults(type(self))
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in valid:
                raise InputError(
                    f"Invalid parameter {name!r} for estimator {self!r}; "
                    f"valid parameters are {', '.join(valid)}"
                )
            if rest:
                getattr(self, name).set_params(**{rest: value})
            else:
                setattr(self, name, value)
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
