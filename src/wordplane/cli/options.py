"""Options that several verbs share, and parameters of classes as options."""

from __future__ import annotations

import argparse
import glob
import inspect
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from wordplane.cli.console import say
from wordplane.cli.feature_groups import group_names, with_groups
from wordplane.cli.values import (
    field,
    named_lexicon,
    named_number,
    named_words,
    names,
    natural,
    number_range,
    numbers,
    parameter,
    stop_words,
    word_list,
)
from wordplane.common.errors import InputError
from wordplane.common.files import ADDRESS, check_name, no_such_file
from wordplane.data.encoding import STDIN
from wordplane.data.format_names import FORMATS
from wordplane.data.read_options import ReadOptions
from wordplane.learners.names import LEARNERS, NO_TEXT_MODEL, ONE_LABEL_LEARNERS, RECIPE
from wordplane.text.analyzer import Analyzer
from wordplane.text.feature_groups import GROUPS

# Parameters of the analyzer that --extra and --field give, and that Python alone has.
OF_DATA = {"columns", "fields", "embeddings"}
OPEN = "the recipe, or what folds of some thousand texts show to be better"

if TYPE_CHECKING:  # nobody waits for NumPy who asks for help
    from wordplane.data.read_options import Reading
    from wordplane.model.classifier import TextClassifier


class Typed(TypedDict, total=False):
    """How an option is typed: arguments of `add_argument`."""

    action: str
    choices: Sequence[str]
    default: object
    metavar: str
    type: Callable[[str], object]


COLUMN: Typed = {"metavar": "COLUMN"}
CHARACTER: Typed = {"metavar": "CHAR"}
COUNT: Typed = {"type": int, "metavar": "N"}
SHARE: Typed = {"type": float, "metavar": "P"}
SWITCH: Typed = {"action": "store_true"}
FOLDS: Typed = {"type": natural, "default": 5, "metavar": "K"}
REPEATS: Typed = {"type": natural, "default": 1, "metavar": "N"}
METRICS = (
    "accuracy, micro_f1, macro_f1, weighted_f1, macro_recall, mcc, kappa, quadratic_kappa, "
    "log_loss, f1:LABEL, ap:LABEL, auc:LABEL, precision@K, ndcg@K, lrap ... (default: accuracy, "
    "or micro_f1 if texts have several labels)"
)


def add_options(
    parser: argparse._ActionsContainer, helps: Mapping[str, str], typed: Mapping[str, Typed]
) -> None:
    """Options for parameters of the library, with what its docstrings say about them."""
    for name, how in typed.items():
        parser.add_argument(f"--{name.replace('_', '-')}", help=helps[name], **how)


