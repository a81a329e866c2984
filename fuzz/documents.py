"""JSON documents with some values changed."""

from typing import Any

from python_input import Input


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a JSON document."""
    found: list[tuple[Any, ...]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        found.append((*path, key))
        if isinstance(inner, (dict, list)):
            found += _places(inner, (*path, key))
    return found


def _value_at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


VALUES = [
    *(None, True, False, 0, 1, -1, 2, 3, 100, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, 5e-324),
    *("", "a", "words", "counts", "nb", "auto", "\ud800", "\0", "</script>", "é", [], {}),
    *([1, 2], [[1]], ["a", 1], {"a": 1}, [0, 0], [3, 1]),
]


class Document:
    """A good document, and the paths of all values in it."""

    def __init__(self, value: Any) -> None:
        self.value, self.places = value, _places(value)


def _changed_value(old: Any, data: Input, original: Document) -> Any:
    kind = data.number(0, 4)
    if kind == 0:
        return data.number(-(2**63), 2**63)
    if kind == 1:
        return data.text(8)
    if kind == 2:  # what stands elsewhere
        return _value_at(original.value, original.places[data.number(0, len(original.places) - 1)])
    if kind == 3 and isinstance(old, (int, float)) and not isinstance(old, bool):
        return -old if data.flag() else old + 1
    return VALUES[data.number(0, len(VALUES) - 1)]


def change(document: Any, data: Input, original: Document) -> Any:
    """The document, which the original one has become, with one value changed or removed; only
    what holds it is copied."""
    path = original.places[data.number(0, len(original.places) - 1)]
    new = holder = document.copy()
    try:
        for key in path[:-1]:
            holder[key] = holder[key].copy()
            holder = holder[key]
        if data.number(0, 7) == 0:
            del holder[path[-1]]
        else:
            holder[path[-1]] = _changed_value(holder[path[-1]], data, original)
    except (KeyError, IndexError, TypeError, AttributeError):  # a change before it was here
        pass
    return new
