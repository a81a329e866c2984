"""JSON: a file that is one array of objects, as many services export it. It is read whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

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
        if not isinstance(rows, list):
            raise RecordError(f"found {text.strip():.60}, expected an array of objects", 1)
        for number, row in enumerate(rows, 1):
            record = replace_surrogates(row)
            if not isinstance(record, dict):
                record = RecordError(f"found {row!r:.60}, expected an object", number)
            yield number, record
