"""`wordplane diagnose DATA`"""

import argparse

from wordplane.cli.console import advice, show_progress, show_result
from wordplane.cli.options import (
    FOLDS,
    REPEATS,
    Typed,
    add_learner_options,
    add_learning_options,
    add_options,
    given_parameters,
    helps_of,
    learner_parameters,
    reading_options,
)
from wordplane.cli.values import natural, share
from wordplane.workflow.diagnosis import diagnose

EPILOG = """\
Models are trained on ever more of the texts and measured on others (by cross-validation). The
curve shows whether the model overfits, underfits or lacks texts, and what more of them would
bring. Advice that is cheap to follow is tried, and what it gave is printed ("tried"). Rows marked
test or dev are not looked at.

examples:
  wordplane diagnose reviews.csv
  wordplane diagnose reviews.csv --target 0.9 --more 5000
  wordplane diagnose reviews.csv --learner svm --param C=10 --ngrams 1,1
  wordplane diagnose posts.csv --time date
  wordplane diagnose reviews.csv --json > curve.json
"""

OPTIONS: dict[str, Typed] = {
    "target": {"type": share, "metavar": "SHARE"},
    "more": {"type": natural, "metavar": "N"},
    "sizes": {"type": natural, "default": 8, "metavar": "N"},
    "folds": FOLDS,
    "repeats": REPEATS,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    add_learner_options(parser)
    add_options(parser, helps_of(diagnose), OPTIONS)
    add_learning_options(parser)


def run(args: argparse.Namespace) -> int:
    with show_progress(results=True):
        result = diagnose(
            args.data,
            learner=args.learner,
            params=learner_parameters(args),
            analyzer=given_parameters(args),
            n_jobs=args.threads,
            random_state=args.seed,
            **{name: getattr(args, name) for name in OPTIONS},
            **reading_options(args),
        )
    show_result(args, result, advice(result))
    return 0
