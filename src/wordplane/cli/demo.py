"""`wordplane demo`"""

import argparse
import os
import shutil
import sys

import wordplane
from wordplane.cli.console import plain, print_json, say, show_progress
from wordplane.cli.options import add_common_options, add_seed_option
from wordplane.common.errors import InputError, ModelFileError
from wordplane.data.datasets import docstrings
from wordplane.workflow.training import train

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
    with show_progress():
        corpus = docstrings()
        _keep_foreign(args.output, corpus.source)
        result = train(corpus, output=args.output, n_jobs=args.threads, random_state=args.seed)
    if args.json:
        print_json(result.to_dict())
        return 0
    print(plain(result))
    command = "wordplane" if shutil.which("wordplane") else sys.argv[0]
    print(f"""
Now try
  echo "Send a request and read the reply" | {command} predict {plain(args.output)} -
  {command} inspect {plain(args.output)}
  {command} train YOUR_FILE.csv""")
    return 0


def _keep_foreign(path: str, source: str) -> None:
    """An earlier demo is replaced, anything else is left alone."""
    if not os.path.lexists(path):
        return
    try:
        known = wordplane.load(path).training_.source == source
    except ModelFileError:
        known = False
    if not known:
        raise InputError(f"{path} exists and is not from an earlier demo; name another with -o")
