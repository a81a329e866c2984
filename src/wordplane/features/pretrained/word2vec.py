"""The binary format of word2vec: a line with two whole numbers, how many words and how many
numbers for each; then each word, a blank, and its numbers as little-endian float32. Some writers
put a line break after each vector."""

from typing import BinaryIO

import numpy as np

from wordplane.common.errors import InputError
from wordplane.features.pretrained.text import CHUNK_BYTES, Head
from wordplane.features.pretrained.vectors import (
    MAX_WORD_BYTES,
    ListedVectors,
    VectorList,
    check_count,
    check_finite,
    decode_word,
)


def read_binary(stream: BinaryIO, path: str, head: Head) -> ListedVectors:
    """The words and vectors of a stream, after its first line."""
    n_words, n_numbers = head
    found, n_read, rest = VectorList(path, n_numbers), 0, b""
    while n_read < n_words and (chunk := stream.read(CHUNK_BYTES)):
        data = rest + chunk
        words, starts, rest_at = _find_words(data, n_numbers, path, n_words - n_read, n_read)
        rest = data[rest_at:]
        if words:
            rows = np.stack([np.frombuffer(data, "<f4", n_numbers, at) for at in starts])
            check_finite(path, words, rows)
            found.add(words, rows)
            n_read += len(words)
    check_count(path, n_words, n_read)
    if rest.strip() or stream.read(2).strip():
        raise InputError(f"{path}: has more than the {n_words:,} words it says: it is damaged")
    return found.finish()


def _find_words(
    data: bytes, n_numbers: int, path: str, n_most: int, n_before: int
) -> tuple[list[str], list[int], int]:
    """The words that are complete, where their numbers start, and where the next word does."""
    words: list[str] = []
    starts: list[int] = []
    at, size = 0, 4 * n_numbers
    while len(words) < n_most:
        blank = data.find(b" ", at, at + MAX_WORD_BYTES)
        if blank < 0 and len(data) - at >= MAX_WORD_BYTES:
            raise InputError(
                f"{path}: word {n_before + len(words) + 1:,} has no end: the file is damaged"
            )
        if blank < 0 or blank + 1 + size > len(data):
            break
        words.append(decode_word(path, data[at:blank].lstrip(b"\n"), n_before + len(words) + 1))
        starts.append(blank + 1)
        at = blank + 1 + size
    return words, starts, at
