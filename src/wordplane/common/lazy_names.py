"""Public names of a package that are loaded when they are first used (PEP 562)."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(
    package: str, names_of: Mapping[str, str]
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package, given the names that each of its modules
    offers.

    >>> names, load, _ = lazy_names("wordplane.common", {"errors": "InputError WordplaneError"})
    >>> names, load("InputError")
    (['InputError', 'WordplaneError'], <class 'wordplane.common.errors.InputError'>)
    """
    module_of = {name: module for module, names in names_of.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    return list(module_of), load, lambda: sorted(module_of)
