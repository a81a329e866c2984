"""Nested cross-validation: how good a model is whose parameters are chosen on its training rows.

For every fold, a search by cross-validation on the other rows chooses the parameters; a model with
these is trained on all of them and measured on the fold. With `next_fold`, the search measures on
the next fold alone (after the last comes the first; if rows are split by time, on the last stretch
before the fold): fewer models, and a noisier choice. The best
score of a search is too good, because it is the best of many; this one is not. Texts are counted
once.
"""

from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from wordplane.common.label_sets import LabelSets, as_labels_or_sets, strata_of
from wordplane.common.progress import notify
from wordplane.common.types import LabelsLike
from wordplane.evaluation.intervals import Interval, fold_interval
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import fit_to_features
from wordplane.learners.support.base import LinearClassifier
from wordplane.selection.deciding import fit_deciding
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.grid import (
    Grid,
    RunFolds,
    analyzer_of,
    grid_points,
    parameters_of,
    reading_of,
    search_counted,
)
from wordplane.selection.splitter import FIVE_FOLDS, Split, Splitter, held_to_train
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents


@dataclass(frozen=True)
class Nested:
    """Of every outer fold, the metric and the parameters that were chosen without it; and the
    number of rows held out to that of rows trained on."""

    scores: tuple[float, ...]
    chosen: tuple[dict[str, object], ...]
    held_to_train: float

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.scores))

    @property
    def interval(self) -> Interval:
        """Its 95 % interval."""
        return fold_interval(np.array(self.scores), self.held_to_train)


def nested_search(
    analyzer: Analyzer,
    learner: LinearClassifier,
    grid: Grid,
    documents: Documents,
    labels: LabelsLike | LabelSets,
    *,
    splitter: Splitter = FIVE_FOLDS,
    next_fold: bool = False,
    threads: int = 1,
    metric: str | None = None,
    run_folds: RunFolds | None = None,
) -> Nested:
    """Search inside every fold, or with `next_fold` by the next one as development rows.

    >>> from wordplane import MultinomialNB
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 5, {})
    >>> grid, y = {"learner__alpha": [0.1, 1.0]}, ["+", "+", "-", "-"] * 5
    >>> nested_search(Analyzer(), MultinomialNB(), grid, texts, y).mean
    1.0
    """
    y = as_labels_or_sets(labels)
    points, measure = grid_points(grid), FoldMetric.of(metric, y)
    everything: dict[str, FoldCounts] = {}

    def counted(reader: Analyzer) -> FoldCounts:
        """All texts, as the search first asks for them: with all features that a point keeps."""
        key = reading_of(reader)
        if key not in everything:
            everything[key] = FoldCounts.of(reader, documents, threads, y)
        return everything[key]

    def run(split: Split, after: Split) -> tuple[float, dict[str, object]]:
        train, held = split
        inside = replace(splitter.take(train), repeats=1)
        if not next_fold:
            inner = inside.split(strata_of(y[train]))
        elif splitter.times is not None:
            inner = inside.split(strata_of(y[train]))[-1:]
        else:
            rest = np.setdiff1d(train, after.held)
            inner = [Split(*(np.searchsorted(train, rows) for rows in (rest, after.held)))]

        def count(reader: Analyzer) -> FoldCounts:
            return counted(reader).take(train, threads)

        search = search_counted(
            analyzer,
            learner,
            points,
            count,
            y[train],
            inner,
            measure,
            threads,
            together=inside.groups,
            run_folds=run_folds,
        )
        best = search.best.parameters
        chosen = analyzer_of(analyzer, best)
        model = deepcopy(learner).set_params(**parameters_of("learner", best))
        features = counted(chosen).fit(chosen, train, threads)
        X, labels, decisions = features.matrix(train, threads), y[train], None
        if isinstance(labels, LabelSets):
            fitted, decisions = fit_deciding(model, features, X, labels, inside.groups)
        else:
            fitted = fit_to_features(model, features, X, labels, threads)
        return measure.score(fitted, features.matrix(held, threads), y[held], decisions), best

    done = []
    repetitions = splitter.repetitions(strata_of(y))
    for outer in repetitions:
        for split, after in zip(outer, [*outer[1:], outer[0]], strict=True):
            done.append(run(split, after))
            notify("nested cross-validation", len(done), splitter.n_splits)
    scores, chosen = zip(*done, strict=True)
    return Nested(scores, chosen, held_to_train(repetitions[0]))
