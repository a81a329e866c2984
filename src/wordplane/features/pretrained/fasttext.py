"""The `.bin` of fastText: vectors of words and of their subwords.

The vector of a word is the mean of its own, if it is listed, and those of the runs of minn to maxn
characters of "<word>", which share a number of buckets by their hash. So words that are not listed
have vectors too.

The numbers stay in the file where it is not compressed, and only those that are asked for are read.

Reference: Bojanowski et al. (2017), TACL 5.
"""

import struct
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.features.pretrained.text import CHUNK_BYTES
from wordplane.features.pretrained.vectors import (
    MAX_WORD_BYTES,
    Rows,
    WordVectors,
    check_finite,
    check_length,
    decode_word,
    require_vector_memory,
)

MAGIC, VERSION = 793712314, 12
MAX_RUN = 50  # characters of a subword
WORD, LABEL = 0, 1  # kinds of entries
FNV_START, FNV_FACTOR = 2166136261, 16777619


class Subwords(NamedTuple):
    """Which runs of characters have a vector."""

    n_buckets: int
    shortest: int
    longest: int

    def of(self, word: str) -> list[int]:
        """The buckets of the runs of a word.

        >>> len(Subwords(100, 3, 4).of("cat"))  # <ca cat at> <cat cat>
        5
        """
        if self.n_buckets == 0 or self.longest == 0:
            return []
        marked = f"<{word}>"
        runs = (
            marked[i : i + n]
            for i in range(len(marked))
            for n in range(max(self.shortest, 1), self.longest + 1)
            if i + n <= len(marked) and not (n == 1 and i in (0, len(marked) - 1))
        )
        return [_hash(run.encode()) % self.n_buckets for run in runs]


class FastTextVectors(WordVectors):
    """Vectors of words and subwords."""

    def __init__(
        self, path: str, words: list[str], matrix: NDArray[np.float32], subwords: Subwords
    ) -> None:
        self.words, self.n_numbers = words, matrix.shape[1]
        self._path, self._matrix, self._subwords = path, matrix, subwords
        self._row_of = {word: row for row, word in reversed(list(enumerate(words)))}

    def lookup(self, words: Iterable[str]) -> tuple[list[str], Rows]:
        """All words that are listed or have a subword."""
        known, rows = [], []
        for word in words:
            own = self._row_of.get(word)
            used = [len(self.words) + bucket for bucket in self._subwords.of(word)]
            used = used if own is None else [own, *used]
            if used:
                known.append(word)
                rows.append(self._matrix[used].mean(axis=0))
        vectors = np.array(rows, np.float32).reshape(len(rows), self.n_numbers)
        check_finite(self._path, known, vectors)
        return known, vectors


def is_fasttext(head: bytes) -> bool:
    """Whether a file begins like those of fastText."""
    return head[:4] == struct.pack("<i", MAGIC)


def read_fasttext(stream: BinaryIO, path: str) -> FastTextVectors:
    """The vectors of a stream, from its beginning."""
    _, version, *arguments = _unpack(stream, path, "<14id")
    n_numbers, n_buckets, shortest, longest = (arguments[i] for i in (0, 8, 9, 10))
    n_entries, n_words, n_labels, _, n_pruned = _unpack(stream, path, "<3i2q")
    check_length(path, n_numbers)
    if version != VERSION:
        raise InputError(f"{path}: fastText's version {version} of this format, expected {VERSION}")
    fits = n_words > 0 and n_labels >= 0 and n_entries == n_words + n_labels and n_buckets >= 0
    if not fits or not 0 <= longest <= MAX_RUN or shortest < 0:
        raise InputError(f"{path}: the counts at its beginning cannot be right: it is damaged")
    words, rest = _read_words(stream, path, n_words, n_labels)
    source = _Rest(rest, stream)
    (is_quantized,) = _unpack(source, path, "<?")
    if is_quantized or n_pruned >= 0:
        raise InputError(f"{path}: this is a compressed model (.ftz), expected a .bin")
    n_rows, n_columns = _unpack(source, path, "<2q")
    if n_columns != n_numbers or n_rows not in (n_words, n_words + n_buckets):
        raise InputError(
            f"{path}: says {n_words:,} words, {n_buckets:,} subwords and {n_numbers} numbers, but "
            f"has {n_rows:,} vectors of {n_columns:,} numbers: it is damaged"
        )
    matrix = _matrix(source, path, n_rows, n_numbers)
    return FastTextVectors(path, words, matrix, Subwords(n_rows - n_words, shortest, longest))


class _Rest:
    """Bytes that were read too far, and then a stream."""

    def __init__(self, rest: bytes, stream: BinaryIO) -> None:
        self._rest, self.stream = rest, stream

    def read(self, n: int) -> bytes:
        first, self._rest = self._rest[:n], self._rest[n:]
        return first + (self.stream.read(n - len(first)) if len(first) < n else b"")

    @property
    def position(self) -> int:
        """Where in the stream the next byte stands."""
        return self.stream.tell() - len(self._rest)


def _unpack(source: BinaryIO | _Rest, path: str, form: str) -> tuple[int, ...]:
    size = struct.calcsize(form)
    data = source.read(size)
    if len(data) < size:
        raise _cut_short(path)
    return struct.unpack(form, data)


def _read_words(
    stream: BinaryIO, path: str, n_words: int, n_labels: int
) -> tuple[list[str], bytes]:
    """The words, which come before the labels, and the bytes that were read beyond them."""
    words: list[str] = []
    data, at, n_read = b"", 0, 0
    while n_read < n_words + n_labels:
        end = data.find(b"\0", at, at + MAX_WORD_BYTES)
        if end < 0 and len(data) - at >= MAX_WORD_BYTES:
            raise InputError(f"{path}: word {n_read + 1:,} has no end: the file is damaged")
        if end < 0 or end + 10 > len(data):  # its count (8 bytes) and kind follow
            chunk = stream.read(CHUNK_BYTES)
            if not chunk:
                raise _cut_short(path)
            data, at = data[at:] + chunk, 0
            continue
        kind = data[end + 9]
        if kind != (WORD if n_read < n_words else LABEL):
            raise InputError(f"{path}: entry {n_read + 1:,} is of an unknown kind: it is damaged")
        if kind == WORD:
            words.append(decode_word(path, data[at:end], n_read + 1))
        at, n_read = end + 10, n_read + 1
    return words, data[at:]


def _matrix(source: _Rest, path: str, n_rows: int, n_numbers: int) -> NDArray[np.float32]:
    size = 4 * n_rows * n_numbers
    if isinstance(getattr(source.stream, "raw", None), FileIO):  # not compressed
        position = source.position
        if Path(path).stat().st_size < position + size:
            raise _cut_short(path)
        return np.memmap(path, "<f4", "r", position, (n_rows, n_numbers))
    require_vector_memory(path, 2 * n_rows, n_numbers)
    data = source.read(size)
    if len(data) < size:
        raise _cut_short(path)
    return np.frombuffer(data, "<f4").reshape(n_rows, n_numbers)


def _cut_short(path: str) -> InputError:
    return InputError(f"{path}: the file is cut short")


def _hash(run: bytes) -> int:
    """FNV-1a, with bytes above 127 as negative numbers, as fastText has it.

    >>> _hash(b"<ca"), _hash("é".encode())
    (1066916747, 1023043777)
    """
    h = FNV_START
    for byte in run:
        h = ((h ^ (byte | 0xFFFFFF00 if byte > 127 else byte)) * FNV_FACTOR) & 0xFFFFFFFF
    return h
