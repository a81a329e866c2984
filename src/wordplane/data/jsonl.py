"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .encoding import RecordError, text_lines
from .records import RecordOrBlank, RecordTable

ONE_PER_LINE = "expected one JSON object per line"


class JsonLinesTable(RecordTable):
    def records(self) -> Iterator[RecordOrBlank]:
        decoder = json.JSONDecoder(strict=False)  # control characters are ordinary text
        lines = text_lines(self.path, self.encoding, newline="\n")
        for number, line in enumerate(lines, 1):
            if not line or line.isspace():
                yield number, None
                continue
            try:
                record = decoder.decode(line)
            except json.JSONDecodeError as error:
                why = f"not JSON: {error.msg} at character {error.pos + 1}; {ONE_PER_LINE}"
                raise RecordError(why, number) from None
            except (ValueError, RecursionError) as error:  # a huge number, deep nesting
                raise RecordError(f"cannot be read: {error}", number) from None
            if not isinstance(record, dict):
                raise RecordError(f"found {line.strip():.60}, {ONE_PER_LINE}", number)
            if "\\ud" in line or "\\uD" in line:
                _refuse_lone_surrogates(record, number)
            yield number, record


def _refuse_lone_surrogates(record: dict[str, object], line: int) -> None:
    """They are no characters: no file, terminal or model could hold them."""
    for name, value in record.items():
        try:
            json.dumps([name, value], ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            found = f"\\u{ord(error.object[error.start]):04x}"
            why = f"half of a surrogate pair ({found}) in {name!r}; write the whole pair"
            raise RecordError(why, line) from None
