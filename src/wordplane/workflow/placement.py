"""Whether to train in memory or on blocks, by what a sample of the data says.

With N texts of t bytes and v different features each, and K outputs of a learner, training takes
about

    in memory   t + 26 v + 8 K   bytes of memory per text
    on blocks   0.1 t + 4 v      bytes of disk per text, 8 v if counts matter, and 8 v more if the
                                 learner shuffles rows; at least 2 t
                0.6 us           of a processor per feature of a text

(docs/scale.md compares this with what was measured). t and v are those of the first texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.label_sets import count_classes
from wordplane.common.memory import EXPANSION, available_memory, readable_size, size_of
from wordplane.common.threads import thread_count
from wordplane.data.compression import extension
from wordplane.data.corpus import Corpus
from wordplane.features.text_counts import TextCounts
from wordplane.learners.support.protocols import LearnsFromBlocks
from wordplane.model.recipe import Parts
from wordplane.text.documents import as_documents
from wordplane.workflow.inputs import LabeledData
from wordplane.workflow.spec import TrainingSpec
from wordplane.workflow.train_options import Resources

if TYPE_CHECKING:  # most trainings need no disk
    from wordplane.scale.scratch import Scratch

RESERVE = 0.8  # share of the free memory that training may take
SAMPLE = 1000  # texts
SMALL = 1 << 26  # bytes of text that never need blocks by themselves
LEAST_MEMORY = 3e8  # bytes, of both
PARQUET = 2.5


@frozen
class Estimate:
    """What training takes: bytes of memory, of disk on blocks, and seconds on blocks."""

    n_bytes: float
    memory: float
    disk: float
    seconds: float

    @classmethod
    def of(cls, sample: Corpus, n_texts: int, parts: Parts, threads: int) -> Self:
        """For n_texts texts of which these are the first."""
        analyzer, learner, _ = parts
        spec = analyzer.resolve()
        documents = as_documents(sample, spec.columns.kinds)
        counted = TextCounts.of(spec, documents, 1, lambda _, df: np.ones(len(df), bool))
        t, v = _mean_bytes(sample), len(counted.rows[1]) / len(sample)
        n_outputs = count_classes(sample.labels or [])
        memory = LEAST_MEMORY + n_texts * (t + 26 * v + 8 * n_outputs)
        shuffles = isinstance(learner, LearnsFromBlocks) and learner.shuffles_rows
        stored = (4 if spec.weighting.tf == "binary" else 8) + (8 if shuffles else 0)
        disk = n_texts * max(0.1 * t + stored * v, 2 * t)
        return cls(n_texts * t, memory, disk, n_texts * 6e-7 * v / min(threads, 1.5))

    def __str__(self) -> str:
        minutes = round(self.seconds / 60)
        time = f"{minutes:,} min" if minutes else "less than a minute"
        return f"about {readable_size(self.disk)} of disk and {time}"


@frozen
class Placement:
    """Where to train, and why.

    limit     bytes of memory that training may take
    parts     the analyzer and the learner for a sample of the data, if one was looked at
    estimate  None if nobody knows how many texts there are
    """

    on_blocks: bool
    why: str
    limit: float
    parts: Parts | None = None
    estimate: Estimate | None = None

    @classmethod
    def of(cls, given: LabeledData, spec: TrainingSpec, resources: Resources) -> Self:
        """Choose by the size of the files and a sample of their texts, unless `dask` or `blocks`
        says it."""
        memory, blocks = resources.memory, resources.blocks
        limit = RESERVE * available_memory() if memory is None else memory
        if resources.dask is not None:
            return cls(True, "trained on workers of Dask, as asked", limit)
        if given.kind == "collection":
            raise InputError("the data are a collection of Dask: give the client too (`dask`)")
        if limit <= 0:
            raise InputError(f"`memory` is {memory}, expected bytes above 0")
        paths = given.paths()
        blocks = False if spec.one_label and blocks is None else blocks
        if blocks is False or (blocks is None and paths is None):
            return cls(False, "", limit)
        n_bytes = None if paths is None else _text_bytes(paths)
        if blocks is None and n_bytes is not None and n_bytes <= SMALL:
            return cls(False, "", limit)
        if paths is None or n_bytes is None:
            return cls(True, "trained on blocks, as asked", limit)
        sample = next(given.batches(SAMPLE), None)
        if sample is None or len(sample) == 0:
            return cls(bool(blocks), "", limit)
        n_texts = _parquet_rows(paths) or round(n_bytes / _mean_bytes(sample))
        parts = spec.parts(sample, n_texts, max(2, count_classes(sample.labels or [])))
        estimate = Estimate.of(sample, n_texts, parts, thread_count(resources.n_jobs))
        on_blocks = estimate.memory > limit if blocks is None else blocks
        why = (
            f"about {readable_size(estimate.n_bytes)} of text would take "
            f"{readable_size(estimate.memory)} in memory, and {readable_size(limit)} may be used"
        )
        if on_blocks:
            why += f"; on blocks it takes {estimate}"
        where = "on blocks" if on_blocks else "in memory"
        return cls(on_blocks, f"trained {where}: {why}", limit, parts, estimate)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell whoever trains."""
        notes: tuple[str, ...] = (self.why,) if self.why else ()
        if self.on_blocks and self.limit < LEAST_MEMORY:
            notes += (
                f"`memory` is {readable_size(self.limit)}, but training on blocks takes about "
                f"{readable_size(LEAST_MEMORY)} however few the texts",
            )
        return notes

    def check_disk(self, scratch: Scratch) -> None:
        """Refuse before anything is read if the disk has too little room."""
        if self.estimate is not None:
            scratch.require(self.estimate.disk - scratch.used(), "training on blocks")


def _mean_bytes(sample: Corpus) -> float:
    """Of a text, on average."""
    n_bytes = len(sample.texts.arrays(0, len(sample))[0])
    return max(1.0, n_bytes / len(sample))


def require_memory_for_all(given: LabeledData, what: str, n_jobs: int | None) -> None:
    """Refuse data that would not fit into memory, where that is needed."""
    placement = Placement.of(given, TrainingSpec(), Resources(n_jobs=n_jobs))
    if placement.on_blocks:
        raise InputError(f"{what} needs all texts in memory: {placement.why}")


def _text_bytes(paths: Sequence[str]) -> float:
    """About how many bytes of text the files have, by their sizes."""
    total = 0.0
    for path in paths:
        packed = {**EXPANSION, ".parquet": PARQUET}
        ratio = packed.get(Path(path).suffix.lower(), packed.get(extension(path), 1.0))
        total += ratio * size_of(path)
    return total


def _parquet_rows(paths: Sequence[str]) -> int | None:
    """The rows of the files, if all are Parquet."""
    if any(Path(path).suffix != ".parquet" for path in paths):
        return None
    import polars as pl  # takes 100 ms

    frames = [pl.scan_parquet(path, glob=False).select(pl.len()) for path in paths]
    return sum(int(frame["len"][0]) for frame in pl.collect_all(frames))
