"""Options that several verbs share, and parameters of classes as options."""

from __future__ import annotations

import argparse
import glob
import inspect
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordplane.cli.feature_groups import GROUPS, group_names, with_groups
from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.progress import Listener
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import FORMATS, read_batches
from wordplane.features.embeddings import WordEmbeddings
from wordplane.learners.registry import WITHOUT_WEIGHTS, without_weights
from wordplane.model.file import MAGIC
from wordplane.text.analyzer import Analyzer
from wordplane.text.lexicon import Lexicon

if TYPE_CHECKING:
    from wordplane.model.classifier import TextClassifier


def add_data_options(parser: argparse.ArgumentParser, *, labels: bool) -> None:
    """How to read the data."""
    group = parser.add_argument_group("reading")
    group.add_argument("--format", choices=FORMATS, help="instead of what the extension says")
    group.add_argument(
        "--text",
        action="append",
        metavar="COLUMN",
        help="column of texts; repeat to join several",
    )
    if labels:
        group.add_argument("--label", metavar="COLUMN", help="column of the labels")
        group.add_argument(
            "--label-separator",
            metavar="CHAR",
            help="between the labels of a row that may have several (lists need none)",
        )
    group.add_argument("--id", metavar="COLUMN", help="column that names the rows")
    if labels:
        group.add_argument(
            "--skip-unlabeled", action="store_true", help="leave out rows without a label"
        )
        group.add_argument("--weight", metavar="COLUMN", help="column of the row weights")
    group.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out rows of CSV, TSV and JSONL files that cannot be read",
    )
    group.add_argument("--encoding", default="utf-8", help="of the file (default: utf-8)")
    group.add_argument("--delimiter", metavar="CHAR", help="between the fields of a CSV file")
    group.add_argument(
        "--no-header", action="store_true", help="the first row is data; columns are 1, 2, ..."
    )


def is_model(path: str) -> bool:
    """Whether a file is a model, or would be by its name if it were there."""
    if path == STDIN or not Path(path).is_file():
        return path.endswith(".wordplane")
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def load_model(args: argparse.Namespace) -> TextClassifier:
    """The model, to use on the data."""
    from wordplane.model.classifier import load

    swapped = next((path for path in args.data if is_model(path)), None)
    if swapped is not None and not is_model(args.model):
        raise InputError(
            f"{args.model} is no model, but {swapped} is; the model comes first: "
            f"wordplane {args.verb} {swapped} {args.model}"
        )
    model = load(args.model)
    model.n_jobs = args.threads
    return model


def read_for(model: TextClassifier, given: dict[str, Any], *, require_label: bool) -> Corpus:
    """The data, from the columns that the model was trained on unless others are named."""
    given = {**model_arguments(model, given), "require_label": require_label}
    return next(read_batches(batch_size=None, **given))


