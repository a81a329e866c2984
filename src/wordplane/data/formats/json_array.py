"""JSON: a file that is one array of objects, or an object that has one, as many services export it.
It is read whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wordplane.common.notes import Note
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
            arrays = [name for name, value in rows.items() if isinstance(value, list) and value]
            if len(arrays) == 1:
                name, rows = arrays[0], rows[arrays[0]]
                self.notes.append(Note("column", f"{self.file}: the rows are those of {name!r}"))
        if not isinstance(rows, list):
            what = "an array of objects, or an object with one array"
            raise RecordError(f"found {text.strip():.60}, expected {what}", 1)
        for number, row in enumerate(rows, 1):
            record = replace_surrogates(row)
            if not isinstance(record, dict):
                record = RecordError(f"found {row!r:.60}, expected an object", number)
            yield number, record
