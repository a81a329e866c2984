"""The default is what predicts best by folds: the recipe, or one of its rivals.

Rules can look at length and script (`wordplane.model.recipe`), but not at what a language does with
its words. So some thousand of the texts are learned from in three folds, by the recipe and by its
rivals. After each fold, those that are clearly worse than the best so far are left out, and rivals
that are behind the recipe; one that has only some of the features of others is tried only if these
are not left out. A rival takes the recipe's place if it predicts more texts right, by a standard
error or more, or by two of fewer than 3,000 texts, where the best of several is often the luckiest;
of several the best, and of equals the one with fewer features. Where only one text of two is
learned from, it must be twice as many standard errors, and so on: rivals gain most from few texts
(20 newsgroups, words and characters: 1.8 points from 2,000 texts, 0.2 from 11,000), and large
models are dear where there are many. Texts are counted once for each way to read them, and machines
are solved coarsely: which of them predicts best hardly depends on it. docs/languages.md has the
evidence.

Rows that the model is to be measured on take no part.

Reference: Maron and Moore (1994), NIPS 6, on races.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets, LabelsOrSets, strata_of
from wordplane.common.pool import pool_map
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelArray
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.names import RECIPE
from wordplane.learners.registry import fit_to_features
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.recipe import Rival
from wordplane.selection.cross_validation import Fold, fold_matrices
from wordplane.selection.splitter import Split, Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

FOLDS = 3
MIN_TEXTS = 400  # fewer cannot tell
MAX_TEXTS = 6000
MAX_MACHINE_TEXTS = 60_000  # texts times classes: there is a machine for each class
FEW_TEXTS = 1000  # that take part whatever the number of classes
MAX_BYTES = 4_000_000
HOPELESS = 2.0  # standard errors behind the best so far
NO_LEAD = -0.5  # standard errors ahead of the recipe with which a rival will hardly win
COARSE_TOL = 0.1  # to which machines are solved, all of them alike
FEW_TO_CHOOSE_BY = 3000  # texts
BETTER, BETTER_BY_FEW = 1.0, 2.0  # standard errors ahead of the recipe, if all texts take part


@frozen
class Choice:
    """What a race has shown.

    chosen    the name of what is used
    n_texts   that were learned from in folds
    accuracy  out of fold, of those that were not left out before the end
    left_out  the others
    """

    chosen: str
    n_texts: int
    accuracy: dict[str, float]
    left_out: tuple[str, ...]

    def to_dict(self) -> JsonObject:
        """As the record of a model has it."""
        return {**asdict(self), "left_out": list(self.left_out)}

    @classmethod
    def from_dict(cls, record: JsonObject) -> Self:
        """From the record of a model, which was checked."""
        return cls(**record)  # type: ignore[arg-type]

    @property
    def ahead(self) -> str:
        """The best of those that were more accurate than what was chosen, if any."""
        best = max(self.accuracy, key=lambda name: self.accuracy[name])
        return best if self.accuracy[best] > self.accuracy[self.chosen] else ""

    def __str__(self) -> str:
        accuracy = {name: f"{share:.1%}" for name, share in self.accuracy.items()}
        text = f"{self.chosen}, {accuracy.pop(self.chosen)} by folds of {self.n_texts:,} texts"
        if accuracy:
            text += f" ({', '.join(f'{name} {share}' for name, share in accuracy.items())})"
        if ahead := self.ahead:
            text += f", where the lead of {ahead} is too small to count on"
        return text + (f"; behind: {', '.join(self.left_out)}" if self.left_out else "")


class OpenPlan(Protocol):
    """A plan, which is a dataclass, whose analyzer and learner are open, and whose rows have one
    label each."""

    analyzer: Analyzer
    learner: LinearClassifier
    rivals: tuple[Rival, ...]
    threads: int
    groups: IntArray | None
    random_state: int

    @property
    def n_classes(self) -> int: ...

    def labels_of(self, rows: IntArray) -> LabelsOrSets: ...

    def weights_of(self, rows: IntArray) -> FloatArray | None: ...


def choose_by_race(
    plan: OpenPlan,
    rows: IntArray,
    sample: Callable[[IntArray], _core.Texts],
    counts: FoldCounts | None = None,
) -> dict[str, object]:
    """What changes in the plan: the analyzer and the learner that are the best on some of the rows,
    and how they were chosen. `sample` gives the texts of rows; `counts` are those of all rows as
    the plan's analyzer reads them, if they are known."""
    n_rows, rows = len(rows), _evenly(rows, max_texts(plan.n_classes))
    if len(rows) < MIN_TEXTS:
        return {"rivals": ()}
    texts = sample(rows)
    n_bytes = texts.arrays(0, len(texts))[0].size
    some = _evenly(np.arange(len(rows)), max(len(rows) * MAX_BYTES // max(n_bytes, 1), MIN_TEXTS))
    rows, documents = rows[some], Documents(texts.take(some))
    if counts is not None:
        counts = counts.take(rows, plan.threads)
    labels, groups = plan.labels_of(rows), take_groups(plan.groups, rows)
    assert not isinstance(labels, LabelSets), "no race is run for sets of labels"
    weights, seed = plan.weights_of(rows), plan.random_state
    track = _Track(documents, labels, weights, groups, plan.threads, seed, counts)
    runners = [Rival(RECIPE, plan.analyzer, plan.learner), *plan.rivals]
    try:
        choice = track.run(runners, needed_lead(n_rows, len(rows)))
    except InputError:  # a fold has too few labels to learn from
        return {"rivals": ()}
    best = next(runner for runner in runners if runner.name == choice.chosen)
    return {"rivals": (), "choice": choice, "analyzer": best.analyzer, "learner": best.learner}


def max_texts(n_classes: int) -> int:
    """How many texts take part at most, unless they are long.

    >>> max_texts(2), max_texts(20), max_texts(77)
    (6000, 3000, 1000)
    """
    return min(max(MAX_MACHINE_TEXTS // n_classes, FEW_TEXTS), MAX_TEXTS)


def needed_lead(n_rows: int, n_raced: int) -> float:
    """How many standard errors a rival must be ahead of the recipe.

    >>> needed_lead(900, 900), needed_lead(2000, 1000), needed_lead(6000, 6000)
    (2.0, 4.0, 1.0)
    """
    return (BETTER_BY_FEW if n_rows < FEW_TO_CHOOSE_BY else BETTER) * n_rows / n_raced


def _evenly(rows: IntArray, most: int) -> IntArray:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


@frozen
class _Track:
    """Texts with one label each, to be learned from in folds."""

    documents: Documents
    labels: LabelArray
    weights: FloatArray | None
    groups: IntArray | None
    threads: int
    random_state: int
    counts: FoldCounts | None  # as the first runner reads the texts

    def run(self, runners: list[Rival], needed_lead: float) -> Choice:
        """Fold by fold, until one is left or all texts were predicted."""
        splitter = Splitter(FOLDS, groups=self.groups, random_state=self.random_state)
        splits = splitter.split(strata_of(self.labels))
        results = _Results(runners[0].name, needed_lead, len(self.labels))
        readings = _Readings(self, runners, splits)
        learners = {runner.name: _coarse(runner.learner) for runner in runners}

        def learn(job: tuple[str, Fold]) -> None:
            name, fold = job
            weights = None if self.weights is None else self.weights[fold.train]
            labels, X = self.labels[fold.train], fold.X_train
            model = fit_to_features(learners[name], fold.features, X, labels, 1, weights)
            right = model.predict(fold.X_held) == self.labels[fold.held]
            results.add(name, fold.held, right, fold.features.n_features)

        def run_fold(names: list[str], number: int) -> None:
            jobs = [(name, readings.fold(name, number)) for name in names]
            pool_map(learn, jobs, self.threads, "choosing features", len(names))

        running = [runner.name for runner in runners if not runner.after]
        for number in range(len(splits)):
            run_fold(running, number)
            running = results.promising(running)
            late = [one.name for one in runners if number == 0 and {*one.after} & {*running}]
            if late:
                run_fold(late, number)
                running = results.promising([*running, *late])
            if len(running) == 1:
                break
        return results.choice(running, list(learners))


class _Readings:
    """The folds as runners read them: texts are counted once for those that read them alike, when
    the first of these asks for a fold, and the matrices of the last fold are kept."""

    def __init__(self, track: _Track, runners: list[Rival], splits: Sequence[Split]) -> None:
        self._track, self._splits = track, splits
        specs = [runner.analyzer.resolve() for runner in runners]
        self._analyzers = [runner.analyzer for runner in runners]
        self._reader = {
            runner.name: specs.index(spec) for runner, spec in zip(runners, specs, strict=True)
        }
        self._lanes: dict[int, Iterator[Fold]] = {}
        self._last: dict[int, tuple[int, Fold]] = {}

    def fold(self, name: str, number: int) -> Fold:
        """A fold as a runner reads it; it has asked for those before."""
        reader = self._reader[name]
        if reader not in self._lanes:
            self._lanes[reader] = self._lane(reader)
        if self._last.get(reader, (-1,))[0] != number:
            self._last[reader] = number, next(self._lanes[reader])
        return self._last[reader][1]

    def _lane(self, reader: int) -> Iterator[Fold]:
        track, analyzer = self._track, self._analyzers[reader]
        counts = track.counts if reader == 0 else None
        if counts is None:
            counts = FoldCounts.of(analyzer, track.documents, track.threads, track.labels)
        return fold_matrices(counts, analyzer, self._splits, track.threads)


class _Results:
    """Which rows runners predicted right, and how many features they have."""

    def __init__(self, recipe: str, needed_lead: float, n_rows: int) -> None:
        self._recipe, self._needed_lead = recipe, needed_lead
        self._right: dict[str, NDArray[np.bool_]] = {}
        self._n_features: dict[str, int] = {}
        self._seen = np.zeros(n_rows, bool)

    def add(self, name: str, held: IntArray, right: NDArray[np.bool_], n_features: int) -> None:
        """What a runner predicted of a fold."""
        self._right.setdefault(name, np.zeros(len(self._seen), bool))[held] = right
        self._n_features[name] = n_features
        self._seen[held] = True

    def promising(self, running: list[str]) -> list[str]:
        """Those that may still be chosen: not hopelessly behind the best, nor behind the recipe."""
        most = self._right[max(running, key=self._n_right)]

        def may_win(name: str) -> bool:
            behind = _lead(most, self._right[name])
            if name == self._recipe:
                return behind <= max(HOPELESS, self._needed_lead)
            return behind <= HOPELESS and self._lead_of(name) >= NO_LEAD

        return [name for name in running if may_win(name)]

    def choice(self, running: list[str], names: list[str]) -> Choice:
        """The best of those that are left."""
        better = [name for name in running if self._lead_of(name) > self._needed_lead]
        sizes = self._n_features
        chosen = min(better or [self._recipe], key=lambda name: (-self._n_right(name), sizes[name]))
        accuracy = {name: float(self._right[name][self._seen].mean()) for name in running}
        left_out = tuple(name for name in names if name not in running)
        return Choice(chosen, int(self._seen.sum()), accuracy, left_out)

    def _lead_of(self, name: str) -> float:
        return _lead(self._right[name], self._right[self._recipe])

    def _n_right(self, name: str) -> int:
        return int(self._right[name].sum())


def _coarse(learner: LinearClassifier) -> LinearClassifier:
    """The same, solved to a coarse tolerance."""
    tols = [name for name in learner.get_params() if name.rpartition("__")[2] == "tol"]
    return deepcopy(learner).set_params(**dict.fromkeys(tols, COARSE_TOL))


def _lead(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """By how many standard errors `a` is right more often than `b`, on the same rows."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return float((only_a - only_b) / max(only_a + only_b, 1) ** 0.5)