def model_arguments(model: TextClassifier, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `read_batches`, with the columns of the model where none are named and the
    file has them."""
    texts, label = (model.training_.get(name) for name in ("text_columns", "label_column"))
    return {
        **given,
        "extra": model.analyzer.column_kinds() if model.analyzer else {},
        "text_hint": texts if isinstance(texts, list) else None,
        "label_hint": label if isinstance(label, str) else None,
    }


def reader_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """The data options as `wordplane.read` takes them."""
    if STDIN in args.data and sys.stdin.isatty():
        say("reading from the terminal, one text per line; end with Ctrl-D")
    for path in args.data:
        if Path(path).exists() and is_model(path):
            raise InputError(f"{path} is a model, not data")
    return {
        "source": args.data,
        "format": args.format,
        "text": args.text,
        "label": getattr(args, "label", None),
        "id": args.id,
        "weight": getattr(args, "weight", None),
        "extra": getattr(args, "extra", ()),
        "encoding": args.encoding,
        "delimiter": args.delimiter,
        "header": not args.no_header,
        "labels": hasattr(args, "label"),
        "label_separator": getattr(args, "label_separator", None),
        "skip_unlabeled": getattr(args, "skip_unlabeled", False),
        "skip_bad": args.skip_bad,
    }


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """What every verb has."""
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """For verbs in which chance is involved."""
    parser.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="where chance is involved (default: 0)"
    )


def add_analyzer_options(parser: argparse.ArgumentParser) -> None:
    """Every parameter of the analyzer as an option, with the help that its docstring gives."""
    group = parser.add_argument_group("features")
    group.add_argument(
        "--features",
        type=group_names,
        metavar="GROUP,GROUP",
        help=f"these groups and no others: {', '.join(GROUPS)} (the options below say what they "
        "are like; default: what suits the learner and the texts)",
    )
    helps = parameter_helps(Analyzer)
    from_file: dict[str, dict[str, Any]] = {
        "known_words": {"type": word_list, "metavar": "FILE"},
        "triggers": {"type": named_words, "action": "append", "metavar": "FILE"},
        "lexica": {"type": named_lexicon, "action": "append", "metavar": "FILE"},
        "embeddings": {"type": named_embeddings, "action": "append", "metavar": "FILE"},
        "weights": {"type": named_number, "action": "append", "metavar": "GROUP=NUMBER"},
    }
    for name, parameter in inspect.signature(Analyzer).parameters.items():
        if name == "columns":
            continue
        flag = "--" + name.replace("_", "-")
        text = helps[name].replace("%", "%%")
        if name in from_file:
            group.add_argument(flag, help=text, **from_file[name])
        elif isinstance(parameter.default, bool):
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        elif name in ("ngrams", "chars"):
            group.add_argument(flag, type=number_range, metavar="FROM,TO", help=text)
        elif isinstance(parameter.default, tuple):
            group.add_argument(flag, type=numbers, metavar="N,N", help=text)
        else:
            kind = str if parameter.default is None else type(parameter.default)
            kind = int if name == "max_features" else kind
            group.add_argument(flag, type=kind, metavar=kind.__name__.upper(), help=text)
    group.add_argument(
        "--extra",
        action="append",
        default=[],
        metavar="COLUMN",
        help="column beside the text that is a feature too: numbers, or else categories",
    )


def given_parameters(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters of the analyzer that were given as options."""
    names = set(inspect.signature(Analyzer).parameters) - {"columns"}
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    for name in ("triggers", "lexica", "embeddings", "weights"):
        if name in given:
            given[name] = dict(given[name])
    if args.features is not None:
        given = with_groups(args.features, given)
    Analyzer(**given).check()
    return given


def parameter_helps(cls: type) -> dict[str, str]:
    """The text of every parameter in the docstring of `cls`, with its default.

    >>> from wordplane import Analyzer
    >>> parameter_helps(Analyzer)["lowercase"]
    'Whether case is folded. (default: True)'
    """
    section = (inspect.getdoc(cls) or "").partition("Parameters\n")[2].partition("\n\n")[0]
    entries = re.split(r"^(\w+) : ", section, flags=re.MULTILINE)
    helps = {}
    for name, entry in zip(entries[1::2], entries[2::2], strict=True):
        head, _, body = entry.partition("\n")
        default = head.partition("default ")[2].strip()
        helps[name] = " ".join(body.split()) + (f" (default: {default})" if default else "")
    return helps


def learner_name(text: str) -> str:
    """The name of a learner; whether it is one that there is, `choices` says."""
    if text in WITHOUT_WEIGHTS:
        raise argparse.ArgumentTypeError(without_weights(WITHOUT_WEIGHTS[text]))
    return text


def natural(text: str) -> int:
    """A whole number from 0 up."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)


def seconds(text: str) -> float:
    """'60s' or '5m' as seconds."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in ("s", "m", "h") else (text, "s")
    try:
        value = float(number) * {"s": 1, "m": 60, "h": 3600}[unit]
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 60s or 5m")
    return value


def number_range(text: str) -> tuple[int, int]:
    """'1,2' as (1, 2), '2' as (1, 2)."""
    parts = text.split(",")
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of numbers such as 1,2")
    return (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def numbers(text: str) -> list[int]:
    """'2,3' as [2, 3]."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 2,3") from None


def word_list(path: str) -> list[str]:
    """The words of a file, one per line."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be read as UTF-8 text: {error}") from None
    return [line.strip() for line in lines if line.strip()]


def named_words(path: str) -> tuple[str, list[str]]:
    """The words of a file, under its name."""
    return Path(path).stem, word_list(path)


def named_lexicon(path: str) -> tuple[str, Lexicon]:
    """The lexicon in a file, under its name."""
    try:
        return Path(path).stem, Lexicon.read(path)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def named_embeddings(path: str) -> tuple[str, WordEmbeddings]:
    """The word embeddings in a file that `wordplane embed` wrote, under its name."""
    try:
        return Path(path).stem, WordEmbeddings.load(path)
    except WordplaneError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def named_number(text: str) -> tuple[str, float]:
    """'char=0.5' as ('char', 0.5)."""
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not such as char=0.5") from None


def say(message: str) -> None:
    """A message to the person at the terminal."""
    print(plain(message), file=sys.stderr)


def plain(value: object) -> str:
    r"""Text of strangers for the terminal: what would steer it is shown as an escape.

    The joiner inside emoji is left as it is.

    >>> plain("red \x1b[31m")
    'red \\x1b[31m'
    """
    harmless = "\n\u200d"
    return "".join(c if c.isprintable() or c in harmless else repr(c)[1:-1] for c in str(value))


def accuracy_text(scores: dict[str, Any]) -> str:
    """Accuracy, its interval, and what guessing the commonest label would give."""
    low, high = scores["interval"]
    return (
        f"{scores['accuracy']:.1%} (95 % interval {low:.1%} to {high:.1%}); always "
        f"{plain(repr(scores['majority_label']))} would be {scores['majority_accuracy']:.1%}"
    )


def scores_lines(scores: dict[str, Any]) -> list[str]:
    """The scores for a person: of one label per row, or of sets of labels."""
    if "subset_accuracy" not in scores:
        return [f"accuracy  {accuracy_text(scores)}"]
    label = plain(repr(scores["majority_label"]))
    commonest = plain(", ".join(map(repr, scores["majority_set"])) or "no label")
    lines = []
    for name, measure, always in (
        ("micro F1", "micro_f1", label),
        ("macro F1", "macro_f1", label),
        ("exact", "subset_accuracy", commonest),
        ("Hamming", "hamming_loss", None),
    ):
        low, high = scores[f"{measure}_interval"]
        line = f"{name:8}  {scores[measure]:.1%} (95 % interval {low:.1%} to {high:.1%})"
        if always is not None:
            line += f"; always {always} would be {scores[f'majority_{measure}']:.1%}"
        lines.append(line)
    return lines


def print_json(result: dict[str, Any]) -> None:
    """The result for a program."""
    print(json.dumps(result, ensure_ascii=False))


def check_output(path: str, force: bool, taken: Iterable[str | None], option: str = "-o") -> None:
    """Nothing is overwritten unasked, and what is `taken` (read, or written too) not even then;
    nobody waits for work that cannot be kept."""
    files = [one for given in taken if given for one in (given, *glob.glob(given, recursive=True))]  # noqa: PTH207
    if any(_is_same(path, one) for one in files):
        raise InputError(
            f"{path} is also read or written by this command; name another file with {option}"
        )
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder; name a file in it with {option}")
    if os.path.lexists(path) and not force:
        raise InputError(
            f"{path} exists; name another file with {option}, or overwrite it with --force"
        )
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}")


