"""JSON lines: one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from wordplane.data.encoding import RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable

SURROGATE = re.compile("[\ud800-\udfff]")  # half of a pair
ONE_PER_LINE = "expected one JSON object per line"
ARRAY = "convert an array with: jq -c '.[]' x.json > new.jsonl"


class JsonLinesTable(RecordTable):
    def records(self) -> Iterator[RecordOrBlank]:
        repeated: list[int] = []  # lines
        number = 0

        def as_dict(pairs: list[tuple[str, object]]) -> dict[str, object]:
            values = dict(pairs)
            if len(values) < len(pairs) and repeated[-1:] != [number]:
                repeated.append(number)
            return values

        # accepts control characters in strings
        decoder = json.JSONDecoder(strict=False, object_pairs_hook=as_dict)
        lines = text_lines(self.path, self.encoding, newline="\n")
        halves = 0
        for number, line in enumerate(lines, 1):
            if not line or line.isspace():
                yield number, None
                continue
            if number == 1 and line.lstrip().startswith("["):
                raise RecordError(f"found {line.strip():.60}, {ONE_PER_LINE}; {ARRAY}", number)
            try:
                record = decoder.decode(line)
                if "\\ud" in line or "\\uD" in line:
                    valid = _replace_surrogates(record)
                    halves += valid != record
                    record = valid
            except json.JSONDecodeError as error:
                what = error.msg.removesuffix(" at")
                why = f"not JSON: {what} at character {error.pos + 1}; {ONE_PER_LINE}"
                yield number, RecordError(why, number)
                continue
            except (ValueError, RecursionError) as error:  # a huge number, deep nesting
                yield number, RecordError(f"cannot be read: {error}", number)
                continue
            if not isinstance(record, dict):
                yield number, RecordError(f"found {line.strip():.60}, {ONE_PER_LINE}", number)
                continue
            yield number, record
        if repeated:
            rows = "1 row has" if len(repeated) == 1 else f"{len(repeated):,} rows have"
            self.notes.append(
                f"{self.file}: {rows} a name twice, the first in line {repeated[0]}; "
                "the last value counts"
            )
        if halves:
            rows = "1 row has" if halves == 1 else f"{halves:,} rows have"
            self.notes.append(
                f"{self.file}: {rows} half of a surrogate pair, such as half of an emoji, read as "
                "U+FFFD"
            )


def _replace_surrogates(value: object) -> object:
    r"""The value with U+FFFD for each half of a surrogate pair, which no UTF-8 file can hold.

    >>> _replace_surrogates({"n": [1, "cut \ud83d"]}) == {"n": [1, "cut \ufffd"]}
    True
    """
    if isinstance(value, str):
        return SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_replace_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {
            _replace_surrogates(name): _replace_surrogates(item) for name, item in value.items()
        }
    return value
