"""Cross-validation on counted texts: every row is scored by a model that never saw it."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from time import thread_time

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets, as_labels_or_sets, classes_of, strata_of
from wordplane.common.pool import pool_map
from wordplane.common.types import FloatArray, IntArray, LabelArray, LabelsLike
from wordplane.data.splits import stratified_folds
from wordplane.features.fold_counts import FoldCounts, FoldFeatures
from wordplane.learners.registry import fit_to_features, require_room
from wordplane.learners.support.base import LinearClassifier, best_class
from wordplane.selection.deciding import fit_deciding
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

Rows = IntArray


@dataclass(frozen=True)
class Fold:
    """The features of the rows that are trained on, and both parts as matrices."""

    train: Rows
    held: Rows
    features: FoldFeatures
    X_train: _core.Csr
    X_held: _core.Csr


def make_folds(
    labels: Sequence[Hashable], k: int, random_state: int = 0, groups: IntArray | None = None
) -> list[Rows]:
    """The held-out rows of k stratified folds, or of every single row if k is their number; or
    folds of whole groups."""
    if k == len(labels) and groups is None:
        return [np.array([row]) for row in range(k)]
    return stratified_folds(labels, k, random_state, groups)


def fold_matrices(
    texts: FoldCounts, analyzer: Analyzer, folds: Sequence[Rows], threads: int
) -> Iterator[Fold]:
    """Each fold with features fitted without it. Document frequencies are counted once."""
    n_docs = texts.counts.shape[0]
    fold_of = np.full(n_docs, len(folds), np.int32)
    for number, held in enumerate(folds):
        fold_of[held] = number
    few = len(folds) <= 64  # else their frequencies would fill the memory
    df = texts.document_frequency(fold_of, len(folds) + 1, threads) if few else None
    for number, held in enumerate(folds):
        train = np.flatnonzero(fold_of != number)
        df_train = None if df is None else df.sum(axis=0) - df[number]
        features = texts.fit(analyzer, train, threads, df_train)
        yield Fold(
            train, held, features, features.matrix(train, threads), features.matrix(held, threads)
        )


@dataclass(frozen=True)
class OutOfFold:
    """The scores of every row by the model of its fold; classes in sorted order.

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


def out_of_fold(
    analyzer: Analyzer,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelsLike | LabelSets,
    *,
    folds: int = 5,
    groups: IntArray | None = None,
    random_state: int = 0,
    threads: int = 1,
    decide: bool = False,
) -> OutOfFold:
    """Cross-validate one analyzer and learner.

    >>> from wordplane import Analyzer, MultinomialNB
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 3, {})
    >>> done = out_of_fold(Analyzer(), MultinomialNB(), texts, ["+", "+", "-", "-"] * 3, folds=3)
    >>> (done.predicted == np.array(["+", "+", "-", "-"] * 3)).all()
    np.True_
    """
    y = as_labels_or_sets(labels)
    counted = FoldCounts.of(analyzer, documents, threads, y)
    held_out = make_folds(strata_of(y), folds, random_state, groups)
    return cross_validate_counted(
        counted, analyzer, learner, y, held_out, threads, decide=decide, groups=groups
    )


def cross_validate_counted(
    counted: FoldCounts,
    analyzer: Analyzer,
    learner: LinearClassifier,
    y: LabelArray | LabelSets,
    held: Sequence[Rows],
    threads: int,
    *,
    decide: bool = False,
    groups: IntArray | None = None,
) -> OutOfFold:
    """The same for texts that are counted already, and these folds.

    With `decide`, multi-label rows are decided too, for which every model is fitted twice; `groups`
    then say which of its rows are held out together.
    """
    matrices = fold_matrices(counted, analyzer, held, threads)
    first = next(matrices)
    # Before any memory is taken for the scores.
    at_once = require_room(learner, first.X_train.shape, y, n_scored=len(y), threads=threads)
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

    seconds = pool_map(run, chain([first], matrices), at_once, "cross-validating", len(held))
    fit_seconds, score_seconds = zip(*seconds, strict=True)
    scores = z[:, 0] if n_outputs == 1 else z
    decided = (member, P) if decide and isinstance(y, LabelSets) else (None, None)
    return OutOfFold(classes, scores, list(held), fit_seconds, score_seconds, *decided)


def place_scores(z: FloatArray, rows: Rows, scores: FloatArray, columns: IntArray) -> None:
    """Enter the scores of rows, by a model that may know some of the classes only: `columns`."""
    if scores.shape[1] == z.shape[1]:
        z[rows] = scores
    elif scores.shape[1] == 1:  # two of more classes were there to learn from
        z[np.ix_(rows, columns)] = np.hstack([np.zeros_like(scores), scores])
    else:
        z[np.ix_(rows, columns)] = scores
