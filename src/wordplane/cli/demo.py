"""`wordplane demo`"""

import argparse
import os
import shutil
import sys

import wordplane
from wordplane.cli.options import (
    add_common_options,
    add_seed_option,
    print_json,
    progress_bar,
    say,
)
from wordplane.cli.train import print_summary, train
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.progress import listen
from wordplane.data.datasets import docstrings
from wordplane.model.classifier import TextClassifier

EPILOG = """\
The corpus are the docstrings of this Python's own standard library, labelled by the package
they come from. Nothing is downloaded.

examples:
  wordplane demo
  wordplane demo -o packages.wordplane
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="MODEL", default="demo.wordplane", help="(default: %(default)s)"
    )
    add_seed_option(parser)
    add_common_options(parser)


def run(args: argparse.Namespace) -> int:
    if not args.json:
        say("Which package of Python's standard library is a docstring from?")
    with progress_bar() as show, listen(show):
        corpus = docstrings()
        _keep_foreign(args.output, corpus.source)
        classifier = TextClassifier(n_jobs=args.threads, random_state=args.seed)
        result = train(corpus, classifier, args.output, test=True)
    if args.json:
        print_json(result)
        return 0
    print_summary(result)
    command = "wordplane" if shutil.which("wordplane") else sys.argv[0]
    print(f"""
Now try
  echo "Send a request and read the reply" | {command} predict {args.output} -
  {command} inspect {args.output}
  {command} train YOUR_FILE.csv""")
    return 0


def _keep_foreign(path: str, source: str) -> None:
    """An earlier demo is replaced, anything else is left alone."""
    if not os.path.lexists(path):
        return
    try:
        known = wordplane.load(path).training_.get("source") == source
    except ModelFileError:
        known = False
    if not known:
        raise InputError(f"{path} exists and is not from an earlier demo; name another with -o")
