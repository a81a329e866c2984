"""The command line: `wordplane VERB ...`, one file per verb, imported only when chosen."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from wordplane import __version__

VERBS = {
    "demo": "train a model on a built-in corpus and say what to try next",
    "train": "learn a model from a file of labelled texts",
    "predict": "label the texts of a file with a model",
    "evaluate": "measure a model on a file of labelled texts",
    "explain": "show which words of a text speak for and against its label",
    "tune": "find good parameters by cross-validation",
    "audit": "look for faults in labelled texts",
    "inspect": "show what is in a model",
    "embed": "find vectors of the words of a file of texts",
    "neighbors": "list the words nearest to a word by their vectors",
    "cluster": "group the texts of a file",
    "lexicon": "find the words that tell the classes of labelled texts apart",
}

EPILOG = """\
examples:
  wordplane demo                                    no data needed
  wordplane train reviews.csv -o reviews.wordplane
  echo "great film" | wordplane predict reviews.wordplane -
  wordplane VERB --help                             options and examples of a verb

exit codes: 0 done, 1 failed while working, 2 wrong input or usage
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        _mend_streams()
        args = _parse(list(sys.argv[1:] if argv is None else argv))
        code: int = import_module(f"wordplane.cli.{args.verb}").run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output has gone, as in `| head`: end as quietly as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("wordplane: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        return _report(error)


def _mend_streams() -> None:
    """Closed streams become empty ones; a character that a terminal cannot show is escaped."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="wordplane",
        description="Linear text classification: train, predict, measure.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wordplane {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    for verb, summary in VERBS.items():
        if verb != chosen:
            verbs.add_parser(verb, help=summary)
            continue
        module = import_module(f"wordplane.cli.{verb}")
        verb_parser = verbs.add_parser(
            verb,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(verb_parser)
    return parser.parse_args(arguments)


def _report(error: Exception) -> int:
    from wordplane.errors import InputError, WordplaneError

    if isinstance(error, WordplaneError):
        print(f"wordplane: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        print(f"wordplane: {where}{error.strerror or error}", file=sys.stderr)
        return 1
    if isinstance(error, MemoryError):
        print("wordplane: out of memory; raise --min-df or use shorter --ngrams", file=sys.stderr)
        return 1
    raise error
