"""Train a model on blocks of texts on disk, where they do not fit into memory (docs/scale.md)."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_model_labels
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.data.read import read
from wordplane.evaluation.label_scores import score
from wordplane.learners.support.base import best_output
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import fingerprint_of_sample, fingerprint_rows
from wordplane.model.fitting import fit
from wordplane.model.recipe import choose_parts, sample_rows
from wordplane.scale.block_plan import BlockPlan, check_on_blocks
from wordplane.scale.scratch import Scratch, open_scratch
from wordplane.scale.scratch_format import SAMPLE
from wordplane.scale.text_blocks import BLOCK_ROWS, LabeledBlocks, StoredTexts, store_texts
from wordplane.text.documents import Documents
from wordplane.workflow.inputs import LabeledData, worker_files
from wordplane.workflow.placement import Placement
from wordplane.workflow.spec import TrainingSpec
from wordplane.workflow.train_options import Resources
from wordplane.workflow.training_result import TrainingResult
from wordplane.workflow.training_steps import (
    MARKED,
    Marked,
    Tested,
    TrainingData,
    choose_rows_to_measure,
    make_result,
    record_training,
    weighted,
)

if TYPE_CHECKING:
    from wordplane.scale.dask_tasks import DaskTasks


def train_on_blocks(
    given: LabeledData,
    spec: TrainingSpec,
    resources: Resources,
    placement: Placement,
    output: str | PathLike[str] | None,
) -> TrainingResult:
    """`train` with texts, counts and rows on disk, of this machine or of workers of Dask."""
    _check(given, spec, placement)
    with _open_blocks(given, spec, resources, placement) as blocks:
        stored = blocks.texts
        classifier, fingerprint = _fit(blocks, spec, resources.n_jobs, placement.limit)
        tested = _measure(classifier, stored, test=spec.test)
        is_tested = output is not None and spec.test and len(stored.parts["test"]) > 0
        data = TrainingData(
            stored.header,
            (*stored.notes, *blocks.notes),
            n_rows=stored.n_rows,
            n_train=len(stored.parts["train"]),
            classes=_class_sizes(stored),
            multilabel=False,
            fingerprint=fingerprint,
            test_fingerprint=_fingerprint(stored.parts["test"]) if is_tested else None,
        )
        # The model is on disk before the blocks are given back.
        record_training(classifier, stored.header, fingerprint, tested.description, tested.scores)
        return make_result(classifier, data, tested, [], output=output)


def _check(given: LabeledData, spec: TrainingSpec, placement: Placement) -> None:
    """Refuse what needs all texts in memory."""
    reading = given.reading
    refused = {
        "`tune`": spec.tune,
        "`unlabeled`": spec.unlabeled,
        "`pretrained`": spec.pretrained,
        "`resumable`": spec.resumable,
        "`max_size`": spec.max_size is not None,
        "`group`": given.groups is not None or reading.get("group") is not None,
        "`time`": reading.get("time") is not None,
        "`fields`": bool(reading.get("fields")),
        "`vectors`": reading.get("vectors") is not None,
        "`require`": spec.require is not None,
        "`chain`": spec.chain is not False,
        "this `learner`": spec.one_label,
    }
    for what, is_given in refused.items():
        if is_given:
            why = placement.why or "as asked"
            raise InputError(f"{what} needs all texts in memory (`blocks`): {why}")
    if placement.parts is not None:
        check_on_blocks(placement.parts.analyzer, placement.parts.learner, spec.rule)


class _Blocks(NamedTuple):
    """Texts on disk, here or on workers, and what fits them."""

    texts: StoredTexts
    plan: type[BlockPlan]
    scratch: Scratch
    notes: tuple[str, ...]


@contextmanager
def _open_blocks(
    given: LabeledData, spec: TrainingSpec, resources: Resources, placement: Placement
) -> Iterator[_Blocks]:
    resume, dask, notes = resources.resume, resources.dask, placement.notes
    key = None if dask is not None else _key(given, spec)
    if resume and key is None:
        raise InputError("`resume` needs the data in files, which it knows again, and no `dask`")
    with open_scratch(resources.scratch, key or "any", resume=resume) as scratch:
        if resume and not scratch.is_resumed:
            notes += ("there was nothing to resume: trained from the beginning",)
        if dask is None:
            placement.check_disk(scratch)
            if placement.estimate is not None:
                notify(f"on blocks, {placement.estimate}", 0, 0)
            stored = store_texts(given.batches(BLOCK_ROWS), scratch)
            yield _Blocks(stored, BlockPlan, scratch, notes)
            return
        from wordplane.scale.dask_tasks import open_tasks
        from wordplane.scale.dask_training import DaskPlan

        is_shared = resources.scratch is not None
        with open_tasks(
            dask, resources.n_jobs, placement.limit, scratch.folder, shared=is_shared
        ) as tasks:
            yield _Blocks(_read_on_workers(tasks, given), DaskPlan, scratch, notes)


def _key(given: LabeledData, spec: TrainingSpec) -> str | None:
    """What a training is known by when it is resumed: its files, as they are, and its options;
    None if the data are not files."""
    paths = given.paths()
    if paths is None:
        return None
    files = [file for path in paths for file in (Path(path), *sorted(Path(path).rglob("*")))]
    stats = [(file.resolve(), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    known = repr((wordplane.__version__, stats, spec, given.reading))
    return sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read_on_workers(tasks: "DaskTasks", given: LabeledData) -> StoredTexts:
    """Let the workers of Dask read files, or the partitions of a collection; send them what is in
    memory here."""
    from wordplane.scale.dask_training import partitions, read_remote, send_texts

    reading = given.reading
    if given.kind == "collection":
        frames, first = partitions(tasks, given.data)
        header = read(first, require_label=True, **reading)
        return read_remote(tasks, frames, header.take([]), BLOCK_ROWS, reading)
    if given.kind == "files":
        files = worker_files(given.data, reading)
        return read_remote(tasks, files, next(given.batches(1)).take([]), BLOCK_ROWS, reading)
    return send_texts(tasks, list(given.batches(BLOCK_ROWS)))


def _fit(
    blocks: _Blocks, spec: TrainingSpec, n_jobs: int | None, memory: float
) -> tuple[TextClassifier, str]:
    """The classifier that learned from the rows of the part "train", and their fingerprint."""
    header, train = blocks.texts.header, blocks.texts.parts["train"]
    if len(train) == 0:
        raise InputError(f"{header.source}: no row is marked train, so none can be trained on")
    texts, fingerprint = _sample(train, blocks.scratch)
    sample = replace(header, texts=texts, labels=None, weights=None, split=None, ids=None)
    n_docs, n_classes, seed = len(train), len(train.classes), spec.random_state
    classifier = spec.classifier(sample, n_jobs, n_docs=n_docs, n_classes=n_classes)
    given, documents = (classifier.analyzer, classifier.learner), Documents(texts)
    analyzer, learner, rivals = choose_parts(
        *given, documents, n_classes, n_docs, random_state=seed
    )
    rows = train, thread_count(n_jobs), seed, memory
    plan = blocks.plan(analyzer, learner, *rows, rivals=rivals)
    try:
        holdout, model = fit(plan, spec.rule)
    except InputError as error:
        raise InputError(f"{header.source}: {error}" if header.source else str(error)) from None
    classifier.set_fitted(model, None if holdout is None else replace(holdout, model=None))
    return classifier, fingerprint


def _sample(blocks: LabeledBlocks, scratch: Scratch) -> tuple[_core.Texts, str]:
    """The texts that the recipe looks at, and the fingerprint of all: a step, as the texts leave
    the disk later."""
    known = scratch.finished("sample", SAMPLE)
    if known is None:
        texts = blocks.take(sample_rows(len(blocks)))
        data, ends = texts.arrays(0, len(texts))
        fingerprint = _fingerprint(blocks)
        facts = {"fingerprint": fingerprint}
        scratch.finish("sample", [("bytes", data), ("ends", ends)], facts)
        return texts, fingerprint
    data, ends = known.arrays["bytes"], known.arrays["ends"]  # type: ignore[assignment]
    return _core.Texts.from_arrays(data, ends), known.facts["fingerprint"]


def _fingerprint(blocks: LabeledBlocks) -> str:
    return fingerprint_of_sample(len(blocks), blocks.take(fingerprint_rows(len(blocks))))


def _class_sizes(stored: StoredTexts) -> dict[str, int]:
    sizes = Counter[str]()
    for part in stored.parts.values():
        counts = np.bincount(part.codes, minlength=len(part.classes)).tolist()
        sizes.update(dict(zip(map(str, part.classes.tolist()), counts, strict=True)))
    return dict(sorted(sizes.items()))


def _measure(classifier: TextClassifier, stored: StoredTexts, *, test: bool) -> Tested:
    train, classes = stored.parts["train"], classifier.classes_
    n_marked: dict[Marked, int] = {part: len(stored.parts[part]) for part in MARKED}
    part, description = choose_rows_to_measure(classifier, n_marked, len(train), test=test)
    if part is None:
        return Tested(description)
    holdout = classifier.holdout_
    if part == "holdout" and holdout is not None:
        truth, predicted = train.labels[holdout.rows], np.asarray(holdout.predicted)
        weights = None if train.weights is None else train.weights[holdout.rows]
    else:
        blocks = stored.parts[part]
        z = blocks.scores(classifier.model_, thread_count(classifier.n_jobs))
        truth, predicted = blocks.labels, classes[best_output(z, len(classes))]
        weights = blocks.weights
    if weights is not None:  # if no row weighs anything, all count alike
        weights = weights / weights.max() if weights.any() else None
    true_labels = as_model_labels(truth.tolist(), classes)
    scores = score(true_labels, predicted.astype(object), sample_weight=weights)
    return Tested(weighted(description, weights), scores)
