"""`wordplane tune DATA`"""

import argparse
import json
import shlex

from wordplane.cli.console import plain, print_json, say_notes, show_progress
from wordplane.cli.options import (
    add_analyzer_options,
    add_common_options,
    add_data_options,
    add_learner_option,
    add_seed_option,
    check_output,
    given_parameters,
    reading_options,
)
from wordplane.cli.values import natural, parameter_values, seconds
from wordplane.common.types import JsonObject
from wordplane.features.subset_search import METHODS
from wordplane.learners.registry import LEARNERS
from wordplane.selection.grid import parameters_of
from wordplane.text.analyzer import Analyzer
from wordplane.workflow.tuning import tune

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
  wordplane tune names.csv --learner logistic --search hill_climbing --features word,char,suffix
  wordplane tune tweets.csv --learner nbsvm --grid 'ngrams=[1,1],[1,2]' --budget 60s --json
"""

# Options of `train` too.
SHARED_OPTIONS = (
    *("features", "extra", "format", "text", "label", "label_separator", "id", "skip_unlabeled"),
    *("weight", "delimiter", "no_header", *(set(Analyzer().get_params()) - {"columns"})),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    add_learner_option(parser, LEARNERS, "svm")
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
        nargs="?",
        const=True,
        default=False,
        choices=("next",),
        help="also measure the search itself, by one inside every fold: the best of many scores "
        "is too good; with `next`, the search of each fold measures on the next fold alone, which "
        "is faster",
    )
    parser.add_argument(
        "--search",
        choices=METHODS,
        help="first find the best groups of features by this search among the subsets of those "
        "that --features names, or of all: word, char, prefix, suffix, shape, length",
    )
    parser.add_argument(
        "--search-from",
        choices=("none", "all"),
        default="none",
        help="begin --search with no group or with all (default: none)",
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="train the winner and save it")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    add_seed_option(parser)
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    if args.output:
        check_output(args.output, args.force, args.data)
    groups = args.features
    if args.search:
        args.features = None  # these are the ones to choose from
    with show_progress():
        result = tune(
            args.data,
            learner=args.learner,
            grid=dict(parameter_values(text) for text in args.grid) or None,
            analyzer=given_parameters(args),
            folds=args.folds,
            budget=args.budget,
            simplest=args.simplest,
            nested=args.nested,
            search=args.search,
            search_from=args.search_from,
            groups=groups,
            output=args.output,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    if args.json:
        print_json(result.to_dict())
        return 0
    say_notes(result.notes)
    print(plain(result))
    subset = () if result.groups is None else result.groups.subset
    print(f"train     {plain(_train_command(args, result.best, subset))}")
    return 0


def _train_command(
    args: argparse.Namespace, parameters: JsonObject, groups: tuple[str, ...]
) -> str:
    """What to type to train with these parameters and groups of features."""
    words = ["wordplane", "train", *args.data, "--learner", args.learner]
    if groups:
        words += ["--features", ",".join(groups)]
    for name, value in parameters_of("learner", parameters).items():
        shown = value if isinstance(value, str | bool) else json.dumps(value)
        words += ["--param", f"{name}={shown}"]
    for name, value in parameters_of("analyzer", parameters).items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        elif value is not None:
            values = value if isinstance(value, tuple | list) else [value]
            words += [f"--{flag}", ",".join(map(str, values))]
    others = any(getattr(args, name) not in (None, [], False) for name in SHARED_OPTIONS)
    return shlex.join(words) + (" (and your options for features and reading)" if others else "")
