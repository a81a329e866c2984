"""A learner as JSON, and back: its name, and the parameters that are not the defaults of its class.

    NBSVM(beta=0.5, learner=LinearSVM(C=3.0))
    {"name": "nbsvm", "params": {"beta": 0.5, "learner": {"name": "svm", "params": {"C": 3.0}}}}

Learners inside others are described the same way. Arrays and tuples become lists; the number of
threads is left out, because it changes no result. There is no description of a learner with a
parameter that JSON cannot hold: a function, class weights of labels that are not strings, infinity.
"""

from collections.abc import Mapping
from math import isfinite
from typing import TypedDict, TypeGuard

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.estimator import is_same, parameter_defaults
from wordplane.common.json_types import is_of_type, parameter_types, type_name
from wordplane.common.types import JsonObject
from wordplane.learners.registry import learner_class
from wordplane.learners.support.base import LinearClassifier

DEEPEST = 20  # lists, mappings and learners inside each other
THREADS = "n_jobs"


class Description(TypedDict):
    """What a learner can be made of again."""

    name: str
    params: dict[str, object]


def describe(learner: LinearClassifier) -> JsonObject:
    """The learner as JSON can hold it, or an InputError that names what JSON cannot hold.

    >>> from wordplane import LinearSVM
    >>> describe(LinearSVM(C=3.0, n_jobs=2))
    {'name': 'svm', 'params': {'C': 3.0}}
    >>> describe(LinearSVM(class_weight={1: 2.0}))
    Traceback (most recent call last):
    wordplane.common.errors.InputError: class_weight of LinearSVM is {1: 2.0}, which cannot be ...
    """
    cls = type(learner)
    if not isinstance(learner, LinearClassifier) or not _has_name(cls):
        raise InputError(f"{learner!r:.60} has no name by which it could be found again")
    defaults = parameter_defaults(cls)
    params: dict[str, object] = {}
    for key, value in learner.get_params(deep=False).items():
        if key == THREADS or is_same(value, defaults[key]):
            continue
        kept = _to_json(value, f"{key} of {cls.__name__}")
        if not is_same(kept, defaults[key]):  # as a NumPy number may be
            params[key] = kept
    return {"name": learner.name, "params": params}


def from_description(described: object) -> LinearClassifier:
    """The learner that `describe` described; anything odd is refused, and no code is run.

    >>> from_description({"name": "nb", "params": {"alpha": 0.1}})
    MultinomialNB(alpha=0.1)
    """
    return _rebuild(described, 0)


def _rebuild(described: object, depth: int) -> LinearClassifier:
    if not _is_description(described):
        raise InputError("a learner is expected, with its name and its parameters")
    name, given = described["name"], described["params"]
    try:
        cls = learner_class(name)
    except InputError:
        raise InputError(f"there is no learner called {name!r}") from None
    unknown = sorted(set(given) - (set(parameter_defaults(cls)) - {THREADS}))
    if unknown:
        raise InputError(f"the learner {name!r} has no parameters {', '.join(unknown)}")
    params = {key: _from_json(value, depth) for key, value in given.items()}
    try:
        return cls(**params)
    except TypeError as error:
        raise InputError(f"the learner {name!r} cannot be made again: {error}") from None


def check_types(learner: LinearClassifier) -> None:
    """Refuse parameters that are not of the types that `__init__` declares, also of learners inside
    it. Which values are right is for the learner to say, when it begins."""
    declared, defaults = parameter_types(type(learner)), parameter_defaults(type(learner))
    for key, value in learner.get_params(deep=False).items():
        is_given = key in declared and not is_same(value, defaults[key])
        if is_given and not is_of_type(value, declared[key]):
            raise InputError(
                f"{key} of the learner {learner.name!r} is {value!r:.60}, expected "
                f"{type_name(declared[key])}"
            )
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, LinearClassifier):
                check_types(inner)


def _has_name(cls: type[LinearClassifier]) -> bool:
    try:
        return bool(cls.name) and learner_class(cls.name) is cls
    except InputError:
        return False


def _is_description(value: object) -> TypeGuard[Description]:
    return (
        isinstance(value, dict)
        and set(value) == {"name", "params"}
        and isinstance(value["name"], str)
        and isinstance(value["params"], dict)
        and all(isinstance(key, str) for key in value["params"])
    )


def _to_json(value: object, what: str) -> object:
    if isinstance(value, LinearClassifier):
        return describe(value)
    if isinstance(value, np.ndarray | np.generic):
        return _to_json(value.tolist(), what)
    if isinstance(value, list | tuple):
        return [_to_json(item, what) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        items = {str(key): _to_json(item, what) for key, item in value.items()}
        if not isinstance(items.get("params"), dict):  # it would be taken for a learner
            return items
    if _is_scalar(value):
        return value
    raise InputError(f"{what} is {value!r:.60}, which cannot be kept in a file")


def _from_json(value: object, depth: int) -> object:
    if depth >= DEEPEST:
        raise InputError(f"the parameters of a learner are more than {DEEPEST} levels deep")
    if isinstance(value, dict) and isinstance(value.get("params"), dict):
        return _rebuild(value, depth + 1)
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _from_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_json(item, depth + 1) for item in value]
    if _is_scalar(value):
        return value
    raise InputError(f"a parameter of a learner is {value!r:.60}, expected what JSON holds")


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, bool | int | str)
