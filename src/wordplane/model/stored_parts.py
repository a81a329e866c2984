"""Arrays of a model file that belong to one part of the model: their names begin with its name."""

from collections.abc import Mapping

from wordplane.common.types import AnyArray

Arrays = dict[str, AnyArray]


def name_part(part: str, arrays: Mapping[str, AnyArray]) -> Arrays:
    """The arrays of a part under the names that they have in the file."""
    return {part + name: array for name, array in arrays.items()}


def take_part(part: str, arrays: Arrays) -> Arrays:
    """The arrays of a part under their own names, taken out of all arrays.

    >>> import numpy as np
    >>> arrays = {"b": np.zeros(1), "tree.parents": np.zeros(2)}
    >>> list(take_part("tree.", arrays)), list(arrays)
    (['parents'], ['b'])
    """
    names = [name for name in arrays if name.startswith(part)]
    return {name.removeprefix(part): arrays.pop(name) for name in names}
