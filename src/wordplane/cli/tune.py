"""`wordplane tune DATA`"""

import argparse
import json
import shlex

from wordplane.cli.console import plain, show_progress, show_result
from wordplane.cli.options import (
    FOLDS,
    METRICS,
    OF_DATA,
    REPEATS,
    add_learning_options,
    add_options,
    given_parameters,
    helps_of,
    learner_name,
    reading_options,
)
from wordplane.cli.outputs import MODEL_ENDING, check_ending, check_output
from wordplane.cli.values import names, parameter_values, seconds
from wordplane.common.parameters import nearest
from wordplane.common.types import JsonObject
from wordplane.features.subset_search import METHODS
from wordplane.learners.names import LEARNERS, RECIPE
from wordplane.selection.grid import parameters_of
from wordplane.text.analyzer import Analyzer
from wordplane.workflow.tuning import DEFAULT_LEARNERS, tune

EPILOG = """\
Points are cross-validated on the rows to train on; rows marked test or dev are not looked at.
Texts are counted once. Several learners are searched together: all their points on a ninth of
the rows, the best third of them on a third, and the best of these, always with the recipe as
`train` follows it, on all rows. Of one learner that is named, every point of --grid is tried on
all rows; without --grid ten values of C, or of alpha for naive Bayes; of NBSVM five of C and three
of beta.

The best of many scores is slightly too good: --nested measures a search itself.

examples:
  wordplane tune reviews.csv                         recipe, nb, svm and logistic in one search
  wordplane tune mails.csv --metric f1:spam --learner recipe,nb,complement -o m.wordplane
  wordplane tune reviews.csv --learner logistic --ngrams 1,2 --folds 5
  wordplane tune reviews.csv --learner svm --grid C=0.1,1,10 --grid min_df=1,2
  wordplane tune reviews.csv --learner nb --nested
  wordplane tune posts.csv --time date               chosen for later posts
  wordplane tune names.csv --learner logistic --search hill_climbing --features word,char,suffix
  wordplane tune reviews.csv --dask tcp://10.0.0.1:8786            on the workers of a cluster
  wordplane tune tweets.csv --learner nbsvm --grid 'ngrams=[1,1],[1,2]' --budget 60s --json
"""

# Options of `train` too.
SHARED_OPTIONS = (
    *("features", "extra", "format", "text", "label", "label_separator", "id", "skip_unlabeled"),
    *("weight", "delimiter", "no_header", "field", "vectors"),
    *(set(Analyzer().get_params()) - OF_DATA),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--learner",
        type=_learner_names,
        metavar="NAME,NAME",
        help=f"one of, or several searched together: {', '.join((RECIPE, *LEARNERS))} (default: "
        f"{','.join(DEFAULT_LEARNERS)}; with --grid, --search, --nested or --simplest svm)",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help=f"choose by this: {METRICS}",
    )
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=V,V",
        help="values of a parameter of the learner or of the features; repeat for several",
    )
    add_options(parser, helps_of(tune), {"folds": FOLDS, "repeats": REPEATS})
    parser.add_argument(
        "--budget",
        type=seconds,
        metavar="TIME",
        help="start nothing new after this time, such as 60s or 5m; includes reading the data",
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
        help="also measure the search itself by a search inside every fold: the best of many "
        "scores is too good; with `next`, each search measures on the next fold alone, which is "
        "faster",
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
        help="start --search with no group or with all (default: none)",
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="train the winner and save it")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="fit and measure on Dask workers: the address of a scheduler, or `local` for a "
        "worker per thread of this machine; texts are read and counted locally",
    )
    add_learning_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.output:
        check_output(args.output, args.force, args.data)
        check_ending(args.output, MODEL_ENDING, "a model")
    groups = args.features
    if args.search:
        args.features = None  # these are the ones to choose from
    with show_progress():
        result = tune(
            args.data,
            learner=args.learner,
            grid=dict(parameter_values(text) for text in args.grid) or None,
            analyzer=given_parameters(args),
            metric=args.metric,
            folds=args.folds,
            repeats=args.repeats,
            budget=args.budget,
            simplest=args.simplest,
            nested=args.nested,
            search=args.search,
            search_from=args.search_from,
            features=groups,
            output=args.output,
            dask=args.dask,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    show_result(args, result)
    if not args.json:
        subset = () if result.groups is None else result.groups.subset
        command = _train_command(args, result.best_learner, result.best, subset)
        print(f"train     {plain(command)}")
    return 0


def _learner_names(text: str) -> str | list[str]:
    """One name, or several."""
    learners = [learner_name(name) for name in names(text)]
    for name in learners:
        if name not in (RECIPE, *LEARNERS):
            known = ", ".join((RECIPE, *LEARNERS))
            hint = nearest(name, (RECIPE, *LEARNERS)) or f"; there are {known}"
            raise argparse.ArgumentTypeError(f"{name!r} is not a learner{hint}")
    return learners[0] if len(learners) == 1 else learners


def _train_command(
    args: argparse.Namespace, learner: str, parameters: JsonObject, groups: tuple[str, ...]
) -> str:
    """What to type to train with these parameters and groups of features."""
    words = ["wordplane", "train", *args.data]
    if learner != RECIPE:
        words += ["--learner", learner]
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
