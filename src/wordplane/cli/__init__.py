"""The command line: `wordplane VERB ...`, one file per verb, imported only when chosen."""

import argparse
import gc
import os
import shlex
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import NoReturn

from wordplane import __version__
from wordplane.cli.console import say_notes, set_options, set_volume, warn
from wordplane.cli.help import (
    NO_VERBS,
    VERBS,
    HelpAll,
    Parser,
    done_elsewhere,
    meant_option,
    unknown_option,
)
from wordplane.common.files import remove_drafts
from wordplane.common.parameters import nearest

VERSION = f"wordplane {__version__}"
PATIENCE = 0.8  # seconds that an interrupted command has to end by itself


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
    if sys.platform != "win32":  # which has no such pipes before Python 3.12
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
            code = _run(args)
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
        return _report(error, list(sys.argv[1:] if argv is None else argv))
    except BaseException as error:
        # How libraries written in Rust say that something failed, such as to get memory.
        if type(error).__name__ != "PanicException":
            raise
        warn(f"wordplane: a library failed, perhaps for lack of memory: {error}")
        return 1


def _run(args: argparse.Namespace) -> int:
    """Run the verb. If it is not clear which column is meant, ask, and run it again."""
    run = import_module(f"wordplane.cli.{args.verb}").run
    while True:
        try:
            code: int = run(args)
            return code
        except Exception as error:
            if not hasattr(error, "questions"):
                raise
            from wordplane.cli.questions import ask_columns, can_ask

            if not can_ask(args):
                raise
            ask_columns(error, args)  # type: ignore[arg-type]


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
            say_notes([str(message)])
        self._stopped_early = self._stopped_early or is_early


def _mend_streams() -> None:
    """Closed streams become empty ones; a character that a terminal cannot show is escaped."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _parse(arguments: list[str]) -> argparse.Namespace:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    verb = next((word for word in arguments if not word.startswith("-")), "")
    parser, typed = make_parser(verb), arguments
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(2)
    _check_verb(parser, verb, arguments)
    if verb in VERBS and any(word.partition("=")[0] == "--config" for word in arguments):
        from wordplane.cli.config import with_config

        arguments = with_config(verb_parser(parser, verb), verb, arguments, list(VERBS))
    wrong, how = done_elsewhere(verb, arguments)
    if wrong:
        verb_parser(parser, verb).error(f"there is no option {wrong}: {how}")
    if verb:
        chosen = verb_parser(parser, verb)
        if misspelled := unknown_option(arguments, _options(chosen)):
            _refuse(chosen, [misspelled])  # before it is said that something is missing
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse(verb_parser(parser, verb), unknown)
    set_options(verb_parser(parser, args.verb))
    set_volume(quiet=args.quiet, verbose=args.verbose)
    args.typed = typed
    return args


def _check_verb(parser: Parser, verb: str, arguments: list[str]) -> None:
    """Refuse what is not a verb, or stands where one should."""
    if verb and verb not in VERBS:
        known = NO_VERBS.get(verb.lower())
        if known is None and os.path.lexists(verb):
            known = f"a verb comes first, such as `{_usual_command(arguments)}`"
        hint = f": {known}" if known else nearest(verb, VERBS)
        parser.error(f"there is no verb {verb!r}{hint}")
    known_here = [name for action in parser._actions for name in action.option_strings]
    wrong = next((word for word in arguments if word.partition("=")[0] not in known_here), "")
    if not verb and wrong:
        parser.error(f"there is no option {wrong}{nearest(wrong, known_here)}")


def _refuse(chosen: argparse.ArgumentParser, unknown: list[str]) -> NoReturn:
    """Refuse words that the verb does not take."""
    wrong = next((word for word in unknown if word.startswith("-")), None)
    if wrong is None:
        has_text = any(a.dest == "text" and not a.option_strings for a in chosen._actions)
        hint = "; put quotes around a text of several words" if has_text else ""
        chosen.error(f"there is one argument too many: {unknown[0]!r}{hint}")
    chosen.error(f"there is no option {wrong}{meant_option(wrong, _options(chosen))}")


def _options(chosen: argparse.ArgumentParser) -> dict[str, str]:
    """The options of a verb, each with what its value is called."""
    return {
        name: str(action.metavar or "")
        for action in chosen._actions
        for name in action.option_strings
    }


def _usual_command(arguments: list[str]) -> str:
    """What is usually done with such files."""
    from wordplane.cli.options import is_model

    files = [word for word in arguments if not word.startswith("-")]
    if not is_model(files[0]):
        return shlex.join(["wordplane", "train", files[0]])
    return shlex.join(["wordplane", "inspect" if len(files) == 1 else "predict", *files])


def make_parser(verb: str = "", *, every_verb: bool = False) -> Parser:
    """The parser of the command line; the options of a verb are there if it is chosen."""
    parser = Parser(
        prog="wordplane",
        description="Linear text classification: train, predict, measure.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--help-all", action=HelpAll)
    parser.add_argument("--version", action="version", version=VERSION)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, prog=parser.prog)
    for name, summary in VERBS.items():
        if name != verb and not every_verb:
            if verb not in VERBS:  # for the list of verbs
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
        of_verb.add_argument("--help-all", action=HelpAll)
        loudness = of_verb.add_mutually_exclusive_group()
        loudness.add_argument(
            "-q", "--quiet", action="store_true", help="no notes, hints or progress"
        )
        loudness.add_argument(
            "-v", "--verbose", action="store_true", help="say what is done, and how long it takes"
        )
    return parser


def verb_parser(parser: argparse.ArgumentParser, verb: str) -> argparse.ArgumentParser:
    """The part of the parser that is a verb's."""
    (verbs,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found: argparse.ArgumentParser = verbs.choices[verb]
    return found


def _report(error: Exception, typed: list[str]) -> int:
    from wordplane.common.errors import (
        InputError,
        MissingExtraError,
        RequirementError,
        WordplaneError,
    )

    if isinstance(error, WordplaneError):
        warn(f"wordplane: {error}")
        if isinstance(error, InputError) and error.remedies:
            from wordplane.cli.questions import commands

            for command in commands(error, typed):
                warn(f"  {command}")
        if isinstance(error, RequirementError):
            return 3
        return 2 if isinstance(error, InputError | MissingExtraError) else 1
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        warn(f"wordplane: {where}{error.strerror or error}")
        return 1
    if isinstance(error, MemoryError):
        warn("wordplane: out of memory; raise `min_df`, use shorter `ngrams`, or give fewer texts")
        return 1
    raise error
