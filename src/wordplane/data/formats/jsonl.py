"""JSON lines: one object per line.

Lines without anything unusual are read by column, more than twice as fast.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from wordplane.common.notes import Note
from wordplane.data.columns import Columns
from wordplane.data.encoding import RecordError, text_lines
from wordplane.data.formats.plain_jsonl import read_plain
from wordplane.data.formats.records import RecordOrBlank, RecordTable, join_texts
from wordplane.data.raw_rows import RawRows

SURROGATE = re.compile("[\ud800-\udfff]")  # half of a pair
ONE_PER_LINE = "expected one JSON object per line"
ARRAY = 'if the file is one array, pass `format="json"`'


class JsonLinesTable(RecordTable):
    def records(self) -> Iterator[RecordOrBlank]:
        lines = text_lines(self.path, self.decoding, newline="\n")
        guard, parser = self.decoding.guard, _LineParser()
        if guard:
            lines = guard.watch(lines)
        for number, line in enumerate(lines, 1):
            if guard:
                guard.end_row()
            if not line or line.isspace():
                yield number, None
                continue
            if number == 1 and line.lstrip().startswith("["):
                raise RecordError(f"found {line.strip():.60}, {ONE_PER_LINE}; {ARRAY}", number)
            record = parser.parse(line, number)
            if guard and isinstance(record, dict):
                guard.check_columns(len(record), number)
            yield number, record
        self.notes += [Note("unusual", f"{self.file}: {text}") for text in parser.oddities()]

    def plain_batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows | None]:
        wanted = list(dict.fromkeys([*columns.text, *columns.others]))
        if any("." in name for name in wanted):  # that may be inside of an object
            yield None
            return
        first_row = 1
        for values in read_plain(Path(self.path), wanted, batch_size):
            texts = [values[name] for name in columns.text] if values else []
            if values is None or any(set(map(type, column)) != {str} for column in texts):
                yield None
                return
            joined = join_texts(cast(list[list[str]], texts))
            others = {name: values[name] for name in columns.others}
            lines = array("q", range(first_row, first_row + len(joined)))
            yield RawRows(self.file, first_row, joined, others, lines)
            first_row += len(joined)


class _LineParser:
    """Parses lines, and counts what is unusual."""

    def __init__(self) -> None:
        # accepts control characters in strings
        self._decoder = json.JSONDecoder(strict=False, object_pairs_hook=self._as_dict)
        self._line = self._first_repeated = self._last_repeated = self._n_repeated = 0
        self._n_halves = 0

    def parse(self, line: str, number: int) -> dict[str, object] | RecordError:
        self._line = number
        try:
            record = self._decoder.decode(line)
            if "\\ud" in line or "\\uD" in line:
                valid = replace_surrogates(record)
                self._n_halves += valid != record
                record = valid
        except json.JSONDecodeError as error:
            what = error.msg.removesuffix(" at")
            why = f"not JSON: {what} at character {error.pos + 1}; {ONE_PER_LINE}"
            return RecordError(why, number)
        except (ValueError, RecursionError) as error:  # a huge number, deep nesting
            return RecordError(f"cannot be read: {error}", number)
        if not isinstance(record, dict):
            return RecordError(f"found {line.strip():.60}, {ONE_PER_LINE}", number)
        return record

    def _as_dict(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        values = dict(pairs)
        if len(values) < len(pairs) and self._last_repeated != self._line:
            self._first_repeated = self._first_repeated or self._line
            self._last_repeated = self._line
            self._n_repeated += 1
        return values

    def oddities(self) -> Iterator[str]:
        """What to note of all lines so far."""
        if n := self._n_repeated:
            rows = "1 row has" if n == 1 else f"{n:,} rows have"
            first = f"the first in line {self._first_repeated}"
            yield f"{rows} a name twice, {first}; the last value counts"
        if n := self._n_halves:
            rows = "1 row has" if n == 1 else f"{n:,} rows have"
            yield f"{rows} half of a surrogate pair, such as half of an emoji, read as U+FFFD"


def replace_surrogates(value: object) -> object:
    r"""The value with U+FFFD for each half of a surrogate pair, which no UTF-8 file can hold.

    >>> replace_surrogates({"n": [1, "cut \ud83d"]}) == {"n": [1, "cut \ufffd"]}
    True
    """
    if isinstance(value, str):
        return SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [replace_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {replace_surrogates(name): replace_surrogates(item) for name, item in value.items()}
    return value
