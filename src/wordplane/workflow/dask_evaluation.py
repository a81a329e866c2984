"""Score labeled files on the workers of Dask, to measure a model by them.

Each file is read and scored by one worker. What comes here are labels, the columns asked for, and
scores; of the texts, only those that tell whether the rows were seen before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.memory import available_memory
from wordplane.common.notes import Note
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.corpus import Corpus, RowLabels
from wordplane.data.read import read_batches
from wordplane.data.read_options import ReadKeywords
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import fingerprint_rows
from wordplane.scale.dask_tasks import DaskTasks, open_tasks
from wordplane.scale.dask_training import RemoteTexts
from wordplane.scale.disk_arrays import DiskArrays, Store
from wordplane.scale.scratch import open_scratch
from wordplane.text.fields import FIELD_KIND
from wordplane.text.texts import as_texts
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    Reading,
    choose_rows,
    model_columns,
    name_of,
    rows_to_measure,
    worker_files,
)

BATCH_ROWS = 1 << 14


@dataclass
class ScoredRows:
    """The rows of a file, or of several, and their scores; their texts are on the disks of
    workers."""

    texts: list[DiskArrays] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    labels: list[RowLabels] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    split: list[str] = field(default_factory=list)
    extras: dict[str, list[object]] = field(default_factory=dict)
    scores: list[FloatArray] = field(default_factory=list)
    notes: dict[Note, None] = field(default_factory=dict)

    def add(self, batch: Corpus, scores: FloatArray) -> None:
        """More rows."""
        self.sizes.append(len(batch))
        self.labels += batch.labels or []
        self.ids += batch.ids or []
        self.split += batch.split or []
        for name, values in batch.extras.items():
            self.extras.setdefault(name, []).extend(values)
        self.scores.append(scores)
        self.notes.update(dict.fromkeys(batch.notes))

    def join(self, later: ScoredRows) -> None:
        """Add the rows of another file behind these."""
        for name in ("sizes", "labels", "ids", "split", "scores"):
            getattr(self, name).extend(getattr(later, name))
        for name, values in later.extras.items():
            self.extras.setdefault(name, []).extend(values)
        self.notes.update(later.notes)


def score_file(
    model: TextClassifier, store: Store, path: str, rows: str | None, reading: ReadKeywords
) -> ScoredRows:
    """What a model says of the labeled texts of a file, or of its rows marked so."""
    model = copy(model)
    model.n_jobs = 1
    scored = ScoredRows()
    for batch in read_batches(path, batch_size=BATCH_ROWS, **reading):
        chosen = batch if rows is None else choose_rows(batch, rows)
        if len(chosen) > 0:
            scored.add(chosen, model.decision_function(chosen))
            scored.texts.append(store.keep(*chosen.texts.arrays(0, len(chosen))))
    return scored


def without_texts(scored: ScoredRows) -> ScoredRows:
    """The same without the texts, which stay where they are."""
    return replace(scored, texts=[])


def pick_texts(scored: ScoredRows, block: int) -> DiskArrays:
    """A block of the texts."""
    return scored.texts[block]


def score_on_dask(
    model: TextClassifier,
    data: DataLike,
    extra: Iterable[str],
    rows: str | None,
    dask: DaskLike,
    reading: Reading,
) -> tuple[Corpus, str, FloatArray]:
    """The rows to measure, which these are, and their scores. Most texts of the corpus are empty:
    they stay with the workers."""
    paths = worker_files(data, reading)
    if reading.get("group") is not None:
        raise InputError("`group` needs all rows here: leave out `dask`")
    own = model_columns(model, reading)
    kinds = {**dict.fromkeys(extra, "category"), **own["extra"]}
    own["extra"] = kinds
    required = not model.is_multilabel
    given: ReadKeywords = {**reading, **own, "labels": True, "require_label": required}
    header = next(read_batches(paths, batch_size=1, **given))
    if header.text_columns and FIELD_KIND not in kinds.values():  # of the first file, for all
        given["text"] = header.text_columns
    given["label"] = header.label_column or given.get("label")
    n = len(paths)
    with (
        open_scratch() as scratch,
        open_tasks(dask, model.n_jobs, available_memory(), scratch.folder, shared=False) as tasks,
    ):
        shared = [tasks.send("model", model)] * n
        store = [tasks.store.of("texts")] * n
        files = tasks.map("score-file", score_file, shared, store, paths, [rows] * n, [given] * n)
        return _collect(tasks, files, header, rows)


def _collect(
    tasks: DaskTasks, files: list[Any], header: Corpus, rows: str | None
) -> tuple[Corpus, str, FloatArray]:
    whole, texts = ScoredRows(), RemoteTexts(tasks=tasks)
    described = tasks.map("describe-file", without_texts, files)
    for file, scored in zip(files, tasks.collect(described, "classifying texts"), strict=True):
        whole.join(scored)
        texts.sizes += scored.sizes
        n = len(scored.sizes)
        if n:
            texts.blocks += tasks.map("pick-texts", pick_texts, [file] * n, list(range(n)))
    n_rows = len(texts)
    if n_rows == 0:
        what = f"no row is marked {rows}" if rows else "there are no rows to measure"
        raise InputError(f"{name_of(header)}: {what}")
    for name in ("ids", "split"):
        if len(getattr(whole, name)) not in (0, n_rows):
            raise InputError(f"some files have a column of {name}, and others have none")
    corpus = replace(
        header.take([]),
        texts=as_texts([""] * n_rows),
        labels=whole.labels,
        ids=whole.ids or None,
        split=whole.split or None,
        extras=cast(dict[str, Sequence[float] | Sequence[str]], whole.extras),
        vectors={},
        weights=None,
        notes=tuple({**dict.fromkeys(header.notes), **whole.notes}),
    )
    chosen, wanted = rows_to_measure(corpus, rows)
    kept = np.arange(n_rows)
    if wanted != "all":
        kept = np.flatnonzero(np.array(corpus.split) == wanted)
    sampled = _seen(chosen)
    known = [""] * len(kept)
    for row, text in zip(sampled.tolist(), texts.take(kept[sampled]), strict=True):
        known[row] = text
    return replace(chosen, texts=as_texts(known)), wanted, np.concatenate(whole.scores)[kept]


def _seen(corpus: Corpus) -> IntArray:
    """The rows whose texts tell whether a model was trained on them, or measured by them before."""
    trained = corpus.split_rows("train")
    both = [fingerprint_rows(len(corpus)), trained[fingerprint_rows(len(trained))]]
    return np.unique(np.concatenate(both))