def field_helps(cls: type) -> dict[str, str]:
    """What the docstring of a dataclass says about each field, in lines `name  text`.

    >>> field_helps(ReadOptions)["weight"]
    'the column of the row weights'
    """
    table = (cls.__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
    helps: dict[str, list[str]] = {}
    words: list[str] = []
    for line in table.splitlines():
        if line[4:5].strip():  # a name begins here, not within the text of another
            name, _, line = line.strip().partition(" ")
            words = helps[name] = []
        words += line.split()
    return {name: " ".join(words) for name, words in helps.items()}


# The options for reading; what each means, `ReadOptions` says.
TYPED: dict[str, Typed] = {
    "query": {"metavar": "SQL"},
    "format": {"choices": FORMATS},
    "text": {"action": "append", **COLUMN},
    "label": COLUMN,
    "label_separator": CHARACTER,
    "label_prefix": {"metavar": "PREFIX"},
    "id": COLUMN,
    "skip_unlabeled": SWITCH,
    "weight": COLUMN,
    "skip_bad": SWITCH,
    "follow_links": SWITCH,
    "encoding": {},
    "delimiter": CHARACTER,
    "sheet": {"metavar": "NAME"},
}
OF_LABELS = ("label", "label_separator", "skip_unlabeled", "weight")


def add_data_options(parser: argparse.ArgumentParser, *, labels: bool) -> None:
    """How to read the data."""
    group, helps = parser.add_argument_group("reading"), field_helps(ReadOptions)
    helps["text"] = "column of texts; to join several, repeat it, or put commas between them"
    add_options(
        group, helps, {name: how for name, how in TYPED.items() if labels or name not in OF_LABELS}
    )
    group.add_argument(
        "--no-header", action="store_true", help="the first row is data; columns are 1, 2, ..."
    )


def add_vectors_option(parser: argparse.ArgumentParser) -> None:
    """For verbs that train, and those that use a model."""
    parser.add_argument(
        "--vectors",
        metavar="COLUMN|FILE.npy",
        help="vectors as additional features: a column of lists of numbers (JSONL, "
        "Parquet), or an .npy file with a row per text",
    )


def add_group_option(parser: argparse.ArgumentParser) -> None:
    """For verbs that hold rows out."""
    parser.add_argument("--group", metavar="COLUMN", help=field_helps(ReadOptions)["group"])


def add_time_option(parser: argparse.ArgumentParser) -> None:
    """For verbs that hold the latest rows out."""
    parser.add_argument("--time", metavar="COLUMN", help=field_helps(ReadOptions)["time"])


def is_model(path: str) -> bool:
    """Whether a file is a model, or would be by its name if it were there."""
    from wordplane.model.file import MAGIC

    if ADDRESS.match(path):
        return False
    check_name(path)
    if path == STDIN or not Path(path).is_file():
        return path.endswith(".wordplane")
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def check_model_first(args: argparse.Namespace) -> None:
    """Refuse data in place of the model."""
    swapped = next((path for path in args.data if is_model(path)), None)
    if swapped is not None and not is_model(args.model):
        raise InputError(
            f"{args.model} is not a model, but {swapped} is; the model comes first: "
            f"wordplane {args.verb} {swapped} {args.model}"
        )


def load_model(args: argparse.Namespace) -> TextClassifier:
    """The model, to use on the data; one that predicts numbers is refused."""
    from wordplane.model.saved_models import load_classifier

    check_model_first(args)
    model = load_classifier(args.model)
    model.n_jobs = args.threads
    return model


def check_inputs(args: argparse.Namespace) -> None:
    """Refuse one of several inputs that is not there before anything is written: the last may be
    meant as the output."""
    for path in args.data if len(args.data) > 1 else []:
        if path == STDIN or ADDRESS.match(path) or glob.has_magic(path):
            continue
        check_name(path)
        if Path(path).exists():
            continue
        is_output = path == args.data[-1] and getattr(args, "output", path) is None
        hint = f"; to write there: -o {shlex.quote(path)}" if is_output else ""
        raise InputError(f"{no_such_file(path)}{hint}")


def reading_options(args: argparse.Namespace, *, addresses: bool = False) -> Reading:
    """The data options as the functions of the library take them; data may be `addresses`, too."""
    check_inputs(args)
    if STDIN in args.data and sys.stdin.isatty():
        say("reading from the terminal, one text per line; end with Ctrl-D")
    for path in args.data:
        if addresses and ADDRESS.match(path):
            continue
        check_name(path)
        if Path(path).exists() and is_model(path):
            raise InputError(f"{path} is a model, not data")
    names = [*TYPED, "extra", "vectors", "group", "time"]
    if not has_labels(args):
        names = [name for name in names if name not in OF_LABELS]
    given = {name: getattr(args, name) for name in names if hasattr(args, name)}
    return cast("Reading", {**given, "header": not args.no_header, "fields": _field_weights(args)})


def _field_weights(args: argparse.Namespace) -> dict[str, float]:
    given = getattr(args, "field", [])
    if len(dict(given)) < len(given):
        raise InputError("--field names a column twice")
    return dict(given)


def has_labels(args: argparse.Namespace) -> bool:
    """Whether the verb reads labels."""
    return hasattr(args, "label")


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """What every verb has."""
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_dask_option(parser: argparse.ArgumentParser, what: str) -> None:
    """For verbs that workers of Dask can do."""
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help=f"{what}: the address of a scheduler, whose workers must see the files under the same "
        "names, or `local` for a worker per thread of this machine",
    )


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """For verbs in which chance is involved."""
    parser.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="random seed (default: 0)"
    )


