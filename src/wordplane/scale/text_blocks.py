"""Labeled texts in blocks on disk.

A block ends after 16,384 rows, where a file ends, and where it would have more than about 16 MB of
text: what is a block depends on the data alone, never on the machine.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import are_label_sets
from wordplane.common.labels import Codes, as_labels, classes_among
from wordplane.common.notes import merge_notes
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray, IntArray, Label, LabelArray
from wordplane.data.corpus import Corpus
from wordplane.learners.support.row_blocks import Array, Facts
from wordplane.model.text_model import TextModel
from wordplane.scale.scratch import Finished, Scratch
from wordplane.scale.scratch_format import DRAWN, KEPT, PARTS, READ, TEXTS
from wordplane.text.documents import Documents

BLOCK_ROWS, BLOCK_BYTES = 1 << 14, 1 << 24
STEP = "texts"


@dataclass
class LabeledBlocks:
    """The texts of one part of the data (train, dev or test), their labels and weights.

    sizes    the number of rows of each block
    classes  the labels that occur, sorted
    codes    of every row, the number of its label among the classes
    """

    sizes: list[int] = field(default_factory=list)
    classes: LabelArray = field(default_factory=lambda: np.zeros(0, object))
    codes: Codes = field(default_factory=lambda: np.zeros(0, np.int32))
    weights: FloatArray | None = None

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def bounds(self) -> IntArray:
        """The first row of every block, and the number of all rows."""
        return np.concatenate([[0], np.cumsum(np.array(self.sizes, np.int64))])

    @property
    def labels(self) -> LabelArray:
        """The label of every row; rows share their strings, which would fill memory otherwise."""
        is_text = self.classes.dtype.kind == "U"
        return (self.classes.astype(object) if is_text else self.classes)[self.codes]

    def rows_by_block(self, rows: IntArray) -> Iterator[tuple[int, IntArray]]:
        """The blocks that have some of these ascending rows, and which rows of them."""
        bounds = self.bounds
        for block in np.unique(np.searchsorted(bounds, rows, side="right") - 1).tolist():
            here = rows[(rows >= bounds[block]) & (rows < bounds[block + 1])]
            yield block, here - bounds[block]

    def take(self, rows: IntArray) -> _core.Texts:
        """Some of the texts, given ascending rows; all of them are read into memory."""
        raise NotImplementedError

    def sample(self, step: str, rows: IntArray) -> _core.Texts:
        """The texts of a few rows, for a step that may be resumed when the texts have left."""
        return self.take(rows)

    def keep_only(self, rows: NDArray[np.bool_]) -> "LabeledBlocks":
        """The same with the flagged rows alone; the others may be given back."""
        raise NotImplementedError

    def scores(self, model: TextModel, threads: int) -> FloatArray:
        """What a model says of the texts."""
        raise NotImplementedError


@dataclass
class TextBlocks(LabeledBlocks):
    """Texts in blocks on disk."""

    scratch: Scratch = field(kw_only=True)
    part: str = field(kw_only=True)
    n_bytes: int = 0

    def texts(self, block: int) -> _core.Texts:
        """The texts of a block."""
        arrays = self.scratch.read_block(TEXTS, self.part, block, {"texts": self.sizes[block]})
        return _core.Texts.from_arrays(arrays["bytes"], arrays["ends"])  # type: ignore[arg-type]

    def add(self, texts: _core.Texts, begin: int, end: int) -> None:
        """Write the next block."""
        data, ends = texts.arrays(begin, end)
        self.scratch.write(f"{self.part}-bytes", len(self.sizes), data)
        self.scratch.write(f"{self.part}-ends", len(self.sizes), ends)
        self.sizes.append(end - begin)
        self.n_bytes += len(data)

    def take(self, rows: IntArray) -> _core.Texts:
        parts = []
        for block, here in self.rows_by_block(rows):
            taken = self.texts(block).take(here)
            parts.append(_core.Texts.from_arrays(*taken.arrays(0, len(taken))))
        return _core.Texts.join(parts)

    def sample(self, step: str, rows: IntArray) -> _core.Texts:
        known = self.scratch.finished(step, DRAWN)
        if known is None:
            texts = self.take(rows)
            data, ends = texts.arrays(0, len(texts))
            self.scratch.finish(step, [("bytes", data), ("ends", ends)])
            return texts
        data, ends = known.arrays["bytes"], known.arrays["ends"]  # type: ignore[assignment]
        return _core.Texts.from_arrays(data, ends)

    def keep_only(self, rows: NDArray[np.bool_]) -> "TextBlocks":
        kept = TextBlocks(scratch=self.scratch, part=f"{self.part}-kept", classes=self.classes)
        kept.codes = self.codes[rows]
        kept.weights = None if self.weights is None else self.weights[rows]
        taken = [np.flatnonzero(flags) for flags in np.split(rows, self.bounds[1:-1])]
        if self.scratch.finished(kept.part, KEPT) is not None:
            kept.sizes = [len(here) for here in taken]
        else:
            for block, here in enumerate(taken):
                kept.add(self.texts(block).take(here), 0, len(here))
            self.scratch.finish(kept.part)
        for block in range(len(self.sizes)):
            self.scratch.remove(f"{self.part}-bytes", block)
            self.scratch.remove(f"{self.part}-ends", block)
        return kept

    def scores(self, model: TextModel, threads: int) -> FloatArray:
        scores = [
            model.scores(Documents(self.texts(block)), threads) for block in range(len(self.sizes))
        ]
        return np.concatenate(scores)


@dataclass
class StoredTexts:
    """What was read: the parts of the data, and what a corpus knows besides its rows."""

    parts: Mapping[str, LabeledBlocks]
    header: Corpus  # without rows
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """The number of all rows."""
        return sum(map(len, self.parts.values()))


def store_texts(batches: Iterable[Corpus], scratch: Scratch) -> StoredTexts:
    """Write the texts of batches, each of at most `BLOCK_ROWS` rows, to disk, unless they are
    there."""
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        raise InputError("there are no texts to learn from")
    parts: dict[str, TextBlocks] = {part: TextBlocks(scratch=scratch, part=part) for part in PARTS}
    known = scratch.finished(STEP, READ)
    if known is None:
        scratch.clear()
        labels, notes = _write_texts(chain([first], rest), parts, scratch)
        sizes = {part: blocks.sizes for part, blocks in parts.items()}
        labels.keep(scratch, {"notes": notes, "sizes": sizes})
    else:
        labels, notes = PartLabels.kept(known), known.facts["notes"]
        for part, blocks in parts.items():
            blocks.sizes = known.facts["sizes"][part]
    for part, blocks in parts.items():
        labels.set(part, blocks)
    return StoredTexts(parts, first.take([]), tuple(notes))


def _write_texts(
    batches: Iterable[Corpus], parts: Mapping[str, "TextBlocks"], scratch: Scratch
) -> tuple["PartLabels", list[str]]:
    """Write blocks; the labels, and what there is to note."""
    labels = PartLabels()
    notes: dict[str, None] = {}
    n_rows = 0
    for batch in batches:
        notes.update(dict.fromkeys(batch.notes))
        for part, texts, begin, end in labels.cut(batch):
            parts[part].add(texts, begin, end)
        n_rows += len(batch)
        scratch.require(sum(blocks.n_bytes for blocks in parts.values()), "storing the next texts")
        notify("reading texts", n_rows, n_rows)
    return labels, merge_notes(notes)


class PartLabels:
    """Labels and weights of rows, part by part, as batches come."""

    def __init__(self) -> None:
        self.number: dict[Label, int] = {}  # in order of appearance
        self.codes: dict[str, list[Codes]] = {part: [] for part in PARTS}
        self.weights: dict[str, list[FloatArray]] = {part: [] for part in PARTS}

    def cut(self, batch: Corpus) -> Iterator[tuple[str, _core.Texts, int, int]]:
        """Add a batch: its blocks, as a part, texts, and where the block begins and ends there."""
        if are_label_sets(batch.labels):
            raise InputError(f"{batch.source}: multi-label data cannot be trained on in blocks")
        if batch.extras or batch.vectors:
            raise InputError("fields and columns beside the text cannot be trained on in blocks")
        labels = as_labels(batch.labels)
        numbers = [self.number.setdefault(label, len(self.number)) for label in labels.tolist()]
        batch_codes = np.array(numbers, np.int32)
        for part in PARTS:
            rows = batch.split_rows(part)
            if len(rows) == 0:
                continue
            self.codes[part].append(batch_codes[rows])
            if batch.weights is not None:
                self.weights[part].append(batch.weights[rows])
            texts = batch.texts if len(rows) == len(batch) else batch.texts.take(rows)
            for begin, end in cut_evenly(texts):
                yield part, texts, begin, end

    def keep(self, scratch: Scratch, facts: Facts) -> None:
        """Finish the step of reading."""
        arrays: list[tuple[str, Array]] = []
        for part in PARTS:
            none = np.zeros(0, np.int32)
            arrays.append((f"{part}-codes", np.concatenate([none, *self.codes[part]])))
            if self.weights[part]:
                arrays.append((f"{part}-weights", np.concatenate(self.weights[part])))
        scratch.finish(STEP, arrays, {**facts, "labels": list(self.number)})

    @classmethod
    def kept(cls, known: Finished) -> Self:
        """Those that were kept."""
        labels = cls()
        labels.number = {label: k for k, label in enumerate(known.facts["labels"])}
        for name, array in known.arrays.items():
            part, what = name.split("-")
            if len(array):
                getattr(labels, what)[part].append(array)
        return labels

    def join(self, later: "PartLabels") -> None:
        """Add the rows of others behind these."""
        number = [self.number.setdefault(label, len(self.number)) for label in later.number]
        number_of = np.array(number, np.int32)
        for part in PARTS:
            self.codes[part] += [number_of[codes] for codes in later.codes[part]]
            self.weights[part] += later.weights[part]

    def set(self, part: str, blocks: LabeledBlocks) -> None:
        """Give blocks the labels of a part, as numbers of its sorted classes, and the weights."""
        if self.weights[part]:
            blocks.weights = np.concatenate(self.weights[part])
        if not self.codes[part]:
            return
        labels, codes = as_labels(list(self.number)), np.concatenate(self.codes[part])
        occurring = np.unique(codes)
        classes = classes_among(labels[occurring])
        place = {label: k for k, label in enumerate(classes.tolist())}
        code_of = np.full(len(labels), -1, np.int32)
        code_of[occurring] = [place[label] for label in labels[occurring].tolist()]
        blocks.classes, blocks.codes = classes, code_of[codes]


def cut_evenly(texts: _core.Texts) -> Iterator[tuple[int, int]]:
    """Runs of texts of at most about `BLOCK_BYTES`, of about the same number of rows."""
    n_runs, begin, n_texts = 0, 0, len(texts)
    while begin < n_texts:
        begin = texts.batch_end(begin, BLOCK_BYTES)
        n_runs += 1
    cuts = [n_texts * run // n_runs for run in range(n_runs + 1)]
    yield from pairwise(cuts)
