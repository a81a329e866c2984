"""What the workers of Dask compute: functions of one block, or of what was made of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.notes import merge_notes
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.corpus import Corpus
from wordplane.data.read import Frame, read_batches
from wordplane.features.text_counts import join_parts
from wordplane.learners.support.row_blocks import Sums
from wordplane.model.text_model import TextModel
from wordplane.scale.counting import Frequencies, KeptNgrams, WordList, merge_word_lists
from wordplane.scale.disk_arrays import DiskArrays, Store
from wordplane.scale.rows_in_memory import RowsInMemory, room_of_worker
from wordplane.scale.scratch_format import PARTS
from wordplane.scale.text_blocks import PartLabels
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

if TYPE_CHECKING:
    import polars as pl

Shard = TypeVar("Shard")
Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]


@dataclass
class ReadTexts:
    """The texts of a file or partition, in blocks, and what is known of the rows."""

    blocks: dict[str, list[DiskArrays]] = field(default_factory=lambda: {p: [] for p in PARTS})
    sizes: dict[str, list[int]] = field(default_factory=lambda: {p: [] for p in PARTS})
    labels: PartLabels = field(default_factory=PartLabels)
    notes: tuple[str, ...] = ()

    def add(self, store: Store, batches: Iterable[Corpus]) -> None:
        """Keep the texts of batches, each at most as large as a block."""
        notes: dict[str, None] = {}
        for batch in batches:
            notes.update(dict.fromkeys(batch.notes))
            for part, texts, begin, end in self.labels.cut(batch):
                self.blocks[part].append(store.of(part).keep(*texts.arrays(begin, end)))
                self.sizes[part].append(end - begin)
        self.notes = tuple(merge_notes(notes))


def read_texts(
    store: Store, source: str | Frame, batch_size: int, reading: Mapping[str, Any]
) -> ReadTexts:
    """The labeled texts of a file or a frame."""
    texts = ReadTexts()
    texts.add(store, read_batches(source, batch_size=batch_size, require_label=True, **reading))
    return texts


def as_frame(records: Iterable[object]) -> pl.DataFrame:
    """A partition of a bag: mappings, or pairs of text and label."""
    import polars as pl

    rows = list(records)
    if rows and not isinstance(rows[0], Mapping):
        return pl.DataFrame(rows, schema=["text", "label"], orient="row", infer_schema_length=None)
    return pl.DataFrame(rows, infer_schema_length=None)


def first_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Enough of a partition to know its columns."""
    return frame.head(100)


def describe(texts: ReadTexts) -> ReadTexts:
    """The same without the texts."""
    return ReadTexts(sizes=texts.sizes, labels=texts.labels, notes=texts.notes)


def pick_texts(texts: ReadTexts, part: str, block: int) -> DiskArrays:
    """The texts of a block."""
    return texts.blocks[part][block]


