"""`wordplane notebook NAME`"""

import argparse

from wordplane.cli.console import print_json, say
from wordplane.cli.options import add_common_options
from wordplane.cli.outputs import check_output
from wordplane.common.errors import InputError
from wordplane.common.files import whole_file

EPILOG = """\
Writes a notebook that runs wherever Wordplane is installed, without data and without a network:
first-hour trains, explains, measures and compares a model; chapter, notes, lab, slides and review
have the figures and exercises of those documents, with their parameters to be changed.

examples:
  wordplane notebook --list
  wordplane notebook chapter
  wordplane notebook first-hour -o monday.ipynb
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="which notebook; see --list")
    parser.add_argument("--list", action="store_true", help="list the notebooks")
    parser.add_argument("-o", "--output", metavar="FILE", help="the file (default: NAME.ipynb)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    add_common_options(parser)


def run(args: argparse.Namespace) -> int:
    from wordplane.demos.notebooks import NOTEBOOKS, make_notebook

    if args.list:
        return _list(NOTEBOOKS, args.json)
    if args.name is None:
        raise InputError(f"which notebook? There are {', '.join(NOTEBOOKS)}")
    output = args.output or f"{args.name}.ipynb"
    text = make_notebook(args.name)
    check_output(output, args.force, [])
    with whole_file(output) as path:
        path.write_text(text, encoding="utf-8")
    if args.json:
        print_json({"notebook": args.name, "output": output})
        return 0
    print(f"notebook  {output}")
    say(f"\nnext\n  jupyter lab {output}")
    return 0


def _list(notebooks: dict[str, str], as_json: bool) -> int:
    if as_json:
        print_json({**notebooks})
        return 0
    for name, about in notebooks.items():
        print(f"{name:12} {about}")
    return 0
