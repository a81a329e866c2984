"""Grid search by cross-validation, on texts that are counted once.

Every point of the grid is a choice of parameters of the analyzer and the learner. Points that
read texts in the same way share the counts; points that weight them in the same way share the
matrices of each fold. What is learned from texts is learned from training folds alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain, product
from time import perf_counter
from typing import TypeAlias

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets, LabelsOrSets, as_labels_or_sets, strata_of
from wordplane.common.pool import pool_map
from wordplane.common.types import FloatArray, IntArray, LabelsLike
from wordplane.evaluation.intervals import Interval, fold_interval
from wordplane.evaluation.measures import is_higher_better
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import fit_to_features, require_room
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import StartsWarm
from wordplane.selection.cross_validation import Fold, fold_matrices
from wordplane.selection.deciding import fit_deciding
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.splitter import FIVE_FOLDS, Split, Splitter, held_to_train
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

# The values to try of each parameter, such as {"learner__C": [0.1, 1], "analyzer__min_df": [1, 2]},
# and one of each.
Grid: TypeAlias = Mapping[str, Sequence[object]]
Point: TypeAlias = Mapping[str, object]
# What can change without reading the texts again.
CHOICE = ("min_df", "max_df", "max_features", "select", "conjoin")
WEIGHTING = (*CHOICE, "tf", "idf", "norm", "weights")


@dataclass(frozen=True)
class Trial:
    """One point of the grid and how good it is.

    scores   the metric on every fold
    seconds  of fitting and scoring, summed over the folds
    learner  the name of the learner, if several are searched
    held_to_train  the number of rows held out to that of rows trained on, if rows are held out
             otherwise than once each
    """

    parameters: dict[str, object]
    scores: tuple[float, ...]
    n_features: float
    seconds: float
    learner: str = ""
    held_to_train: float | None = None

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.scores))

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the mean of such a model, chosen in advance: the best of many is a
        little too good."""
        return fold_interval(np.array(self.scores), self.held_to_train)

    @property
    def standard_error(self) -> float:
        """Of the mean of these folds; 0 if there is one fold only."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else 0.0


@dataclass(frozen=True)
class Search:
    """All trials, in the order of the grid; `complete` is False if time ran out."""

    trials: tuple[Trial, ...]
    complete: bool
    metric: str = "accuracy"

    def gain(self, trial: Trial) -> float:
        """The mean, or minus the mean if lower is better."""
        return trial.mean if is_higher_better(self.metric) else -trial.mean

    @property
    def best(self) -> Trial:
        """The trial with the best mean, the first of equals."""
        return max(self.trials, key=self.gain)

    def within_one_standard_error(self) -> Trial:
        """The first trial that is no more than one standard error of the best below it: trials
        are taken to be simpler the earlier they stand in the grid."""
        best = self.best
        least = self.gain(best) - best.standard_error
        return next(t for t in self.trials if self.gain(t) >= least)

    def pareto_front(self) -> tuple[Trial, ...]:
        """The trials that no other beats in the metric, size and time at once."""

        def beaten(trial: Trial) -> bool:
            def key(t: Trial) -> FloatArray:
                return np.array([-self.gain(t), t.n_features, t.seconds])

            return any(
                (key(other) <= key(trial)).all() and (key(other) < key(trial)).any()
                for other in self.trials
            )

        return tuple(trial for trial in self.trials if not beaten(trial))


Result: TypeAlias = tuple[float, int, float]  # the metric, the number of features, seconds


@dataclass(frozen=True)
class PointsRun:
    """Some points to try on a fold, one after the other as long as the time lasts."""

    learner: LinearClassifier
    points: Mapping[int, Point]  # by number
    y: LabelsOrSets
    metric: FoldMetric
    together: IntArray | None
    seconds: float

    def __call__(self, fold: Fold) -> dict[int, Result]:
        """The results by number; a learner that can starts from the model of the point before."""
        began, results = perf_counter(), {}
        model: LinearClassifier | None = None
        for i, point in self.points.items():
            model, results[i] = _try(
                self.learner, point, fold, self.y, model, self.metric, self.together
            )
            if perf_counter() - began > self.seconds:
                break
        return results

    def split(self) -> list["PointsRun"]:
        """The same in parts that do not need each other."""
        if isinstance(self.learner, StartsWarm) or np.isfinite(self.seconds):
            return [self]
        return [replace(self, points={i: point}) for i, point in self.points.items()]


# Runs points on folds elsewhere: the results for every fold, in order.
RunFolds: TypeAlias = Callable[[PointsRun, Iterator[Fold]], list[dict[int, Result]]]


def grid_search(
    analyzer: Analyzer,
    learner: LinearClassifier,
    grid: Grid,
    documents: Documents,
    labels: LabelsLike | LabelSets,
    *,
    splitter: Splitter = FIVE_FOLDS,
    threads: int = 1,
    budget: float | None = None,
    metric: str | None = None,
    run_folds: RunFolds | None = None,
) -> Search:
    """Try all combinations of `grid`, such as {"learner__C": [0.1, 1], "analyzer__min_df": [1, 2]}.

    splitter   which rows are held out from which models
    budget     seconds that it may take; points that are not tried on all folds by then are left out
    run_folds  runs them elsewhere; None means on threads

    >>> from wordplane import MultinomialNB
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 3, {})
    >>> grid = {"learner__alpha": [0.1, 1.0], "analyzer__ngrams": [(1, 1), (1, 2)]}
    >>> y = ["+", "+", "-", "-"] * 3
    >>> search = grid_search(Analyzer(), MultinomialNB(), grid, texts, y, splitter=Splitter(3))
    >>> len(search.trials), search.best.mean
    (4, 1.0)
    """
    y, points = as_labels_or_sets(labels), grid_points(grid)

    def count(reader: Analyzer) -> FoldCounts:
        return FoldCounts.of(reader, documents, threads, y)

    return search_counted(
        analyzer,
        learner,
        points,
        count,
        y,
        splitter.split(strata_of(y)),
        FoldMetric.of(metric, y),
        threads,
        budget,
        splitter.groups,
        run_folds,
    )


def grid_points(grid: Grid) -> Sequence[Point]:
    """All combinations of the values.

    >>> grid_points({"learner__C": [1, 2], "analyzer__min_df": [1]})
    [{'learner__C': 1, 'analyzer__min_df': 1}, {'learner__C': 2, 'analyzer__min_df': 1}]
    """
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if not points:
        raise InputError("the grid is empty: give every parameter at least one value")
    return points


def search_counted(
    analyzer: Analyzer,
    learner: LinearClassifier,
    points: Sequence[Point],
    count: Callable[[Analyzer], FoldCounts],
    y: LabelsOrSets,
    splits: Sequence[Split],
    metric: FoldMetric,
    threads: int,
    budget: float | None = None,
    together: IntArray | None = None,
    run_folds: RunFolds | None = None,
) -> Search:
    """Try points on texts that `count` counts as an analyzer says, with these splits. Thresholds of
    labels are chosen on rows that `together` says belong together."""
    folds = len(splits)
    deadline = None if budget is None else perf_counter() + budget
    found: dict[int, list[Result]] = {}
    readings = _group(points, analyzer, reading_only=True)
    weighings = [
        _group(points, analyzer, reading_only=False, among=reading) for reading in readings
    ]
    n_left = sum(map(len, weighings))
    for reading, groups in zip(readings, weighings, strict=True):
        if found and deadline is not None and perf_counter() > deadline:
            break
        counted = count(_widest(analyzer, [points[i] for i in reading]))
        for group in groups:
            # What is left of the time is shared out among the folds of the groups to come.
            share = np.inf
            if deadline is not None:
                at_once = min(threads, folds)
                share = max(deadline - perf_counter(), 0.0) * at_once / (folds * n_left)
            n_left -= 1

            chosen = {i: points[i] for i in group}
            run = PointsRun(learner, chosen, y, metric, together, share)
            matrices = fold_matrices(
                counted, analyzer_of(analyzer, points[group[0]]), splits, threads
            )
            if run_folds is None:
                first = next(matrices)
                room = require_room(
                    learner, first.X_train.shape, y, n_scored=len(first.held), threads=threads
                )
                matrices = chain([first], matrices)
                done = pool_map(run, matrices, room, "cross-validating", folds)
            else:
                done = run_folds(run, matrices)
            for results in done:
                for i, result in results.items():
                    found.setdefault(i, []).append(result)
    ratio = held_to_train(splits)
    trials = [
        Trial(
            dict(points[i]),
            tuple(score for score, _, _ in results),
            float(np.mean([n for _, n, _ in results])),
            sum(seconds for _, _, seconds in results),
            held_to_train=ratio,
        )
        for i, results in sorted(found.items())
        if len(results) == folds
    ]
    return Search(tuple(trials), len(trials) == len(points), metric.name)


def _try(
    learner: LinearClassifier,
    point: Point,
    fold: Fold,
    y: LabelsOrSets,
    last: LinearClassifier | None,
    metric: FoldMetric,
    together: IntArray | None,
) -> tuple[LinearClassifier, Result]:
    """The model of a point and how good it is; a learner that can starts from the `last` one."""
    began = perf_counter()
    chosen, labels, decisions = parameters_of("learner", point), y[fold.train], None
    if isinstance(labels, LabelSets):
        new = deepcopy(learner).set_params(**chosen)
        groups = take_groups(together, fold.train)
        model, decisions = fit_deciding(new, fold.features, fold.X_train, labels, groups)
    elif last is not None and isinstance(last, StartsWarm):
        model = last.set_params(**chosen).fit(fold.X_train, labels)
    else:
        new = deepcopy(learner).set_params(**chosen)
        if isinstance(new, StartsWarm):
            new.set_params(warm_start=True)
        model = fit_to_features(new, fold.features, fold.X_train, labels, 1)
    score = metric.score(model, fold.X_held, y[fold.held], decisions)
    return model, (score, fold.features.n_features, perf_counter() - began)


def parameters_of(part: str, point: Point) -> dict[str, object]:
    """Those of the learner or the analyzer, under their own names.

    >>> parameters_of("learner", {"learner__C": 1, "analyzer__min_df": 2})
    {'C': 1}
    """
    prefix = part + "__"
    return {name.removeprefix(prefix): v for name, v in point.items() if name.startswith(prefix)}


def analyzer_of(analyzer: Analyzer, point: Point) -> Analyzer:
    """The analyzer with the parameters of a point."""
    chosen = Analyzer(**analyzer.get_params(deep=False)).set_params(
        **parameters_of("analyzer", point)
    )
    chosen.resolve()
    return chosen


def reading_of(analyzer: Analyzer) -> str:
    """The same for analyzers that read texts alike, however they weight the features."""
    parameters = analyzer.get_params()
    return repr({name: value for name, value in parameters.items() if name not in WEIGHTING})


def _widest(analyzer: Analyzer, points: Sequence[Point]) -> Analyzer:
    """How to read texts for all of the points: with the features that any of them keeps."""
    readers = [analyzer_of(analyzer, point) for point in points]
    return min(readers, key=lambda reader: float(reader.min_df))


def _group(
    points: Sequence[Point],
    analyzer: Analyzer,
    *,
    reading_only: bool,
    among: list[int] | None = None,
) -> list[list[int]]:
    """The numbers of the points, those together that read texts (or also weight features) alike."""
    groups: dict[str, list[int]] = {}
    for i in range(len(points)) if among is None else among:
        chosen = analyzer_of(analyzer, points[i])
        key = reading_of(chosen) if reading_only else repr(chosen.get_params())
        groups.setdefault(key, []).append(i)
    return list(groups.values())
