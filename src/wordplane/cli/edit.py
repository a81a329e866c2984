"""`wordplane edit MODEL DATA --forbid WORD -o NEW`"""

import argparse

from wordplane.cli.console import show_progress, show_result
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_group_option,
    add_seed_option,
    add_vectors_option,
    load_model,
    reading_options,
)
from wordplane.cli.outputs import MODEL_ENDING, check_ending, check_output
from wordplane.cli.values import named_number
from wordplane.workflow.editing import edit

EPILOG = """\
The model is refit on the data, which should be the texts that it was trained on. What the edits
cost is measured in folds, by models with and without them that label the same texts, none of which
they were trained on.

--forbid WORD works with every model. The word is masked before a text is read, here and whenever
the model is used: no n-gram, no run of characters and no NOT_ form can tell of it.

--pin and --cap are for models of two classes by the recipe, nbsvm, svm or logistic. Names are those
that `inspect` and `explain --raw` show. A weight above 0 speaks for the second class in
alphabetical order, below 0 for the first; the others are the best that the learner's own objective
allows.

examples:
  wordplane edit m.wordplane reviews.csv --forbid smith --forbid jones -o fair.wordplane
  wordplane edit m.wordplane mails.csv --cap unsubscribe=0.5 --pin invoice=-1.2 -o new.wordplane
  wordplane edit m.wordplane tickets.jsonl --forbid subject:urgent -o new.wordplane
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "-o", "--output", metavar="MODEL", required=True, help="where the new model is written"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--forbid",
        action="append",
        default=[],
        metavar="WORD",
        help="a word that the model is not to see, in any form; repeat for each",
    )
    for name, what in (("pin", "give it exactly"), ("cap", "give it at most the size of")):
        parser.add_argument(
            f"--{name}",
            type=named_number,
            action="append",
            default=[],
            metavar="WORD=WEIGHT",
            help=f"{what} this weight; repeat for each",
        )
    parser.add_argument(
        "--folds", type=int, default=5, metavar="K", help="folds to measure the cost (default: 5)"
    )
    add_seed_option(parser)
    add_group_option(parser)
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    check_output(args.output, args.force, [args.model, *args.data])
    check_ending(args.output, MODEL_ENDING, "a model")
    model = load_model(args)
    with show_progress():
        result = edit(
            model,
            args.data,
            forbid=args.forbid,
            pin=dict(args.pin),
            cap=dict(args.cap),
            output=args.output,
            folds=args.folds,
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    show_result(args, result)
    return 0