def keep_texts(store: Store, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> DiskArrays:
    """Texts that were sent."""
    return store.keep(data, ends)


def take_texts(store: Store, texts: DiskArrays, rows: IntArray) -> DiskArrays:
    """Some of the texts of a block."""
    taken = _texts(texts).take(rows)
    return store.keep(*taken.arrays(0, len(taken)))


def score_texts(model: TextModel, texts: DiskArrays) -> FloatArray:
    """What a model says of the texts of a block."""
    return model.scores(Documents(_texts(texts)), 1)


def count_words(
    store: Store, texts: DiskArrays, analyzer: Analyzer, part: str, first_row: int, held_out: Flags
) -> DiskArrays:
    """The words of a block with their frequencies, and its texts as numbers of these."""
    spec = analyzer.resolve()
    column = spec.mask(Documents(_texts(texts))).texts
    (data, ends), tokens = _core.cut_words(spec.analyses()[part], column, 0, len(column), first_row)
    df = _core.TokenBlock(*tokens, len(ends)).word_frequency(held_out)
    return store.keep(data, ends, df, *tokens)


def cut_words(block: DiskArrays, n_shards: int) -> list[bytes]:
    """Words that cut the alphabet into shards of about the same size, by the words of a block."""
    data, ends = block.read(2)
    words = np.arange(1, n_shards) * len(ends) // n_shards
    return [_word(data, ends, word) for word in sorted(set(words.tolist()))] if len(ends) else []


def split_words(block: DiskArrays, cuts: list[bytes]) -> list[WordList]:
    """The words of a block by shards."""
    data, ends, df = _arrays(block, 3)
    places = [0, *(_place(data, ends, cut) for cut in cuts), len(ends)]
    shards: list[WordList] = []
    for begin, end in pairwise(places):
        first = int(ends[begin - 1]) if begin else 0
        last = int(ends[end - 1]) if end else 0
        shards.append((data[first:last], ends[begin:end] - first, df[begin:end]))
    return shards


def merge_words(lists: list[WordList], min_df: int) -> WordList:
    """The words of a shard that occur in enough texts."""
    (data, ends), df = merge_word_lists(lists, min_df)
    return data, ends, df


def pick_shard(shards: list[Shard], shard: int) -> Shard:
    """One of the shards of a block."""
    return shards[shard]


def count_ngrams(
    store: Store, block: DiskArrays, kept: KeptNgrams, cuts: Keys, held_out: Flags
) -> list[DiskArrays]:
    """The n-grams of a block that are one word longer than the longest kept, by shards."""
    data, ends, _, docs, tokens, times = _arrays(block)
    word_of = kept.index.find(data, ends)
    texts = _core.TokenBlock(docs, tokens, times, len(ends))
    keys, df = texts.count_ngrams(word_of, kept.levels, held_out)
    places = [0, *np.searchsorted(keys, cuts).tolist(), len(keys)]
    return [store.keep(keys[begin:end], df[begin:end]) for begin, end in pairwise(places)]


def merge_ngrams(runs: list[DiskArrays], min_df: int) -> tuple[Keys, Frequencies]:
    """The n-grams of a shard that occur in enough texts."""
    arrays = [_arrays(run) for run in runs]
    ends = np.cumsum([len(keys) for keys, _ in arrays]).astype(np.int64)
    keys = np.concatenate([keys for keys, _ in arrays])
    df = np.concatenate([df for _, df in arrays])
    del arrays
    found_keys, found_df, _ = _core.merge_ngrams(keys, df, ends, min_df)
    return found_keys, found_df


def encode_texts(
    store: Store,
    blocks: list[DiskArrays],
    kept: dict[str, KeptNgrams],
    columns: dict[str, NDArray[np.int32]],
    binary: bool,
) -> DiskArrays:
    """The rows of a block, given its words by part: row pointers, columns, counts unless binary."""
    parts, n_columns, n_rows = [], [], 0
    for block, (part, ngrams) in zip(blocks, kept.items(), strict=True):
        data, ends, _, docs, tokens, times = _arrays(block)
        word_of = ngrams.index.find(data, ends)
        by_level = np.split(columns[part], np.cumsum(ngrams.sizes)[:-1])
        n_columns.append(1 + int(columns[part].max(initial=-1)))
        texts = _core.TokenBlock(docs, tokens, times, len(ends))
        indptr, indices, counts = texts.encode_ngrams(
            word_of, ngrams.levels, by_level, n_columns[-1]
        )
        parts.append((indptr, indices, counts.astype(np.float32)))
        n_rows = len(indptr) - 1
    indptr, indices, values = join_parts(parts, n_columns, n_rows, 1)
    counted = [] if binary else [values.astype(np.uint32)]
    return store.keep(indptr, indices, *counted)


def weigh_rows(
    store: Store,
    encoded: DiskArrays,
    keep: IntArray | None,
    n_encoded: int,
    column_of: NDArray[np.int32],
    weighting: Callable[[], _core.GroupWeights],
) -> DiskArrays:
    """The rows of a block as a fit sees them.

    keep       the rows of the fit; None: all
    n_encoded  the number of encoded columns, and
    column_of  that of the fit for each, or -1
    """
    indptr, indices, *counts = _arrays(encoded)
    values = counts[0].astype(np.float32) if counts else np.ones(len(indices), np.float32)
    rows = np.arange(len(indptr) - 1) if keep is None else keep
    matrix = _core.Csr(n_encoded, indptr, indices, values)
    indptr, indices, values = _core.take(matrix, rows, column_of, 1)
    weighting().weigh(indptr, indices, values, None, 1)
    return store.keep(indptr, indices, values)


@dataclass(frozen=True)
class RowTask:
    """A function of the rows of blocks, as a learner sees them."""

    function: Callable[..., object]
    n_features: int
    changes: tuple[Callable[[_core.Csr], _core.Csr], ...]

    def rows(self, block: DiskArrays) -> _core.Csr:
        """The rows of a block."""

        def made() -> _core.Csr:
            X = _core.Csr(self.n_features, *_arrays(block))
            for change in self.changes:
                X = change(X)
            return X

        return _rows_in_memory().get(block, (self.n_features, self.changes), made)


@cache
def _rows_in_memory() -> RowsInMemory:
    return RowsInMemory(room_of_worker())


def map_rows(
    task: RowTask, block: DiskArrays, shared: tuple[object, ...], *parts: object
) -> object:
    """What a function says of a block."""
    return task.function(task.rows(block), 1, *shared, *parts)


def sum_rows(
    task: RowTask,
    shapes: list[tuple[int, ...]],
    block: DiskArrays,
    shared: tuple[object, ...],
    *parts: object,
) -> Sums:
    """What a function adds up for a block."""
    sums = tuple(np.zeros(shape) for shape in shapes)
    task.function(sums, task.rows(block), 1, *shared, *parts)
    return sums


def _arrays(block: DiskArrays, n: int | None = None) -> list[Any]:
    return block.read(n)


def _texts(block: DiskArrays) -> _core.Texts:
    data, ends = _arrays(block)
    return _core.Texts.from_arrays(data, ends)


def _word(data: Any, ends: Any, word: int) -> bytes:
    begin = int(ends[word - 1]) if word else 0
    return bytes(data[begin : int(ends[word])])


def _place(data: Any, ends: Any, cut: bytes) -> int:
    """The number of words before a word."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if _word(data, ends, middle) < cut:
            low = middle + 1
        else:
            high = middle
    return low
