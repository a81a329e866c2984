"""The JSON of the npm packages `wink-embeddings-...`: {"size": ..., "dimensions": ..., "words":
[...], "vectors": {"the": [numbers, and what they are followed by], ...}, ...}.

It is far too large to be parsed as one value; the vectors are read some megabytes at a time.
"""

import json
from collections.abc import Iterator
from typing import BinaryIO

from wordplane.common.errors import InputError
from wordplane.common.json_text import parse_json
from wordplane.features.pretrained.text import (
    CHUNK_BYTES,
    MAX_LINE_BYTES,
    BadRowError,
    parse_rows,
)
from wordplane.features.pretrained.vectors import (
    ListedVectors,
    VectorList,
    check_count,
    check_length,
    decode_word,
)

VECTORS, START = b'"vectors":{', b'":['
MAX_HEAD_BYTES = 1 << 28  # what comes before the vectors: a list of all words


def read_wink(stream: BinaryIO, path: str) -> ListedVectors:
    """The words and vectors."""
    head, rest = _read_head(stream, path)
    try:
        n_words, n_numbers = int(head["size"]), int(head["dimensions"])
    except (KeyError, TypeError, ValueError):
        raise _unknown(path) from None
    found = VectorList(path, check_length(path, n_numbers))
    n_read = n_fields = 0
    for names, rows in _blocks_of_items(stream, rest, path):
        words = _words(path, names, n_read)
        n_fields = n_fields or rows[0].count(b",") + 1
        if n_fields < n_numbers:
            raise InputError(
                f"{path}: the vector of {words[0]!r} has {n_fields} numbers, and {n_numbers} are "
                "announced"
            )
        try:
            found.add(words, parse_rows(rows, ",", n_fields)[:, :n_numbers])
        except BadRowError as error:
            raise InputError(
                f"{path}: the vector of {words[error.row]!r} is not {n_fields} finite numbers"
            ) from None
        n_read += len(words)
    check_count(path, n_words, n_read)
    return found.finish()


def _read_head(stream: BinaryIO, path: str) -> tuple[dict[str, str | int], bytes]:
    """What comes before the vectors, and the first bytes of these."""
    data, at = bytearray(), -1
    while at < 0:
        chunk = stream.read(CHUNK_BYTES)
        if not chunk or len(data) > MAX_HEAD_BYTES:
            raise _unknown(path)
        before = max(len(data) - len(VECTORS), 0)
        data += chunk
        at = data.find(VECTORS, before)
    head, rest = bytes(data[:at]), bytes(data[at + len(VECTORS) :])
    try:
        values = parse_json((head + VECTORS + b"}}").decode())
    except (ValueError, RecursionError):
        raise _unknown(path) from None
    return values, rest


def _blocks_of_items(
    stream: BinaryIO, rest: bytes, path: str
) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Names and the numbers of their vectors, up to the brace after the last of them."""
    chunk = b" "
    while chunk and not rest.startswith(b"}"):
        chunk = stream.read(CHUNK_BYTES)
        *parts, last = (rest + chunk).split(b"]")
        names, rows, rest = [], [], b""
        for part in parts:
            item = rest + part
            name, start, numbers = item.partition(START)
            if name.endswith(b"\\"):  # that is not the end of the name
                name, start, numbers = item.rpartition(START)
            if item.startswith(b"}"):
                break
            rest = b"" if start else item + b"]"  # a name has this bracket in it
            if start:
                names.append(name)
                rows.append(numbers)
        else:
            item = rest + last
        rest = item
        if names:
            yield names, rows
        if len(rest) > MAX_LINE_BYTES:
            raise InputError(f"{path}: a vector is longer than {MAX_LINE_BYTES:,} bytes")
    if not rest.startswith(b"}"):
        raise InputError(f"{path}: the vectors have no end: the file is cut short")


def _words(path: str, names: list[bytes], n_before: int) -> list[str]:
    """Names as they are written, with the comma before them, as words."""
    try:
        written = b"\n".join(names).decode().split("\n")
        quoted = [one.lstrip(", \r\t") for one in written]
        words = [json.loads(one + '"') if "\\" in one else one[1:] for one in quoted]
        "".join(words).encode()
    except ValueError:
        words, quoted = [], []
    if len(words) != len(names) or not all(one.startswith('"') for one in quoted):
        for number, name in enumerate(names, n_before + 1):
            decode_word(path, name, number)
        raise InputError(f"{path}: a name near {names[0]!r:.60} is no JSON")
    return words


def _unknown(path: str) -> InputError:
    return InputError(
        f"{path}: this JSON has no `size`, `dimensions`, `words` and `vectors`, in this order, as "
        "the files of wink-embeddings have"
    )
