"""Writes a corpus in the formats that can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePosixPath
from types import GenericAlias

from wordplane.common.errors import InputError
from wordplane.data.compression import check_written, extension
from wordplane.data.corpus import Corpus, RowLabels, label_tuple
from wordplane.data.line_writer import LINE_FIELDS, LineWriter
from wordplane.data.read import EXTENSIONS
from wordplane.data.tables import COLUMNAR, TABLES, WITHOUT_LISTS, text_output, write_table

WRITABLE = (*TABLES, *LINE_FIELDS)
COLUMN_NAMES = ("text", "label", "id", "weight", "split")
NEED_ALL = (*COLUMNAR, "svmlight")  # formats that need all rows: column types or the classes


def names_folder(output: str) -> bool:
    """Whether an output is a folder, or a pattern such as out/*.jsonl.zst.

    >>> names_folder("out/"), names_folder("out/*.jsonl.zst"), names_folder("out.csv")
    (True, True, False)
    """
    return output.endswith("/") or "*" in PurePosixPath(output).name or Path(output).is_dir()


def choose_format(
    output: str | None, given: str | None, allowed: tuple[str, ...], given_by: str = ""
) -> str:
    """The format that was asked for, or the one that the file's extension says.

    given_by  how the caller can ask for one, if at all
    """
    if output is not None:
        check_written(output)
    format = given or ("" if output is None else EXTENSIONS.get(extension(output), ""))
    if format == "excel" and output is not None and extension(output) != ".xlsx":
        raise InputError(f"{output}: the name of a file in the format excel must end in .xlsx")
    if format not in allowed:
        known = (e for e, format in EXTENSIONS.items() if format in allowed)
        endings = ", ".join(e for e in known if EXTENSIONS[e] != "excel" or e == ".xlsx")
        raise InputError(
            f"{output or 'stdout'}: in which format? "
            + (f"Name one with {given_by} ({', '.join(allowed)}), or let" if given_by else "Let")
            + f" the name end in one of {endings}"
        )
    return format


def write(
    corpus: Corpus | Iterable[Corpus], path: str | PathLike[str] | None, form: str
) -> list[str]:
    """Write a corpus, or batches of one; returns notes on what the format could not hold.

    path  a file, which appears only when it is complete, or None for standard output
    form  csv, tsv, jsonl, parquet, arrow, excel, lines, fasttext, vw, svmlight or counts

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
        types = _column_types(batches[0]) if isinstance(batches, list) else {}
        batches = _check_sets(batches, form)
        write_table((_columns(batch, form, types) for batch in batches), form, target, types)
        return []
    notes = []
    if form == "svmlight" and isinstance(batches, list):
        batches, notes = [_number_labels(batches[0])], _note_label_numbers(batches[0])
    writer = LineWriter(form)
    with text_output(target) as file:
        for batch in batches:
            for line in writer.lines(batch):
                file.write(line + "\n")
    return notes + writer.notes()


def _check_sets(batches: Iterable[Corpus], format: str) -> Iterator[Corpus]:
    """The batches; an error if one has several labels in a row and one before it has not, since a
    column holds either lists of labels or labels."""
    n_rows, singles = 0, False
    for batch in batches:
        labels = [label for label in batch.labels or () if label is not None]
        has_sets = any(isinstance(label, tuple) for label in labels)
        if has_sets and singles:
            raise InputError(
                f"of the rows after row {n_rows:,}, some have several labels, but none before has; "
                f"{format} needs one of them among the first rows. Move it there, or write "
                "fasttext or vw"
            )
        singles = singles or (bool(labels) and not has_sets)
        n_rows += len(batch)
        yield batch


def _columns(
    corpus: Corpus, format: str, types: dict[str, type | GenericAlias]
) -> dict[str, Sequence[object]]:
    """The columns of a table."""
    labels: Sequence[RowLabels | list[str]] | None = corpus.labels
    if corpus.labels is not None and format in WITHOUT_LISTS:
        rows = (row for row, label in enumerate(corpus.labels) if isinstance(label, tuple))
        several = next(rows, None)
        if several is not None:
            raise InputError(
                f"row {several + 1} has several labels, which {format} cannot hold; "
                "write jsonl, parquet, arrow, fasttext or vw"
            )
    if corpus.labels is not None and types.get("label") == list[str]:
        labels = [
            None if label is None else list(map(str, label_tuple(label))) for label in corpus.labels
        ]
    columns: dict[str, Sequence[object] | None] = {
        "text": list(corpus.texts),
        "label": labels,
        "id": corpus.ids,
        "weight": None if corpus.weights is None else corpus.weights.tolist(),
        "split": corpus.split,
    }
    for name in corpus.extras:
        if name in COLUMN_NAMES:
            raise InputError(f"the extra column {name!r} has a name that {format} needs; rename it")
    present = {name: values for name, values in columns.items() if values is not None}
    return {**present, **corpus.extras}


def _column_types(corpus: Corpus) -> dict[str, type | GenericAlias]:
    types: dict[str, type | GenericAlias] = {"text": str}
    if corpus.labels is not None:
        present = {type(label) for label in corpus.labels if label is not None}
        types["label"] = list[str] if tuple in present else next(iter(present), str)
    if corpus.ids is not None:
        types["id"] = str
    if corpus.weights is not None:
        types["weight"] = float
    if corpus.split is not None:
        types["split"] = str
    return types | {name: type(values[0]) for name, values in corpus.extras.items()}


def _classes(corpus: Corpus) -> list[str]:
    """The labels in order, for svmlight to number them; none if all are numbers already."""
    labels = {str(label) for row in corpus.labels or () for label in label_tuple(row)}
    return [] if all(map(_is_number, labels)) else sorted(labels)


def _is_number(label: str) -> bool:
    return label.removeprefix("-").isdecimal()


def _number_labels(corpus: Corpus) -> Corpus:
    code = {label: str(k) for k, label in enumerate(_classes(corpus))}
    if not code or corpus.labels is None:
        return corpus
    labels = [tuple(code[str(label)] for label in label_tuple(row)) for row in corpus.labels]
    return replace(corpus, labels=labels)


def _note_label_numbers(corpus: Corpus) -> list[str]:
    numbers = ", ".join(f"{label} {k}" for k, label in enumerate(_classes(corpus)))
    return [f"labels are written as numbers: {numbers}"] if numbers else []
