"""`wordplane demo`"""

import argparse
import inspect
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import wordplane
from wordplane.cli.console import plain, print_json, say, show_progress
from wordplane.cli.options import add_common_options, add_seed_option
from wordplane.cli.outputs import check_output
from wordplane.common.errors import InputError, ModelFileError

if TYPE_CHECKING:
    from wordplane.demos import Shown

EPILOG = """\
Without NAME, train a model. The corpus consists of the docstrings of this Python's own standard
library, labeled by the package they come from. Nothing is downloaded.

With NAME, compute a figure, table or exercise of the documents that Wordplane was built from: print
the result, where it is in the documents and what to look at, and write its picture with -o. It is
the same each time; --seed draws other points or texts where chance is involved, and --set changes a
parameter: `wordplane demo NAME --help` lists those of a demo.

Many demos have a page that can be touched, without a network or a server: -o NAME.html writes it.
Points are dragged, added and deleted, sentences typed, numbers set by sliders, by mouse or keys;
learners go step by step. --list marks them with *.

examples:
  wordplane demo
  wordplane demo -o packages.wordplane
  wordplane demo --list
  wordplane demo margins -o margins.svg
  wordplane demo margins -o margins.html
  wordplane demo descent --help
  wordplane demo descent --set eta=1.2 --set n=200 --seed 3
  wordplane demo perceptron-epochs --seed 7 -o perceptron.png
  wordplane demo lab --data amazon_books_counts.parquet
"""
MODEL = "demo.wordplane"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="which demo; see --list")
    parser.add_argument("--list", action="store_true", help="list the demos")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"the model (default: {MODEL}); of a demo by name the picture: .png, .svg, or .html, "
        "which can be touched if --list marks the demo",
    )
    parser.add_argument("--dark", action="store_true", help="the picture is for a dark page")
    parser.add_argument("--force", action="store_true", help="overwrite an existing picture")
    parser.add_argument("--data", metavar="FILE", help="data for demos that take some")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a parameter of the demo, such as eta=0.1; several times for several",
    )
    parser._optionals.conflict_handler = "resolve"  # of --help
    parser.add_argument("-h", "--help", action=_Help, help="show help; after NAME, that of a demo")
    add_seed_option(parser)
    parser.set_defaults(seed=None)
    add_common_options(parser)


class _Help(argparse._HelpAction):
    """The help of the verb, or of the demo that was named before."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        if namespace.name is None:
            super().__call__(parser, namespace, values, option_string)
        else:
            print("\n".join(_describe(namespace.name)))
            parser.exit()


def _describe(name: str) -> list[str]:
    """What a demo is about, and what can be changed."""
    from wordplane.demos import find_demo, summary
    from wordplane.demos.guide import GUIDE
    from wordplane.demos.parameters import parameters_of

    demo = find_demo(name)
    arguments = inspect.signature(demo).parameters
    lines = [
        f"usage: wordplane demo {name} [options]",
        "",
        f"{summary(name)} ({GUIDE[name].place})",
    ]
    parameters = parameters_of(demo).values()
    if parameters:
        lines += ["", "parameters:", *(f"  --set {parameter}" for parameter in parameters)]
    if "seed" in arguments:
        lines += [
            "",
            f"--seed N draws other points or texts (default: {arguments['seed'].default})",
        ]
    if "data" in arguments:
        lines += ["", "--data FILE takes data of yours"]
    return [*lines, "", "other options: wordplane demo --help"]


def run(args: argparse.Namespace) -> int:
    if args.list:
        return _list(args)
    if args.name is None and args.settings:
        raise InputError("`set` is for a demo by name; `wordplane demo --list` lists them")
    return _train(args) if args.name is None else _show(args)


def _list(args: argparse.Namespace) -> int:
    from wordplane.demos import DEMOS, summary
    from wordplane.demos.guide import GUIDE
    from wordplane.demos.page import PAGES

    summaries = {name: summary(name) for names in DEMOS.values() for name in names}
    if args.json:
        print_json({name: [about, GUIDE[name].place] for name, about in summaries.items()})
        return 0
    for name, about in summaries.items():
        print(f"{name:18} {about} ({GUIDE[name].place}){' *' if name in PAGES else ''}")
    return 0


def _show(args: argparse.Namespace) -> int:
    from wordplane.demos import find_demo, summary
    from wordplane.demos.guide import GUIDE
    from wordplane.demos.page import PAGES
    from wordplane.demos.parameters import read_settings

    demo = find_demo(args.name)
    settings = read_settings(args.name, demo, args.settings)
    asked = {"data": args.data, "seed": args.seed}
    given = {name: value for name, value in asked.items() if value is not None}
    for name in given.keys() - inspect.signature(demo).parameters.keys():
        why = "takes no data" if name == "data" else "leaves nothing to chance"
        raise InputError(f"the demo {args.name!r} {why}; leave out `{name}`")
    if args.output is not None:
        check_output(args.output, args.force, [args.data])
    with show_progress():
        shown = demo(**given, **settings)
    if args.output is not None:
        _write(args, shown)
    if args.json:
        print_json({"demo": args.name, "lines": list(shown.lines), "picture": args.output})
        return 0
    place, look = GUIDE[args.name]
    say(f"{summary(args.name)} ({place})")
    print(plain(shown))
    say(f"look      {look}")
    if args.output is not None:
        say(f"{'page   ' if _is_touched(args) else 'picture'}   {args.output}")
    elif shown.picture is not None:
        say(f"picture   wordplane demo {args.name} -o {args.name}.svg draws it")
    if args.name in PAGES and args.output is None:
        say(f"page      wordplane demo {args.name} -o {args.name}.html can be touched")
    return 0


def _write(args: argparse.Namespace, shown: "Shown") -> None:
    """The page that can be touched, if there is one and it is asked for, or else the picture."""
    from wordplane.demos.page import write_touch_page
    from wordplane.plots.saving import save

    if _is_touched(args):
        if args.dark:
            raise InputError(
                "a page that can be touched is as dark as its reader; leave out `dark`"
            )
        write_touch_page(args.output, args.name, args.seed or 0)
        return
    if shown.picture is None:
        raise InputError(f"the demo {args.name!r} has no picture; leave out `output`")
    save(shown.picture(), args.output, dark=args.dark)


def _is_touched(args: argparse.Namespace) -> bool:
    from wordplane.demos.page import PAGES

    return args.name in PAGES and str(args.output).lower().endswith(".html")


def _train(args: argparse.Namespace) -> int:
    from wordplane.data.datasets import docstrings
    from wordplane.workflow.train import train

    output = args.output or MODEL
    if not args.json:
        say("Which package of Python's standard library is a docstring from?")
    with show_progress():
        corpus = docstrings()
        _keep_foreign(output, corpus.source)
        result = train(corpus, output=output, n_jobs=args.threads, random_state=args.seed or 0)
    if args.json:
        print_json(result.to_dict())
        return 0
    print(plain(result))
    command = "wordplane" if shutil.which("wordplane") else sys.argv[0]
    print(f"""
Now try
  echo "Send a request and read the reply" | {command} predict {plain(output)} -
  {command} inspect {plain(output)}
  {command} train YOUR_FILE.csv
  {command} demo --list""")
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
