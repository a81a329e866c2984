"""`wordplane tune DATA`"""

import argparse
import json
import shlex
from time import perf_counter
from typing import Any

import numpy as np

from wordplane.cli.options import (
    add_analyzer_options,
    add_common_options,
    add_data_options,
    add_seed_option,
    check_folds,
    check_output,
    given_parameters,
    learner_name,
    natural,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
    seconds,
)
from wordplane.cli.train import fit_to_data, parameter, remember_data, train_rows_of
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.common.progress import listen
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.data.splits import holdout
from wordplane.learners.registry import LEARNERS, learner_named
from wordplane.model.classifier import HELD_OUT, TextClassifier
from wordplane.model.plan import Plan
from wordplane.selection.grid import Search, grid_search, parameters_of
from wordplane.selection.nested import nested_search
from wordplane.text.analyzer import Analyzer

EPILOG = """\
Every point of the grid is cross-validated on the rows to train on; rows marked test or dev are
not looked at. Texts are counted once. Without --grid the learner's own parameter is tried:
ten values of C, or of alpha for naive Bayes; of NBSVM five of C and three of beta. What is tuned is
the learner that is named, not the recipe that `train` follows if none is, which may do better:
`wordplane compare DATA --learners recipe,svm` tells.

examples:
  wordplane tune reviews.csv --learner logistic --ngrams 1,2 --folds 5
  wordplane tune reviews.csv --learner svm --grid C=0.1,1,10 --grid min_df=1,2
  wordplane tune reviews.csv --learner nb --nested
  wordplane tune tweets.csv --learner nbsvm --grid 'ngrams=[1,1],[1,2]' --budget 60s --json
"""

C_GRID = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
NBSVM_C_GRID, BETA_GRID = [0.03, 0.1, 0.3, 1.0, 3.0], [0.25, 0.5, 1.0]
# Options of `train` too.
SHARED_OPTIONS = (
    *("features", "extra", "format", "text", "label", "label_separator", "id", "skip_unlabeled"),
    *("weight", "delimiter", "no_header", *(set(Analyzer().get_params()) - {"columns"})),
)
ALPHA_GRID = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--learner",
        type=learner_name,
        choices=LEARNERS,
        default="svm",
        help="how weights are found (default: svm)",
    )
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=V,V",
        help="values of a parameter of the learner or of the features; repeat for several",
    )
    parser.add_argument("--folds", type=natural, default=5, metavar="K", help="(default: 5)")
    parser.add_argument(
        "--budget",
        type=seconds,
        metavar="TIME",
        help="begin nothing new after, such as 60s or 5m; reading the data counts too",
    )
    parser.add_argument(
        "--simplest",
        action="store_true",
        help="take the first value of the grid within one standard error of the best",
    )
    parser.add_argument(
        "--nested",
        action="store_true",
        help="also measure the search itself, by one inside every fold: the best of many scores "
        "is too good",
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="train the winner and save it")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    add_seed_option(parser)
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    began = perf_counter()
    if args.output:
        check_output(args.output, args.force, args.data)
    given = given_parameters(args)
    learner = learner_named(args.learner)
    classifier = TextClassifier(learner=learner, n_jobs=args.threads, random_state=args.seed)
    with progress_bar() as show, listen(show):
        corpus = read(require_label=True, **reader_arguments(args))
        corpus = corpus.take(train_rows_of(corpus))
        fit_to_data(classifier, corpus, given)
        labels = as_labels(corpus.labels)
        plan = classifier.plan(corpus, labels, corpus.weights)
        check_folds(args.folds, corpus)
        grid = _grid(args.grid, plan.learner)
        search = grid_search(
            plan.analyzer,
            plan.learner,
            grid,
            plan.documents,
            labels,
            folds=args.folds,
            random_state=args.seed,
            threads=plan.threads,
            budget=args.budget and args.budget - (perf_counter() - began),
        )
        nested = None
        if args.nested:
            nested = nested_search(
                plan.analyzer,
                plan.learner,
                grid,
                plan.documents,
                labels,
                folds=args.folds,
                inner_folds=args.folds,
                random_state=args.seed,
                threads=plan.threads,
            )
        winner = search.within_one_standard_error() if args.simplest else search.best
        if args.output:
            _adopt(classifier, plan, winner.parameters)
            classifier.fit(corpus, labels, corpus.weights)
            remember_data(classifier, corpus, np.arange(len(corpus)))
            classifier.save(args.output)
    if args.json:
        result = _as_json(search, winner.parameters, corpus.source)
        if nested is not None:
            result["nested"] = {**vars(nested), "mean": nested.mean, "interval": nested.interval}
        print_json(result)
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    _print(search, winner, len(labels), args)
    if nested is not None:
        low, high = nested.interval
        half = (high - low) / 2
        print(f"nested    {nested.mean:.2%} ± {half:.2%} is what a search like this one comes to")
    print(f"train     {plain(_train_command(args, winner.parameters))}")
    return 0


