"""Whether a value that came as JSON is of a type, as annotations write it.

The parameters of a learner are declared once, with their types, in its `__init__`; what a file says
that they are is checked against that before it is used.
"""

import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

from numpy.typing import ArrayLike

JSON = (str, int, float, list, dict, types.NoneType)
MAX_FLOAT, MAX_INT = 1.7e308, 2**63 - 1
LISTS = (list, tuple, Sequence, Iterable, Collection)


def parameter_types(cls: type) -> dict[str, object]:
    """The types of the parameters of a class by name, as far as they are declared.

    >>> from wordplane import MIRA
    >>> parameter_types(MIRA)["C"]
    <class 'float'>
    """
    try:
        return get_type_hints(vars(cls).get("__init__", cls.__init__))  # type: ignore[misc]
    except (NameError, TypeError):  # of a class that somebody else has written
        return {}


def is_of_type(value: object, kind: object) -> bool:
    """Whether a value may be given where this type is expected. A whole number may be a float.

    >>> is_of_type(3, float), is_of_type("3", float), is_of_type(None, int | None)
    (True, False, True)
    >>> is_of_type([1, "a"], Sequence[int]), is_of_type({"a": 1.5}, Mapping[str, float])
    (False, True)
    """
    if kind in (Any, object):
        return True
    if kind in (float, int):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        whole = isinstance(value, int) or value.is_integer()
        return abs(value) <= (MAX_FLOAT if kind is float else MAX_INT) and (kind is float or whole)
    inner, args = get_origin(kind), get_args(kind)
    if inner in (Union, types.UnionType):
        others = _besides_arrays(args)
        return (others != args and _is_array(value)) or any(is_of_type(value, k) for k in others)
    if inner in LISTS:
        items = args[0] if args else object
        return isinstance(value, list) and all(is_of_type(item, items) for item in value)
    if inner in (dict, Mapping):
        return isinstance(value, dict) and all(
            is_of_type(key, args[0]) and is_of_type(item, args[1]) for key, item in value.items()
        )
    if kind is None:
        return value is None
    plain = inner or kind
    if getattr(plain, "_is_protocol", False):  # a learner, which is no JSON
        return not isinstance(value, JSON)
    return isinstance(plain, type) and isinstance(value, plain)


def type_name(kind: object) -> str:
    """The type for a person.

    >>> type_name(float | None), type_name(Sequence[int])
    ('float or None', 'a list')
    """
    if get_origin(kind) in (Union, types.UnionType):
        others = _besides_arrays(get_args(kind))
        names = ["a list of numbers"] if others != get_args(kind) else []
        return " or ".join(dict.fromkeys([*names, *map(type_name, others)]))
    plain = get_origin(kind) or kind
    if plain in LISTS or plain in (dict, Mapping):
        return "a mapping" if plain in (dict, Mapping) else "a list"
    return "None" if kind in (None, types.NoneType) else getattr(plain, "__name__", str(plain))


def _besides_arrays(kinds: tuple[object, ...]) -> tuple[object, ...]:
    """The types of a union, without those that `ArrayLike` is if it is among them."""
    arrays = set(get_args(ArrayLike))
    return tuple(k for k in kinds if k not in arrays) if arrays <= set(kinds) else kinds


def _is_array(value: object) -> bool:
    """A number or a string, or lists of them; of the same length where they are in a list."""
    if not isinstance(value, list):
        return isinstance(value, bool | str) or is_of_type(value, float)
    sizes = {len(item) if isinstance(item, list) else -1 for item in value}
    return len(sizes) <= 1 and all(map(_is_array, value))
