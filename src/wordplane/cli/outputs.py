"""What verbs write: which files they may, and how tables for people look."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.common.files import DATABASE, check_name

MODEL_ENDING, PAGE_ENDING = ".wordplane", ".html"
# Of what is written otherwise, or not at all; those of data are known besides.
OTHER_ENDINGS = frozenset(
    ".html .htm .mjs .json .pkl .pickle .joblib .npy .onnx .pt .h5 .png .svg .pdf .ipynb .gz .zst "
    ".bz2 .xz .zip".split()
)
CONVERT = (
    "`wordplane convert MODEL -o FILE` makes a page (.html), a module for Node (.mjs), .json, or a "
    "scikit-learn pipeline (.joblib, .pkl, .pickle) of a model"
)


def check_output(path: str, force: bool, taken: Iterable[str | None], option: str = "-o") -> None:
    """Nothing is overwritten unasked, and what is `taken` (read, or written too) not even then;
    nobody waits for work that cannot be kept."""
    names = [given for given in taken if given]
    for name in names:
        check_name(name)
    files = [one for name in names for one in (name, *glob.glob(name, recursive=True))]  # noqa: PTH207
    if DATABASE.match(path):
        return
    if any(_is_same(path, one) or _is_file_in(path, one) for one in files):
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


def check_ending(path: str, ending: str, what: str) -> None:
    """Refuse a name that says another kind of file than what is written."""
    from wordplane.data.read import EXTENSIONS

    said = Path(path).suffix.lower()
    if said != ending and (said in EXTENSIONS or said in OTHER_ENDINGS):
        more = f"; {CONVERT}" if ending == MODEL_ENDING else ""
        raise InputError(f"{path}: let the name of {what} end in {ending}{more}")


def typed_files(typed: Iterable[str], except_for: Iterable[str | None]) -> list[str]:
    """What is typed and names a file, such as a lexicon, but for one mention of each exception."""
    words = [word.partition("=")[2] if word.startswith("-") else word for word in typed]
    words += [word.partition("=")[2] for word in words]  # as in --lexica mood=mood.tsv
    for known in except_for:
        if known in words:
            words.remove(known)
    return [word for word in words if names_file(word)]


def names_file(word: str) -> bool:
    """Whether a word that may be anything, such as a pattern longer than any name, names a file."""
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _is_file_in(path: str, folder: str) -> bool:
    """Whether the path is an existing file somewhere in the folder, which is read as a whole."""
    if not (Path(folder).is_dir() and os.path.lexists(path)):
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _is_same(path: str, other: str) -> bool:
    both_there = Path(path).exists() and Path(other).exists()
    same = os.path.realpath(path) == os.path.realpath(other)
    return same or (both_there and Path(path).samefile(other))


def add_escape_option(parser: argparse.ArgumentParser) -> None:
    """Of verbs that write tables with words of strangers."""
    parser.add_argument(
        "--escape-formulas",
        action="store_true",
        help="in CSV, put ' before cells that a spreadsheet would run (= + - @)",
    )


def add_excel_option(parser: argparse.ArgumentParser) -> None:
    """Of verbs that write tables for people."""
    parser.add_argument(
        "--excel",
        action="store_true",
        help="CSV that Excel opens with a double click: a byte order mark, the delimiter of the "
        "training data or of this computer's language, and --escape-formulas",
    )


def excel_delimiter(args: argparse.Namespace, style: Mapping[str, str]) -> str | None:
    """The character between cells of CSV for Excel, if that is asked for: the one that is given or
    known, or a semicolon where numbers have commas."""
    if not args.excel:
        return None
    known: str | None = args.delimiter or style.get("delimiter")
    if known is not None:
        return known
    import locale

    try:
        locale.setlocale(locale.LC_NUMERIC, "")
        comma = locale.localeconv()["decimal_point"] == ","
    except locale.Error:
        comma = False
    finally:
        locale.setlocale(locale.LC_NUMERIC, "C")
    return ";" if comma else ","
