"""The `.bin` of fastText: vectors of words and of their subwords.

The vector of a word is the mean of its own, if it is listed, and those of the runs of minn to maxn
characters of "<word>", which share a number of buckets by their hash. So words that are not listed
have vectors too.

The numbers stay in the file where it is not compressed, and only those that are asked for are read.

Reference: Bojanowski et al. (2017), TACL 5.
"""

from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.features.pretrained.fasttext_file import Source, read_head
from wordplane.features.pretrained.vectors import (
    Rows,
    WordVectors,
    check_finite,
    require_vector_memory,
)

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


def read_fasttext(stream: BinaryIO, path: str) -> FastTextVectors:
    """The vectors of a stream, from its beginning."""
    source = Source(stream, path)
    head = read_head(source)
    words = source.read_dictionary(head).words
    (is_quantized,) = source.unpack("<?")
    if is_quantized or head.n_kept >= 0:
        raise InputError(f"{path}: this is a compressed model (.ftz), expected a .bin")
    n_rows, n_columns = source.unpack("<2q")
    if n_columns != head.n_numbers or n_rows not in (head.n_words, head.n_words + head.n_buckets):
        raise InputError(
            f"{path}: says {head.n_words:,} words, {head.n_buckets:,} subwords and "
            f"{head.n_numbers} numbers, but has {n_rows:,} vectors of {n_columns:,} numbers: it is "
            "damaged"
        )
    matrix = _matrix(source, n_rows, n_columns)
    subwords = Subwords(n_rows - head.n_words, head.shortest, head.longest)
    return FastTextVectors(path, words, matrix, subwords)


def _matrix(source: Source, n_rows: int, n_numbers: int) -> NDArray[np.float32]:
    """The input matrix; stays in the file where that is not compressed."""
    if source.n_bytes is not None:
        source.check_room("<f4", (n_rows, n_numbers))
        return np.memmap(source.path, "<f4", "r", source.position, (n_rows, n_numbers))
    require_vector_memory(source.path, 2 * n_rows, n_numbers)
    return source.array("<f4", n_rows, n_numbers)


def _hash(run: bytes) -> int:
    """FNV-1a, with bytes above 127 as negative numbers, as fastText has it.

    >>> _hash(b"<ca"), _hash("é".encode())
    (1066916747, 1023043777)
    """
    h = FNV_START
    for byte in run:
        h = ((h ^ (byte | 0xFFFFFF00 if byte > 127 else byte)) * FNV_FACTOR) & 0xFFFFFFFF
    return h
