"""Columns that hashes choose, in place of a vocabulary, and which features are in them.

A feature f counts in the column |h| mod n_features, h the MurmurHash3 of its name: no name is
learned, and different features may share a column.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.types import FloatArray

MAX_NAMES = 4  # per column


class HashedColumns:
    """What a vocabulary is asked for, where there is none.

    >>> HashedColumns(8, "char:").name(5)
    'char:#5'
    """

    def __init__(self, n_features: int, prefix: str = "") -> None:
        self.n_features = n_features
        self.prefix = prefix

    @classmethod
    def of_part(cls, part: str, bits: int) -> "HashedColumns":
        """The columns of a part of the features."""
        return cls(1 << bits, "char:" if part == "tokens" else "")

    def name(self, column: int) -> str:
        """A name for a column, in which any feature may be."""
        return f"{self.prefix}#{column}"

    def names(self) -> list[str]:
        """The names of all columns."""
        return [self.name(column) for column in range(self.n_features)]

    def arrays(self) -> tuple[NDArray[np.uint8], ...]:
        """Nothing is stored."""
        return ()


class HashedNames:
    """The most frequent features of every column so far, in bounded memory.

    Each column keeps at most four features with counts (the Space-Saving algorithm). A feature that
    is already kept adds to its count; a new one takes a free place, or else the place *and the
    count* of the least frequent. So the counts of a column always sum to all occurrences in it, a
    feature with more than a quarter of them is among the four, and a count is never too low and
    never too high by more than a quarter of the occurrences in the column.

    Reference: Metwally, Agrawal and El Abbadi (2005), ICDT.
    """

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self._kept: dict[int, dict[str, int]] = {}

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Add features with their numbers of occurrences."""
        columns = _core.hashed_columns(counts, self.n_features)
        for (name, n), column in zip(counts.items(), columns.tolist(), strict=True):
            kept = self._kept.setdefault(column, {})
            if name in kept or len(kept) < MAX_NAMES:
                kept[name] = kept.get(name, 0) + n
            else:
                least = min(kept, key=kept.__getitem__)
                kept[name] = kept.pop(least) + n

    def names(self, column: int) -> list[str]:
        """The features kept for a column, the most frequent first; ties are alphabetical."""
        kept = self._kept.get(column, {})
        return sorted(kept, key=lambda name: (-kept[name], name))

    def collision_share(self) -> FloatArray:
        """For every column, the share of occurrences that are not of its main feature."""
        share = np.zeros(self.n_features)
        for column, kept in self._kept.items():
            share[column] = 1 - max(kept.values()) / sum(kept.values())
        return share
