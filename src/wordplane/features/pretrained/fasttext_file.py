"""The files of fastText, `.bin` and `.ftz`: their head, their dictionary, and arrays after these.

    head         a magic number, the version, the parameters of training
    dictionary   counts; words and then labels, each with its count; the buckets that are kept, if
                 the file was pruned
    matrices     the input, one row for every word and bucket, and the output (model/fasttext)

Files may come from strangers: sizes are compared with what is there before memory is taken.
"""

import struct
from io import FileIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.memory import require_memory
from wordplane.common.types import AnyArray
from wordplane.features.pretrained.text import CHUNK_BYTES
from wordplane.features.pretrained.vectors import MAX_WORD_BYTES, check_length, decode_word

MAGIC = 793712314
SUPERVISED = 3  # of `Head.model`
VERSIONS = (11, 12)
MAX_RUN = 50  # characters of a subword
WORD, LABEL = 0, 1  # kinds of entries
ENTRY_TAIL = 10  # bytes after a word: 0, its count, its kind
END = "</s>"


class Head(NamedTuple):
    """The parameters of training that reading needs, and the counts of the dictionary.

    n_kept  how many buckets a pruned file kept; -1 if it was not pruned
    """

    n_numbers: int
    word_ngrams: int
    loss: int
    model: int
    n_buckets: int
    shortest: int
    longest: int
    n_words: int
    n_labels: int
    n_kept: int


class Dictionary(NamedTuple):
    """The words, in order; the labels, and how many texts have each; and how many texts there
    were, 0 if the end of a text is not among the words."""

    words: list[str]
    labels: list[str]
    label_counts: list[int]
    n_texts: int


class Source:
    """The bytes of a file of fastText that are still to be read."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self.stream, self.path = stream, path
        self._rest = b""  # that was read too far
        is_plain = isinstance(getattr(stream, "raw", None), FileIO)
        self.n_bytes = Path(path).stat().st_size if is_plain else None  # None: compressed

    @property
    def position(self) -> int:
        """Where in the stream the next byte is."""
        return self.stream.tell() - len(self._rest)

    def unpack(self, form: str) -> tuple[int, ...]:
        """Numbers, as `struct` has them."""
        return struct.unpack(form, self._read(struct.calcsize(form)))

    def array(self, dtype: str, *shape: int) -> AnyArray:
        """An array of this shape; its numbers may be any."""
        self.check_room(dtype, shape)
        size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
        return np.frombuffer(self._read(size), dtype).reshape(shape)

    def check_room(self, dtype: str, shape: tuple[int, ...]) -> None:
        """Refuse an array that is longer than the rest of the file, or than memory."""
        if min(shape) < 0:
            raise InputError(f"{self.path}: a size is below 0: the file is damaged")
        size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
        if self.n_bytes is not None and size > self.n_bytes - self.position:
            raise self.cut_short()
        what = f"{self.path}: a matrix of {' x '.join(f'{n:,}' for n in shape)} numbers"
        require_memory(size, what, "use a machine with more memory")

    def check_end(self) -> None:
        """Refuse a file that goes on."""
        if self._rest or self.stream.read(1):
            raise InputError(f"{self.path}: there is more than a model in the file: it is damaged")

    def cut_short(self) -> InputError:
        """The error of a file that ends too early."""
        return InputError(f"{self.path}: the file is cut short")

    def _read(self, n: int) -> bytes:
        first, self._rest = self._rest[:n], self._rest[n:]
        data = first + (self.stream.read(n - len(first)) if len(first) < n else b"")
        if len(data) < n:
            raise self.cut_short()
        return data

    def read_dictionary(self, head: Head) -> Dictionary:
        """What follows the head: words, then labels."""
        words: list[str] = []
        labels: list[str] = []
        counts: list[int] = []
        n_texts, data, at = 0, self._rest, 0
        for number in range(1, head.n_words + head.n_labels + 1):
            data, at, end = self._find_end(data, at, number)
            count, kind = struct.unpack_from("<qb", data, end + 1)
            if kind != (WORD if number <= head.n_words else LABEL):
                raise InputError(
                    f"{self.path}: entry {number:,} is of an unknown kind: it is damaged"
                )
            text = decode_word(self.path, data[at:end], number)
            at = end + ENTRY_TAIL
            if kind == LABEL:
                labels.append(text)
                counts.append(count)
            else:
                words.append(text)
                n_texts = count if text == END else n_texts
        self._rest = data[at:]
        if self.n_bytes is not None:  # matrices are then read without a copy
            self.stream.seek(self.position)
            self._rest = b""
        return Dictionary(words, labels, counts, n_texts)

    def _find_end(self, data: bytes, at: int, number: int) -> tuple[bytes, int, int]:
        """Bytes with a whole entry, where it begins, and where its word ends."""
        while True:
            end = data.find(b"\0", at, at + MAX_WORD_BYTES)
            if end < 0 and len(data) - at >= MAX_WORD_BYTES:
                raise InputError(f"{self.path}: word {number:,} has no end: the file is damaged")
            if end >= 0 and end + ENTRY_TAIL <= len(data):
                return data, at, end
            chunk = self.stream.read(CHUNK_BYTES)
            if not chunk:
                raise self.cut_short()
            data, at = data[at:] + chunk, 0


def is_fasttext(head: bytes) -> bool:
    """Whether a file begins like those of fastText."""
    return head[:4] == struct.pack("<i", MAGIC)


def read_head(source: Source) -> Head:
    """The head of a file, from its beginning."""
    path = source.path
    _, version, *arguments = source.unpack("<14id")
    n_numbers, word_ngrams, loss, model, n_buckets, shortest, longest = (
        arguments[i] for i in (0, 5, 6, 7, 8, 9, 10)
    )
    n_entries, n_words, n_labels, _, n_kept = source.unpack("<3i2q")
    check_length(path, n_numbers)
    if version not in VERSIONS:
        expected = " or ".join(map(str, VERSIONS))
        raise InputError(
            f"{path}: fastText's version {version} of this format, expected {expected}"
        )
    if version == VERSIONS[0] and model == SUPERVISED:
        longest = 0  # had no subwords yet
    fits = n_words > 0 and n_labels >= 0 and n_entries == n_words + n_labels and n_buckets >= 0
    if not fits or not 0 <= longest <= MAX_RUN or shortest < 0 or n_kept < -1:
        raise InputError(f"{path}: the counts at its beginning cannot be right: it is damaged")
    of_training = (n_numbers, word_ngrams, loss, model, n_buckets, shortest, longest)
    return Head(*of_training, n_words, n_labels, n_kept)
