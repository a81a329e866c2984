"""Find good parameters by cross-validation, on texts that are counted once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from time import perf_counter
from typing import Unpack

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
from wordplane.evaluation.requirements import is_requirement
from wordplane.learners.names import RECIPE
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier
from wordplane.model.plan import Plan, held_out_share
from wordplane.model.recipe import TUNING_GRID
from wordplane.selection.grid import RunFolds, Search, grid_points, grid_search, parameters_of
from wordplane.selection.halving import Contender, Race, Round, race
from wordplane.selection.nested import nested_search
from wordplane.text.analyzer import Analyzer
from wordplane.text.feature_groups import GROUPS
from wordplane.workflow.classifiers import (
    AnalyzerLike,
    LearnerLike,
    make_classifier,
    record_training,
)
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
from wordplane.workflow.tuning_result import TuningResult

Grid = Mapping[str, Sequence[object]]
DEFAULT_LEARNERS = (RECIPE, "nb", "svm", "logistic")


def tune(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    learner: LearnerLike | Sequence[str] = None,
    grid: Grid | None = None,
    analyzer: AnalyzerLike = None,
    metric: str | None = None,
    folds: int = 5,
    budget: float | None = None,
    simplest: bool = False,
    nested: bool | str = False,
    search: str | None = None,
    search_from: str = "none",
    features: Sequence[str] | None = None,
    groups: GroupsLike = None,
    output: str | PathLike[str] | None = None,
    dask: DaskLike | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> TuningResult:
    """Find good parameters of learners and their features by cross-validation.

    Rows marked test or dev are not looked at. Texts are counted once. Several learners are searched
    together by successive halving (`wordplane.selection.halving`): all points on a part of the
    rows, the best of them on all rows. The recipe as it is is always among the last.

    Parameters
    ----------
    data, labels
        Labeled texts, as for `train`.
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
        The number of folds.
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
    groups : values, default None
        Which texts belong together (author, thread, customer), one value per text: folds never
        separate them. Files have `group`, the name of a column.
    output : path, default None
        Train the winner on all rows and save it.
    dask : Client or str, default None
        Let the workers of Dask fit and measure points: a client, the address of a scheduler, or
        "local". Texts are read and counted here; the result is the same (docs/scale.md).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed of the folds.
    **reading
        How files and frames are read, as for `train`.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> result = tune(texts, ["good", "good", "bad", "bad"] * 5, learner="nb",
    ...               grid={"alpha": [0.1, 1.0], "ngrams": [(1, 1)]})
    >>> result.best
    {'learner__alpha': 0.1, 'analyzer__ngrams': (1, 1)}
    """
    began = perf_counter()
    corpus = load_corpus(data, labels, groups, **reading)
    corpus = corpus.take(training_rows(corpus))
    y = as_labels_or_sets(corpus.labels)
    if nested not in (True, False, "next"):
        raise InputError(f"`nested` is {nested!r}, expected True, False or 'next'")
    if search is not None and dask is not None:
        raise InputError("`search` tries groups of features here: leave out `dask`")
    single = {"grid": grid is not None, "search": search is not None, "nested": bool(nested),
              "simplest": simplest}  # fmt: skip
    names = _learner_names(learner, single)

    def classifier_of(name: LearnerLike) -> TextClassifier:
        return make_classifier(
            corpus, name, None, analyzer, n_jobs=n_jobs, random_state=random_state
        )

    def plan_of(classifier: TextClassifier) -> Plan:
        return replace(classifier.plan(corpus, y, corpus.weights), groups=corpus.groups)

    def time_left() -> float | None:
        return None if budget is None else budget - (perf_counter() - began)

    tried = inner = None
    rounds: tuple[Round, ...] = ()
    with _runner(dask, n_jobs) as run_folds:
        if names:
            classifiers = {name: classifier_of(name) for name in names}
            plans = {name: plan_of(each) for name, each in classifiers.items()}
            check_folds(folds, corpus)
            raced = _race(plans, y, metric, folds, random_state, time_left(), run_folds)
            found, rounds = raced.search, raced.rounds
            winner = found.best
            classifier, plan = classifiers[winner.learner], plans[winner.learner]
        else:
            one = learner if isinstance(learner, str | LinearClassifier) else "svm"
            classifier = classifier_of(one)
            plan = plan_of(classifier)
            check_folds(folds, corpus)
            if search is not None:
                plan, tried = search_groups(
                    plan,
                    y,
                    GROUPS if features is None else features,
                    method=search,
                    start=search_from,
                    folds=folds,
                    random_state=random_state,
                )
            points = make_grid(grid, plan.learner)
            found = _search(plan, points, y, metric, folds, random_state, time_left(), run_folds)
            if nested:
                inner = nested_search(
                    plan.analyzer,
                    plan.learner,
                    points,
                    plan.documents,
                    y,
                    folds=folds,
                    inner_folds=folds,
                    next_fold=nested == "next",
                    groups=plan.groups,
                    random_state=random_state,
                    threads=plan.threads,
                    metric=metric,
                    run_folds=run_folds,
                )
            winner = found.within_one_standard_error() if simplest else found.best
    if winner.parameters or winner.learner != RECIPE:
        _adopt(classifier, plan, winner.parameters)
    if output is not None:
        classifier.fit(corpus, y, corpus.weights, groups=corpus.groups)
        record_training(classifier, corpus, np.arange(len(corpus)))
        classifier.save(output)
    label, right, at_random = _guessing(y)
    notes = corpus.notes
    if not found.complete:
        notes = (*notes, Note("method", "the time ran out before all points were tried"))
    return TuningResult(
        source=corpus.source,
        notes=notes,
        learner=", ".join(names) or (one if isinstance(one, str) else repr(plan.learner)),
        n_rows=len(corpus),
        folds=folds,
        search=found,
        groups=tried,
        winner=winner,
        nested=inner,
        majority_label=label,
        majority_accuracy=right,
        random_accuracy=at_random,
        majority_score=value_by(found.metric, majority_outcome(y)),
        model=classifier,
        path=None if output is None else str(output),
        rounds=rounds,
    )


@contextmanager
def _runner(dask: DaskLike | None, n_jobs: int | None) -> Iterator[RunFolds | None]:
    """What runs points on folds: None means threads."""
    if dask is None:
        yield None
        return
    from wordplane.scale.dask_folds import fold_runner

    with fold_runner(dask, n_jobs) as run_folds:
        yield run_folds


def _learner_names(
    learner: LearnerLike | Sequence[str], single: Mapping[str, bool]
) -> tuple[str, ...]:
    """Those that are searched together; none if one learner is searched by its grid alone."""
    asked = [name for name, given in single.items() if given]
    if isinstance(learner, LinearClassifier):
        return ()
    if learner is None or isinstance(learner, str):
        if asked or learner not in (None, RECIPE):
            return ()
        return DEFAULT_LEARNERS if learner is None else (RECIPE,)
    names = tuple(learner)
    if not names or len(set(names)) < len(names):
        raise InputError(f"`learner` is {list(names)}, expected different names")
    if asked:
        raise InputError(f"`{asked[0]}` is for one `learner`, and these are {', '.join(names)}")
    return names


def _race(
    plans: Mapping[str, Plan],
    labels: LabelsOrSets,
    metric: str | None,
    folds: int,
    seed: int,
    budget: float | None,
    run_folds: RunFolds | None = None,
) -> Race:
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
        labels,
        folds=folds,
        metric=metric,
        groups=plan.groups,
        random_state=seed,
        threads=plan.threads,
        budget=budget,
        run_folds=run_folds,
    )


def _guessing(y: LabelsOrSets) -> tuple[Label, float, float | None]:
    """The most frequent label, how often it alone is right, and guessing each by its share."""
    if isinstance(y, LabelSets):
        most = int(y.member.sum(axis=0).argmax())
        return y.classes.tolist()[most], float(majority_outcome(y).right.mean()), None
    classes, codes = encode(y)
    shares = np.bincount(codes) / len(y)
    return classes.tolist()[int(shares.argmax())], float(shares.max()), float(shares @ shares)


def tune_classifier(classifier: TextClassifier, corpus: Corpus, budget: float | None) -> None:
    """Give a classifier the parameters that do best in five folds of the rows to train on. Rows
    that its fit will hold out, to measure it on, are not looked at."""
    labels, seed = as_labels_or_sets(corpus.labels), classifier.random_state
    if classifier.calibration == "holdout":
        share = held_out_share(classifier.metric)
        rows = holdout(strata_of(labels), share, seed, corpus.groups)[0]
        corpus, labels = corpus.take(rows), labels[rows]
    plan = replace(classifier.plan(corpus, labels, corpus.weights), groups=corpus.groups)
    metric = None
    if classifier.metric is not None and not is_requirement(classifier.metric):
        metric = classifier.metric
    if classifier.learner is None:
        best = _race({RECIPE: plan}, labels, metric, 5, seed, budget).search.best
    else:
        grid = make_grid(None, plan.learner)
        best = _search(plan, grid, labels, metric, 5, seed, budget).best
    if best.parameters:
        _adopt(classifier, plan, best.parameters)


def _search(
    plan: Plan,
    grid: Grid,
    labels: LabelsOrSets,
    metric: str | None,
    folds: int,
    seed: int,
    budget: float | None,
    run_folds: RunFolds | None = None,
) -> Search:
    return grid_search(
        plan.analyzer,
        plan.learner,
        grid,
        plan.documents,
        labels,
        folds=folds,
        groups=plan.groups,
        random_state=seed,
        threads=plan.threads,
        budget=budget,
        metric=metric,
        run_folds=run_folds,
    )


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
