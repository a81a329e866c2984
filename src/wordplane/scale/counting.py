"""The vocabulary of texts in blocks, with exact document frequencies.

The primitives work on one block, or on what was made of blocks, and depend on nothing else:

    cut(block of texts)          -> its sorted words, and its texts as numbers of these
    count(block)                 -> a sorted run: keys of n-grams of one length, frequencies
    merge(runs)                  -> the n-grams that occur in `min_df` texts or more
    encode(block, vocabulary)    -> rows of columns and counts

They are native (native/features/text_blocks.h). Here: what a vocabulary of kept words and n-grams
is, and which of them are the features of a fit. In memory, features are sorted by falling document
frequency, then alphabetically; here too, so the columns are the same.

A frequency is a pair: texts that a first fit is trained on, texts held out from it. So both fits,
without the texts held out and with them, come from one count.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.types import IntArray
from wordplane.features.text_features import feature_mask
from wordplane.text.selection_spec import SelectionSpec

Words = tuple[NDArray[np.uint8], NDArray[np.int64]]
Frequencies = NDArray[np.uint32]  # n x 2
WordList = tuple[NDArray[np.uint8], NDArray[np.int64], Frequencies]

NO_WORD = 2**32 - 1
PARTS = {"words": "words", "chars": "chars", "tokens": "whole"}
MERGED_AT_ONCE = 64  # lists of words


@dataclass(frozen=True)
class KeptNgrams:
    """The words and n-grams of a part that occur in enough texts.

    words    bytes and ends of the words, in alphabetical order
    keys     of the n-grams of length 2, 3 ..., ascending
    df       the frequencies of the words, then of the n-grams of each length
    min_n    the length of the shortest features
    part     "words", "chars" or "tokens"
    """

    words: Words
    keys: list[NDArray[np.uint64]]
    df: list[Frequencies]
    min_n: int
    part: str

    @property
    def sizes(self) -> list[int]:
        """The number of words, and of n-grams of each length."""
        return [len(each) for each in self.df]

    @cached_property
    def index(self) -> _core.WordIndex:
        """The numbers of words."""
        return _core.WordIndex(*self.words)

    @cached_property
    def levels(self) -> list[_core.NgramIndex]:
        """The numbers of n-grams of each length."""
        return [_core.NgramIndex(keys) for keys in self.keys]

    def alphabetical_order(self) -> IntArray:
        """The nodes (words, then n-grams of each length) in alphabetical order.

        What extends a node comes right after it, before its next sibling.
        """
        sizes = self.sizes
        firsts = [(keys >> np.uint64(32)).astype(np.int64) for keys in self.keys]
        extents = [np.ones(size, np.int64) for size in sizes]  # nodes that begin with a node
        for level in range(len(firsts) - 1, -1, -1):
            extents[level] += np.bincount(
                firsts[level], extents[level + 1], minlength=sizes[level]
            ).astype(np.int64)
        positions = [np.cumsum(extents[0]) - extents[0]]
        for level, first in enumerate(firsts):
            before = np.cumsum(extents[level + 1]) - extents[level + 1]
            # Siblings follow each other: what stands before them in the level, less what stood
            # before the first of them.
            starts = np.searchsorted(first, np.arange(sizes[level]))
            base = np.append(before, 0)[starts]
            positions.append(positions[level][first] + 1 + before - base[first])
        order = np.empty(sum(sizes), np.int64)
        order[np.concatenate(positions)] = np.arange(sum(sizes))
        return order

    def columns(
        self, selection: SelectionSpec, n_docs: int, *, held_out: bool
    ) -> NDArray[np.int32]:
        """The column of every node, -1 for none, in a fit on n_docs texts: all, or those that are
        not held out."""
        frequencies = np.concatenate(self.df)
        df = frequencies[:, 0].astype(np.int64)
        if held_out:
            df += frequencies[:, 1]
        order = self.alphabetical_order()
        n_short = sum(self.sizes[: self.min_n - 1])
        order = order[(order >= n_short) & (df[order] > 0)]
        order = order[np.argsort(-df[order], kind="stable")]
        if self.part == "tokens":
            order = order[np.argsort(self._word_groups[1][order], kind="stable")]
        order = order[feature_mask(selection, df[order], n_docs)]
        columns = np.full(len(df), -1, np.int32)
        columns[order] = np.arange(len(order), dtype=np.int32)
        return columns

    def groups(self, nodes: IntArray) -> list[tuple[str, int]]:
        """The names of the groups of features, and the first of each among these nodes."""
        if self.part != "tokens":
            return [("word" if self.part == "words" else "char", 0)]
        names, number_of = self._word_groups
        numbers, firsts = np.unique(number_of[nodes], return_index=True)
        return [(names[k], int(first)) for k, first in zip(numbers, firsts, strict=True)]

    @cached_property
    def _word_groups(self) -> tuple[list[str], IntArray]:
        """The groups, sorted, and of each word the number of its own: words are names
        `group:feature`, in order."""
        data = self.words[0].tobytes()
        begins = [0, *self.words[1].tolist()][:-1]
        names = [data[begin : data.index(b":", begin)].decode() for begin in begins]
        number = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return list(number), np.array([number[name] for name in names], np.int64)

    def __getstate__(self) -> dict[str, object]:
        fields = ("words", "keys", "df", "min_n", "part")
        return {name: self.__dict__[name] for name in fields}

    def forget_indices(self) -> None:
        """Free the memory of `index` and `levels`."""
        for name in ("index", "levels"):
            self.__dict__.pop(name, None)

    def vocabulary(self, columns: NDArray[np.int32]) -> _core.Vocabulary:
        """The nodes that have columns, and what these run through."""
        if self.part == "tokens":
            return _core.Vocabulary.from_names(self._names(columns), "whole")
        cuts = np.cumsum(self.sizes)[:-1]
        needed = [part >= 0 for part in np.split(columns, cuts)]
        for level in range(len(self.keys) - 1, -1, -1):
            firsts, lasts = _parts_of(self.keys[level][needed[level + 1]])
            needed[level][firsts] = True
            needed[0][lasts] = True
        data, ends = _take_words(self.words, needed[0])
        word_number = np.cumsum(needed[0]) - 1
        number, base = word_number, int(needed[0].sum())
        all_firsts, all_lasts = [np.zeros(0, np.uint32)], [np.zeros(0, np.uint32)]
        for keys, kept in zip(self.keys, needed[1:], strict=True):
            firsts, lasts = _parts_of(keys[kept])
            all_firsts.append(number[firsts].astype(np.uint32))
            all_lasts.append(word_number[lasts].astype(np.uint32))
            number = base + np.cumsum(kept) - 1
            base += int(kept.sum())
        return _core.Vocabulary(
            data,
            ends,
            np.concatenate(all_firsts),
            np.concatenate(all_lasts),
            columns[np.concatenate(needed)],
            PARTS[self.part],
        )

    def _names(self, columns: NDArray[np.int32]) -> list[str]:
        data, ends = self.words[0].tobytes(), [0, *self.words[1].tolist()]
        nodes = np.flatnonzero(columns >= 0)
        nodes = nodes[np.argsort(columns[nodes])]
        return [data[ends[node] : ends[node + 1]].decode() for node in nodes.tolist()]


def merge_word_lists(lists: list[WordList], min_df: int) -> tuple[Words, Frequencies]:
    """The words of all lists that occur in `min_df` texts or more, with their frequencies."""
    while len(lists) > MERGED_AT_ONCE:
        groups = [lists[i : i + MERGED_AT_ONCE] for i in range(0, len(lists), MERGED_AT_ONCE)]
        lists = [_core.merge_words(group, 0) for group in groups]
    data, ends, df = _core.merge_words(lists, min_df)
    return (data, ends), df


def shard_cuts(df: Frequencies, n_shards: int) -> NDArray[np.uint64]:
    """Keys that cut the n-grams which extend these nodes into about equal shards."""
    sums = np.cumsum(df.sum(axis=1, dtype=np.int64))
    total = int(sums[-1]) if len(sums) else 0
    nodes = np.searchsorted(sums, np.arange(1, n_shards) * total // n_shards)
    return np.unique(nodes).astype(np.uint64) << np.uint64(32)


def _parts_of(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of the first words and of the last word of n-grams."""
    firsts = (keys >> np.uint64(32)).astype(np.int64)
    return firsts, (keys & np.uint64(NO_WORD)).astype(np.int64)


def _take_words(words: Words, keep: NDArray[np.bool_]) -> Words:
    data, ends = words
    lengths = np.diff(ends, prepend=0)
    return data[np.repeat(keep, lengths)], np.cumsum(lengths[keep])
