"""Learning curve: the fit of models by the number of training texts.

In each fold, the training rows are put in a random order that keeps the shares of the classes and
has every class among its first rows; rows of the same group follow one another. Models are trained
on longer and longer beginnings of it, and measured on the same held-out rows. Texts are counted
once; everything else is learned from the training rows of each model alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.groups import take_groups
from wordplane.common.labels import as_labels
from wordplane.common.pool import pool_map
from wordplane.common.progress import tell
from wordplane.common.types import FloatArray, JsonObject, LabelArray, LabelsLike
from wordplane.data.splits import draw_rows, stratified_order
from wordplane.diagnosis.fit_measures import FitMeasures, FoldMeasures, measure_fold
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import fit_to_features, require_room
from wordplane.learners.support.base import LinearClassifier
from wordplane.selection.splitter import FIVE_FOLDS, Rows, Split, Splitter, held_to_train
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

MIN_SIZE = 10
MAX_DOCS = 100_000


@dataclass(frozen=True)
class LearningCurve:
    """The measures at each size, the smallest first.

    n_docs    the number of all texts
    majority  the share of the most frequent label
    n_drawn   the number of texts drawn for the curve, held-out ones included; None for all
    """

    points: tuple[FitMeasures, ...]
    n_docs: int
    majority: float
    n_drawn: int | None = None

    @property
    def sample(self) -> str:
        """Which texts the curve uses, if not all."""
        if self.n_drawn is None:
            return ""
        return f"the curve uses {self.n_drawn:,} of the {self.n_docs:,} texts, drawn at random"

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        points = [point.to_dict() for point in self.points]
        drawn = self.n_docs if self.n_drawn is None else self.n_drawn
        return {
            "n_docs": self.n_docs,
            "n_drawn": drawn,
            "majority": self.majority,
            "points": points,
        }


class _Job(NamedTuple):
    size: int
    train: Rows
    held: Rows
    df: NDArray[np.int64]


def learning_curve(
    analyzer: Analyzer,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelsLike,
    *,
    sizes: int | Sequence[int] = 8,
    splitter: Splitter = FIVE_FOLDS,
    sample_weight: FloatArray | None = None,
    threads: int = 1,
    max_docs: int = MAX_DOCS,
) -> LearningCurve:
    """Train on more and more of the texts.

    sizes     the number of sizes, each the same factor above the one before (two, or less if there
              are few texts); or the sizes themselves
    max_docs  if there are more texts, this number is drawn at random, which limits time and memory

    >>> from wordplane import MultinomialNB
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 10, {})
    >>> curve = learning_curve(Analyzer(), MultinomialNB(), texts, ["+", "+", "-", "-"] * 10)
    >>> [int(point.at) for point in curve.points]
    [10, 12, 14, 16, 19, 23, 27, 32]
    >>> curve.points[-1].mean("dev_accuracy")
    1.0
    """
    y = as_labels(labels)
    n_docs, n_drawn = len(y), None
    _, counts = np.unique(y, return_counts=True)
    if n_docs > max_docs:
        rows = draw_rows(y, max_docs, splitter.random_state)
        documents, y, n_drawn = documents.take(rows), y[rows], max_docs
        splitter = splitter.take(rows)
        sample_weight = None if sample_weight is None else sample_weight[rows]
    splits = splitter.split(y.tolist())
    wanted = _sizes(sizes, min(len(train) for train, _ in splits), len(set(y.tolist())))
    counted = FoldCounts.of(analyzer, documents, threads, y)
    n_features = counted.fit(analyzer, np.arange(len(y)), threads).n_features
    room = require_room(learner, (len(y), n_features), y, n_scored=len(y), threads=threads)

    def run(job: _Job) -> tuple[int, FoldMeasures | None]:
        try:
            features = counted.fit(analyzer, job.train, 1, job.df)
            X_train, X_held = features.matrix(job.train, 1), features.matrix(job.held, 1)
            weights = None if sample_weight is None else sample_weight[job.train]
            model = fit_to_features(learner, features, X_train, y[job.train], 1, weights)
        except InputError:  # so few texts leave no feature, or so few groups a single class
            return job.size, None
        z_train, z_held = model.decision_function(X_train), model.decision_function(X_held)
        measured = measure_fold(model.classes_, z_train, y[job.train], z_held, y[job.held])
        if job.held is splits[0].held:
            texts = f"trained on {job.size:,} texts, tested on {len(job.held):,}"
            tell(
                f"accuracy {measured.dev_accuracy:.1%} in the first of {len(splits)} folds, {texts}"
            )
        return job.size, measured

    jobs = _jobs(counted, y, splitter, splits, wanted, threads)
    by_size: dict[int, list[FoldMeasures]] = {size: [] for size in wanted}
    for size, measured in pool_map(run, jobs, room, "learning curve", len(wanted) * len(splits)):
        if measured is not None:
            by_size[size].append(measured)
    points = [
        FitMeasures.of(size, measures, held_to_train(splits))
        for size, measures in by_size.items()
        if len(measures) == len(splits)
    ]
    if not points:
        # Raises the error that says why.
        counted.fit(analyzer, splits[0].train, 1)
    return LearningCurve(tuple(points), n_docs, float(counts.max() / n_docs), n_drawn)


def _jobs(
    counted: FoldCounts,
    y: LabelArray,
    splitter: Splitter,
    splits: list[Split],
    sizes: list[int],
    threads: int,
) -> Iterator[_Job]:
    """The models to train. Document frequencies are counted once per fold and added up."""
    seeds = np.random.SeedSequence(splitter.random_state).spawn(len(splits))
    for (rows, held), seed in zip(splits, seeds, strict=True):
        if len(set(y[rows].tolist())) < 2:
            raise InputError(
                f"a fold leaves only texts with the label {y[rows].tolist()[0]!r} to train on; "
                "two classes need at least two texts each"
            )
        rng = np.random.default_rng(seed)
        rows = rows[stratified_order(y[rows], rng, take_groups(splitter.groups, rows))]
        step = np.full(len(y), len(sizes), np.int32)
        step[rows] = np.searchsorted(sizes, np.arange(len(rows)), side="right")
        df = counted.document_frequency(step, len(sizes) + 1, threads)
        np.cumsum(df, axis=0, out=df)
        for number in reversed(range(len(sizes))):  # the largest first: threads end together
            size = sizes[number]
            yield _Job(size, np.sort(rows[:size]), held, df[number])


def _sizes(sizes: int | Sequence[int], largest: int, n_classes: int) -> list[int]:
    if not isinstance(sizes, int):
        wanted = sorted(set(sizes))
        if not wanted or not n_classes <= wanted[0] <= wanted[-1] <= largest:
            raise InputError(
                f"sizes is {list(sizes)!r}, expected numbers of texts from {n_classes} (one of "
                f"each class) to {largest} (the training rows of a fold)"
            )
        return wanted
    if sizes < 1:
        raise InputError(f"sizes is {sizes!r}, expected at least 1")
    smallest = max(largest / 2.0 ** (sizes - 1), MIN_SIZE, 2 * n_classes)
    steps = np.geomspace(min(smallest, largest), largest, sizes).round().astype(int)
    return sorted(set(steps.tolist()))
