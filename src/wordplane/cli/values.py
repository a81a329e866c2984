"""Values of options: what is typed, as what is meant."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from wordplane.common.errors import InputError

if TYPE_CHECKING:  # loaded by those who give such files
    from wordplane.text.lexicon import Lexicon


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


def size(text: str) -> int:
    """'500MB' or '1.5GB' as bytes."""
    number = text.upper().removesuffix("B").rstrip("KMGT")
    unit = text.upper().removesuffix("B")[len(number) :]
    try:
        value = float(number) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[unit]
    except (ValueError, KeyError):
        value = 0
    if not 1 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 500MB or 1.5GB")
    return int(value)


def stop_words(text: str) -> str | list[str]:
    """'english' as it is, else the words of a file."""
    return text if text == "english" else word_list(text)


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


def names(text: str) -> list[str]:
    """'title,date' as ['title', 'date']."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names such as title,date")
    return parts


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
    from wordplane.text.lexicon import Lexicon

    try:
        return Path(path).stem, Lexicon.read(path)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def named_number(text: str) -> tuple[str, float]:
    """'char=0.5' as ('char', 0.5)."""
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must look like char=0.5") from None


def share(text: str) -> float:
    """'0.9' or '90%' as 0.9."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share such as 0.9 or 90%")
    return value


def parameter(text: str) -> tuple[str, object]:
    """'C=0.1' as ('C', 0.1): numbers, True, False and JSON as what they are, else a string."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--param is {text!r}, expected NAME=VALUE such as alpha=0.1")
    if value in ("True", "False"):
        return name, value == "True"
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def parameter_values(text: str) -> tuple[str, list[object]]:
    """'C=0.1,1' as ('C', [0.1, 1]); ranges such as ngrams=[1,1],[1,2] as pairs."""
    name, equals, values = text.partition("=")
    if not equals:
        raise InputError(f"--grid is {text!r}, expected NAME=VALUE,VALUE such as C=0.1,1")
    listed = parameter(f"{name}=[{values}]")[1]
    if not isinstance(listed, list):  # words, not JSON
        return name, list(values.split(","))
    return name, [tuple(value) if isinstance(value, list) else value for value in listed]


def field(text: str) -> tuple[str, float]:
    """'title' as the name of a field, 'title=2' with its weight.

    >>> field("title=2"), field("body"), field("a=b")
    (('title', 2.0), ('body', 1.0), ('a=b', 1.0))
    """
    name, equals, weight = text.rpartition("=")
    try:
        return (name, float(weight)) if equals and name else (text, 1.0)
    except ValueError:
        return text, 1.0
