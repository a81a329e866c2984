"""Writing a corpus in the formats that are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from typing import Any

from wordplane.common.errors import InputError
from wordplane.data.compression import extension
from wordplane.data.corpus import Corpus, Labels
from wordplane.data.line_writer import HELD, LineWriter, labels_of
from wordplane.data.read import EXTENSIONS
from wordplane.data.tables import COLUMNAR, TABLES, text_output, write_table

WRITABLE = (*TABLES, *HELD)
NAMES = ("text", "label", "id", "weight", "split")  # of the columns of tables
NEED_ALL = (*COLUMNAR, "svmlight")  # types of columns, or the classes, are known at the end


def output_format(path: str | None, wish: str | None, allowed: tuple[str, ...]) -> str:
    """The wish, or what the file's extension says."""
    form = wish or ("" if path is None else EXTENSIONS.get(extension(path), ""))
    if form not in allowed:
        endings = ", ".join(e for e, format in EXTENSIONS.items() if format in allowed)
        raise InputError(
            f"{path or 'stdout'}: in which format? Name one with --output-format "
            f"({', '.join(allowed)}), or end the name of -o in one of {endings}"
        )
    return form


def write(
    corpus: Corpus | Iterable[Corpus], path: str | PathLike[str] | None, form: str
) -> list[str]:
    """Write a corpus, or batches of one; returns notes on what the format could not hold.

    path   a file, which appears only when it is complete, or None for standard output
    form   csv, tsv, jsonl, parquet, arrow, lines, fasttext, vw, svmlight or counts

    >>> from wordplane._core import Texts
    >>> write(Corpus(Texts(["so dull", "great"]), ["bad", "good"]), None, "fasttext")
    __label__bad so dull
    __label__good great
    []
    """
    if form not in WRITABLE:
        raise InputError(f"the format is {form!r}, expected one of {', '.join(WRITABLE)}")
    target = None if path is None else str(path)
    batches = [corpus] if isinstance(corpus, Corpus) else corpus
    if form in NEED_ALL:
        batches = list(batches)
        if len(batches) != 1:
            raise InputError(f"{form} is written from one whole corpus, not from batches")
    if form in TABLES:
        kinds = _kinds(batches[0]) if isinstance(batches, list) else {}
        write_table((_columns(batch, form, kinds) for batch in batches), form, target, kinds)
        return []
    notes = []
    if form == "svmlight" and isinstance(batches, list):
        batches, notes = [_numbered(batches[0])], _numbers_told(batches[0])
    lines = LineWriter(form)
    with text_output(target) as file:
        for batch in batches:
            for line in lines.of(batch):
                file.write(line + "\n")
    return notes + lines.notes()


def _columns(corpus: Corpus, form: str, kinds: dict[str, type]) -> dict[str, list[Any]]:
    """The columns of a table."""
    labels: list[Any] | None = corpus.labels
    if labels is not None and form in ("csv", "tsv"):
        several = next((row for row, held in enumerate(labels) if isinstance(held, tuple)), None)
        if several is not None:
            raise InputError(
                f"row {several + 1} has several labels, which {form} cannot hold; "
                "write jsonl, parquet, arrow, fasttext or vw"
            )
    if labels is not None and kinds.get("label") == list[str]:
        labels = [None if held is None else list(map(str, labels_of(held))) for held in labels]
    columns: dict[str, list[Any] | None] = {
        "text": list(corpus.texts),
        "label": labels,
        "id": corpus.ids,
        "weight": None if corpus.weights is None else corpus.weights.tolist(),
        "split": corpus.split,
    }
    for name in corpus.extras:
        if name in NAMES:
            raise InputError(f"the extra column {name!r} has a name that {form} needs: rename it")
    return {name: held for name, held in columns.items() if held is not None} | corpus.extras


def _kinds(corpus: Corpus) -> dict[str, type]:
    """The types of the columns."""
    kinds: dict[str, type] = {"text": str}
    if corpus.labels is not None:
        found = {type(held) for held in corpus.labels if held is not None}
        kinds["label"] = list[str] if tuple in found else next(iter(found), str)
    if corpus.ids is not None:
        kinds["id"] = str
    if corpus.weights is not None:
        kinds["weight"] = float
    if corpus.split is not None:
        kinds["split"] = str
    return kinds | {name: type(held[0]) for name, held in corpus.extras.items()}


def _classes(corpus: Corpus) -> list[str]:
    """The labels in order if they are no numbers, as svmlight wants them, else none."""
    labels = {str(one) for held in corpus.labels or () for one in labels_of(held)}
    return [] if all(map(_is_number, labels)) else sorted(labels)


def _is_number(label: str) -> bool:
    return label.removeprefix("-").isdecimal()


def _numbered(corpus: Corpus) -> Corpus:
    code = {label: str(k) for k, label in enumerate(_classes(corpus))}
    if not code or corpus.labels is None:
        return corpus
    labels: list[Labels | None] = [
        tuple(code[str(one)] for one in labels_of(held)) for held in corpus.labels
    ]
    return replace(corpus, labels=labels)


def _numbers_told(corpus: Corpus) -> list[str]:
    listed = ", ".join(f"{label} {k}" for k, label in enumerate(_classes(corpus)))
    return [f"labels are written as numbers: {listed}"] if listed else []
