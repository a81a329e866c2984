"""Words and their vectors, as files hold them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.memory import require_memory

Rows = NDArray[np.float32]

MAX_NUMBERS = 10_000  # of a vector
MAX_WORD_BYTES = 10_000
FIRST_ROWS = 4096  # memory is taken for so many words, then for more as they are read


class WordVectors(ABC):
    """Vectors by word.

    words      those that the file lists, in its order, which mostly is that of their frequency
    n_numbers  of each vector
    """

    words: Sequence[str]
    n_numbers: int

    @abstractmethod
    def lookup(self, words: Iterable[str]) -> tuple[list[str], Rows]:
        """Those of the words that have a vector, and their vectors."""


class ListedVectors(WordVectors):
    """Vectors of the listed words alone.

    >>> listed = ListedVectors(["cat", "dog"], np.eye(2, dtype=np.float32))
    >>> listed.lookup(["dog", "emu"])
    (['dog'], array([[0., 1.]], dtype=float32))
    """

    def __init__(self, words: Sequence[str], vectors: Rows) -> None:
        self.words, self.vectors = words, vectors
        self.n_numbers = vectors.shape[1]

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def lookup(self, words: Iterable[str]) -> tuple[list[str], Rows]:
        """Those of the words that are listed, and their vectors."""
        known = [word for word in words if word in self._row_of]
        return known, self.vectors[[self._row_of[word] for word in known]]


class VectorList:
    """Words and vectors as they are read; if a word occurs twice, its first vector counts."""

    def __init__(self, path: str, n_numbers: int) -> None:
        self.path = path
        self._words: dict[str, None] = {}
        self._rows = np.empty((FIRST_ROWS, check_length(path, n_numbers)), np.float32)

    def add(self, words: Sequence[str], rows: Rows) -> None:
        """Add words with a row each, whose numbers are finite."""
        before = len(self._words)
        is_new = []
        for word in words:
            is_new.append(word not in self._words)
            self._words[word] = None
        if not all(is_new):
            rows = rows[is_new]
        self._make_room(len(self._words))
        self._rows[before : len(self._words)] = rows

    def _make_room(self, n_rows: int) -> None:
        if n_rows <= len(self._rows):
            return
        n_more = max(n_rows - len(self._rows), len(self._rows) // 4)
        require_vector_memory(self.path, n_more, self._rows.shape[1])
        # The operating system moves pages of such large arrays instead of copying them.
        self._rows.resize((len(self._rows) + n_more, self._rows.shape[1]), refcheck=False)

    def finish(self) -> ListedVectors:
        """All of them; an error if there are none."""
        if not self._words:
            raise InputError(f"{self.path}: the file has no words")
        self._rows.resize((len(self._words), self._rows.shape[1]), refcheck=False)
        return ListedVectors(list(self._words), self._rows)


def check_length(path: str, n_numbers: int) -> int:
    """How many numbers a vector has, if that can be."""
    if not 1 <= n_numbers <= MAX_NUMBERS:
        raise InputError(
            f"{path}: the vectors have {n_numbers:,} numbers, expected 1 to {MAX_NUMBERS:,}"
        )
    return n_numbers


def check_count(path: str, said: int, found: int) -> None:
    """Raise an error if a file has not as many words as it says."""
    if said != found:
        cut = "the file is cut short or damaged" if found < said else "the file is damaged"
        raise InputError(f"{path}: says that it has {said:,} words, but has {found:,}: {cut}")


def check_finite(path: str, words: Sequence[str], rows: NDArray[np.floating]) -> None:
    """Raise an error that names a word with a number that is none."""
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad) > 0:
        raise InputError(f"{path}: the vector of {words[bad[0]]!r} has a number that is not finite")


def require_vector_memory(path: str, n_words: int, n_numbers: int) -> None:
    """Refuse vectors that do not fit into memory."""
    what = f"{path}: {n_words:,} vectors of {n_numbers:,} numbers"
    require_memory(4 * n_words * n_numbers, what, "give a file with fewer words")


def decode_word(path: str, word: bytes, number: int) -> str:
    """A word as text; the n-th of the file."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: word {number:,} is not UTF-8; if these are word vectors, convert the file"
        ) from None
