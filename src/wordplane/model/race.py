"""The default is what predicts best by folds: the recipe, or one of its rivals.

Rules can look at length and script (`wordplane.model.recipe`), but not at what a language does with
its words. So some thousand of the texts are learned from in two folds, by the recipe and by its
rivals. After the first, those that are clearly worse than the best so far are left out, and rivals
that are behind the recipe. A rival
takes the recipe's place if it predicts more texts right, by a standard error or more; of several
the best, and of equals the one with fewer features. Where only one text of two is learned from, it
must be two standard errors, and so on: rivals gain most from few texts (20 newsgroups, words and
characters: 1.8 points from 2,000 texts, 0.2 from 11,000), and large models are dear where there are
many. Texts are counted once for each way to read them, and machines are solved coarsely: which of
them predicts best hardly depends on it.

Rows that the model is to be measured on take no part.

Reference: Maron and Moore (1994), NIPS 6, on races.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
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

FOLDS = 2
MIN_TEXTS = 400  # fewer cannot tell
MAX_TEXTS = 6000
MAX_MACHINE_TEXTS = 60_000  # texts times classes: there is a machine for each class
FEW_TEXTS = 1000  # that take part whatever the number of classes
MAX_BYTES = 4_000_000
HOPELESS = 2.0  # standard errors behind the best so far
NO_LEAD = -0.5  # standard errors ahead of the recipe with which a rival will hardly win
COARSE_TOL = 0.1  # to which machines are solved, all of them alike
BETTER = 1.0  # standard errors ahead of the recipe, if all texts take part


@dataclass(frozen=True)
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

    def __str__(self) -> str:
        accuracy = {name: f"{share:.1%}" for name, share in self.accuracy.items()}
        text = f"{self.chosen}, {accuracy.pop(self.chosen)} by folds of {self.n_texts:,} texts"
        if accuracy:
            text += f" ({', '.join(f'{name} {share}' for name, share in accuracy.items())})"
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
        choice = track.run(runners, BETTER * n_rows / len(rows))
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


def _evenly(rows: IntArray, most: int) -> IntArray:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


@dataclass(frozen=True)
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
        specs = [runner.analyzer.resolve() for runner in runners]
        # The first that reads texts in the same way, for each.
        reader = {
            runner.name: specs.index(spec) for runner, spec in zip(runners, specs, strict=True)
        }
        lanes = {k: self._lane(k, runners[k].analyzer, splits) for k in set(reader.values())}
        learners = {runner.name: _coarse(runner.learner) for runner in runners}
        right = {name: np.zeros(len(self.labels), bool) for name in learners}
        n_features = dict.fromkeys(learners, 0)
        recipe = runners[0].name
        allowed = {**dict.fromkeys(learners, HOPELESS), recipe: max(HOPELESS, needed_lead)}

        def learn(job: tuple[str, Fold]) -> None:
            name, fold = job
            weights = None if self.weights is None else self.weights[fold.train]
            labels, X = self.labels[fold.train], fold.X_train
            model = fit_to_features(learners[name], fold.features, X, labels, 1, weights)
            right[name][fold.held] = model.predict(fold.X_held) == self.labels[fold.held]
            n_features[name] = fold.features.n_features

        seen, running = np.zeros(len(self.labels), bool), list(learners)
        for _, held in splits:
            read = {k: next(lanes[k]) for k in sorted({reader[name] for name in running})}
            jobs = [(name, read[reader[name]]) for name in running]
            pool_map(learn, jobs, self.threads, "choosing features", len(running))
            seen[held] = True
            most = max(running, key=lambda name: int(right[name].sum()))
            behind = {name: _lead(right[most], right[name]) for name in running}
            ahead = {name: _lead(right[name], right[recipe]) for name in running}
            running = [
                name
                for name in running
                if behind[name] <= allowed[name] and (name == recipe or ahead[name] >= NO_LEAD)
            ]
            if len(running) == 1:
                break
        better = [name for name in running if _lead(right[name], right[recipe]) > needed_lead]
        chosen = min(
            better or [recipe], key=lambda name: (-int(right[name].sum()), n_features[name])
        )
        accuracy = {name: float(right[name][seen].mean()) for name in running}
        left_out = tuple(name for name in learners if name not in running)
        return Choice(chosen, int(seen.sum()), accuracy, left_out)

    def _lane(self, number: int, analyzer: Analyzer, splits: Sequence[Split]) -> Iterator[Fold]:
        """The folds as a runner reads them; its texts are counted once."""
        counts = self.counts if number == 0 else None
        if counts is None:
            counts = FoldCounts.of(analyzer, self.documents, self.threads, self.labels)
        return fold_matrices(counts, analyzer, splits, self.threads)


def _coarse(learner: LinearClassifier) -> LinearClassifier:
    """The same, solved to a coarse tolerance."""
    tols = [name for name in learner.get_params() if name.rpartition("__")[2] == "tol"]
    return deepcopy(learner).set_params(**dict.fromkeys(tols, COARSE_TOL))


def _lead(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """By how many standard errors `a` is right more often than `b`, on the same rows."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return float((only_a - only_b) / max(only_a + only_b, 1) ** 0.5)
