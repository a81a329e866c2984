"""Learners that can go on learning: what they need for it, as arrays, and back.

Naive Bayes goes on from its counts, the online learners from the weights and sums of their steps:
what `partial_fit` of the same learner would have at hand. `state` of a class names it.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.learners.registry import LEARNERS, learner_named

Arrays = dict[str, NDArray[np.float64]]


def resumable_names() -> list[str]:
    """The names of the learners that can go on.

    >>> resumable_names()
    ['nb', 'bernoulli', 'complement', 'perceptron', 'mira', 'onlinesvm']
    """
    return [name for name in LEARNERS if learner_named(name).state]


def description_of(learner: Any) -> dict[str, Any]:
    """Its name and the parameters that are not the defaults, as JSON can hold them."""
    kind = type(learner)
    name = next((n for n in resumable_names() if type(learner_named(n)) is kind), None)
    if name is None:
        raise InputError(
            f"{learner!r} cannot go on learning; these can: {', '.join(resumable_names())}"
        )
    defaults = learner_named(name).get_params(deep=False)
    given = {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in learner.get_params(deep=False).items()
        if key != "n_jobs" and repr(value) != repr(defaults[key])
    }
    try:
        same = json.loads(json.dumps(given, allow_nan=False)) == given
    except (TypeError, ValueError):
        same = False
    if not same:
        raise InputError(f"the parameters of {learner!r} cannot be kept in a file")
    return {"name": name, "params": given}


def state_of(learner: Any) -> Arrays:
    """What the fitted learner goes on from; numbers as arrays of one."""
    held = {name: getattr(learner, name) for name in learner.state}
    arrays = {
        name: np.atleast_1d(np.asarray(v, np.float64)) for name, v in held.items() if v is not None
    }
    return {name: array for name, array in arrays.items() if np.isfinite(array).all()}


def resumed(described: Any, arrays: Mapping[str, Any], classes: Any, n_features: int) -> Any:
    """The learner that `description_of` and `state_of` told of; anything odd is refused."""
    if not (
        isinstance(described, dict)
        and set(described) == {"name", "params"}
        and isinstance(described["params"], dict)
        and described["name"] in resumable_names()
    ):
        raise InputError("a learner that can go on is expected, with its parameters")
    learner = learner_named(described["name"])
    unknown = set(described["params"]) - set(learner.get_params(deep=False))
    if unknown:
        raise InputError(f"the learner has no parameters {', '.join(sorted(unknown))}")
    learner.set_params(**described["params"])
    learner.classes_ = classes
    learner.n_features_in_ = n_features
    learner._start()
    n_classes = len(classes)
    weights = (n_features + 1, 1 if n_classes == 2 else n_classes)
    shapes = {"class_count_": (n_classes,), "feature_count_": (n_classes, n_features)}
    shapes |= dict.fromkeys(("_w", "_u", "_sum"), weights)
    needless = {name for name in learner.state if getattr(learner, name, 0) is None} | {"_radius"}
    if not set(learner.state) - needless <= set(arrays) <= set(learner.state):
        raise InputError(f"the learner's state has {', '.join(sorted(arrays)) or 'nothing'}")
    for name, array in arrays.items():
        if array.shape != shapes.get(name, (1,)) or not np.isfinite(array).all():
            raise InputError(f"{name} of the learner's state has another shape, or is not finite")
        if name == "alpha_" and array[0] < 0:
            raise InputError("alpha_ of the learner's state is below 0")
        if name in shapes:
            setattr(learner, name, array.copy())
        else:
            setattr(learner, name, int(array[0]) if name == "_step" else float(array[0]))
    return learner