def _is_same(path: str, other: str) -> bool:
    both_there = Path(path).exists() and Path(other).exists()
    same = os.path.realpath(path) == os.path.realpath(other)
    return same or (both_there and Path(path).samefile(other))


def check_folds(folds: int, corpus: Corpus) -> None:
    """There are texts for so many folds."""
    if folds < 2:
        raise InputError(f"--folds is {folds}, expected at least 2")
    if folds > len(corpus):
        raise InputError(
            f"{corpus.source}: {folds} folds need at least {folds} texts, there are {len(corpus)}: "
            "give more texts, or fewer --folds"
        )


def add_rows_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Which rows of a split to take."""
    parser.add_argument(
        "--rows",
        choices=("all", "train", "dev", "test"),
        help=f"take only the rows marked so in the column `split` (default: {default})",
    )


def chosen_rows(corpus: Corpus, wish: str) -> Corpus:
    """The rows of the corpus that --rows asks for."""
    if wish == "all":
        return corpus
    if corpus.split is None:
        raise InputError(f"{corpus.source}: --rows {wish} needs a column `split`")
    return corpus.take(np.array([row for row, part in enumerate(corpus.split) if part == wish]))


@contextmanager
def progress_bar() -> Iterator[Listener]:
    """A bar for long work, on a terminal only. Yields the function that moves it."""
    if not sys.stderr.isatty():
        yield lambda job, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    # stdout stays what it is: it may be a file or a pipe that rows are written to.
    with Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, redirect_stdout=False
    ) as bar:
        tasks: dict[str, Any] = {}

        def show(job: str, done: int, total: int) -> None:
            if job not in tasks:
                tasks[job] = bar.add_task(job, total=None)
            bar.update(tasks[job], completed=done, total=total or None)  # 0: nobody knows

        yield show
