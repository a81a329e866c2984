"""What a model meets after its training: labels, errors and words of texts that have no labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.corpus import Corpus
from wordplane.data.read import read_batches
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.paired_tests import holm
from wordplane.evaluation.trait_test import MIN_EARLIER, MIN_TEXTS, compare_traits
from wordplane.learners.support.base import best_class
from wordplane.model.classifier import TextClassifier
from wordplane.model.reference import Reference
from wordplane.model.saved_models import ModelLike, open_model
from wordplane.workflow.inputs import DataLike, Reading, load_texts, model_columns, name_of
from wordplane.workflow.monitoring_result import (
    ALPHA,
    Change,
    LabelShare,
    MonitoredPart,
    MonitoringResult,
)
from wordplane.workflow.slices import rows_of_values

MAX_TEXTS = 2000  # of each part, evenly from all, that are compared
MAX_PARTS = 100


def monitor(
    model: ModelLike,
    data: DataLike,
    *,
    by: str | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> MonitoringResult:
    """Say what texts without labels are like: which labels they have, how many the model gets
    right, and whether they are still the kind of texts that it was trained on.

    Shares of labels are corrected for the errors that the model made on texts held out in training,
    and so is the accuracy to expect. Both take it that texts of a label are what they were, and
    only their shares have changed. Whether that is so is tested by words, lengths and scripts: of
    texts like those trained on, one sample in 20 is said to have changed.

    Parameters
    ----------
    model : TextClassifier or path
        The model. It must have been trained with texts held out (`calibration="holdout"`).
    data : path, frame, Corpus or texts
        The texts. Columns are those that the model was trained on, unless others are named.
    by : str, default None
        A column such as the month or the source: also look at the texts of each of its values.
    random_state : int, default 0
        The seed.
    n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> texts = ["a great film", "great fun", "a dull film", "dull and long", "a film"] * 8
    >>> labels = ["good", "good", "bad", "bad", "bad"] * 8
    >>> import wordplane
    >>> model = wordplane.train(texts, labels).model
    >>> found = monitor(model, ["great", "such great fun", "a great film"] * 20)
    >>> [(one.label, round(one.given, 2)) for one in found.whole.labels]
    [('bad', 0.0), ('good', 1.0)]
    """
    if by is not None and not isinstance(by, str):
        raise InputError(f"`by` is {by!r:.60}, expected the name of one column")
    model = open_model(model, n_jobs)
    reference = model.model_.reference
    if reference is None:
        raise InputError(
            "the model keeps nothing of texts held out, so there is nothing to compare with: train "
            "it with `calibration` 'holdout'; models that were edited, or that texts were removed "
            "from, have to be trained again"
        )
    corpus = _read(model, data, by, reading)
    if len(corpus) == 0:
        raise InputError(f"{name_of(corpus)}: there are no texts")
    watch = _Watch(model, reference, random_state)
    rows_of: dict[str, IntArray] = {}
    if by is not None:
        if by not in corpus.extras:
            raise InputError(f"{name_of(corpus)}: there is no column {by!r} (`by`)")
        found = rows_of_values([str(value) for value in corpus.extras[by]], MAX_PARTS)
        rows_of = dict(sorted(found.items(), key=lambda item: (item[0][:1] == "(", item[0])))
    whole = watch.look_at("", corpus)
    parts = [watch.look_at(value, corpus.take(rows)) for value, rows in rows_of.items()]
    notes = [*corpus.notes, *([Note("model", whole.warning)] if whole.changed else [])]
    scores = model.training_.scores
    return MonitoringResult(
        source=corpus.source,
        notes=tuple(notes),
        whole=whole,
        parts=_corrected(parts),
        by=by,
        methods=None if watch.shift is None else watch.shift.weights,
        tested_accuracy=getattr(scores, "accuracy", None),
    )


def _read(model: TextClassifier, data: DataLike, by: str | None, reading: Reading) -> Corpus:
    if isinstance(data, Corpus):
        return data
    if isinstance(data, str | PathLike):
        return read_files(model, data, by, reading)
    return load_texts(data, _with_columns(model, by, reading))


def read_files(
    model: TextClassifier,
    files: str | PathLike[str] | Sequence[str],
    by: str | None,
    reading: Reading,
) -> Corpus:
    """The texts of files, without labels, and the column `by`."""
    given = _with_columns(model, by, reading)
    return next(read_batches(files, batch_size=None, **given))  # type: ignore[arg-type]


def _with_columns(model: TextClassifier, by: str | None, reading: Reading) -> dict[str, object]:
    own = model_columns(model, reading)
    own["extra"] = {**({} if by is None else {by: "category"}), **own["extra"]}
    return {**reading, **own, "labels": False, "require_label": False}


class _Watch:
    """What is compared with texts."""

    def __init__(self, model: TextClassifier, reference: Reference, random_state: int) -> None:
        self.model, self.reference, self.seed = model, reference, random_state
        self.shift = model.model_.label_shift(random_state)

    def look_at(self, value: str, corpus: Corpus) -> MonitoredPart:
        """What is found in texts."""
        n, model = len(corpus), self.model
        some = corpus
        if n > MAX_TEXTS:
            some = corpus.take(np.linspace(0, n - 1, MAX_TEXTS).astype(np.int64))
        part = MonitoredPart(value, n)
        shares = None
        if self.shift is not None:
            z = model.decision_function(some)
            predicted = best_class(z, len(model.classes_))
            P = model.probabilities_of(z)
            found = self.shift.estimate(P, predicted, of_population=n > MAX_TEXTS)
            shares = found.shares
            part = replace(
                part,
                labels=self._labels(predicted, found.shares, found.intervals),
                accuracy=found.accuracy,
                accuracy_interval=found.accuracy_interval,
            )
        if model.is_word_model:
            part = replace(part, unfamiliar=float(model.knowledge(some).unfamiliar.mean()))
        return self._with_changes(part, some, shares)

    def _labels(
        self, predicted: IntArray, shares: FloatArray, intervals: list[Interval]
    ) -> tuple[LabelShare, ...]:
        n_classes = len(shares)
        given = np.bincount(predicted, minlength=n_classes) / len(predicted)
        training = np.bincount(self.reference.codes, minlength=n_classes)
        shown = given.tolist(), shares.tolist(), intervals, (training / training.sum()).tolist()
        rows = zip(self.model.classes_.tolist(), *shown, strict=True)
        return tuple(LabelShare(*row) for row in rows)

    def _with_changes(
        self, part: MonitoredPart, corpus: Corpus, shares: FloatArray | None
    ) -> MonitoredPart:
        """The part with what changed, if there are texts enough to tell."""
        reference, sizes = self.reference, self.reference.sizes.astype(np.int64)
        if len(corpus) < MIN_TEXTS or int(sizes.sum()) < MIN_EARLIER:
            return part
        X = reference.traits.matrix(corpus.texts, thread_count(self.model.n_jobs))
        known = np.ones(1) if shares is None or len(sizes) == 1 else shares
        if len(known) != len(sizes):
            known = sizes / sizes.sum()
        test = compare_traits(reference.counts.astype(np.int64), sizes, X, known, self.seed)
        names = reference.traits.names
        changes = [
            Change(names[j], float(test.before[j]), float(test.now[j]), float(test.z[j]))
            for j in test.changed.tolist()
        ]
        is_known = test.p is not None and test.p < ALPHA
        return replace(part, p=test.p, changes=tuple(changes) if is_known else ())


def _corrected(parts: list[MonitoredPart]) -> tuple[MonitoredPart, ...]:
    """With p for as many parts as there are."""
    tested = [part.p for part in parts if part.p is not None]
    corrected = iter(holm(tested).tolist() if tested else [])
    return tuple(part if part.p is None else replace(part, p=next(corrected)) for part in parts)
