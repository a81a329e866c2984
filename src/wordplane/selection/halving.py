"""Successive halving: one search over several learners and their grids, on texts counted once.

    every point is cross-validated on a ninth of the rows,
    the best third of them on a third of the rows,
    and the best third of these on all rows; the best of those is chosen.

Each part of the rows contains the smaller ones and has the classes in proportion; its folds are its
rows of the folds of all rows. A learner that is marked stays in until the end with its first point,
so that what is chosen is at least as good as that. Parts with fewer than 500 rows are left out, and
those in which a learner finds nothing to learn from.

Reference: Jamieson and Talwalkar (2016), Non-stochastic best arm identification and hyperparameter
optimization, AISTATS.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets, as_labels_or_sets, strata_of
from wordplane.common.types import IntArray, LabelsLike
from wordplane.data.splits import draw_rows
from wordplane.evaluation.measures import is_higher_better
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.support.base import LinearClassifier
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.grid import (
    Point,
    RunFolds,
    Search,
    Trial,
    analyzer_of,
    reading_of,
    search_counted,
)
from wordplane.selection.splitter import FIVE_FOLDS, Split, Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

KEPT = 3  # one of so many points goes on, on so many times as many rows
N_PARTS = 3
MIN_ROWS, MIN_FOLD = 500, 20  # of a part, and of each of its folds


@dataclass(frozen=True)
class Contender:
    """A learner, how it reads texts, and the points to try; `stays`: the first until the end."""

    name: str
    analyzer: Analyzer
    learner: LinearClassifier
    points: Sequence[Point]
    stays: bool = False


@dataclass(frozen=True)
class Round:
    """The points that were tried on so many rows."""

    n_rows: int
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Race:
    """All rounds, the last one on all rows; `complete` is False if time ran out."""

    rounds: tuple[Round, ...]
    complete: bool
    metric: str

    @property
    def search(self) -> Search:
        """The trials on all rows."""
        return Search(self.rounds[-1].trials, self.complete, self.metric)


def race(
    contenders: Sequence[Contender],
    documents: Documents,
    labels: LabelsLike | LabelSets,
    *,
    splitter: Splitter = FIVE_FOLDS,
    metric: str | None = None,
    threads: int = 1,
    budget: float | None = None,
    run_folds: RunFolds | None = None,
) -> Race:
    """Search among all points of all contenders.

    splitter   which rows are held out from which models
    budget     seconds after which nothing new is begun, except on all rows what stays until the
               end, or else the best so far
    run_folds  runs points on folds elsewhere; None means on threads

    >>> from wordplane import LinearSVM, MultinomialNB
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 3, {})
    >>> nb = Contender("nb", Analyzer(), MultinomialNB(), [{"learner__alpha": 0.1}, {}])
    >>> svm = Contender("svm", Analyzer(), LinearSVM(), [{}], stays=True)
    >>> result = race([nb, svm], texts, ["+", "+", "-", "-"] * 3, splitter=Splitter(3))
    >>> [(trial.learner, trial.mean) for trial in result.search.trials]
    [('nb', 1.0), ('nb', 1.0), ('svm', 1.0)]
    """
    y = as_labels_or_sets(labels)
    strata = np.array(y.strata()) if isinstance(y, LabelSets) else y
    run = _Race(contenders, documents, y, splitter, metric, threads, run_folds)
    deadline = None if budget is None else perf_counter() + budget

    def time_left() -> float | None:
        return None if deadline is None else deadline - perf_counter()

    everything = np.arange(len(run.y))
    places = [
        (c, i) for c, contender in enumerate(contenders) for i in range(len(contender.points))
    ]
    final = run.try_points([(c, 0) for c, one in enumerate(contenders) if one.stays], everything)
    sizes = part_sizes(len(run.y), len(run.y) / min(len(held) for _, held in run.splits))
    rounds, complete = [], True
    for size in sizes[:-1]:
        try:
            trials = run.try_points(
                places, draw_rows(strata, size, splitter.random_state), time_left
            )
        except InputError:  # so few rows may be too little to learn from
            continue
        complete = complete and len(trials) == len(places)
        if not trials:
            break
        rounds.append(Round(size, tuple(trials[place] for place in sorted(trials))))
        best = sorted(trials, key=lambda place: (-run.gain(trials[place]), place))
        places = sorted(best[: -(-len(best) // KEPT)])
        if not complete:
            places = best[:1]
            break
    left = [place for place in places if place not in final]
    if complete or not final:
        final |= run.try_points(left, everything, time_left if final else None)
        complete = complete and all(place in final for place in left)
    rounds.append(Round(len(run.y), tuple(final[place] for place in sorted(final))))
    return Race(tuple(rounds), complete, run.metric.name)


def part_sizes(n_rows: int, folds: float) -> list[int]:
    """The numbers of rows of the rounds, if one of so many rows is in the smallest fold.

    >>> part_sizes(10_000, 5), part_sizes(2000, 5), part_sizes(100, 5)
    ([1111, 3333, 10000], [666, 2000], [100])
    """
    sizes = [n_rows // KEPT**power for power in range(N_PARTS - 1, 0, -1)]
    return [*(size for size in sizes if size >= max(MIN_ROWS, MIN_FOLD * folds)), n_rows]


class _Race:
    """What all rounds share: counts, folds, and the points that were tried."""

    def __init__(
        self,
        contenders: Sequence[Contender],
        documents: Documents,
        y: LabelsOrSets,
        splitter: Splitter,
        metric: str | None,
        threads: int,
        run_folds: RunFolds | None,
    ) -> None:
        self.contenders, self.documents, self.y, self.threads = contenders, documents, y, threads
        self.metric = FoldMetric.of(metric, y)
        self.splitter, self.splits = splitter, splitter.split(strata_of(y))
        self.run_folds = run_folds
        self.counted: dict[str, FoldCounts] = {}
        self.readers: dict[str, Analyzer] = {}
        for contender in contenders:
            for point in contender.points:
                reader = analyzer_of(contender.analyzer, point)
                known = self.readers.setdefault(reading_of(reader), reader)
                if float(reader.min_df) < float(known.min_df):
                    self.readers[reading_of(reader)] = reader

    def gain(self, trial: Trial) -> float:
        """The mean, or minus the mean if lower is better."""
        return trial.mean if is_higher_better(self.metric.name) else -trial.mean

    def try_points(
        self,
        places: Sequence[tuple[int, int]],
        rows: IntArray,
        time_left: Callable[[], float | None] | None = None,
    ) -> dict[tuple[int, int], Trial]:
        """Cross-validate points, given as the numbers of contender and point, on some rows."""
        splits = self._splits_of(rows)
        taken: dict[str, FoldCounts] = {}

        def count(reader: Analyzer) -> FoldCounts:
            key = reading_of(reader)
            if key not in taken:
                whole = self._count(key)
                taken[key] = whole if len(rows) == len(self.y) else whole.take(rows, self.threads)
            return taken[key]

        found: dict[tuple[int, int], Trial] = {}
        for c, contender in enumerate(self.contenders):
            own = [i for number, i in places if number == c]
            left = None if time_left is None else time_left()
            if not own or (left is not None and left <= 0):
                continue
            search = search_counted(
                contender.analyzer,
                contender.learner,
                [contender.points[i] for i in own],
                count,
                self.y[rows],
                splits,
                self.metric,
                self.threads,
                left,
                self.splitter.take(rows).groups,
                self.run_folds,
            )
            numbers = {repr(dict(contender.points[i])): i for i in own}
            for trial in search.trials:
                place = (c, numbers[repr(trial.parameters)])
                found[place] = replace(trial, learner=contender.name)
        return found

    def _count(self, key: str) -> FoldCounts:
        if key not in self.counted:
            self.counted[key] = FoldCounts.of(
                self.readers[key], self.documents, self.threads, self.y
            )
        return self.counted[key]

    def _splits_of(self, rows: IntArray) -> list[Split]:
        """The places among the rows of those of each split."""
        if len(rows) == len(self.y):
            return self.splits
        parts = ([np.flatnonzero(np.isin(rows, part)) for part in split] for split in self.splits)
        return [Split(*places) for places in parts]
