"""The common case of JSON lines, read by column: the rows that reading line by line gives.

The core checks that each line is an object about which no two readers of JSON disagree, and cuts
out the values; the standard library's `json` decodes them, one call per column. Any other file is
read line by line by the caller, whose messages say what is wrong with it.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from wordplane._core import Texts, json_columns

CHUNK = 1 << 17  # small enough to stay in the processor's cache while it is decoded


def read_plain(
    path: Path, names: list[str], batch_size: int | None
) -> Iterator[dict[str, list[object]] | None]:
    """The values of these names, None where a line has none, of so many lines, or all, at a time;
    then None if what follows must be read with care."""
    decoder = json.JSONDecoder(strict=False)  # accepts control characters in strings
    values: dict[str, list[object]] = {name: [] for name in names}
    try:
        keys = [name.encode() for name in names]
        for chunk in _chunks(path):
            Texts.from_lines(chunk)  # raises an error for bytes that are not UTF-8
            columns = json_columns(chunk, keys)
            if columns is None:
                yield None
                return
            for name, column in zip(names, columns, strict=True):
                values[name] += decoder.decode((b"[%b]" % column).decode())
            while batch_size and len(values[names[0]]) >= batch_size:
                yield {name: column[:batch_size] for name, column in values.items()}
                values = {name: column[batch_size:] for name, column in values.items()}
    except ValueError:
        yield None
        return
    if values[names[0]]:
        yield values


def _chunks(path: Path) -> Iterator[bytes]:
    """The bytes of the file without a byte order mark, in parts of whole lines."""
    with path.open("rb") as file:
        data = file.read(CHUNK).removeprefix(BOM_UTF8)
        while data:
            data += file.readline()
            yield data if data.endswith(b"\n") else data + b"\n"
            data = file.read(CHUNK)
