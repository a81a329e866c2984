"""The parameters of logistic regression, checked."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from wordplane.common.errors import InputError

FLAGS = ("average", "fit_intercept", "penalize_intercept", "warm_start")


def check_logistic(given: Mapping[str, Any], choices: Mapping[str, tuple[object, ...]]) -> None:
    """Raise an InputError if a parameter is wrong; `choices` has what some may be."""

    def check(name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise InputError(f"{name} is {given[name]!r}, expected {expected}")

    check("C", _is_real(given["C"]) and given["C"] > 0, "a finite number above 0")
    check("tol", _is_real(given["tol"]) and given["tol"] >= 0, "a number from 0 up")
    for name in ("max_iter", "batch_size"):
        whole = isinstance(given[name], Integral) and int(given[name]) >= 1
        check(name, whole, "a whole number from 1 up")
    eta0, power, ratio = given["eta0"], given["power_t"], given["l1_ratio"]
    check("eta0", eta0 is None or (_is_real(eta0) and eta0 > 0), "a number above 0, or None")
    check("power_t", _is_real(power) and 0.5 < power <= 1, "more than 1/2 and at most 1")
    for name, known in choices.items():
        check(name, given[name] in known, f"one of {known}")
    for name in FLAGS:
        check(name, isinstance(given[name], (bool, np.bool_)), "True or False")
    is_share = ratio is not None and _is_real(ratio) and 0 <= ratio <= 1
    check(
        "l1_ratio",
        is_share if given["penalty"] == "elasticnet" else ratio is None,
        "a number from 0 to 1 with penalty='elasticnet', and None with the others",
    )


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))
