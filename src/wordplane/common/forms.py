"""What arrays and JSON values that were read must be: declared once, checked before use.

Dimensions have names. Arrays that are checked together agree in what a name stands for, and values
can be bounded by one.

>>> text = {
...     "bytes": ArrayForm("uint8", "bytes"),
...     "ends": ArrayForm("int64", "texts", ends_of="bytes"),
... }
>>> check_arrays({"bytes": np.zeros(3, np.uint8), "ends": np.array([1, 3])}, text)
>>> check_arrays({"bytes": np.zeros(3, np.uint8), "ends": np.array([1, 4])}, text)
Traceback (most recent call last):
...
ValueError: ends does not ascend to 3
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane.common.frozen import frozen

# A type, a list of one pattern for all items, a mapping of patterns by key ("*" stands for all
# keys), or a tuple of types of which one will do; None stands for itself.
Kind: TypeAlias = type | None
Pattern: TypeAlias = "Kind | tuple[Kind, ...] | list[Pattern] | Mapping[str, Pattern]"


@frozen
class ArrayForm:
    """What an array must be.

    shape      its dimensions: names and numbers, separated by spaces; "n?" is n or 0
    below      the dimension, or the number, that all values are less than; the least is then 0
    none       a value that may be there besides, and stands for none
    halves     what the upper and the lower 32 bits of all values are less than
    ends_of    the dimension whose items are cut into runs: the values ascend to its size
    ascending  whether each value is greater than the one before
    optional   whether it may be missing
    """

    dtype: str
    shape: str
    below: str | int | None = None
    none: int | None = None
    halves: tuple[int, int] | None = None
    ends_of: str | None = None
    ascending: bool = False
    optional: bool = False

    @classmethod
    def like(cls, array: NDArray[np.generic]) -> "ArrayForm":
        """The form of arrays of the same type and shape."""
        return cls(array.dtype.name, " ".join(map(str, array.shape)))


ArrayForms: TypeAlias = Mapping[str, ArrayForm]
Facts: TypeAlias = Mapping[str, object]  # as JSON holds them


@frozen
class StepForm:
    """What the result of a step of some work must be.

    facts  the pattern of what JSON holds
    sizes  dimensions of the arrays that follow from the facts
    """

    arrays: ArrayForms
    facts: Pattern = field(default_factory=dict)
    sizes: Mapping[str, Callable[[Facts], int]] = field(default_factory=dict)

    def check(self, arrays: Mapping[str, NDArray[np.generic]], facts: Facts) -> None:
        """Raise a ValueError unless a result is of this form."""
        check_value(facts, self.facts, "facts")
        sizes = {name: size(facts) for name, size in self.sizes.items()}
        check_arrays(arrays, self.arrays, sizes)


def check_arrays(
    arrays: Mapping[str, NDArray[np.generic]],
    forms: ArrayForms,
    sizes: Mapping[str, int] | None = None,
) -> None:
    """Raise a ValueError unless these are arrays of these forms; `sizes` are those of dimensions
    that are known before."""
    needed = {name for name, form in forms.items() if not form.optional}
    if not needed <= set(arrays) <= set(forms):
        raise ValueError(f"the arrays are {sorted(arrays)}, expected {sorted(forms)}")
    known = dict(sizes or {})
    for name, form in forms.items():
        if name in arrays:
            _check_shape(name, arrays[name], form, known)
    for name, array in arrays.items():
        _check_values(name, array, forms[name], known)


def _check_shape(
    name: str, array: NDArray[np.generic], form: ArrayForm, known: dict[str, int]
) -> None:
    dimensions = form.shape.split()
    if array.dtype != np.dtype(form.dtype) or array.ndim != len(dimensions):
        shown = f"{array.dtype} of {array.ndim} dimensions"
        raise ValueError(f"{name} is {shown}, expected {form.dtype} of {len(dimensions)}")
    for dimension, size in zip(dimensions, array.shape, strict=True):
        if dimension.endswith("?") and size == 0:
            continue
        own = dimension.removesuffix("?")
        expected = int(own) if own.isdigit() else known.setdefault(own, size)
        if size != expected:
            raise ValueError(f"{name} has {size} {own}, expected {expected}")


def _check_values(
    name: str, array: NDArray[np.generic], form: ArrayForm, sizes: Mapping[str, int]
) -> None:
    if form.below is not None:
        end = sizes[form.below] if isinstance(form.below, str) else form.below
        _check_range(name, array if form.none is None else array[array != form.none], end)
    if form.halves is not None:
        bits = array.astype(np.uint64, copy=False)
        _check_range(name, bits >> np.uint64(32), form.halves[0])
        _check_range(name, bits & np.uint64(2**32 - 1), form.halves[1])
    if form.ends_of is not None:
        end = sizes[form.ends_of]
        cuts = np.concatenate([[0], array, [end]])
        if (cuts[1:] < cuts[:-1]).any() or cuts[-2] != end:
            raise ValueError(f"{name} does not ascend to {end}")
    if form.ascending and np.less_equal(array[1:], array[:-1]).any():
        raise ValueError(f"{name} does not ascend")


def _check_range(name: str, values: NDArray[np.generic], end: int) -> None:
    if values.size and not (values.min().item() >= 0 and values.max().item() < end):
        low, high = values.min(), values.max()
        raise ValueError(f"{name} has values from {low} to {high}, expected 0 to {end - 1}")


def check_value(value: object, pattern: Pattern, where: str) -> None:
    """Raise a ValueError unless a JSON value is as a pattern says; whole numbers are 0 or more.

    >>> check_value({"sizes": [3, 4]}, {"sizes": [int]}, "facts")
    >>> check_value({"sizes": [3, -4]}, {"sizes": [int]}, "facts")
    Traceback (most recent call last):
    ...
    ValueError: sizes[1] is -4, expected int
    """
    if isinstance(pattern, list):
        if not isinstance(value, list):
            raise ValueError(f"{where} is {value!r:.50}, expected a list")
        for number, item in enumerate(value):
            check_value(item, pattern[0], f"{where}[{number}]")
    elif isinstance(pattern, Mapping):
        if not isinstance(value, dict):
            raise ValueError(f"{where} is {value!r:.50}, expected an object")
        if "*" not in pattern and set(value) != set(pattern):
            raise ValueError(f"{where} has {sorted(value)}, expected {sorted(pattern)}")
        for key, item in value.items():
            check_value(item, pattern["*" if "*" in pattern else key], key)
    else:
        kinds = pattern if isinstance(pattern, tuple) else (pattern,)
        if not any(_is_of(value, kind) for kind in kinds):
            names = " or ".join("null" if kind is None else kind.__name__ for kind in kinds)
            raise ValueError(f"{where} is {value!r:.50}, expected {names}")


def _is_of(value: object, kind: Kind) -> bool:
    if kind is None:
        return value is None
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, kind)
