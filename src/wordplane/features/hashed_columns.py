"""Columns that hashes choose, in place of a vocabulary.

A feature f counts in the column |h| mod n_features, h the MurmurHash3 of its name: no name is
learned or stored, and different features may share a column.
"""

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.counting import CountArrays
from wordplane.text.texts import batches


class HashedColumns:
    """What a vocabulary is asked for, where there is none.

    >>> HashedColumns(8, "char:").name(5)
    'char:#5'
    """

    def __init__(self, n_features: int, prefix: str = "") -> None:
        self.n_features = n_features
        self.prefix = prefix

    def name(self, column: int) -> str:
        """A name for a column, in which any feature may be."""
        return f"{self.prefix}#{column}"

    def names(self) -> list[str]:
        """The names of all columns."""
        return [self.name(column) for column in range(self.n_features)]

    def arrays(self) -> tuple[NDArray[np.uint8], ...]:
        """Nothing is stored."""
        return ()


def hashed_columns(part: str, bits: int) -> HashedColumns:
    """The columns of a part of the features."""
    return HashedColumns(1 << bits, "char:" if part == "tokens" else "")


def block_of(
    analysis: _core.Analysis | _core.TokenFeatures, columns: _core.Vocabulary | HashedColumns
) -> _core.Block:
    """A part of the features, for the core."""
    if isinstance(columns, HashedColumns):
        return _core.Block(analysis, columns.n_features)
    return _core.Block(analysis, columns)


def count_block(block: _core.Block, texts: _core.Texts, threads: int) -> list[CountArrays]:
    """The counts of a part of the features in the texts, batch by batch."""
    return [
        _core.count_features(block, texts, begin, end, threads)
        for begin, end in batches(texts, "reading texts")
    ]
