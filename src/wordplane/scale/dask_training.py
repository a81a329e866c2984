"""Training on the workers of Dask: the steps of training on blocks as graphs of named tasks.

    read-texts      a file or partition -> blocks of texts, kept on the worker's disk
    count-words     a block -> its words, and its texts as numbers of these
    merge-words     the words of all blocks in a range of the alphabet -> those in enough texts
    count-ngrams    a block -> its n-grams of one length, cut into ranges of keys
    merge-ngrams    the n-grams of all blocks in a range -> those in enough texts
    encode-texts    a block -> rows of counts;  weigh-rows  -> rows of values, as a fit sees them
    gradient ...    a block -> its part in a sum that a learner asks for, added in block order

This process holds labels, the vocabulary that is kept, and weights; texts and rows never come here,
and nobody holds all words or n-grams that are not kept. Blocks are those of training on one
machine, and sums are added in an order that depends on the number of blocks alone, so the model is
the same for any number of workers, and also if some die.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.corpus import Corpus
from wordplane.learners.support.protocols import LearnsFromBlocks
from wordplane.learners.support.row_blocks import RowBlocks, Shared, Sums
from wordplane.model.decision import Rule
from wordplane.model.text_model import TextModel
from wordplane.scale import worker_tasks
from wordplane.scale.block_plan import BlockPlan
from wordplane.scale.counting import Frequencies, KeptNgrams, WordList, shard_cuts
from wordplane.scale.dask_tasks import DaskTasks, echo
from wordplane.scale.row_encoding import NodeColumns
from wordplane.scale.scratch_format import PARTS
from wordplane.scale.text_blocks import LabeledBlocks, PartLabels, StoredTexts
from wordplane.scale.vocabularies import RUN_BYTES, ngram_lengths

if TYPE_CHECKING:
    from distributed import Future

SHARD_BYTES = 1 << 26  # of the n-grams that are merged at once
SHARD_BLOCKS = 64  # whose words are merged at once


@dataclass
class RemoteTexts(LabeledBlocks):
    """Texts in blocks on the disks of workers."""

    tasks: DaskTasks = field(kw_only=True)
    blocks: list[Future] = field(default_factory=list)

    def take(self, rows: IntArray) -> _core.Texts:
        places = list(self.rows_by_block(rows))
        blocks = [self.blocks[block] for block, _ in places]
        parts = self.tasks.map(
            "take-texts",
            partial(worker_tasks.take_texts, self.tasks.store.of("sample")),
            blocks,
            [here for _, here in places],
        )
        blocks_read = [part.read() for part in self.tasks.collect(parts)]
        return _core.Texts.join([_core.Texts.from_arrays(*arrays) for arrays in blocks_read])

    def keep_only(self, rows: NDArray[np.bool_]) -> RemoteTexts:
        kept = RemoteTexts(tasks=self.tasks, classes=self.classes, codes=self.codes[rows])
        kept.weights = None if self.weights is None else self.weights[rows]
        here = [np.flatnonzero(flags) for flags in np.split(rows, self.bounds[1:-1])]
        take = partial(worker_tasks.take_texts, self.tasks.store.of("held-out"))
        kept.blocks = self.tasks.map("take-texts", take, self.blocks, here)
        self.tasks.finish(kept.blocks)
        kept.sizes = [len(each) for each in here]
        return kept

    def scores(self, model: TextModel, threads: int) -> FloatArray:
        models = [self.tasks.send("model", model)] * len(self.blocks)
        parts = self.tasks.map("score-texts", worker_tasks.score_texts, models, self.blocks)
        return np.concatenate(self.tasks.collect(parts, "classifying texts"))


def read_remote(
    tasks: DaskTasks,
    sources: Sequence[object],
    header: Corpus,
    batch_size: int,
    reading: Mapping[str, object],
) -> StoredTexts:
    """The labeled texts of files that the workers see, or of partitions that they have.

    header  the columns, as the first rows of the first source have them
    """
    if header.text_columns:
        reading = {**reading, "text": header.text_columns, "label": header.label_column}
    n = len(sources)
    read = tasks.map(
        "read-texts",
        partial(worker_tasks.read_texts, tasks.store),
        sources,
        [batch_size] * n,
        [reading] * n,
        places=tasks.spread(n),
    )
    described = tasks.map("describe-texts", worker_tasks.describe, read)
    labels = PartLabels()
    parts: dict[str, RemoteTexts] = {part: RemoteTexts(tasks=tasks) for part in PARTS}
    notes: dict[str, None] = dict.fromkeys(header.notes)
    for source, known in zip(read, tasks.collect(described, "reading texts"), strict=True):
        labels.join(known.labels)
        notes.update(dict.fromkeys(known.notes))
        for part, blocks in parts.items():
            sizes = known.sizes[part]
            blocks.sizes += sizes
            picked = [source] * len(sizes), [part] * len(sizes), range(len(sizes))
            if sizes:
                blocks.blocks += tasks.map("pick-texts", worker_tasks.pick_texts, *picked)
    return _store_labels(parts, labels, header, notes)


def partitions(tasks: DaskTasks, data: Any) -> tuple[list[Future], Any]:
    """The partitions of a frame or a bag of Dask as frames on the workers, and the first rows."""
    parts: list[Any] = tasks.client.compute(list(data.to_delayed()))
    if not hasattr(data, "columns"):
        parts = tasks.map("as-frame", worker_tasks.as_frame, parts)
    return parts, first_frame(tasks, parts)


def first_frame(tasks: DaskTasks, parts: list[Future]) -> Any:
    """The first rows of the first partition that has any."""
    heads = tasks.map("first-rows", worker_tasks.first_rows, parts)
    frames = [frame for frame in tasks.collect(heads, "reading texts") if len(frame)]
    if not frames:
        raise InputError("there are no texts to learn from")
    return frames[0]


def send_texts(tasks: DaskTasks, batches: Sequence[Corpus]) -> StoredTexts:
    """The labeled texts of batches, each at most as large as a block, which are in memory here."""
    labels = PartLabels()
    parts: dict[str, RemoteTexts] = {part: RemoteTexts(tasks=tasks) for part in PARTS}
    arrays: dict[str, list[Any]] = {part: [] for part in PARTS}
    for batch in batches:
        for part, texts, begin, end in labels.cut(batch):
            arrays[part].append(texts.arrays(begin, end))
            parts[part].sizes.append(end - begin)
    for part, given in arrays.items():
        if given:
            data, ends = zip(*given, strict=True)
            keep = partial(worker_tasks.keep_texts, tasks.store.of(part))
            places = tasks.spread(len(data))
            blocks = tasks.map("keep-texts", keep, data, ends, places=places)
            parts[part].blocks = blocks
    if not batches:
        raise InputError("there are no texts to learn from")
    return _store_labels(parts, labels, batches[0].take([]), dict.fromkeys(batches[0].notes))


def _store_labels(
    parts: dict[str, RemoteTexts], labels: PartLabels, header: Corpus, notes: dict[str, None]
) -> StoredTexts:
    for part, blocks in parts.items():
        labels.set(part, blocks)
    return StoredTexts(parts, header, tuple(notes))


class DaskPlan(BlockPlan):
    """`BlockPlan` on the workers of Dask."""

    def check(self, rule: Rule) -> None:
        super().check(rule)
        if not (isinstance(self.learner, LearnsFromBlocks) and self.learner.learns_from_sums):
            raise InputError(
                f"{self.learner!r} cannot be trained on Dask; nb, svm, nbsvm and "
                "logistic can, and the recipe"
            )

    def count(self, held_out: NDArray[np.bool_]) -> dict[str, KeptNgrams]:
        texts = self._texts
        tasks, bounds = texts.tasks, texts.bounds
        first_rows = bounds[:-1].tolist()
        flags = tasks.map("send-flags", echo, np.split(held_out, bounds[1:-1]))
        n = len(texts.blocks)
        kept = {}
        self.words: dict[str, list[Future]] = {}
        for part, (min_n, max_n) in ngram_lengths(self.analyzer).items():
            given = [self.analyzer] * n, [part] * n
            blocks = tasks.map(
                "count-words",
                partial(worker_tasks.count_words, tasks.store.of("words")),
                texts.blocks,
                *given,
                first_rows,
                flags,
            )
            self.words[part] = blocks
            words, df = self._merge_words(blocks)
            ngrams = KeptNgrams(words, [], [df], min_n, part)
            for _ in range(2, max_n + 1):
                keys, df = self._merge_ngrams(blocks, ngrams, flags)
                ngrams = KeptNgrams(words, [*ngrams.keys, keys], [*ngrams.df, df], min_n, part)
            kept[part] = ngrams
        return kept

    @property
    def _texts(self) -> RemoteTexts:
        assert isinstance(self.blocks, RemoteTexts)
        return self.blocks

    def _merge_words(
        self, blocks: list[Future]
    ) -> tuple[tuple[NDArray[np.uint8], NDArray[np.int64]], Frequencies]:
        tasks, n = self._texts.tasks, len(blocks)
        n_shards = -(-n // SHARD_BLOCKS)
        cuts = tasks.submit("cut-alphabet", worker_tasks.cut_words, blocks[0], n_shards)
        (alphabet,) = tasks.collect([cuts], "counting words")
        shards = tasks.map("split-words", worker_tasks.split_words, blocks, [cuts] * n)
        merged: list[WordList] = tasks.collect(
            self._merge("merge-words", worker_tasks.merge_words, shards, len(alphabet) + 1),
            "counting words",
        )
        sizes = np.cumsum([0] + [len(data) for data, _, _ in merged])
        ends = [ends + first for (_, ends, _), first in zip(merged, sizes, strict=False)]
        data = np.concatenate([data for data, _, _ in merged])
        return (data, np.concatenate(ends)), np.concatenate([df for _, _, df in merged])

    def _merge_ngrams(
        self, blocks: list[Future], kept: KeptNgrams, flags: list[Future]
    ) -> tuple[NDArray[np.uint64], Frequencies]:
        tasks, n = self._texts.tasks, len(blocks)
        # No more n-grams occur than what they extend does.
        n_bytes = RUN_BYTES * int(kept.df[-1].sum(dtype=np.int64))
        cuts = shard_cuts(kept.df[-1], max(1, n_bytes // SHARD_BYTES))
        given = [tasks.send("vocabulary", kept)] * n, [cuts] * n
        count = partial(worker_tasks.count_ngrams, tasks.store.of("runs"))
        runs = tasks.map("count-ngrams", count, blocks, *given, flags)
        merged = tasks.collect(
            self._merge("merge-ngrams", worker_tasks.merge_ngrams, runs, len(cuts) + 1),
            f"counting n-grams of {len(kept.keys) + 2}",
        )
        del runs
        tasks.clear("runs", "count-ngrams", "pick-shard")
        keys, df = zip(*merged, strict=True)
        return np.concatenate(keys), np.concatenate(df)

    def _merge(
        self, name: str, merge: Callable[..., object], shards: list[Future], n_shards: int
    ) -> list[Future]:
        """merge(the parts of all blocks in a shard, min_df) for every shard."""
        tasks = self._texts.tasks
        parts = [
            tasks.map("pick-shard", worker_tasks.pick_shard, shards, [shard] * len(shards))
            for shard in range(n_shards)
        ]
        return tasks.map(name, merge, parts, [self.analyzer.min_df] * n_shards)

    def encode(self, kept: dict[str, KeptNgrams], columns: NodeColumns) -> RemoteRows:
        texts = self._texts
        tasks, n = texts.tasks, len(texts.blocks)
        blocks = [list(each) for each in zip(*self.words.values(), strict=True)]
        vocabulary = tasks.send("vocabulary", kept), tasks.send("columns", columns)
        binary = self.analyzer.tf == "binary"
        given = [vocabulary[0]] * n, [vocabulary[1]] * n, [binary] * n
        encode = partial(worker_tasks.encode_texts, tasks.store.of("encoded"))
        encoded = tasks.map("encode-texts", encode, blocks, *given)
        tasks.finish(encoded, "encoding texts")
        self.words.clear()
        texts.blocks.clear()
        del blocks
        tasks.clear("words", "count-words")
        tasks.clear("train", "read-texts", "keep-texts", "pick-texts")
        n_columns = sum(1 + int(each.max(initial=-1)) for each in columns.values())
        return RemoteRows(texts, encoded, n_columns)


@dataclass
class RemoteRows:
    """Counts of encoded columns in blocks on the workers."""

    texts: RemoteTexts
    blocks: list[Future]
    n_columns: int

    def rows(
        self,
        keep: NDArray[np.bool_] | None,
        column_of: NDArray[np.int32] | None,
        n_columns: int,
        weighting: Callable[[], _core.GroupWeights],
        threads: int,
    ) -> tuple[RowBlocks, IntArray]:
        """The rows of a fit, weighted, and which rows of the data they are."""
        tasks, n = self.texts.tasks, len(self.blocks)
        bounds = self.texts.bounds
        of_block: list[IntArray | None] = [None] * n
        kept = np.arange(len(self.texts))
        if keep is not None:
            of_block = [np.flatnonzero(flags) for flags in np.split(keep, bounds[1:-1])]
            bounds = np.concatenate([[0], np.cumsum(keep)])[bounds]
            kept = np.flatnonzero(keep)
        if column_of is None:
            column_of = np.arange(self.n_columns, dtype=np.int32)
        shared = tasks.send("columns", column_of), tasks.send("weighting", weighting)
        given = [self.n_columns] * n, [shared[0]] * n, [shared[1]] * n
        tasks.clear("rows", "weigh-rows")  # of the fit before
        weigh = partial(worker_tasks.weigh_rows, tasks.store.of("rows"))
        places = tasks.spread(n)
        blocks = tasks.map("weigh-rows", weigh, self.blocks, of_block, *given, places=places)
        return DaskRows(tasks, bounds, n_columns, blocks), kept


class DaskRows(RowBlocks):
    """Blocks of rows on the workers, of which a learner asks for sums."""

    is_remote = True
    sum_bytes = 1 << 25

    def __init__(
        self,
        tasks: DaskTasks,
        bounds: IntArray,
        n_features: int,
        blocks: list[Future],
        changes: tuple[Callable[[_core.Csr], _core.Csr], ...] = (),
    ) -> None:
        super().__init__(bounds, n_features, self._refuse)
        self.tasks, self.blocks, self.changes = tasks, blocks, changes
        self._places = tasks.spread(len(blocks))  # asking each time would take as long as a task

    def _refuse(self, block: int) -> _core.Csr:
        raise InputError("rows on the workers of Dask cannot be read here")

    def split(self, array: NDArray[np.generic]) -> list[object]:
        return self.tasks.map("split-rows", echo, np.split(array, self.bounds[1:-1]))

    def map(
        self, function: Callable[..., object], shared: Shared, *by_block: list[object]
    ) -> list[object]:
        task = self._task(function)
        return self.tasks.map(
            _name(function),
            worker_tasks.map_rows,
            [task] * len(self),
            self.blocks,
            [self.tasks.send("weights", shared)] * len(self),
            *by_block,
            places=self._places,
        )

    def sum(
        self,
        add: Callable[..., None],
        sums: Sums,
        shared: Shared,
        *by_block: list[object],
        job: str = "",
    ) -> Sums:
        n, shapes = len(self), [each.shape for each in sums]
        parts = self.tasks.map(
            _name(add),
            worker_tasks.sum_rows,
            [self._task(add)] * n,
            [shapes] * n,
            self.blocks,
            [self.tasks.send("weights", shared)] * n,
            *by_block,
            places=self._places,
        )
        (added,) = self.tasks.collect([self.tasks.add_up(parts)], job)
        return tuple(total + part for total, part in zip(sums, added, strict=True))

    def change(self, change: Callable[[_core.Csr], _core.Csr]) -> DaskRows:
        changes = (*self.changes, change)
        return DaskRows(self.tasks, self.bounds, self.shape[1], self.blocks, changes)

    def _task(self, function: Callable[..., object]) -> worker_tasks.RowTask:
        return worker_tasks.RowTask(function, self.shape[1], self.changes)


def _name(function: Callable[..., object]) -> str:
    return function.__name__.replace("_", "-")
