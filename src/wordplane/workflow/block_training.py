"""Train a model on blocks of texts on disk, where they do not fit into memory (docs/scale.md)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_model_labels
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import expand_paths, read, read_batches
from wordplane.evaluation.label_scores import Scores, score
from wordplane.learners.support.base import best_output
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import fingerprint_of_sample, fingerprint_rows
from wordplane.model.recipe import sample_rows
from wordplane.model.remote import is_remote
from wordplane.scale.fitting import BlockPlan, check_on_blocks
from wordplane.scale.scratch import Scratch, open_scratch
from wordplane.scale.text_blocks import BLOCK_ROWS, LabeledBlocks, StoredTexts, store_texts
from wordplane.text.documents import Documents
from wordplane.workflow.classifiers import AnalyzerLike, LearnerLike, make_classifier
from wordplane.workflow.evaluation_count import count_fingerprint
from wordplane.workflow.inputs import DaskLike, DataLike, Reading
from wordplane.workflow.placement import Placement, file_paths
from wordplane.workflow.training_result import TrainingResult

if TYPE_CHECKING:
    from wordplane.scale.dask_tasks import DaskTasks


def corpus_batches(data: DataLike | Corpus, reading: Reading) -> Iterator[Corpus]:
    """The rows of files, or of a corpus, some at a time."""
    if isinstance(data, Corpus):
        for begin in range(0, len(data), BLOCK_ROWS):
            yield data.take(np.arange(begin, min(begin + BLOCK_ROWS, len(data))))
        return
    yield from read_batches(data, batch_size=BLOCK_ROWS, require_label=True, **reading)


def key_of(data: DataLike | Corpus, options: object) -> str | None:
    """What a training is known by when it is resumed: its files, as they are, and its options;
    None if the data are not files."""
    paths = file_paths(data)
    if paths is None:
        return None
    files = [file for path in paths for file in (Path(path), *sorted(Path(path).rglob("*")))]
    stats = [(file.resolve(), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    known = repr((wordplane.__version__, stats, options))
    return sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def train_on_blocks(
    data: DataLike | Corpus,
    placement: Placement,
    learner: LearnerLike,
    params: Mapping[str, object] | None,
    analyzer: AnalyzerLike,
    *,
    output: str | PathLike[str] | None,
    test: bool,
    calibration: str | None,
    calibrator: str,
    metric: str | None,
    scratch: str | PathLike[str] | None,
    resume: bool,
    dask: DaskLike | None,
    n_jobs: int | None,
    random_state: int,
    **reading: Unpack[Reading],
) -> TrainingResult:
    """`train` with texts, counts and rows on disk, of this machine or of workers of Dask."""
    if placement.parts is not None:
        check_on_blocks(*placement.parts, calibration)
    options = (learner, params, analyzer, test, calibration, metric, random_state, reading)
    key = None if dask is not None else key_of(data, options)
    if resume and key is None:
        raise InputError("`resume` needs the data in files, which it knows again, and no `dask`")
    notes = placement.notes
    with ExitStack() as stack:
        folder = stack.enter_context(open_scratch(scratch, key or "any", resume=resume))
        if resume and not folder.is_resumed:
            notes += ("there was nothing to resume: trained from the beginning",)
        if dask is None:
            placement.check_disk(folder)
            if placement.estimate is not None:
                notify(f"on blocks, {placement.estimate}", 0, 0)
            stored = store_texts(corpus_batches(data, reading), folder)
            plan = BlockPlan
        else:
            from wordplane.scale.dask_tasks import open_tasks
            from wordplane.scale.dask_training import DaskPlan

            shared = scratch is not None
            opened = open_tasks(dask, n_jobs, placement.limit, folder.folder, shared=shared)
            stored = read_on_workers(stack.enter_context(opened), data, reading)
            plan = DaskPlan
        classifier = _fit(
            plan,
            stored,
            folder,
            learner,
            params,
            analyzer,
            calibration=calibration,
            calibrator=calibrator,
            metric=metric,
            n_jobs=n_jobs,
            random_state=random_state,
            memory=placement.limit,
        )
        scores, tested_on = _measure(classifier, stored, test=test)
        counted = None
        if output is not None and test and len(stored.parts["test"]) > 0:
            counted = _fingerprint(stored.parts["test"])
    classifier.record(replace(classifier.training_, tested_on=tested_on, scores=scores))
    if output is not None:
        classifier.save(output)
        if counted is not None:
            again = count_fingerprint(output, counted, stored.header.source, "test")
            notes += (again,) if again else ()
    sizes = Counter[str]()
    for part in stored.parts.values():
        counts = np.bincount(part.codes, minlength=len(part.classes)).tolist()
        sizes.update(dict(zip(map(str, part.classes.tolist()), counts, strict=True)))
    return TrainingResult(
        model=classifier,
        source=stored.header.source,
        notes=(*stored.notes, *notes),
        n_rows=stored.n_rows,
        n_train=len(stored.parts["train"]),
        n_unlabeled=0,
        unlabeled_folds={},
        multilabel=False,
        classes=dict(sorted(sizes.items())),
        tested_on=tested_on,
        scores=scores,
        n_features=classifier.n_features,
        n_unseen_features=None,
        path=None if output is None else str(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
        rounds=(),
        corpus=stored.header,
    )


def read_on_workers(tasks: "DaskTasks", data: DataLike | Corpus, reading: Reading) -> StoredTexts:
    """Let the workers of Dask read files, or the partitions of a collection; send them what is in
    memory here."""
    from wordplane.scale.dask_training import partitions, read_remote, send_texts

    given = dict(reading)
    if is_remote(data):
        sources, frame = partitions(tasks, data)
        header = read(frame, require_label=True, **reading)
        return read_remote(tasks, sources, header.take([]), BLOCK_ROWS, given)
    if isinstance(data, str | PathLike | list | tuple):
        paths = expand_paths(data)
        if STDIN in paths:
            raise InputError("workers of Dask cannot read standard input: name files")
        first = next(read_batches(paths, batch_size=1, require_label=True, **reading))
        files = [str(Path(path).absolute()) for path in paths]
        return read_remote(tasks, files, first.take([]), BLOCK_ROWS, given)
    return send_texts(tasks, list(corpus_batches(data, reading)))


def _fit(
    plan: type[BlockPlan],
    stored: StoredTexts,
    scratch: Scratch,
    learner: LearnerLike,
    params: Mapping[str, object] | None,
    analyzer: AnalyzerLike,
    *,
    calibration: str | None,
    calibrator: str,
    metric: str | None,
    n_jobs: int | None,
    random_state: int,
    memory: float,
) -> TextClassifier:
    """The classifier that learned from the rows of the part "train"."""
    blocks, source = stored.parts["train"], stored.header.source
    if len(blocks) == 0:
        raise InputError(f"{source}: no row is marked train, so none can be trained on")
    texts, fingerprint = _sample(blocks, scratch)
    n_classes = len(blocks.classes)
    sample = replace(stored.header, texts=texts, labels=None, weights=None, split=None, ids=None)
    classifier = make_classifier(
        sample,
        learner,
        params,
        analyzer,
        calibration=calibration,
        calibrator=calibrator,
        metric=metric,
        n_jobs=n_jobs,
        random_state=random_state,
        n_docs=len(blocks),
        n_classes=n_classes,
    )
    chosen = classifier.choose(Documents(texts), n_classes, len(blocks))
    try:
        plan(*chosen, blocks, thread_count(n_jobs), random_state, memory).fit(classifier)
    except InputError as error:
        raise InputError(f"{source}: {error}" if source else str(error)) from None
    classifier.record(
        replace(
            classifier.training_,
            seed=random_state,
            source=Path(source).name,
            text_columns=stored.header.text_columns,
            label_column=stored.header.label_column,
            fingerprint=fingerprint,
        )
    )
    return classifier


def _sample(blocks: LabeledBlocks, scratch: Scratch) -> tuple[_core.Texts, str]:
    """The texts that the recipe looks at, and the fingerprint of all: a step, as the texts leave
    the disk later."""
    known = scratch.finished("sample")
    if known is None:
        texts = blocks.take(sample_rows(len(blocks)))
        data, ends = texts.arrays(0, len(texts))
        found = _fingerprint(blocks)
        scratch.finish("sample", [("bytes", data), ("ends", ends)], {"fingerprint": found})
        return texts, found
    data, ends = known.arrays["bytes"], known.arrays["ends"]  # type: ignore[assignment]
    return _core.Texts.from_arrays(data, ends), known.facts["fingerprint"]


def _fingerprint(blocks: LabeledBlocks) -> str:
    return fingerprint_of_sample(len(blocks), blocks.take(fingerprint_rows(len(blocks))))


def _measure(
    classifier: TextClassifier, stored: StoredTexts, *, test: bool
) -> tuple[Scores | None, str]:
    """How good the model is on rows marked test or dev, or else on those held out, in words too."""
    for part in ("test", "dev"):
        blocks = stored.parts[part]
        if test and len(blocks) > 0:
            z = blocks.scores(classifier.model_, thread_count(classifier.n_jobs))
            best = best_output(z, len(classifier.classes_))
            predicted = classifier.classes_[best].astype(object)
            truth = as_model_labels(blocks.labels.tolist(), classifier.classes_)
            return score(truth, predicted), f"marked {part}, never trained on"
    holdout, blocks = classifier.holdout_, stored.parts["train"]
    if holdout is not None:
        n_others = len(blocks) - len(holdout.rows)
        truth = as_model_labels(blocks.labels[holdout.rows].tolist(), classifier.classes_)
        predicted = np.asarray(holdout.predicted).astype(object)
        return score(truth, predicted), f"held out, by a model trained on the other {n_others:,}"
    if test and classifier.calibration == "holdout":
        return None, "not tested: no class has a row to spare"
    return None, "not tested"
