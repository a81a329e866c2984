"""Groups of features, categories and vectors of a model file, which may come from a stranger."""

from typing import Any

from wordplane.common.errors import InputError
from wordplane.data.vectors import VECTOR_KIND
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.column_spec import ColumnSpec
from wordplane.text.fields import parse_part
from wordplane.text.weighting_spec import COUNTED_GROUPS

MAX_COLUMN = 2**31


def read_groups(groups: Any, spec: AnalyzerSpec) -> list[tuple[str, int]]:
    """The names and first columns of the groups of features that count, checked."""
    is_right = isinstance(groups, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and _is_group(pair[0], len(spec.columns.fields))
        and type(pair[1]) is int
        and 0 <= pair[1] < MAX_COLUMN
        for pair in groups
    )
    if not is_right:
        raise InputError("groups of features and their first columns are expected")
    return [(name, start) for name, start in groups]


def _is_group(name: Any, n_fields: int) -> bool:
    if not isinstance(name, str):
        return False
    field, kind = parse_part(name)
    if kind not in COUNTED_GROUPS:
        return False
    return field is None if n_fields == 0 else field is not None and field < n_fields


def read_categories(categories: Any, columns: ColumnSpec) -> dict[str, list[str]]:
    """The values of the columns of categories, checked."""
    named = [name for name, kind in columns.kinds.items() if kind == "category"]
    is_right = (
        isinstance(categories, dict)
        and sorted(categories) == sorted(named)
        and all(
            isinstance(values, list) and all(isinstance(value, str) for value in values)
            for values in categories.values()
        )
    )
    if not is_right:
        raise InputError("the values of the categories are expected")
    return {name: list(categories[name]) for name in named}


def read_dimensions(dimensions: Any, columns: ColumnSpec, n_numbers: int) -> dict[str, int]:
    """The dimensions of the columns of vectors, checked; together at most n_numbers."""
    named = [name for name, kind in columns.kinds.items() if kind == VECTOR_KIND]
    is_right = (
        isinstance(dimensions, dict)
        and sorted(dimensions) == sorted(named)
        and all(type(n) is int and 1 <= n <= n_numbers for n in dimensions.values())
        and sum(dimensions.values()) <= n_numbers
    )
    if not is_right:
        raise InputError("the dimensions of the vectors are expected")
    return {name: dimensions[name] for name in named}
