"""JSON: a file that is one array of objects, or an object that has one, as many services export it.
It is read whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wordplane.common.notes import Note
from wordplane.data.columns import MOST_NAMES
from wordplane.data.encoding import RecordError, decode, open_bytes
from wordplane.data.formats.jsonl import replace_surrogates
from wordplane.data.formats.records import RecordOrBlank, RecordTable


class JsonArrayTable(RecordTable):
    def records(self) -> Iterator[RecordOrBlank]:
        with open_bytes(self.path) as stream:
            text = decode(stream.read(), self.decoding)
        try:
            # accepts control characters in strings
            rows = json.JSONDecoder(strict=False).decode(text)
        except json.JSONDecodeError as error:
            what = error.msg.removesuffix(" at")
            raise RecordError(f"not JSON: {what} in line {error.lineno}", 1) from None
        except (ValueError, RecursionError) as error:  # a huge number, deep nesting
            raise RecordError(f"cannot be read: {error}", 1) from None
        if isinstance(rows, dict):
            arrays = _find_arrays(rows)
            if len(arrays) > 1:
                names = ", ".join(map(repr, list(arrays)[:MOST_NAMES]))
                what = "expected one: keep only that of the rows"
                raise RecordError(f"found {len(arrays)} arrays of objects, {names}; {what}", 1)
            for name, inner in arrays.items():
                rows = inner
                self.notes.append(Note("column", f"{self.file}: the rows are those of {name!r}"))
        if not isinstance(rows, list):
            what = "an array of objects, or an object with one array of objects"
            raise RecordError(f"found {text.strip():.60}, expected {what}", 1)
        for number, row in enumerate(rows, 1):
            record = replace_surrogates(row)
            if not isinstance(record, dict):
                record = RecordError(f"found {row!r:.60}, expected an object", number)
            yield number, record


def _find_arrays(value: dict[str, object]) -> dict[str, list[object]]:
    """The arrays of objects that are in an object, however deep.

    >>> _find_arrays({"data": {"rows": [{"text": "a"}], "links": []}, "n": 1})
    {'data.rows': [{'text': 'a'}]}
    """
    arrays, waiting = {}, list(value.items())
    for name, part in waiting:  # which grows
        if isinstance(part, dict):
            waiting += [(f"{name}.{inner}", each) for inner, each in part.items()]
        elif isinstance(part, list) and any(isinstance(row, dict) for row in part):
            arrays[name] = part
    return arrays