def _train_command(args: argparse.Namespace, parameters: dict[str, Any]) -> str:
    """What to type to train with these parameters."""
    words = ["wordplane", "train", *args.data, "--learner", args.learner]
    for name, value in parameters_of("learner", parameters).items():
        shown = value if isinstance(value, str | bool) else json.dumps(value)
        words += ["--param", f"{name}={shown}"]
    for name, value in parameters_of("analyzer", parameters).items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        elif value is not None:
            listed = isinstance(value, tuple | list)
            words += [f"--{flag}", ",".join(map(str, value)) if listed else str(value)]
    others = any(getattr(args, name) not in (None, [], False) for name in SHARED_OPTIONS)
    return shlex.join(words) + (" (and your options for features and reading)" if others else "")


def tuned(classifier: TextClassifier, corpus: Corpus, budget: float | None) -> dict[str, Any]:
    """Give a classifier the parameters that do best in five folds of the rows to train on, and
    return them. Rows that its fit will hold out, to measure it on, are not looked at."""
    labels, rows = as_labels(corpus.labels), train_rows_of(corpus)
    if classifier.calibration == "holdout":
        rows = rows[holdout(labels[rows], HELD_OUT, classifier.random_state)[0]]
    corpus, labels = corpus.take(rows), labels[rows]
    plan = classifier.plan(corpus, labels, corpus.weights)
    search = grid_search(
        plan.analyzer,
        plan.learner,
        _grid([], plan.learner),
        plan.documents,
        labels,
        random_state=classifier.random_state,
        threads=plan.threads,
        budget=budget,
    )
    _adopt(classifier, plan, search.best.parameters)
    return search.best.parameters


def _adopt(classifier: TextClassifier, plan: Plan, parameters: dict[str, Any]) -> None:
    plan.analyzer.set_params(**parameters_of("analyzer", parameters))
    plan.learner.set_params(**parameters_of("learner", parameters))
    classifier.set_params(analyzer=plan.analyzer, learner=plan.learner)


def _print(search: Search, winner: Any, n_rows: int, args: argparse.Namespace) -> None:
    print(f"tuned     {args.learner} on {n_rows:,} texts, {args.folds} folds")
    front = search.pareto_front()
    print(f"\n{'accuracy':>17}  {'features':>10}  {'seconds':>8}  parameters")
    for trial in sorted(search.trials, key=lambda t: -t.mean):
        marks = ("*" if trial is winner else " ") + ("p" if trial in front else " ")
        spread = f"{trial.mean:.2%} ± {1.96 * trial.standard_error:.2%}"
        size = f"{trial.n_features:>10,.0f}  {trial.seconds:>8.2f}"
        print(f"{marks}{spread:>15}  {size}  {plain(_shown(trial.parameters))}")
    print("\n* chosen   p on the front of accuracy, size and time   ± 95 % interval over the folds")
    if not search.complete:
        say("note: the time ran out before all points were tried")
    if args.output:
        print(f"model     {args.output}")


def _shown(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name.partition('__')[2]}={value}" for name, value in parameters.items())


def _as_json(search: Search, winner: dict[str, Any], source: str) -> dict[str, Any]:
    return {
        "source": source,
        "best": winner,
        "complete": search.complete,
        "trials": [
            {
                "parameters": trial.parameters,
                "accuracy": trial.mean,
                "standard_error": trial.standard_error,
                "n_features": trial.n_features,
                "seconds": trial.seconds,
            }
            for trial in search.trials
        ],
    }


def _grid(given: list[str], learner: Any) -> dict[str, list[Any]]:
    if not given:
        names = learner.get_params()
        if "learner__C" in names:  # of the SVM inside NBSVM
            return {"learner__learner__C": NBSVM_C_GRID, "learner__beta": BETA_GRID}
        if "C" in names:
            return {"learner__C": C_GRID}
        if "alpha" in names:
            return {"learner__alpha": ALPHA_GRID}
        raise InputError(f"{learner!r} has no parameter that is tuned by default: give --grid")
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals:
            raise InputError(f"--grid is {text!r}, expected NAME=VALUE,VALUE such as C=0.1,1")
        of_learner = name in learner.get_params()
        if not of_learner and name not in Analyzer().get_params():
            raise InputError(
                f"--grid: there is no parameter {name}; {type(learner).__name__} has "
                f"{', '.join(learner.get_params())}; the features have "
                f"{', '.join(Analyzer().get_params())}"
            )
        listed = parameter(f"{name}=[{values}]")[1]
        if not isinstance(listed, list):  # words, not JSON
            listed = values.split(",")
        if name in ("ngrams", "chars"):
            listed = [tuple(value) if isinstance(value, list) else value for value in listed]
        grid[("learner__" if of_learner else "analyzer__") + name] = listed
    return grid
