"""Find good parameters by cross-validation, on texts that are counted once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from time import perf_counter
from typing import TypedDict, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets, as_labels_or_sets, strata_of
from wordplane.common.labels import encode
from wordplane.common.notes import Note
from wordplane.common.types import JsonObject, Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.splits import holdout
from wordplane.evaluation.measures import value_by
from wordplane.evaluation.outcomes import majority_outcome
from wordplane.features.subset_search import SearchResult
from wordplane.learners.names import RECIPE
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import Rule
from wordplane.model.fingerprint import fingerprint
from wordplane.model.plan import Plan
from wordplane.model.recipe import TUNING_GRID
from wordplane.selection.grid import (
    RunFolds,
    Search,
    Trial,
    grid_points,
    grid_search,
    parameters_of,
)
from wordplane.selection.halving import Contender, Race, Round, race
from wordplane.selection.nested import Nested, nested_search
from wordplane.selection.splitter import Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.feature_groups import GROUPS
from wordplane.workflow.group_search import search_groups
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    GroupsLike,
    Reading,
    check_folds,
    load_corpus,
    training_rows,
)
from wordplane.workflow.spec import AnalyzerLike, LearnerLike, TrainingSpec
from wordplane.workflow.train_options import check_options, select_options
from wordplane.workflow.training_steps import record_training
from wordplane.workflow.tuning_result import TuningResult

Grid = Mapping[str, Sequence[object]]
DEFAULT_LEARNERS = (RECIPE, "nb", "svm", "logistic")


class SearchOptions(TypedDict, total=False):
    """The fields of a `TuningSpec`."""

    learner: LearnerLike | Sequence[str]
    grid: Grid | None
    analyzer: AnalyzerLike
    metric: str | None
    folds: int
    repeats: int
    budget: float | None
    simplest: bool
    nested: bool | str
    search: str | None
    search_from: str
    features: Sequence[str] | None
    random_state: int


class TuneOptions(SearchOptions, Reading, total=False):
    """The options of `tune`."""

    dask: DaskLike | None
    n_jobs: int | None


@dataclass(frozen=True)
class TuningSpec:
    """What to search, and how; `tune` explains each field."""

    learner: LearnerLike | Sequence[str] = None
    grid: Grid | None = None
    analyzer: AnalyzerLike = None
    metric: str | None = None
    folds: int = 5
    repeats: int = 1
    budget: float | None = None
    simplest: bool = False
    nested: bool | str = False
    search: str | None = None
    search_from: str = "none"
    features: Sequence[str] | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.nested not in (True, False, "next"):
            raise InputError(f"`nested` is {self.nested!r}, expected True, False or 'next'")
        _ = self.names

    @property
    def names(self) -> tuple[str, ...]:
        """The learners that are searched together; none if one is searched by its grid alone."""
        single = {
            "grid": self.grid is not None,
            "search": self.search is not None,
            "nested": bool(self.nested),
            "simplest": self.simplest,
        }
        asked = [name for name, is_given in single.items() if is_given]
        if isinstance(self.learner, LinearClassifier):
            return ()
        if self.learner is None or isinstance(self.learner, str):
            if asked or self.learner not in (None, RECIPE):
                return ()
            return DEFAULT_LEARNERS if self.learner is None else (RECIPE,)
        names = tuple(self.learner)
        if not names or len(set(names)) < len(names):
            raise InputError(f"`learner` is {list(names)}, expected different names")
        if asked:
            raise InputError(f"`{asked[0]}` is for one `learner`, and these are {', '.join(names)}")
        return names

    @property
    def single_learner(self) -> str | LinearClassifier:
        """The one that is searched by its grid alone."""
        return self.learner if isinstance(self.learner, str | LinearClassifier) else "svm"


def tune(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    groups: GroupsLike = None,
    output: str | PathLike[str] | None = None,
    **options: Unpack[TuneOptions],
) -> TuningResult:
    """Find good parameters of learners and their features by cross-validation.

    Rows marked test or dev are not looked at. Texts are counted once. Several learners are searched
    together by successive halving (`wordplane.selection.halving`): all points on a part of the
    rows, the best of them on all rows. The recipe as it is is always among the last.

    Parameters
    ----------
    data, labels
        Labeled texts, as for `train`.
    groups : values, default None
        Which texts belong together (author, thread, customer), one value per text: folds never
        separate them. Files have `group`, the name of a column.
    output : path, default None
        Train the winner on all rows and save it.
    learner : str, estimator or list of str, default None
        What finds the weights: one learner, or names of several that are searched together. None
        means recipe, nb, svm and logistic; with `grid`, `search`, `nested` or `simplest`, which
        are for one learner, svm.
    grid : mapping, default None
        The values to try of parameters of the learner or of the analyzer, by name; None means the
        learner's own grid, such as ten values of C.
    analyzer : Analyzer or mapping, default None
        How texts become features. A mapping changes parameters of what suits learner and texts.
    metric : str, default None
        What the points are compared by, on labels by the learner's own boundary: one of those of
        `evaluate`. None means accuracy, or micro-F1 of multi-label texts; their thresholds are
        chosen among the rows that each fold trains on.
    folds : int, default 5
        The number of folds. With `time`, a column of dates or numbers, they follow one another in
        time, and each is predicted by a model of the texts before it.
    repeats : int, default 1
        Split the texts into folds so many times, each time at random: narrower intervals.
    budget : float, default None
        Begin nothing new after so many seconds.
    simplest : bool, default False
        Choose the first point of the grid within one standard error of the best.
    nested : bool or "next", default False
        Also measure the search itself, by a search inside every fold: the best of many scores is
        too good. "next": the search of each fold measures on the next fold alone, which is faster.
    search : "hill_climbing", "beam" or "annealing", default None
        First find the groups of features (words, characters, suffixes ...) with the smallest error
        over the folds, by this search among their subsets.
    search_from : "none" or "all", default "none"
        Begin that search with no group or with all.
    features : list of str, default None
        The groups of features to search: some of word, char, prefix, suffix, shape and length;
        None means all.
    dask : Client or str, default None
        Let the workers of Dask fit and measure points: a client, the address of a scheduler, or
        "local". Texts are read and counted here; the result is the same (docs/scale.md).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed of the folds.
    **options
        The parameters from `learner` on, and how files and frames are read, as for `train`.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> result = tune(texts, ["good", "good", "bad", "bad"] * 5, learner="nb",
    ...               grid={"alpha": [0.1, 1.0], "ngrams": [(1, 1)]})
    >>> result.best
    {'learner__alpha': 0.1, 'analyzer__ngrams': (1, 1)}
    """
    began = perf_counter()
    check_options("tune", options, TuneOptions)
    spec = TuningSpec(**select_options(options, SearchOptions))
    dask, n_jobs = options.get("dask"), options.get("n_jobs")
    if spec.search is not None and dask is not None:
        raise InputError("`search` tries groups of features here: leave out `dask`")
    corpus = load_corpus(data, labels, groups, **select_options(options, Reading))
    corpus = corpus.take(training_rows(corpus))
    y = as_labels_or_sets(corpus.labels)
    with _runner(dask, n_jobs) as run_folds:
        tuner = _Tuner(spec, y, _splitter(spec, corpus), began, run_folds)
        chosen = (
            tuner.race_learners(corpus, n_jobs) if spec.names else tuner.tune_one(corpus, n_jobs)
        )
    classifier, winner = chosen.classifier, chosen.winner
    if winner.parameters or winner.learner != RECIPE:
        _adopt(classifier, chosen.plan, winner.parameters)
    if output is not None:
        classifier.fit(corpus, y, corpus.weights, groups=corpus.groups)
        record_training(classifier, corpus, fingerprint(corpus.texts, np.arange(len(corpus))))
        classifier.save(output)
    label, right, at_random = _guessing(y)
    notes = corpus.notes
    if not chosen.search.complete:
        notes = (*notes, Note("method", "the time ran out before all points were tried"))
    return TuningResult(
        source=corpus.source,
        notes=notes,
        learner=", ".join(spec.names) or _name(spec.single_learner, chosen.plan),
        n_rows=len(corpus),
        folds=spec.folds,
        splits=tuner.splitter.description,
        search=chosen.search,
        groups=chosen.groups,
        winner=winner,
        nested=chosen.nested,
        majority_label=label,
        majority_accuracy=right,
        random_accuracy=at_random,
        majority_score=value_by(chosen.search.metric, majority_outcome(y)),
        model=classifier,
        path=None if output is None else str(output),
        rounds=chosen.rounds,
    )


@dataclass(frozen=True)
class _Choice:
    """The winner, how it was found, and the classifier and plan that it is a point of."""

    search: Search
    winner: Trial
    classifier: TextClassifier
    plan: Plan
    groups: SearchResult | None = None
    nested: Nested | None = None
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True)
class _Tuner:
    """Tries points on folds of labeled rows, within the time that there is."""

    spec: TuningSpec
    labels: LabelsOrSets
    splitter: Splitter
    began: float = field(default_factory=perf_counter)
    run_folds: RunFolds | None = None  # None means threads

    def race_learners(self, corpus: Corpus, n_jobs: int | None) -> _Choice:
        """All points of several learners."""
        prepared = {name: self._prepare(name, corpus, n_jobs) for name in self.spec.names}
        raced = self.race({name: plan for name, (_, plan) in prepared.items()})
        winner = raced.search.best
        return _Choice(raced.search, winner, *prepared[winner.learner], rounds=raced.rounds)

    def tune_one(self, corpus: Corpus, n_jobs: int | None) -> _Choice:
        """The points of one learner, and before that groups of features, if asked to."""
        spec, groups = self.spec, None
        classifier, plan = self._prepare(spec.single_learner, corpus, n_jobs)
        if spec.search is not None:
            plan, groups = search_groups(
                plan,
                self.labels,
                GROUPS if spec.features is None else spec.features,
                method=spec.search,
                start=spec.search_from,
                splitter=self.splitter,
            )
        grid = make_grid(spec.grid, plan.learner)
        search = self.search(plan, grid)
        nested = self._nest(plan, grid) if spec.nested else None
        winner = search.within_one_standard_error() if spec.simplest else search.best
        return _Choice(search, winner, classifier, plan, groups, nested)

    def _prepare(
        self, learner: LearnerLike, corpus: Corpus, n_jobs: int | None
    ) -> tuple[TextClassifier, Plan]:
        spec = self.spec
        training = TrainingSpec(learner, analyzer=spec.analyzer, random_state=spec.random_state)
        classifier = training.classifier(corpus, n_jobs)
        return classifier, classifier.make_plan(corpus, self.labels, corpus.weights, corpus.groups)

    def _time_left(self) -> float | None:
        budget = self.spec.budget
        return None if budget is None else budget - (perf_counter() - self.began)

    def race(self, plans: Mapping[str, Plan]) -> Race:
        """Search the points of all plans by successive halving."""
        contenders = []
        for name, plan in plans.items():
            is_recipe = name == RECIPE
            grid = make_grid(TUNING_GRID if is_recipe else None, plan.learner)
            as_it_is: list[Mapping[str, object]] = [{}] if is_recipe else []
            points = [*as_it_is, *grid_points(grid)]
            contenders.append(Contender(name, plan.analyzer, plan.learner, points, stays=is_recipe))
        plan = next(iter(plans.values()))
        return race(
            contenders,
            plan.documents,
            self.labels,
            splitter=self.splitter,
            metric=self.spec.metric,
            threads=plan.threads,
            budget=self._time_left(),
            run_folds=self.run_folds,
        )

    def search(self, plan: Plan, grid: Grid) -> Search:
        """Try every point of a grid."""
        return grid_search(
            plan.analyzer,
            plan.learner,
            grid,
            plan.documents,
            self.labels,
            splitter=self.splitter,
            threads=plan.threads,
            budget=self._time_left(),
            metric=self.spec.metric,
            run_folds=self.run_folds,
        )

    def _nest(self, plan: Plan, grid: Grid) -> Nested:
        """Measure the search itself, by one inside every fold."""
        return nested_search(
            plan.analyzer,
            plan.learner,
            grid,
            plan.documents,
            self.labels,
            splitter=self.splitter,
            next_fold=self.spec.nested == "next",
            threads=plan.threads,
            metric=self.spec.metric,
            run_folds=self.run_folds,
        )


def _splitter(spec: TuningSpec, corpus: Corpus) -> Splitter:
    """The folds that are asked for."""
    check_folds(spec.folds, corpus)
    return Splitter(spec.folds, spec.repeats, corpus.groups, corpus.times, spec.random_state)


@contextmanager
def _runner(dask: DaskLike | None, n_jobs: int | None) -> Iterator[RunFolds | None]:
    """What runs points on folds: None means threads."""
    if dask is None:
        yield None
        return
    from wordplane.scale.dask_folds import fold_runner

    with fold_runner(dask, n_jobs) as run_folds:
        yield run_folds


def _name(learner: str | LinearClassifier, plan: Plan) -> str:
    return learner if isinstance(learner, str) else repr(plan.learner)


def _guessing(y: LabelsOrSets) -> tuple[Label, float, float | None]:
    """The most frequent label, how often it alone is right, and guessing each by its share."""
    if isinstance(y, LabelSets):
        most = int(y.member.sum(axis=0).argmax())
        return y.classes.tolist()[most], float(majority_outcome(y).right.mean()), None
    classes, codes = encode(y)
    shares = np.bincount(codes) / len(y)
    return classes.tolist()[int(shares.argmax())], float(shares.max()), float(shares @ shares)


def tune_classifier(classifier: TextClassifier, corpus: Corpus, budget: float | None) -> None:
    """Give a classifier the parameters that do best in five folds of the rows to train on, in order
    of time if that is known. Rows that its fit will hold out, to measure it on, are not looked
    at."""
    labels, seed = as_labels_or_sets(corpus.labels), classifier.random_state
    rule = Rule(classifier.calibration, classifier.metric, classifier.calibrator)
    if rule.calibration == "holdout":
        of_rows = corpus.groups, corpus.times
        rows = holdout(strata_of(labels), rule.held_out_share, seed, *of_rows)[0]
        corpus, labels = corpus.take(rows), labels[rows]
    plan = classifier.make_plan(corpus, labels, corpus.weights, corpus.groups)
    metric = None if rule.is_requirement else rule.metric
    spec = TuningSpec(metric=metric, budget=budget, random_state=seed)
    tuner = _Tuner(spec, labels, _splitter(spec, corpus))
    if classifier.learner is None:
        best = tuner.race({RECIPE: plan}).search.best
    else:
        best = tuner.search(plan, make_grid(None, plan.learner)).best
    if best.parameters:
        _adopt(classifier, plan, best.parameters)


def _adopt(classifier: TextClassifier, plan: Plan, parameters: JsonObject) -> None:
    analyzer = Analyzer(**plan.analyzer.get_params(deep=False))
    analyzer.set_params(**parameters_of("analyzer", parameters))
    plan.learner.set_params(**parameters_of("learner", parameters))
    classifier.set_params(analyzer=analyzer, learner=plan.learner)


def make_grid(given: Grid | None, learner: LinearClassifier) -> dict[str, Sequence[object]]:
    """The grid with the part that each parameter belongs to: `learner__C`, `analyzer__min_df`."""
    if given is None:
        own = learner.tuning_grid()
        if not own:
            raise InputError(f"{learner!r} has no parameter that is tuned by default: give `grid`")
        return {f"learner__{name}": values for name, values in own.items()}
    grid: dict[str, Sequence[object]] = {}
    for name, values in given.items():
        of_learner = name in learner.get_params()
        if not of_learner and name not in Analyzer().get_params():
            raise InputError(
                f"`grid`: there is no parameter {name}; {type(learner).__name__} has "
                f"{', '.join(learner.get_params())}; the features have "
                f"{', '.join(Analyzer().get_params())}"
            )
        grid[("learner__" if of_learner else "analyzer__") + name] = values
    return grid
