"""Parameters of learners, checked when `fit` begins: an error says what was given and expected."""

from collections.abc import Sequence
from math import inf, isfinite
from numbers import Integral, Real

import numpy as np

from wordplane.common.errors import InputError


def check(learner: object, name: str, holds: bool, expected: str) -> None:
    """Raise an error unless what must be true of a parameter holds."""
    if not holds:
        raise InputError(f"{name} is {getattr(learner, name)!r}, expected {expected}")


def is_real(value: object, low: float = -inf, high: float = inf) -> bool:
    """Whether it is a finite number within bounds."""
    return isinstance(value, Real) and isfinite(value) and low <= float(value) <= high


def is_whole(value: object, least: int = 1) -> bool:
    """Whether it is a whole number from `least` up."""
    return isinstance(value, Integral) and int(value) >= least


def check_positive(learner: object, *names: str, may_be_infinite: bool = False) -> None:
    """Each a number above 0."""
    for name in names:
        value = getattr(learner, name)
        holds = isinstance(value, Real) and 0 < float(value) < inf
        if may_be_infinite:
            check(learner, name, holds or value == inf, "a number above 0")
        else:
            check(learner, name, holds, "a finite number above 0")


def check_not_negative(learner: object, *names: str) -> None:
    """Each a number from 0 up."""
    for name in names:
        value = getattr(learner, name)
        check(learner, name, isinstance(value, Real) and float(value) >= 0, "a number from 0 up")


def check_share(learner: object, *names: str) -> None:
    """Each a number from 0 to 1."""
    for name in names:
        check(learner, name, is_real(getattr(learner, name), 0, 1), "a number from 0 to 1")


def check_whole(learner: object, *names: str) -> None:
    """Each a whole number from 1 up."""
    for name in names:
        check(learner, name, is_whole(getattr(learner, name)), "a whole number from 1 up")


def check_flags(learner: object, *names: str) -> None:
    """Each True or False."""
    for name in names:
        is_flag = isinstance(getattr(learner, name), (bool, np.bool_))
        check(learner, name, is_flag, "True or False")


def check_choice(learner: object, name: str, known: Sequence[object]) -> None:
    """One of the known values."""
    listed = " or ".join(map(repr, known)) if len(known) == 2 else f"one of {tuple(known)}"
    check(learner, name, getattr(learner, name) in known, listed)
