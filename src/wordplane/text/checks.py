"""Checks of parameters: the value in the form that is expected, or an error that names it."""

from collections.abc import Iterable, Mapping
from operator import index
from typing import cast

from wordplane.common.errors import InputError
from wordplane.common.parameters import refuse_string


def check_flag(name: str, value: object) -> bool:
    """True or False."""
    if type(value) is not bool:
        raise InputError(f"{name} is {value!r}, expected True or False")
    return value


def check_choice(name: str, value: object, choices: tuple[str | None, ...]) -> None:
    """Raise an InputError unless the value is one of the choices."""
    if value not in choices:
        expected = ", ".join(map(repr, choices[:-1]))
        raise InputError(f"{name} is {value!r}, expected {expected} or {choices[-1]!r}")


def check_range(name: str, value: object) -> tuple[int, int]:
    """A pair of lengths, the shortest and the longest."""
    try:
        low, high = _whole_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}, expected a pair such as (1, 2)") from None
    if not 1 <= low <= high <= 100:
        raise InputError(f"{name} is {value!r}, expected 1 <= shortest <= longest <= 100")
    return low, high


def check_optional_range(name: str, value: object) -> tuple[int, int] | None:
    """Such a pair, or None."""
    return None if value is None else check_range(name, value)


def check_lengths(name: str, value: object) -> tuple[int, ...]:
    """Lengths, in the order given."""
    try:
        lengths = _whole_numbers(value)
    except TypeError:
        lengths = (0,)
    if not all(1 <= n <= 100 for n in lengths):
        raise InputError(f"{name} is {value!r}, expected lengths from 1 to 100 such as [2, 3]")
    return lengths


def check_text(what: str, value: object) -> str:
    """A string that can be encoded and is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{what} is {value!r}, expected a string that is not empty")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{what} is {value!r}, which has half of a surrogate pair; decode it correctly"
        ) from None
    return value


def check_texts(what: str, values: object) -> list[str]:
    """A list of such strings."""
    refuse_string(what, values, "words")
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{what} is {values!r}, expected a list of words")
    return [check_text(f"one of {what}", value) for value in values]


def check_number(what: str, value: object) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e30:
        raise InputError(f"{what} is {value!r}, expected a finite number")
    if value != value:
        raise InputError(f"{what} is NaN, expected a finite number")
    return float(value)


def check_mapping(what: str, value: object, expected: str) -> dict[str, object]:
    """A mapping whose keys are names; None is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{what} is {value!r}, expected a mapping of {expected}")
    return {check_text(f"a name in {what}", name): entry for name, entry in value.items()}


def _whole_numbers(value: object) -> tuple[int, ...]:
    numbers = tuple(cast(Iterable[int], value))
    if any(isinstance(n, bool) for n in numbers):
        raise TypeError("True and False are not lengths")
    return tuple(map(index, numbers))
