"""Cross-validation on counted texts: every row is scored by a model that never saw it."""

from collections.abc import Iterator, Sequence
from itertools import chain
from time import thread_time

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.frozen import frozen
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets, as_labels_or_sets, classes_of, strata_of
from wordplane.common.pool import pool_map
from wordplane.common.types import FloatArray, IntArray, LabelArray, LabelsLike
from wordplane.features.fold_counts import FoldCounts, FoldFeatures
from wordplane.learners.registry import fit_to_features, require_room
from wordplane.learners.support.base import LinearClassifier, best_class
from wordplane.selection.deciding import fit_deciding
from wordplane.selection.splitter import FIVE_FOLDS, Rows, Split, Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

FEW_VALUES = 20_000  # of a matrix; a model of fewer is fitted before a thread has begun
MAX_COUNTED = 64  # splits, else the document frequencies of all would fill the memory


@frozen
class Fold:
    """The features of the rows that are trained on, and both parts as matrices."""

    train: Rows
    held: Rows
    features: FoldFeatures
    X_train: _core.Csr
    X_held: _core.Csr


def fold_matrices(
    texts: FoldCounts, analyzer: Analyzer, splits: Sequence[Split], threads: int
) -> Iterator[Fold]:
    """Each split with features fitted to its training rows. Document frequencies are counted once
    for all splits that hold out different rows."""
    for some in _disjoint(splits, texts.counts.shape[0]):
        for (train, held), df in zip(
            some, _document_frequencies(texts, some, threads), strict=True
        ):
            features = texts.fit(analyzer, train, threads, df)
            X_train, X_held = features.matrix(train, threads), features.matrix(held, threads)
            yield Fold(train, held, features, X_train, X_held)


def _disjoint(splits: Sequence[Split], n_docs: int) -> Iterator[list[Split]]:
    """Splits that follow one another, as long as none holds out a row of another."""
    some: list[Split] = []
    is_held = np.zeros(n_docs, bool)
    for split in splits:
        if is_held[split.held].any():
            yield some
            some, is_held = [], np.zeros(n_docs, bool)
        some.append(split)
        is_held[split.held] = True
    yield some


def _document_frequencies(
    texts: FoldCounts, splits: Sequence[Split], threads: int
) -> Iterator[IntArray | None]:
    """Those of the training rows of each split, as sums over the rows that each holds out and the
    rows that none does: a split trains on all or none of these."""
    if len(splits) > MAX_COUNTED:
        yield from (None for _ in splits)
        return
    n_docs, n_parts = texts.counts.shape[0], len(splits) + 1
    part_of = np.full(n_docs, len(splits), np.int32)
    for number, (_, held) in enumerate(splits):
        part_of[held] = number
    df = texts.document_frequency(part_of, n_parts, threads)
    for train, _ in splits:
        is_part = np.zeros(n_parts, bool)
        is_part[part_of[train]] = True
        yield df[is_part].sum(axis=0)


@frozen
class OutOfFold:
    """The scores of every row by the model of its fold; classes in sorted order. If rows are split
    by time, the earlier half is in no fold, and has no score.

    fit_seconds, score_seconds  of one core, by fold
    member, probabilities       of multi-label rows, if these were decided: by thresholds chosen
                                among the rows that the model of the fold was trained on
    """

    classes: LabelArray
    scores: FloatArray  # n, or n x K with more than two classes
    folds: list[Rows]
    fit_seconds: tuple[float, ...]
    score_seconds: tuple[float, ...]
    member: NDArray[np.bool_] | None = None
    probabilities: FloatArray | None = None

    @property
    def predicted(self) -> LabelArray:
        """The label of every row."""
        return self.classes[best_class(self.scores, len(self.classes))]

    @property
    def rows(self) -> Rows:
        """Those that are in a fold, ascending."""
        return np.sort(np.concatenate(self.folds))


def out_of_fold(
    analyzer: Analyzer,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelsLike | LabelSets,
    *,
    splitter: Splitter = FIVE_FOLDS,
    threads: int = 1,
    decide: bool = False,
) -> OutOfFold:
    """Cross-validate one analyzer and learner, once.

    >>> from wordplane import Analyzer, MultinomialNB
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 3, {})
    >>> y = ["+", "+", "-", "-"] * 3
    >>> done = out_of_fold(Analyzer(), MultinomialNB(), texts, y, splitter=Splitter(3))
    >>> (done.predicted == np.array(y)).all()
    np.True_
    """
    y = as_labels_or_sets(labels)
    counted = FoldCounts.of(analyzer, documents, threads, y)
    splits = splitter.repetitions(strata_of(y))[0]
    return cross_validate_counted(
        counted, analyzer, learner, y, splits, threads, decide=decide, groups=splitter.groups
    )


def cross_validate_counted(
    counted: FoldCounts,
    analyzer: Analyzer,
    learner: LinearClassifier,
    y: LabelArray | LabelSets,
    splits: Sequence[Split],
    threads: int,
    *,
    decide: bool = False,
    groups: IntArray | None = None,
) -> OutOfFold:
    """The same for texts that are counted already, and splits of which no two hold out a row.

    With `decide`, multi-label rows are decided too, for which every model is fitted twice; `groups`
    then say which of its rows are held out together.
    """
    matrices = fold_matrices(counted, analyzer, splits, threads)
    first = next(matrices)
    # Before any memory is taken for the scores.
    at_once = require_room(learner, first.X_train.shape, y, n_scored=len(y), threads=threads)
    if first.X_train.n_values < FEW_VALUES:
        at_once = 1
    classes = classes_of(y)
    n_outputs = len(classes) if isinstance(y, LabelSets) or len(classes) > 2 else 1
    z = np.full((len(y), n_outputs), -np.inf)
    member, P = np.zeros(z.shape, bool), np.zeros(z.shape)

    def run(fold: Fold) -> tuple[float, float]:
        began = thread_time()
        labels, decisions = y[fold.train], None
        if decide and isinstance(labels, LabelSets):
            together = take_groups(groups, fold.train)
            model, decisions = fit_deciding(learner, fold.features, fold.X_train, labels, together)
        else:
            model = fit_to_features(learner, fold.features, fold.X_train, labels, 1)
        fitted = thread_time()
        found = model.decision_function(fold.X_held).reshape(len(fold.held), -1)
        scored = thread_time()
        if decisions is not None:
            member[fold.held], P[fold.held] = decisions.predict(found), decisions.transform(found)
        place_scores(z, fold.held, found, np.searchsorted(classes, model.classes_))
        return fitted - began, scored - fitted

    seconds = pool_map(run, chain([first], matrices), at_once, "cross-validating", len(splits))
    fit_seconds, score_seconds = zip(*seconds, strict=True)
    scores = z[:, 0] if n_outputs == 1 else z
    decided = (member, P) if decide and isinstance(y, LabelSets) else (None, None)
    held = [split.held for split in splits]
    return OutOfFold(classes, scores, held, fit_seconds, score_seconds, *decided)


def place_scores(z: FloatArray, rows: Rows, scores: FloatArray, columns: IntArray) -> None:
    """Enter the scores of rows, by a model that may know some of the classes only: `columns`."""
    if scores.shape[1] == z.shape[1]:
        z[rows] = scores
    elif scores.shape[1] == 1:  # two of more classes were there to learn from
        z[np.ix_(rows, columns)] = np.hstack([np.zeros_like(scores), scores])
    else:
        z[np.ix_(rows, columns)] = scores
