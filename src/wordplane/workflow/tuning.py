"""Find good parameters by cross-validation, on texts that are counted once."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from time import perf_counter
from typing import Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_paragraph, html_table
from wordplane.common.labels import as_labels, encode
from wordplane.common.types import JsonObject, Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.splits import holdout
from wordplane.features.subset_search import SearchResult
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier
from wordplane.model.plan import HELD_OUT, Plan
from wordplane.selection.grid import Search, Trial, grid_search, parameters_of
from wordplane.selection.nested import Nested, nested_search
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
    DataLike,
    Reading,
    check_folds,
    load_corpus,
    training_rows,
)
from wordplane.workflow.result import Result

Grid = Mapping[str, Sequence[object]]
LEGEND = "* chosen   p on the front of accuracy, size and time   ± 95 % interval over the folds"


@dataclass(frozen=True)
class TuningResult(Result):
    """All points that were tried, and the one that was chosen.

    best       the parameters that were chosen, as `learner__C` or `analyzer__min_df`
    groups     the groups of features that were tried, if they were searched
    nested     how good the search itself is, if that was asked for
    majority_accuracy, random_accuracy
               of always guessing the most frequent label, and of guessing each by its share
    model      a classifier with these parameters, trained if it was saved
    path       where the model was saved; None if it was not
    """

    source: str
    notes: tuple[str, ...]
    learner: str
    n_rows: int
    folds: int
    search: Search
    groups: SearchResult | None
    winner: Trial
    nested: Nested | None
    majority_label: Label
    majority_accuracy: float
    random_accuracy: float
    model: TextClassifier = field(repr=False)
    path: str | None = None

    @property
    def best(self) -> JsonObject:
        """The parameters that were chosen."""
        return self.winner.parameters

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {
            "source": self.source,
            "notes": list(self.notes),
            "best": self.best,
            "majority_label": self.majority_label,
            "majority_accuracy": self.majority_accuracy,
            "random_accuracy": self.random_accuracy,
            "complete": self.search.complete,
            "trials": [
                {
                    "parameters": trial.parameters,
                    "accuracy": trial.mean,
                    "standard_error": trial.standard_error,
                    "n_features": trial.n_features,
                    "seconds": trial.seconds,
                }
                for trial in self.search.trials
            ],
        }
        if self.groups is not None:
            shown["groups"] = asdict(self.groups)
        if self.nested is not None:
            mean, interval = self.nested.mean, self.nested.interval
            shown["nested"] = {**vars(self.nested), "mean": mean, "interval": interval}
        return shown

    def __str__(self) -> str:
        lines = []
        if self.groups is not None:
            lines.append(f"features  {self._groups_text()}")
        lines += [
            f"tuned     {self.learner} on {self.n_rows:,} texts, {self.folds} folds",
            f"\n{'accuracy':>17}  {'features':>10}  {'seconds':>8}  parameters",
        ]
        for marks, accuracy, features, seconds, parameters in self._rows():
            lines.append(f"{marks}{accuracy:>15}  {features:>10}  {seconds:>8}  {parameters}")
        lines.append(f"\n{LEGEND}")
        lines.append(f"baseline  {self._baseline_text()}")
        if self.path is not None:
            lines.append(f"model     {self.path}")
        if self.nested is not None:
            lines.append(f"nested    {self._nested_text()}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: the points as a table, the best first."""
        caption = f"{self.learner} on {self.n_rows:,} texts, {self.folds} folds"
        table = html_table(["", "accuracy", "features", "seconds", "parameters"], self._rows(),
                           caption)  # fmt: skip
        nested = "" if self.nested is None else html_paragraph(f"Nested: {self._nested_text()}")
        if self.groups is not None:
            table = html_paragraph(f"Features: {self._groups_text()}") + table
        baseline = html_paragraph(f"Baseline: {self._baseline_text()}")
        return table + html_paragraph(LEGEND) + baseline + nested

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        front = self.search.pareto_front()
        return [
            (
                ("*" if trial is self.winner else " ") + ("p" if trial in front else " "),
                f"{trial.mean:.2%} ± {1.96 * trial.standard_error:.2%}",
                f"{trial.n_features:,.0f}",
                f"{trial.seconds:.2f}",
                _parameters_text(trial.parameters),
            )
            for trial in sorted(self.search.trials, key=lambda trial: -trial.mean)
        ]

    def _groups_text(self) -> str:
        assert self.groups is not None
        named = ", ".join(self.groups.subset) or "none"
        tried = f"{len(self.groups.trace)} subsets tried"
        return f"{named}: {self.groups.loss:.2%} of the texts are wrong, {tried}"

    def _baseline_text(self) -> str:
        always = f"always {self.majority_label!r} would be {self.majority_accuracy:.2%}"
        return f"{always}, random {self.random_accuracy:.2%}"

    def _nested_text(self) -> str:
        assert self.nested is not None
        low, high = self.nested.interval
        half = (high - low) / 2
        return f"{self.nested.mean:.2%} ± {half:.2%} is what a search like this one comes to"


