"""JSON lines: one object per line.

Files without anything unusual are read by column, more than twice as fast.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from wordplane._core import Texts
from wordplane.common.notes import Note
from wordplane.data.columns import Columns
from wordplane.data.compression import compression
from wordplane.data.encoding import STDIN, RecordError, text_lines
from wordplane.data.formats.plain_jsonl import read_plain
from wordplane.data.formats.records import RecordOrBlank, RecordTable
from wordplane.data.raw_rows import RawRows

SURROGATE = re.compile("[\ud800-\udfff]")  # half of a pair
ONE_PER_LINE = "expected one JSON object per line"
ARRAY = "convert an array with: jq -c '.[]' x.json > new.jsonl"


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

    def batches(self, columns: Columns, batch_size: int | None) -> Iterator[RawRows]:
        plain = self._read_plain(columns) if batch_size is None else None
        return super().batches(columns, batch_size) if plain is None else iter([plain])

    def _read_plain(self, columns: Columns) -> RawRows | None:
        """All rows, if nothing about the file is unusual."""
        path = Path(self.path)
        if self.path == STDIN or compression(self.path) or self.decoding.name != "utf-8":
            return None
        wanted = list(dict.fromkeys([*columns.text, *columns.others]))
        values = read_plain(path, wanted) if path.is_file() else None
        if values is None or any(set(map(type, values[name])) != {str} for name in columns.text):
            return None
        parts = cast(list[list[str]], [values[name] for name in columns.text])
        texts = parts[0] if len(parts) == 1 else list(map("\n".join, zip(*parts, strict=True)))
        others = {name: values[name] for name in columns.others}
        lines = array("q", range(1, len(texts) + 1))
        return RawRows(self.file, 1, Texts(texts), others, lines, self._take_notes())


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