def add_analyzer_options(parser: argparse.ArgumentParser) -> None:
    """Every parameter of the analyzer as an option, with the help that its docstring gives."""
    group = parser.add_argument_group("features")
    group.add_argument(
        "--features",
        type=group_names,
        metavar="GROUP,GROUP",
        help=f"exactly these groups: {', '.join(GROUPS)} (the options below configure them; "
        "default: depends on the learner and the texts)",
    )
    helps = parameter_helps(Analyzer)
    from_file: dict[str, Typed] = {
        "known_words": {"type": word_list, "metavar": "FILE"},
        "forbid": {"type": str, "action": "append", "metavar": "WORD"},
        "stop_words": {"type": stop_words, "metavar": "english|FILE"},
        "normalize": {"type": names, "metavar": "NAME,NAME"},
        "stem": {"type": str, "metavar": "LANGUAGE"},
        "tokens": {"type": str, "metavar": "KIND"},
        "triggers": {"type": named_words, "action": "append", "metavar": "FILE"},
        "lexica": {"type": named_lexicon, "action": "append", "metavar": "FILE"},
        "weights": {"type": named_number, "action": "append", "metavar": "GROUP=NUMBER"},
    }
    for name, default in _defaults(Analyzer).items():
        if name in OF_DATA:
            continue
        flag = "--" + name.replace("_", "-")
        text = helps[name].replace("%", "%%")
        if name in from_file:
            group.add_argument(flag, help=text, **from_file[name])
        elif isinstance(default, bool):
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        elif name in ("ngrams", "chars"):
            group.add_argument(flag, type=number_range, metavar="FROM,TO", help=text)
        elif isinstance(default, tuple):
            group.add_argument(flag, type=numbers, metavar="N,N", help=text)
        else:
            kind = str if default is None else type(default)
            kind = int if name in ("max_features", "conjoin", "hash_bits") else kind
            group.add_argument(flag, type=kind, metavar=kind.__name__.upper(), help=text)
    group.add_argument(
        "--extra",
        action="append",
        default=[],
        metavar="COLUMN",
        help="another column to use as a feature: numbers or categories",
    )
    add_vectors_option(parser)
    group.add_argument(
        "--field",
        type=field,
        action="append",
        default=[],
        metavar="COLUMN[=WEIGHT]",
        help="text column with its own features: a word in --field title and the same word in "
        "--field body are two features; repeat for each. A weight multiplies them. In .vw files: "
        "namespaces",
    )


def add_learning_options(parser: argparse.ArgumentParser) -> None:
    """For verbs that train models from scratch, and hold rows out."""
    add_seed_option(parser)
    add_group_option(parser)
    add_time_option(parser)
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def given_parameters(args: argparse.Namespace) -> dict[str, object]:
    """The parameters of the analyzer that were given as options."""
    known = set(inspect.signature(Analyzer).parameters) - OF_DATA
    given = {name: getattr(args, name) for name in known if getattr(args, name) is not None}
    for name in ("triggers", "lexica", "weights"):
        if name in given:
            given[name] = dict(given[name])
    if args.features is not None:
        given = with_groups(args.features, given)
    Analyzer(**given).resolve()
    return given


def _defaults(cls: type) -> dict[str, object]:
    parameters = inspect.signature(cls).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


def parameter_helps(owner: Callable[..., object]) -> dict[str, str]:
    """The text of every parameter in the docstring of a class or function, with its default.

    >>> from wordplane import Analyzer
    >>> parameter_helps(Analyzer)["lowercase"]
    'Whether to fold case. (default: True)'
    """
    section = (inspect.getdoc(owner) or "").partition("Parameters\n")[2].partition("\n\n")[0]
    entries = re.split(r"^(\w+) : ", section, flags=re.MULTILINE)
    helps = {}
    for name, entry in zip(entries[1::2], entries[2::2], strict=True):
        head, _, body = entry.partition("\n")
        default = head.partition("default ")[2].strip()
        shown = f" (default: {default})" if default else ""
        helps[name] = " ".join(body.split()) + shown
    return helps


def helps_of(function: Callable[..., object]) -> dict[str, str]:
    """The same for the options of a verb, without the defaults that are None or False."""
    helps = {}
    for name, text in parameter_helps(function).items():
        text = re.sub(r" \(default: (None|False)\)$", "", text).replace("%", "%%")
        helps[name] = text[:1].lower() + re.sub(r"\.(?=$| \(default)", "", text[1:])
    return helps


def add_rows_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Which rows of a split to take."""
    parser.add_argument(
        "--rows",
        choices=("all", "train", "dev", "test", "cv"),
        help=f"use only the rows with this value in the column `split` (default: {default})",
    )


def add_learner_options(
    parser: argparse.ArgumentParser, default: str | None = RECIPE, *, one_label: bool = False
) -> None:
    """Which learner, and its parameters; with `one_label`, also those that are taught one label."""
    taught_one = ONE_LABEL_LEARNERS if one_label else ()
    names = (RECIPE, *LEARNERS, *taught_one)
    parser.add_argument(
        "--learner",
        type=learner_name,
        choices=names,
        default=default,
        metavar="NAME",
        help=f"the learner: {', '.join(names)} (default: {default or OPEN})",
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="learner parameter"
    )


def learner_parameters(args: argparse.Namespace) -> dict[str, object]:
    """The parameters of the learner that were given as options."""
    return dict(parameter(text) for text in args.param)


def learner_name(text: str) -> str:
    """The name of a learner; whether it is one that there is, `choices` says."""
    if text in NO_TEXT_MODEL:
        from wordplane.learners.registry import why_no_text_model

        raise argparse.ArgumentTypeError(why_no_text_model(text))
    return text