def tune(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    learner: LearnerLike = "svm",
    grid: Grid | None = None,
    analyzer: AnalyzerLike = None,
    folds: int = 5,
    budget: float | None = None,
    simplest: bool = False,
    nested: bool | str = False,
    search: str | None = None,
    search_from: str = "none",
    groups: Sequence[str] | None = None,
    output: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> TuningResult:
    """Find good parameters of a learner and its features by cross-validation.

    Rows marked test or dev are not looked at. Texts are counted once.

    Parameters
    ----------
    data, labels
        Labeled texts, as for `train`.
    learner : str or estimator, default "svm"
        What finds the weights.
    grid : mapping, default None
        The values to try of parameters of the learner or of the analyzer, by name; None means the
        learner's own grid, such as ten values of C.
    analyzer : Analyzer or mapping, default None
        How texts become features. A mapping changes parameters of what suits learner and texts.
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
    groups : list of str, default None
        The groups to search: some of word, char, prefix, suffix, shape and length; None means all.
    output : path, default None
        Train the winner on all rows and save it.
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
    corpus = load_corpus(data, labels, **reading)
    corpus = corpus.take(training_rows(corpus))
    classifier = make_classifier(
        corpus, learner, None, analyzer, n_jobs=n_jobs, random_state=random_state
    )
    y = as_labels(corpus.labels)
    plan = classifier.plan(corpus, y, corpus.weights)
    check_folds(folds, corpus)
    if nested not in (True, False, "next"):
        raise InputError(f"`nested` is {nested!r}, expected True, False or 'next'")
    tried = None
    if search is not None:
        plan, tried = search_groups(
            plan,
            y,
            GROUPS if groups is None else groups,
            method=search,
            start=search_from,
            folds=folds,
            random_state=random_state,
        )
    points = make_grid(grid, plan.learner)
    left = None if budget is None else budget - (perf_counter() - began)
    found = _search(plan, points, y, folds, random_state, left)
    inner = None
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
            random_state=random_state,
            threads=plan.threads,
        )
    winner = found.within_one_standard_error() if simplest else found.best
    _adopt(classifier, plan, winner.parameters)
    if output is not None:
        classifier.fit(corpus, y, corpus.weights)
        record_training(classifier, corpus, np.arange(len(corpus)))
        classifier.save(output)
    classes, codes = encode(y)
    shares = np.bincount(codes) / len(y)
    notes = corpus.notes
    if not found.complete:
        notes = (*notes, "the time ran out before all points were tried")
    return TuningResult(
        source=corpus.source,
        notes=notes,
        learner=learner if isinstance(learner, str) else repr(plan.learner),
        n_rows=len(corpus),
        folds=folds,
        search=found,
        groups=tried,
        winner=winner,
        nested=inner,
        majority_label=classes.tolist()[int(shares.argmax())],
        majority_accuracy=float(shares.max()),
        random_accuracy=float(shares @ shares),
        model=classifier,
        path=None if output is None else str(output),
    )


def tune_classifier(classifier: TextClassifier, corpus: Corpus, budget: float | None) -> None:
    """Give a classifier the parameters that do best in five folds of the rows to train on. Rows
    that its fit will hold out, to measure it on, are not looked at."""
    labels = as_labels(corpus.labels)
    if classifier.calibration == "holdout":
        rows = holdout(labels, HELD_OUT, classifier.random_state)[0]
        corpus, labels = corpus.take(rows), labels[rows]
    plan = classifier.plan(corpus, labels, corpus.weights)
    search = _search(
        plan, make_grid(None, plan.learner), labels, 5, classifier.random_state, budget
    )
    _adopt(classifier, plan, search.best.parameters)


def _search(
    plan: Plan, grid: Grid, labels: LabelsLike, folds: int, seed: int, budget: float | None
) -> Search:
    return grid_search(
        plan.analyzer,
        plan.learner,
        grid,
        plan.documents,
        labels,
        folds=folds,
        random_state=seed,
        threads=plan.threads,
        budget=budget,
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


def _parameters_text(parameters: JsonObject) -> str:
    return ", ".join(f"{name.partition('__')[2]}={value}" for name, value in parameters.items())
