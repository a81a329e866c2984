"""The command line: `wordplane VERB ...`, one file per verb, imported only when chosen."""

import argparse
import gc
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import NoReturn

from wordplane import __version__
from wordplane.cli.console import plain, say, set_options
from wordplane.common.files import remove_drafts

PATIENCE = 0.8  # seconds that an interrupted command has to end by itself

VERBS = {
    "demo": "train a model on a built-in corpus, or compute a figure or exercise by name",
    "train": "train a model on a file of labeled texts",
    "update": "train a model further on more labeled texts",
    "unlearn": "take texts out of a model, as if it had never learned from them",
    "predict": "label the texts of a file with a model",
    "evaluate": "measure a model on a file of labeled texts",
    "edit": "forbid, pin or cap words of a model, refit the others, and measure the cost",
    "explain": "show what each word of a text contributes to its label",
    "compare": "compare every learner on a file of labeled texts, with significance tests",
    "tune": "find good parameters by cross-validation",
    "report": "write an HTML page about a model",
    "diagnose": "say whether a model overfits, underfits or lacks data, and what to try",
    "audit": "find duplicates, leaks, shortcuts and suspect labels in labeled texts",
    "check": "test what a model does when texts are changed",
    "inspect": "show what is in a model",
    "serve": "serve models over HTTP, with a page to try them",
    "embed": "learn word vectors from a file of texts",
    "neighbors": "list the words nearest to a word by word vectors",
    "cluster": "group the texts of a file",
    "lexicon": "find the words that distinguish the classes of labeled texts",
    "convert": "write data in another format, or a model as JSON or for scikit-learn",
    "completion": "print a completion script for a shell",
}

EPILOG = """\
examples:
  wordplane demo                                    no data needed
  wordplane train reviews.csv -o reviews.wordplane
  echo "great film" | wordplane predict reviews.wordplane -
  wordplane VERB --help                             options and examples of a verb

exit codes: 0 done, 1 failed while working, 2 wrong input or usage, 3 below what was asked for
"""


def command() -> NoReturn:
    """Run the command that was typed, and end. What is to be kept has been written by then: nobody
    waits while Python takes its objects apart."""
    # What is being written is removed, and then the process ends as it would have.
    signal.signal(signal.SIGTERM, _terminate)
    _end_within_a_second()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # a full disk has been told of
            stream.flush()
    os._exit(code)


def _end_within_a_second() -> None:
    """Let Ctrl-C and SIGTERM end the process even while a native call runs, in which Python does
    not look for signals: a thread learns of them at once, and ends what does not end by itself."""
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    signal.set_wakeup_fd(sender, warn_on_full_buffer=False)

    def watch() -> None:
        while (number := os.read(receiver, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
            pass
        time.sleep(PATIENCE)
        remove_drafts()
        if number == signal.SIGINT:
            os.write(2, b"wordplane: interrupted\n")
        os._exit(128 + number)

    Thread(target=watch, daemon=True).start()


def _terminate(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    gc.set_threshold(100_000)  # imports make many objects and little garbage
    try:
        _mend_streams()
        args = _parse(list(sys.argv[1:] if argv is None else argv))
        with warnings.catch_warnings():
            warnings.showwarning = _Notes().show
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
    except BaseException as error:
        # How libraries written in Rust say that something failed, such as to get memory.
        if type(error).__name__ != "PanicException":
            raise
        say(f"wordplane: a library failed, perhaps for lack of memory: {error}")
        return 1


class _Notes:
    """Warnings as users read them: without the place in our code that they come from, and of those
    by learners that stopped early, one for each fold and value tried, only the first."""

    def __init__(self) -> None:
        self._stopped_early = False

    def show(
        self, message: Warning | str, category: type[Warning], *_: object, **__: object
    ) -> None:
        from wordplane.common.errors import ConvergenceWarning

        is_early = issubclass(category, ConvergenceWarning)
        if not (is_early and self._stopped_early):
            say(f"note: {message}")
        self._stopped_early = self._stopped_early or is_early


def _mend_streams() -> None:
    """Closed streams become empty ones; a character that a terminal cannot show is escaped."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="backslashreplace")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in a line, not below a page of usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {plain(message)}; see {self.prog} --help\n")


def _parse(arguments: list[str]) -> argparse.Namespace:
    verb = next((word for word in arguments if not word.startswith("-")), "")
    parser, typed = make_parser(verb), arguments
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(2)
    if verb and verb not in VERBS:
        parser.error(f"there is no verb {verb!r}{_nearest(verb, VERBS)}")
    if verb in VERBS and any(word.partition("=")[0] == "--config" for word in arguments):
        from wordplane.cli.config import with_config

        arguments = with_config(verb_parser(parser, verb), verb, arguments, list(VERBS))
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        chosen = verb_parser(parser, verb)
        options = [name for action in chosen._actions for name in action.option_strings]
        wrong = next((word for word in unknown if word.startswith("-")), unknown[0])
        chosen.error(f"there is no option {wrong}{_nearest(wrong.partition('=')[0], options)}")
    set_options(verb_parser(parser, args.verb))
    args.typed = typed
    return args


def _nearest(word: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


def make_parser(verb: str = "", *, every_verb: bool = False) -> argparse.ArgumentParser:
    """The parser of the command line; the options of a verb are there if it is chosen."""
    parser = Parser(
        prog="wordplane",
        description="Linear text classification: train, predict, measure.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wordplane {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, summary in VERBS.items():
        if name != verb and not every_verb:
            verbs.add_parser(name, help=summary)
            continue
        module = import_module(f"wordplane.cli.{name}")
        of_verb = verbs.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(of_verb)
        of_verb.add_argument(
            "--config", metavar="FILE", help=f"options from the table [{name}] of a TOML file"
        )
    return parser


def verb_parser(parser: argparse.ArgumentParser, verb: str) -> argparse.ArgumentParser:
    """The part of the parser that is a verb's."""
    (verbs,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found: argparse.ArgumentParser = verbs.choices[verb]
    return found


def _report(error: Exception) -> int:
    from wordplane.common.errors import InputError, RequirementError, WordplaneError

    if isinstance(error, WordplaneError):
        say(f"wordplane: {error}")
        if isinstance(error, RequirementError):
            return 3
        return 2 if isinstance(error, InputError) else 1
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        say(f"wordplane: {where}{error.strerror or error}")
        return 1
    if isinstance(error, MemoryError):
        say("wordplane: out of memory; raise `min_df`, use shorter `ngrams`, or give fewer texts")
        return 1
    raise error
