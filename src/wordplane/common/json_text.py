"""JSON that may come from anybody."""

import json
from typing import Any


def parse_json(text: str) -> Any:
    """The value of a JSON text. A ValueError is raised unless it could be written again: Python
    reads numbers that are not finite and halves of surrogate pairs, which no JSON file can hold.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json("[1e999]")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: Out of range float values are not JSON compliant...
    """
    value = json.loads(text)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return value
